"""The form of values: what can be written as JSON at all. What they may be the JVM checks.

Nothing else is checked here: what is no duration or number has no further problems.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, TypeGuard

from windrow._specs import _duration
from windrow.errors import SpecProblem, problem

Problems = list[SpecProblem]


def settle(
    value: object,
    *,
    durations: Iterable[str] = (),
    counts: Iterable[str] = (),
    counted: Mapping[str, str] = {},
) -> Problems:
    """Put the shortest texts in the place of durations, and say what is no duration or number.

    value: a frozen one; durations and counts are the names of its fields. counted: see
    ``_duration.read``, by the names of fields.
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
    """Give the names of the fields that are not None."""
    return [name for name in names if getattr(value, name) is not None]


def duration(name: str, value: object) -> Problems:
    """Durations, by the name of their argument."""
    micros = _duration.read(value)
    if isinstance(micros, SpecProblem):
        return [micros._of(name)]
    return []


def gaps(name: str, value: object) -> Problems:
    """True, False, or a duration."""
    micros = 0 if isinstance(value, bool) else _duration.read(value)
    if not isinstance(micros, SpecProblem):
        return []
    if micros.code == "DURATION_TOO_LONG":
        return [micros._of(name)]
    shown = f"'{value}'" if isinstance(value, str) else json.dumps(value)
    return [problem("FILL_GAPS_NOT_UNDERSTOOD", name=name, value=shown)]


def count(name: str, value: object) -> Problems:
    """Whole numbers."""
    if is_count(value):
        return []
    return [problem("COUNT_NOT_UNDERSTOOD.NUMBER", name=name, value=repr(value))]


def unknown(condition: str, name: str, value: object, words: Iterable[str]) -> SpecProblem:
    """Give the problem of a word that is none of those allowed."""
    return problem(condition, name=name, value=value, allowed=", ".join(words))


def name(name: str, value: object) -> Problems:
    """Texts."""
    if isinstance(value, str):
        return []
    return [problem("NAME_NOT_UNDERSTOOD", name=name, value=repr(value))]


def is_count(value: object) -> TypeGuard[int]:
    """Whether it is a whole number of 64 bits."""
    return isinstance(value, int) and not isinstance(value, bool) and -(2**63) <= value < 2**63


def offsets(name: str, given: Mapping[Any, Any] | tuple[tuple[Any, Any], ...]) -> Problems:
    """Offsets by partition."""
    return [
        problem("START_OFFSET_NOT_UNDERSTOOD", name=name, found=f"has {partition!r}: {offset!r}")
        for partition, offset in dict(given).items()
        if not (is_count(partition) and is_count(offset))
    ]
