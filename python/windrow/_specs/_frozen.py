"""Show frozen values as their call."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any

from windrow._specs._columns import is_column


class Shown:
    """A frozen dataclass that is shown as its call."""

    def __repr__(self) -> str:
        """Show as the call, without values that equal the default."""
        spec: Any = self  # of a subclass, which is a dataclass
        shown = []
        for field in fields(spec):
            value = getattr(self, field.name)
            text = repr(value[0] if _is_single(value) else value)
            if field.default is MISSING and not field.kw_only:
                shown.append(text)
            elif not same(value, field.default):
                shown.append(f"{field.name}={text}")
        return f"{type(self).__name__}({', '.join(shown)})"


def call(name: str, *given: object, **named: object) -> str:
    """Return a call as text, without arguments that are None."""
    shown = [*map(repr, given), *(f"{n}={v!r}" for n, v in named.items() if v is not None)]
    return f"{name}({', '.join(shown)})"


def same(value: object, other: object) -> bool:
    """Compare two values; a Column only by identity, because its ``==`` builds an expression."""
    return value is other or (not is_column(value) and value == other)


def _is_single(value: object) -> bool:
    """Return whether the value is a single name, which is shown without its list."""
    return isinstance(value, tuple) and len(value) == 1 and isinstance(value[0], str)
