"""Frozen values: made of what was read but not checked, and shown as their call."""

from __future__ import annotations

from typing import TypeVar

T = TypeVar("T")


def unchecked(cls: type[T], **values: object) -> T:
    """Make a value of fields that were read; whoever gets it checks them with everything else."""
    made = object.__new__(cls)
    for name, value in values.items():
        object.__setattr__(made, name, value)
    return made


def call(name: str, *given: object, **named: object) -> str:
    """Show as a call; what is None is left out."""
    shown = [*map(repr, given), *(f"{n}={v!r}" for n, v in named.items() if v is not None)]
    return f"{name}({', '.join(shown)})"
