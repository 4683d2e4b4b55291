"""The steps of a query with the watermarks before and after each, by Spark's own rule (T4, T5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from large.scenario import MILLISECOND, Scenario

#: Later than every time.
END = 2**60


@dataclass(frozen=True)
class Step:
    """A micro-batch: its number, its batch of rows if any, and the watermark before and after.

    The watermark is in microseconds, None before the first one, and ``END`` after the end of the
    input. ``counted`` is true if the query that ``start`` returned has run the step (with
    ``drain``, that is only the last part).
    """

    step: int
    batch: int | None
    leg: int
    before: int | None
    after: int | None
    counted: bool = True


def steps(case: Scenario, latest: Sequence[Sequence[int | None]]) -> list[Step]:
    """Return the steps of all runs.

    ``latest`` contains the greatest time of each batch, for each stream. A batch completes windows
    by the times of the batches before it. A run ends with a batch without data if the watermark has
    moved since the last one.
    """
    found: list[Step] = []
    known = closed = judged = 0
    batch = 0
    is_over = False
    legs = [leg.batches for leg in case.legs]
    legs[-1] += not case.final  # the row with a far-future time

    def step(number: int | None, leg: int, *, ends: bool = False) -> None:
        nonlocal closed, judged, is_over
        judged, closed = closed, known
        before = END if is_over else judged or None
        is_over = is_over or ends
        after = END if is_over else closed or None
        found.append(Step(len(found), number, leg, before, after, is_over or not case.final))

    for leg, count in enumerate(legs):
        marks = [0] * len(latest)  # Spark's watermark tracker starts empty with each query
        for _ in range(count):
            step(batch, leg)
            for stream, times in enumerate(latest):
                marks[stream] = max(marks[stream], _mark(times[batch], case.delay))
            known = max(known, min(marks)) if case.operator.timed else 0
            batch += 1
        if known > closed and not is_over:
            step(None, leg)
        if case.final and leg == 0:
            step(None, leg, ends=True)
    return found


def _mark(latest: int | None, delay: int) -> int:
    """Return the watermark in whole milliseconds, as Spark computes it."""
    return 0 if latest is None else (latest // MILLISECOND) * MILLISECOND - delay
