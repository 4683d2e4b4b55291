"""Scenarios of operators beyond single windows and joins, drawn from a seed."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace

from large.dice import JOINED, any_case, any_traffic, any_windows
from large.expected.asof import Asof, Direction, How
from large.expected.cuts import CutSessions
from large.expected.dedup import Deduplicated
from large.expected.gaps import ENDLESS, Filled
from large.expected.kinds import Aligned, ByCalendar, Kind, Sessions
from large.expected.matches import EARLIER, PLAIN, Matches, Pattern
from large.expected.named import Named
from large.expected.windows import Windows
from large.scenario import DAY, SECOND, Scenario, Traffic
from large.traffic import TYPES, groups

#: Types of keys that can be null, or contain a null.
NULLABLE = ("none", "two", "string", "boolean", "timestamp", "struct", "array")
ZONES = ("Europe/Berlin", "America/Sao_Paulo", "Asia/Kathmandu", "UTC")
DIRECTIONS: tuple[Direction, ...] = ("backward", "forward", "nearest")
HOWS: tuple[How, ...] = ("left", "inner")
#: Units of a calendar, with the months and hours after which windows start, and their least days.
UNITS = (
    *(("day", 0, 0, 1), ("day", 0, 6, 1), ("week", 0, 0, 7), ("week", 0, -24, 7)),
    *(("month", 0, 0, 28), ("month", 0, 14 * 24, 28), ("quarter", 1, 0, 89)),
)


def _ties(rng: random.Random, traffic: Traffic) -> Traffic:
    """Let many rows have the same time, or few."""
    return replace(traffic, tick=rng.choice((traffic.tick, max(1, traffic.span // 300))))


def _ordered(rng: random.Random, traffic: Traffic) -> tuple[Traffic, bool]:
    """Draw whether rows have an identity; without one, no two rows have the same time."""
    if rng.random() < 0.7:
        return _ties(rng, traffic), True
    return replace(traffic, span=30 * DAY, tick=1), False


def _dedup(rng: random.Random, messages: int) -> Scenario:
    types = tuple(name for name in TYPES if name != "none")
    traffic = _ties(rng, any_traffic(rng, messages, types))
    order = rng.choice(((), ("w",), ("y", "s"), ("w", "v", "id"), ("id",)))
    span = traffic.span
    within = rng.choice((0, traffic.tick, span // 1_000, span // 20, 3 * span))
    if rng.random() < 0.4:
        return any_case(rng, Deduplicated("first", within, order), traffic)
    operator = Deduplicated("last", within, order, retracting=rng.random() < 0.5)
    return any_case(rng, operator, traffic, identity=None if "id" in order else True)


def _match(rng: random.Random, messages: int) -> Scenario:
    traffic, identity = _ordered(rng, any_traffic(rng, messages))
    reads_earlier = rng.random() < 0.4
    names = [*PLAIN, *EARLIER] if reads_earlier else [*PLAIN]
    pattern = ("all", ("A", _pattern(rng, names, rng.choice((1, 2, 2, 3)))))
    rows = rng.choice((0, 1, 3, 6) if reads_earlier else (0, 1, 3, 12))
    share = groups(traffic) ** (-1 / traffic.skew)  # of the most frequent key
    within = int(min(3 * traffic.span, rows * traffic.span / (messages * share)))
    operator = Matches(pattern, within, rng.random() < 0.3, rng.random() < 0.7)
    return any_case(rng, operator, traffic, identity=identity)


def _pattern(rng: random.Random, names: Sequence[str], depth: int) -> Pattern:
    kind = rng.choice(("name", "all", "any", "repeat", "repeat")) if depth else "name"
    if kind == "name":
        return rng.choice(names)
    if kind == "repeat":
        limits = ((0, None), (1, None), (0, 1), (2, 2), (1, 3), (2, None), (0, 2))
        least, most = rng.choice(limits)
        return ("repeat", _pattern(rng, names, depth - 1), least, most, rng.random() < 0.7)
    return (kind, tuple(_pattern(rng, names, depth - 1) for _ in range(rng.randint(2, 3))))


def _asof(rng: random.Random, messages: int) -> Scenario:
    left, identity = _ordered(rng, any_traffic(rng, messages, JOINED + NULLABLE))
    left = replace(left, keys=max(1, messages // rng.choice((1, 5, 50))))
    right = replace(left, messages=messages // 2, disorder=rng.choice((0.0, 0.3)))
    direction = rng.choice(DIRECTIONS)
    span = left.span
    tolerances = [0, left.tick, span // 1_000, span // 20, 3 * span]
    tolerance = rng.choice([*tolerances, None, None] if direction == "backward" else tolerances)
    operator = Asof(direction, tolerance, rng.choice(HOWS), once=rng.random() < 0.4)
    return any_case(rng, operator, left, right, identity=identity)


def _named(rng: random.Random, messages: int) -> Scenario:
    traffic, identity = any_traffic(rng, messages), rng.random() < 0.5
    names = rng.sample("abcdefg", rng.randint(1, 4))
    kinds = tuple((name, _kind(rng, traffic.span)) for name in names)
    least = next((kind for _, kind in kinds if not kind.aligned), kinds[0][1])
    windows = any_windows(rng, least, identity=identity)
    return any_case(rng, Named(kinds, windows), traffic, identity=identity)


def _kind(rng: random.Random, span: int) -> Kind:
    """Draw windows that a query can have beside others."""
    size = max(1, span // rng.choice((3, 40, 500)))
    step = max(1, int(size / rng.choice((0.7, 1, 2.5))))
    unit, months, hours, _ = rng.choice(UNITS)
    calendar = ByCalendar(unit, rng.choice(ZONES), rng.choice((1, 3)), months, hours)
    offset = rng.choice((0, -5 * SECOND, 7))
    return rng.choice(
        (Aligned(size, size, offset), Aligned(size, step), calendar, Sessions(max(1, size // 10)))
    )


def _cuts(rng: random.Random, messages: int) -> Scenario:
    traffic, identity = any_traffic(rng, messages), rng.random() < 0.5
    span = traffic.span
    gap = rng.choice((0, 1, span // 1_000, span // 30))
    tick = rng.choice((traffic.tick, max(1, gap), max(1, gap // 3)))
    ends = rng.choice((None, "v % 10 = 0", "w > 700", "y > 11"))
    most = rng.choice((None, 1, gap or 10 * SECOND, 3 * gap or SECOND, span // 20))
    split = rng.choice(((), ("y > 6",), ("w > 0",), ("v % 2", "y > 9")))
    windows = any_windows(rng, CutSessions(gap, ends, most, split), identity=identity)
    return any_case(rng, windows, replace(traffic, tick=tick), identity=identity)


#: Results that are numbers, and a constant for others.
NUMBERS = ("known", "total", "mean", "variance", "how_many", "middle")
CONSTANTS: dict[str, int | bool] = {"known": -1, "total": 7, "how_many": 0, "some_so": True}


def _gaps(rng: random.Random, messages: int) -> Scenario:
    traffic, identity = any_traffic(rng, messages), rng.random() < 0.5
    size = max(1, traffic.span // rng.choice((3, 40, 500)))
    kind: Kind = Aligned(size, max(1, int(size / rng.choice((1, 1, 2.5)))), rng.choice((0, 7)))
    longest = size
    if rng.random() < 0.4:
        unit, months, hours, days = rng.choice(UNITS)
        traffic = replace(traffic, span=rng.choice((30 * DAY, 4_000 * DAY)))
        kind = ByCalendar(unit, rng.choice(ZONES), rng.choice((1, 1, 3)), months, hours)
        longest = days * DAY
    plain = any_windows(rng, kind, identity=identity)
    mode = plain.mode.replace("DISCARDING", "ACCUMULATING")
    at_most = int(longest * rng.choice((1.2, 2, 3.5, 20)))
    fills = _fills(rng, plain)
    silence = rng.choice((at_most, 2 * at_most, 0) if fills else (at_most,))
    operator = Filled(kind, mode, plain.early, plain.more, silence, at_most, fills)
    case = any_case(rng, operator, traffic, identity=identity)
    return replace(case, lateness=0) if "linear" in dict(fills).values() else case


def _fills(rng: random.Random, windows: Windows) -> tuple[tuple[str, str | int | bool], ...]:
    """Draw a value for some columns, for every column, or for none."""
    if rng.random() < 0.2:
        return rng.choice(((), (("*", "previous"),)))
    is_linear = rng.random() < 0.4
    fills: list[tuple[str, str | int | bool]] = []
    for name in windows.more:
        methods: list[str | int | bool] = ["previous"]
        methods += [CONSTANTS[name]] if name in CONSTANTS else []
        methods += ["linear"] * 2 if is_linear and name in NUMBERS else []
        fills.append((name, rng.choice(methods)))
    return tuple(fills)


def _ended(rng: random.Random, messages: int) -> Scenario:
    """Draw a bounded run; rows that arrive after it are late."""
    case = rng.choice((_dedup, _match, _asof, _named, _cuts, _gaps))(rng, messages)
    if isinstance(case.operator, Filled) and case.operator.silence and rng.random() < 0.5:
        case = replace(case, operator=replace(case.operator, silence=ENDLESS))
    first, *others = case.legs
    legs = (first, *(replace(leg, batches=1) for leg in others))
    return replace(case, legs=legs, final=True)


OPERATORS: dict[str, Callable[[random.Random, int], Scenario]] = {
    "dedup": _dedup,
    "match": _match,
    "asof": _asof,
    "named": _named,
    "cuts": _cuts,
    "gaps": _gaps,
    "ended": _ended,
}
