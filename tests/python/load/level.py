"""Whether something is level, though it rises and falls in teeth.

A leak raises the mean and the largest of a span. Teeth of an unlucky length or phase may raise the
mean, and a single outlier the largest, but neither raises both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

#: So much an hour is no rise.
RISE = 0.05
#: Passing keys change every 20 batches, one a minute; Spark's snapshots come twice as often.
CYCLE = 20


@dataclass(frozen=True)
class Levels:
    """Means of the last span and the one before; ``rises``: the last one is higher."""

    before: float
    after: float
    rises: bool


def span(minutes: int) -> int:
    """Give as many whole cycles as fit twice into what follows the first quarter of a run."""
    found = minutes * 3 // 8 // CYCLE * CYCLE
    if found == 0:
        msg = f"{minutes} minutes are too few: two spans of {CYCLE} follow the first quarter"
        raise ValueError(msg)
    return found


def compared(points: Sequence[tuple[int, float]], minutes: int) -> Levels | None:
    """Compare what was found at some of so many minutes; None if there is nothing in a span."""
    length = span(minutes)
    before = [found for at, found in points if minutes - 2 * length < at <= minutes - length]
    after = [found for at, found in points if minutes - length < at]
    if not before or not after:
        return None
    most = 1 + RISE * length / 60
    means = (sum(before) / len(before), sum(after) / len(after))
    rises = means[1] > means[0] * most and max(after) > max(before) * most
    return Levels(*means, rises)
