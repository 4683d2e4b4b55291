"""Show frozen values as their call."""

from __future__ import annotations


def call(name: str, *given: object, **named: object) -> str:
    """Return a call as text, without arguments that are None."""
    shown = [*map(repr, given), *(f"{n}={v!r}" for n, v in named.items() if v is not None)]
    return f"{name}({', '.join(shown)})"
