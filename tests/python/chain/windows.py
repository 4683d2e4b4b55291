"""The windows of random chains, with the counts of their rows in plain Python."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import windrow as wr

#: Times are in seconds after this. A tick is the last instant before a second.
BEGIN = datetime(2025, 1, 1, 9, tzinfo=UTC)
TICK = 1e-6

Message = tuple[int, int, int]


def at(seconds: float) -> datetime:
    """Return the instant of a time in seconds."""
    return BEGIN + timedelta(microseconds=round(seconds * 1_000_000))


def span(seconds: int) -> str:
    """Return the duration as text."""
    return f"{seconds} seconds"


#: Start, end (the last instant), key, count.
Found = list[tuple[float, float, int, int]]
Drawn = tuple[wr.WindowKind, Found, int | None]


def _tumbling(_: random.Random, size: int, came: Sequence[Message]) -> Drawn:
    return wr.Tumbling(span(size)), _aligned(came, size, size), size


def _hopping(rng: random.Random, size: int, came: Sequence[Message]) -> Drawn:
    step = rng.randint(1, size)
    return wr.Hopping(span(size), step=span(step)), _aligned(came, size, step), size


def _aligned(came: Sequence[Message], size: int, step: int) -> Found:
    # Windows start at multiples of the step since 1970, and so does BEGIN for every step drawn
    # here.
    counts: dict[tuple[int, int], int] = defaultdict(int)
    origin = int(BEGIN.timestamp())
    for time, key, _ in came:
        start = (time + origin) // step * step
        while start + size > time + origin:
            counts[start - origin, key] += 1
            start -= step
    return [(start, start + size - TICK, key, n) for (start, key), n in counts.items()]


def _sessions(_: random.Random, size: int, came: Sequence[Message]) -> Drawn:
    found: Found = []
    for key in {key for _, key, _ in came}:
        times = sorted(time for time, of, _ in came if of == key)
        first, last, count = times[0], times[0], 0
        for time in times:
            if time > last + size:
                found.append((first, last + size - TICK, key, count))
                first, count = time, 0
            last, count = time, count + 1
        found.append((first, last + size - TICK, key, count))
    return wr.Session(span(size)), found, None


def _over(_: random.Random, size: int, came: Sequence[Message]) -> Drawn:
    found: Found = []
    for time, key, _x in came:
        held = sum(1 for other, of, _y in came if of == key and time - size <= other <= time)
        found.append((time - size, time, key, held))
    return wr.Over(range=span(size)), found, size


def _sliding(_: random.Random, size: int, came: Sequence[Message]) -> Drawn:
    found: Found = []
    for key in {key for _, key, _ in came}:
        times = sorted(time for time, of, _ in came if of == key)
        for time in sorted(set(times)):
            left = sum(1 for other in times if time - size <= other <= time)
            found.append((time - size, time, key, left))
            right = sum(1 for other in times if time < other <= time + size)
            if right:
                found.append((time + 1e-3, time + 1e-3 + size, key, right))
    return wr.Sliding(span(size)), found, size


WINDOWS = (_tumbling, _hopping, _sessions, _over, _sliding)
