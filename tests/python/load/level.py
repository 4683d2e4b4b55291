"""Decides whether a sawtooth-shaped series is level.

A leak raises both the mean and the maximum of a span. A sawtooth with an unfavorable period or
phase may raise the mean, and a single outlier the maximum, but neither raises both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

#: The relative growth per hour that still counts as level.
RISE = 0.05
#: Passing keys change every 20 batches, one batch a minute; Spark's snapshots are twice as
#: frequent.
CYCLE = 20


@dataclass(frozen=True)
class Levels:
    """The means of the last two spans; ``rises`` is true if the last one is higher."""

    before: float
    after: float
    rises: bool


def span(minutes: int) -> int:
    """Return the length of a span: full cycles that fit twice after the first quarter of a run."""
    found = minutes * 3 // 8 // CYCLE * CYCLE
    if found == 0:
        msg = f"{minutes} minutes are too few: two spans of {CYCLE} follow the first quarter"
        raise ValueError(msg)
    return found


def compared(points: Sequence[tuple[int, float]], minutes: int) -> Levels | None:
    """Compare the two spans of a run of ``minutes``; return None if a span has no points."""
    length = span(minutes)
    before = [found for at, found in points if minutes - 2 * length < at <= minutes - length]
    after = [found for at, found in points if minutes - length < at]
    if not before or not after:
        return None
    most = 1 + RISE * length / 60
    means = (sum(before) / len(before), sum(after) / len(after))
    rises = means[1] > means[0] * most and max(after) > max(before) * most
    return Levels(*means, rises)
