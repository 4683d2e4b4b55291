"""Searches for the smallest scenario that still fails, and prints how to run it again."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from typing import Any

from large.expected.windows import Windows
from large.scenario import Leg, Scenario, Traffic

#: Returns the faults in the output of a scenario.
Wrong = Callable[[Scenario], list[str]]


def shrunk(case: Scenario, wrong: Wrong, tries: int = 40) -> tuple[Scenario, list[str]]:
    """Return a smaller scenario that fails alike, found in at most ``tries`` runs, and its faults.

    A scenario that fails differently (for example, because it is refused before it runs) has
    another fault.
    """
    found = wrong(case)
    kinds = {_kind(one) for one in found}
    at = misses = 0
    for _ in range(tries):
        smaller = [one for one in _smaller(case) if one != case]
        if misses >= len(smaller):
            break
        tried = smaller[at % len(smaller)]
        left = wrong(tried)
        if kinds.isdisjoint(map(_kind, left)):
            at, misses = at + 1, misses + 1
        else:  # try the same change again, then the following ones
            case, found, misses = tried, left, 0
    return case, found


#: The part of a fault before its numbers; for a refusal, its code too.
_KIND = re.compile(r"[^:]*(: \[\w+\])?")


def _kind(wrong: str) -> str:
    found = _KIND.match(wrong)
    return found.group() if found else wrong


def script(case: Scenario) -> str:
    """Return a command that runs the scenario from the checkout's root and prints its faults."""
    return f"PYTHONPATH=python:tests/python .venv/bin/python -m large.again <<'CASE'\n{case}\nCASE"


def _smaller(case: Scenario) -> Iterator[Scenario]:
    """Yield smaller scenarios, the smallest ones first.

    They have fewer rows, runs, batches, settings or keys, then a simpler stream and operator.
    """
    for part in (20, 4, 2):
        yield _parted(case, "messages", part)
    yield replace(case, legs=(Leg(1),))
    yield replace(case, legs=tuple(Leg(leg.batches) for leg in case.legs))
    yield replace(case, legs=tuple(replace(leg, batches=1) for leg in case.legs))
    for i, leg in enumerate(case.legs):
        if len(case.legs) > 1:
            yield replace(case, legs=case.legs[:i] + case.legs[i + 1 :])
        for setting in leg.settings:
            kept = tuple(one for one in leg.settings if one != setting)
            yield _with(case, i, replace(leg, settings=kept))
        if leg.batches > 1:
            yield _with(case, i, replace(leg, batches=leg.batches - 1))
    yield replace(case, shards=1)
    yield _parted(case, "keys", 10)
    for field in fields(Traffic):
        if field.name not in {"messages", "keys"}:
            yield _plain(case, field.name)
    if isinstance(case.operator, Windows):
        for simpler in ({"more": ()}, {"early": "never"}, {"mode": "ACCUMULATING"}):
            yield replace(case, operator=replace(case.operator, **simpler))
    yield replace(case, final=False)


def _with(case: Scenario, at: int, leg: Leg) -> Scenario:
    return replace(case, legs=(*case.legs[:at], leg, *case.legs[at + 1 :]))


def _parted(case: Scenario, name: str, by: int) -> Scenario:
    return _each(case, lambda one: {name: max(1, getattr(one, name) // by)})


def _plain(case: Scenario, name: str) -> Scenario:
    return _each(case, lambda _: {name: getattr(Traffic(disorder=0.0), name)})


def _each(case: Scenario, changes: Callable[[Traffic], dict[str, Any]]) -> Scenario:
    """Change every stream, including the stream of lookups."""
    changed = [replace(one, **changes(one)) for one in case.traffic]
    lookups = case.lookups and replace(case.lookups, **changes(case.lookups))
    return replace(case, traffic=tuple(changed), lookups=lookups)
