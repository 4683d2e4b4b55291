"""Frozen values are shown as their call."""

from __future__ import annotations


def call(name: str, *given: object, **named: object) -> str:
    """Show as a call; what is None is left out."""
    shown = [*map(repr, given), *(f"{n}={v!r}" for n, v in named.items() if v is not None)]
    return f"{name}({', '.join(shown)})"
