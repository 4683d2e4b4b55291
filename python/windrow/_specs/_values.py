"""Check that values can be written as JSON; the JVM checks everything else.

A value that is not a duration or number has only this one problem.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, TypeGuard

from windrow._specs import _duration
from windrow.errors import SpecError, SpecProblem, problem

Problems = list[SpecProblem]


def settle(
    value: object,
    *,
    durations: Iterable[str] = (),
    counts: Iterable[str] = (),
    counted: Mapping[str, str] = {},
) -> Problems:
    """Replace durations by their shortest texts, and return the problems of durations and numbers.

    value: a frozen dataclass; durations and counts are names of its fields. counted: a condition
    for fields that can count rows instead, see ``_duration.read``.
    """
    found: Problems = []
    for name in durations:
        micros = _duration.read(getattr(value, name), counted.get(name, "DURATION"))
        if isinstance(micros, SpecProblem):
            found.append(micros)
        else:
            object.__setattr__(value, name, _duration.show(micros))
    for name in counts:
        found += count(name, getattr(value, name))
    return found


def stated(value: object, *names: str) -> list[str]:
    """Return the names of the fields that are not None."""
    return [name for name in names if getattr(value, name) is not None]


def duration(name: str, value: object) -> Problems:
    """Check a duration."""
    micros = _duration.read(value)
    if isinstance(micros, SpecProblem):
        return [micros._of(name)]
    return []


def gaps(name: str, value: object) -> Problems:
    """Check True, False, or a duration."""
    micros = 0 if isinstance(value, bool) else _duration.read(value)
    if not isinstance(micros, SpecProblem):
        return []
    if micros.code == "DURATION_TOO_LONG":
        return [micros._of(name)]
    shown = f"'{value}'" if isinstance(value, str) else json.dumps(value)
    return [problem("FILL_GAPS_NOT_UNDERSTOOD", name=name, value=shown)]


def count(name: str, value: object) -> Problems:
    """Check an integer."""
    if is_count(value):
        return []
    return [problem("COUNT_NOT_UNDERSTOOD.NUMBER", name=name, value=repr(value))]


def unknown(condition: str, name: str, value: object, words: Iterable[str]) -> SpecProblem:
    """Return the problem of a word that is not allowed."""
    return problem(condition, name=name, value=value, allowed=", ".join(words))


def name(name: str, value: object) -> Problems:
    """Check a string."""
    if isinstance(value, str):
        return []
    return [problem("NAME_NOT_UNDERSTOOD", name=name, value=repr(value))]


def names(call: str, argument: str, values: Iterable[object]) -> tuple[str, ...]:
    """Return strings as a tuple; raise SpecError about ``call`` for other values."""
    given = tuple(values)
    found = [wrong for value in given for wrong in name(argument, value)]
    if found:
        raise SpecError.of(call, found)
    return tuple(map(str, given))


def is_count(value: object) -> TypeGuard[int]:
    """Return whether the value is a 64-bit integer."""
    return isinstance(value, int) and not isinstance(value, bool) and -(2**63) <= value < 2**63


def offsets(name: str, given: Mapping[Any, Any] | tuple[tuple[Any, Any], ...]) -> Problems:
    """Check offsets by partition."""
    return [
        problem("START_OFFSET_NOT_UNDERSTOOD", name=name, found=f"has {partition!r}: {offset!r}")
        for partition, offset in dict(given).items()
        if not (is_count(partition) and is_count(offset))
    ]
