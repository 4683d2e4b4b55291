"""Scenarios of each family, drawn from a seed."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

from large.dice import JOINED, any_case, any_overtaken, any_traffic, any_windows
from large.draw_operators import OPERATORS
from large.expected.cogroups import CoGrouped
from large.expected.inherited import Inherited
from large.expected.joins import How, Join
from large.expected.kinds import Aligned, ByCalendar, Kind, Over, Sessions, Sliding
from large.expected.looks import LookedMessages, LookedWindows
from large.expected.lookups import Lookups
from large.expected.positions import Count, Global, Offsets, Policy, TupleSession
from large.expected.store import Messages
from large.expected.unchanged import Unchanged
from large.scenario import DAY, MILLISECOND, SECOND, Scenario, Traffic
from large.traffic import TYPES


def drawn(family: str, seed: int, messages: int = 1_000) -> Scenario:
    """Draw a scenario; the same seed returns the same scenario."""
    rng = random.Random(f"{family} {seed}")  # noqa: S311  the seed repeats it
    return FAMILIES[family](rng, messages)


def _aligned(rng: random.Random, messages: int) -> Scenario:
    traffic, identity = any_traffic(rng, messages), rng.random() < 0.5
    size = max(1, traffic.span // rng.choice((3, 40, 500)))
    step = max(1, int(size / rng.choice((0.7, 1, 1, 1, 2.5, 20))))
    kind = Aligned(size, step, rng.choice((0, -5 * SECOND, 7)))
    return any_case(rng, any_windows(rng, kind, identity=identity), traffic, identity=identity)


def _calendar(rng: random.Random, messages: int) -> Scenario:
    traffic = replace(any_traffic(rng, messages), span=rng.choice((30 * DAY, 4_000 * DAY)))
    zone = rng.choice(("Europe/Berlin", "America/Sao_Paulo", "Asia/Kathmandu", "UTC"))
    unit, months, hours = rng.choice(
        [
            *(("day", 0, 0), ("day", 0, 6), ("week", 0, 0), ("week", 0, -24), ("month", 0, 0)),
            *(("month", 0, 14 * 24), ("quarter", 1, 0), ("year", 0, 0), ("year", 3, 5 * 24)),
        ]
    )
    kind = ByCalendar(unit, zone, rng.choice((1, 1, 3, 7)), months, hours)
    return any_case(rng, any_windows(rng, kind, identity=False), traffic, identity=False)


def _sessions(rng: random.Random, messages: int) -> Scenario:
    traffic, identity = any_traffic(rng, messages), rng.random() < 0.5
    gap = rng.choice((0, 1, traffic.span // 1_000, traffic.span // 30))
    return any_case(
        rng, any_windows(rng, Sessions(gap), identity=identity), traffic, identity=identity
    )


def _over(rng: random.Random, messages: int) -> Scenario:
    traffic = any_traffic(rng, messages)
    kind = rng.choice((Over(range=traffic.span // 20), Over(rows=rng.choice((1, 5, 100))), Over()))
    windows = any_windows(rng, kind, identity=True, framed=True)
    return any_case(rng, windows, traffic, identity=True)


def _sliding(rng: random.Random, messages: int) -> Scenario:
    traffic = any_traffic(rng, messages)
    kind = Sliding(traffic.span // 200 // MILLISECOND * MILLISECOND)
    windows = any_windows(rng, kind, identity=False)
    return any_case(rng, windows, traffic, identity=False, late=False)


def _positions(rng: random.Random, messages: int) -> Scenario:
    traffic = replace(any_traffic(rng, messages), timeless=0.0)
    size = rng.choice((1, 10, 100))
    step = rng.choice((size, max(1, size // 3)))
    kind = rng.choice(
        (Count(size, step), Policy(size), Policy(size, every=step), Offsets(size * 5, step * 5))
    )
    windows = replace(any_windows(rng, kind, identity=True), mode="ACCUMULATING", early="never")
    case = replace(any_case(rng, windows, traffic, identity=True), lateness=rng.choice((0, 50)))
    return any_overtaken(rng, case)


def _tuples(rng: random.Random, messages: int) -> Scenario:
    traffic = replace(any_traffic(rng, messages), timeless=0.0)
    windows = any_windows(rng, TupleSession(rng.choice((0, 3, 40))), identity=True)
    return any_overtaken(rng, any_case(rng, windows, traffic, identity=True))


def _global(rng: random.Random, messages: int) -> Scenario:
    traffic = replace(any_traffic(rng, messages), timeless=0.0)
    windows = replace(any_windows(rng, Global(), identity=True), early="each_batch")
    return any_case(rng, windows, traffic, identity=True)


def _messages(rng: random.Random, messages: int) -> Scenario:
    return _kept(rng, Messages, any_traffic(rng, messages))


def _join(rng: random.Random, messages: int) -> Scenario:
    left = replace(
        any_traffic(rng, messages, JOINED), keys=max(1, messages // rng.choice((1, 5, 50)))
    )
    right = replace(left, messages=messages // 2, disorder=rng.choice((0.0, 0.3)))
    wide = left.span // rng.choice((50, 1_000))
    join = Join(rng.choice(HOWS), -wide, rng.choice((0, 2 * wide)))
    return any_case(rng, join, left, right)


def _kept(
    rng: random.Random,
    kept: Callable[[Aligned], Messages],
    traffic: Traffic,
    *,
    identity: bool | None = None,
) -> Scenario:
    size = max(1, traffic.span // rng.choice((3, 40)))
    kind = Aligned(size, max(1, size // rng.choice((1, 3))))
    case = any_case(rng, kept(kind), traffic, identity=identity)
    return replace(case, retain=size + case.lateness + rng.choice((0, traffic.span // 5, DAY)))


def _inherited(rng: random.Random, messages: int) -> Scenario:
    traffic = any_traffic(rng, messages)
    size = max(1, traffic.span // rng.choice((3, 40)))
    kind = rng.choice((Aligned(size, size), Aligned(size, max(1, size // 3)), Sessions(size // 10)))
    windows = replace(any_windows(rng, kind, identity=False), more=())
    if windows.mode == "DISCARDING":  # partial values cannot be retracted
        windows = replace(windows, mode="ACCUMULATING")
    mode = rng.choice(("ACCUMULATING", "ACCUMULATING_AND_RETRACTING"))
    # Rows that the first operator rejects do not show in any output of the last one.
    groups = rng.choice((1, 3, 100))
    return any_case(rng, Inherited(windows, mode, groups), traffic, identity=False)


def _cogroup(rng: random.Random, messages: int) -> Scenario:
    one, identity = any_traffic(rng, messages), rng.random() < 0.5
    other = replace(one, messages=messages // 3, disorder=rng.choice((0.0, 0.3)))
    size = max(1, one.span // rng.choice((3, 40)))
    kinds: tuple[Kind, ...] = (Aligned(size, size), Aligned(size, size // 3), Sessions(size // 10))
    kind = rng.choice((*kinds, Count(10, 10)) if identity else kinds)
    windows = any_windows(rng, kind, identity=identity)
    if not kind.timed:
        windows = replace(windows, mode="ACCUMULATING", early="never")
        one, other = replace(one, timeless=0.0), replace(other, timeless=0.0)
    return any_case(rng, CoGrouped(**vars(windows)), one, other, identity=identity)


def _lookups(rng: random.Random, messages: int) -> Scenario:
    # a lookup needs a key type with a single spelling per value
    types = tuple(name for name in TYPES if name != "collated")
    traffic = any_traffic(rng, messages, types)
    back = traffic.span // rng.choice((10, 1_000))
    case = _kept(rng, lambda kind: Lookups(kind, back), traffic, identity=True)
    asks = replace(traffic, messages=messages // rng.choice((1, 10)), partitions=1)
    return replace(case, lookups=asks)


def _looks(rng: random.Random, messages: int) -> Scenario:
    traffic = any_traffic(rng, messages)
    if rng.random() < 0.5:
        return _kept(rng, LookedMessages, traffic)
    size = max(1, traffic.span // rng.choice((3, 40)))
    windows = any_windows(rng, Aligned(size, max(1, size // rng.choice((1, 3)))), identity=True)
    # DISCARDING keeps only partial values, and the SQL text of ``last`` does not show that it
    # ignores nulls.
    mode = windows.mode.replace("DISCARDING", "ACCUMULATING")
    more = tuple(name for name in windows.more if name != "last_known")
    windows = replace(windows, mode=mode, more=more)
    return any_case(rng, LookedWindows(**vars(windows)), traffic, identity=True)


def _final(rng: random.Random, messages: int) -> Scenario:
    family = rng.choice((_aligned, _calendar, _sessions, _over, _sliding, _messages, _join))
    case = family(rng, messages)
    first, *others = case.legs
    legs = (first, *(replace(leg, batches=1) for leg in others))
    return replace(case, legs=legs, final=True)


HOWS: tuple[How, ...] = ("inner", "left", "right", "full", "semi", "anti")


def _unchanged(rng: random.Random, messages: int) -> Scenario:
    what = rng.choice(("window", "session", "join", "dedup", "exactly"))
    one = replace(any_traffic(rng, messages, JOINED), timeless=0.0, repartition=0)
    one = replace(one, begin=1_709_251_200 * SECOND)  # Spark's first watermark is in 1970
    if what == "exactly":  # so that several rows have an equal time
        one = replace(one, tick=one.span // 50)
    size = max(1, one.span // MILLISECOND // rng.choice((20, 300))) * MILLISECOND
    traffic = (one, replace(one, messages=messages // 2)) if what == "join" else (one,)
    case = any_case(rng, Unchanged(what, size), *traffic, identity=False)
    if what == "dedup":
        case = replace(case, traffic=(replace(one, duplicates=0.3),))
    return case


FAMILIES: dict[str, Callable[[random.Random, int], Scenario]] = {
    "aligned": _aligned,
    "calendar": _calendar,
    "sessions": _sessions,
    "over": _over,
    "sliding": _sliding,
    "positions": _positions,
    "global": _global,
    "messages": _messages,
    "join": _join,
    "tuples": _tuples,
    "inherited": _inherited,
    "cogroup": _cogroup,
    "lookups": _lookups,
    "looks": _looks,
    "final": _final,
    "unchanged": _unchanged,
    **OPERATORS,
}
