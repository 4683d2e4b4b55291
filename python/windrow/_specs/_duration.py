"""Durations, with the same grammar, codes, and texts as the JVM's ``TimeSpan``."""

from __future__ import annotations

import re
from datetime import timedelta
from enum import Enum
from numbers import Number

from windrow.errors import SpecError, SpecProblem, problem

Duration = str | timedelta

#: The longest duration means without limit.
ENDLESS = 2**63 - 1


class Unstated(Enum):
    """The value of a lateness that is not set, because None means without limit."""

    UNSTATED = "not stated"


UNSTATED = Unstated.UNSTATED

_NAMES = {
    "week": 604_800_000_000,
    "day": 86_400_000_000,
    "hour": 3_600_000_000,
    "minute": 60_000_000,
    "second": 1_000_000,
    "millisecond": 1_000,
    "microsecond": 1,
}
_SHORT = {
    "w": "week",
    "d": "day",
    "h": "hour",
    "min": "minute",
    "m": "minute",
    "sec": "second",
    "s": "second",
    "ms": "millisecond",
    "us": "microsecond",
}
_UNITS = _NAMES | {short: _NAMES[name] for short, name in _SHORT.items()}
_ALLOWED = ", ".join(f"{name}s" for name in _NAMES)

_PART = re.compile(r"([+-]?\d+)\s*([a-z]+)\s*", re.ASCII)
_BARE = re.compile(r"[+-]?\d+(\.\d+)?", re.ASCII)
_BLANKS = "".join(map(chr, range(33)))  # the characters that Java's trim removes
_TOO_LONG = 2**62  # the maximum distance of event times from the epoch


def read(value: object, counted: str = "DURATION") -> int | SpecProblem:
    """Return the microseconds of a duration, or the problem.

    counted: the condition that names how to count rows instead, if that is possible.
    """
    if isinstance(value, str):
        return _read_text(value, counted)
    if isinstance(value, timedelta):
        micros = value // timedelta(microseconds=1)
        return micros if fits(micros) else too_long(f"'{value}'")
    if isinstance(value, Number):
        return _without_unit(value, str(value), counted)
    return problem("DURATION_NOT_UNDERSTOOD.TEXT", value=repr(value))


def show(micros: int) -> str:
    """Return the shortest exact text in one unit: 60,000,000 is ``1 minute``."""
    if micros == 0:
        return "0 seconds"
    name, unit = next((n, u) for n, u in _NAMES.items() if micros % u == 0)
    count = micros // unit
    return f"{count} {name}{'' if count == 1 else 's'}"


def canonical(value: object, call: str) -> str:
    """Return the canonical text of a duration; raise SpecError about ``call`` for another value."""
    micros = read(value)
    if isinstance(micros, SpecProblem):
        raise SpecError.of(call, [micros])
    return show(micros)


def micros(value: object) -> int:
    """Return the microseconds of a valid duration."""
    found = read(value)
    if isinstance(found, SpecProblem):
        raise SpecError.of("duration", [found])
    return found


def _without_unit(value: object, number: str, counted: str) -> SpecProblem:
    kind = counted if number.isdecimal() and int(number) > 0 else "DURATION"
    return problem(f"DURATION_WITHOUT_UNIT.{kind}", value=value, number=number)


def _read_text(text: str, counted: str) -> int | SpecProblem:
    trimmed = text.strip(_BLANKS).lower().removeprefix("interval ").strip(_BLANKS)
    if _BARE.fullmatch(trimmed):
        return _without_unit(f"'{text}'", trimmed, counted)
    parts = list(_PART.finditer(trimmed))
    if not parts or "".join(part[0] for part in parts) != trimmed:
        return problem("DURATION_NOT_UNDERSTOOD.TEXT", value=f"'{text}'")
    total = 0
    for count, name in (part.groups() for part in parts):
        unit = _UNITS.get(name, _UNITS.get(name.removesuffix("s")))
        if unit is None:
            return problem(
                "DURATION_NOT_UNDERSTOOD.UNIT", value=f"'{text}'", unit=name, units=_ALLOWED
            )
        if not fits(int(count) * unit) or not fits(total + int(count) * unit):
            return too_long(f"'{text}'")
        total += int(count) * unit
    return total


def fits(micros: int) -> bool:
    """Return whether the duration is short enough."""
    return -_TOO_LONG < micros < _TOO_LONG


def too_long(what: str) -> SpecProblem:
    """Return the problem of a duration that is too long."""
    return problem("DURATION_TOO_LONG", what=what)


def spans(**given: Duration | None) -> tuple[dict[str, str | None], dict[str, SpecProblem]]:
    """Return two mappings from names, to canonical durations and to problems."""
    found = {name: None if d is None else read(d) for name, d in given.items()}
    wrong = {n: span for n, span in found.items() if isinstance(span, SpecProblem)}
    shown = {n: show(span) if isinstance(span, int) else None for n, span in found.items()}
    return shown, wrong
