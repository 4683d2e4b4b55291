"""Reading JSON with every problem collected, as the JVM's ``SpecJson`` reads it."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeVar

from windrow._specs import _duration, _values
from windrow.errors import SpecError, SpecProblem, problem

_UNITS = {"us": 1, "ms": 1_000, "s": 1_000_000}

Fields = Mapping[str, Any]
T = TypeVar("T")


def write(fields: Fields) -> str:
    """Compact JSON text, with texts as they are."""
    return json.dumps(fields, separators=(",", ":"), ensure_ascii=False)


def show(value: object) -> str:
    """Show a value as the JVM shows a JSON tree."""
    return json.dumps(value, separators=(",", ":"))


class Reader:
    """Reads fields of a JSON object; what is wrong goes to ``problems``."""

    def __init__(self, text: str) -> None:
        """Parse ``text``; its own ``time_unit`` ("us", "ms", "s") is the unit of durations."""
        self.problems: list[SpecProblem] = []
        self.fields: Fields = {}
        self.unit = "us"
        try:
            parsed = json.loads(text)
        except ValueError as why:
            self.refuse("SPEC_NOT_JSON.TEXT", why=why)
            return
        if isinstance(parsed, dict):
            self.fields = parsed
        else:
            self.refuse("SPEC_NOT_JSON.OBJECT")
        self.unit = str(self.fields.get("time_unit", "us"))
        if self.unit not in _UNITS:
            self.refuse("UNIT_UNKNOWN", value=self.unit, allowed=", ".join(_UNITS))

    def refuse(self, condition: str, /, **parameters: object) -> None:
        """Note a problem."""
        self.problems.append(problem(condition, **parameters))

    def raise_if_refused(self, subject: str) -> None:
        """Raise SpecError if anything was noted."""
        if self.problems:
            raise SpecError.of(subject, self.problems)

    def known(self, fields: Fields, what: str, names: Collection[str]) -> None:
        """Note the fields that ``what`` does not have."""
        for name in fields:
            if name not in names:
                allowed = ", ".join(sorted(names))
                self.refuse("FIELD_UNKNOWN.NAME", name=name, object=what, allowed=allowed)

    def need(
        self, fields: Fields, name: str, what: str, read: Callable[[Fields, str], T | None]
    ) -> T | None:
        """Give what ``read`` makes of a window's field that must be there."""
        if fields.get(name) is not None:
            return read(fields, name)
        self.refuse(f"{name.upper()}_NOT_STATED", name=name, expected=what)
        return None

    def count(self, fields: Fields, name: str) -> int | None:
        """Whole number of a field; None if it is left out, null or broken."""
        value = fields.get(name)
        if value is None or _values.is_count(value):
            return value
        self.refuse("COUNT_NOT_UNDERSTOOD.NUMBER", name=name, value=json.dumps(value))
        return None

    def flag(self, fields: Fields, name: str, *, default: bool) -> bool:
        """Truth of a field, ``default`` if it is left out, null or broken."""
        value = fields.get(name)
        if isinstance(value, bool):
            return value
        if value is not None:
            self.refuse("FLAG_NOT_UNDERSTOOD", name=name, value=json.dumps(value))
        return default

    def name(self, fields: Fields, name: str) -> str | None:
        """Text of a field; None if it is left out, null or broken."""
        value = fields.get(name)
        if value is None or isinstance(value, str):
            return value
        self.refuse("NAME_NOT_UNDERSTOOD", name=name, value=json.dumps(value))
        return None

    def word(self, fields: Fields, name: str, condition: str, words: Mapping[str, T]) -> T | None:
        """Meaning of a field's word; None if it is left out, null or no word of these."""
        value = fields.get(name)
        if value is None or (isinstance(value, str) and value in words):
            return None if value is None else words[value]
        self.refuse(condition, name=name, value=value, allowed=", ".join(words))
        return None

    def span(self, fields: Fields, name: str) -> str | None:
        """Canonical duration of a field; None if it is left out, null or broken."""
        value = fields.get(name)
        if value is None:
            return None
        if isinstance(value, int) and not isinstance(value, bool):
            micros: int | SpecProblem = value * _UNITS.get(self.unit, 1)
            if not _duration.fits(value * _UNITS.get(self.unit, 1)):
                micros = _duration.too_long(name)
        elif isinstance(value, str):
            micros = _duration.read(value)
            if isinstance(micros, SpecProblem):
                micros = micros._of(name)
        else:
            micros = problem(
                "DURATION_NOT_UNDERSTOOD.NUMBER",
                name=name,
                value=json.dumps(value),
                unit=self.unit,
            )
        if isinstance(micros, SpecProblem):
            self.problems.append(micros)
            return None
        return _duration.show(micros)
