"""What can be wrong with one value: the JVM's codes and texts.

Each check gives the problems of a value as it was given, none if there are none. What is no
duration or number at all is a problem of its own and has no further ones.
"""

from __future__ import annotations

from typing import TypeGuard

from windrow import _duration
from windrow.errors import SpecProblem

Problems = list[SpecProblem]

#: Codes of values that are not understood.
UNREAD = frozenset(
    (
        "DURATION_WITHOUT_UNIT",
        "DURATION_NOT_UNDERSTOOD",
        "DURATION_TOO_LONG",
        "COUNT_NOT_UNDERSTOOD",
        "NAME_NOT_UNDERSTOOD",
    )
)


def duration(name: str, value: object, *, code: str = "", least: int | None = None) -> Problems:
    """Durations of at least ``least`` microseconds: 1, 0 or any."""
    micros = _duration.read(value)
    if isinstance(micros, SpecProblem):
        return [micros]
    if least is None or micros >= least:
        return []
    must = "longer than 0 microseconds" if least else "'0 seconds' or longer"
    return [SpecProblem(code, f"{name} is '{_duration.show(micros)}'; it must be {must}.")]


def positive(name: str, value: object, *, code: str = "") -> Problems:
    """Durations above 0."""
    return duration(name, value, code=code or f"{name.upper()}_NOT_POSITIVE", least=1)


def not_negative(name: str, value: object, *, code: str) -> Problems:
    """Durations from 0."""
    return duration(name, value, code=code, least=0)


def name(name: str, value: object) -> Problems:
    """Texts."""
    if isinstance(value, str):
        return []
    return [SpecProblem("NAME_NOT_UNDERSTOOD", f"{name} is {value!r}; it must be a text.")]


def at_least_one(name: str, value: object, *, code: str = "") -> Problems:
    """Whole numbers from 1."""
    return at_least(name, value, 1, code=code or f"{name.upper()}_NOT_POSITIVE")


def at_least(name: str, value: object, least: int, *, code: str) -> Problems:
    """Whole numbers from ``least``."""
    if not is_count(value):
        return [SpecProblem("COUNT_NOT_UNDERSTOOD", f"{name} is {value!r}; {_WHOLE}")]
    if value >= least:
        return []
    return [SpecProblem(code, f"{name} is {value}; it must be {least} or more.")]


def is_count(value: object) -> TypeGuard[int]:
    """Whether it is a whole number of 64 bits."""
    return isinstance(value, int) and not isinstance(value, bool) and -(2**63) <= value < 2**63


_WHOLE = "it must be a whole number."
