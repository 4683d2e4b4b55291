"""Looks for the least scenario that still fails, and tells how to run it again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from typing import Any

from large.scenario import Leg, Scenario, Traffic
from large.windows import Windows

Fails = Callable[[Scenario], bool]


def shrunk(case: Scenario, fails: Fails, tries: int = 30) -> Scenario:
    """Take the first smaller scenario that fails, again and again, ``tries`` runs at most."""
    candidates = _smaller(case)
    for _ in range(tries):
        smaller = next(candidates, None)
        if smaller is None:
            return case
        if fails(smaller):
            case, candidates = smaller, _smaller(smaller)
    return case


def script(case: Scenario) -> str:
    """Give a program that runs it, from the checkout's root, and prints what is wrong."""
    return f"PYTHONPATH=python:tests/python .venv/bin/python -m large.again <<'CASE'\n{case}\nCASE"


def _smaller(case: Scenario) -> Iterator[Scenario]:
    """Fewer messages, restarts, batches, settings, keys; then a simpler stream and operator."""
    for part in (20, 4, 2):
        fewer = (replace(one, messages=one.messages // part) for one in case.traffic)
        yield replace(case, traffic=tuple(fewer))
    for i, leg in enumerate(case.legs):
        if len(case.legs) > 1:
            yield replace(case, legs=case.legs[:i] + case.legs[i + 1 :])
        for setting in leg.settings:
            kept = tuple(one for one in leg.settings if one != setting)
            yield _with(case, i, replace(leg, settings=kept))
        if leg.batches > 1:
            yield _with(case, i, replace(leg, batches=leg.batches - 1))
    yield _each(case, keys=max(1, case.traffic[0].keys // 10))
    for field in fields(Traffic):
        if field.name != "messages":
            yield _each(case, **{field.name: field.default})
    if isinstance(case.operator, Windows):
        for simpler in ({"more": ()}, {"early": "never"}, {"mode": "ACCUMULATING"}):
            yield replace(case, operator=replace(case.operator, **simpler))
    yield replace(case, shards=1)


def _with(case: Scenario, at: int, leg: Leg) -> Scenario:
    return replace(case, legs=(*case.legs[:at], leg, *case.legs[at + 1 :]))


def _each(case: Scenario, **changes: Any) -> Scenario:
    return replace(case, traffic=tuple(replace(one, **changes) for one in case.traffic))
