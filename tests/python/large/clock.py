"""The steps of a query and the watermarks before and after each, by Spark's own rule (T4, T5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from large.scenario import MILLISECOND, Scenario

#: Later than everything.
END = 2**60


@dataclass(frozen=True)
class Step:
    """A micro-batch: its number, the batch of messages that it brings, if any, W before and after.

    W is in microseconds, None where there is none yet, ``END`` after the end of the input.
    ``counted``: the query that ``start`` gave has run it (with ``drain`` only the last part).
    """

    step: int
    batch: int | None
    leg: int
    before: int | None
    after: int | None
    counted: bool = True


def steps(case: Scenario, latest: Sequence[Sequence[int | None]]) -> list[Step]:
    """Walk over the batches. ``latest``: for each stream the greatest time of each batch.

    A batch closes by what the batches before it brought; one without data ends each run if the
    watermark has moved since.
    """
    found: list[Step] = []
    known = closed = judged = 0
    batch = 0
    is_over = False
    legs = [leg.batches for leg in case.legs]
    legs[-1] += not case.final  # the far message

    def step(number: int | None, leg: int, *, ends: bool = False) -> None:
        nonlocal closed, judged, is_over
        judged, closed = closed, known
        before = END if is_over else judged or None
        is_over = is_over or ends
        after = END if is_over else closed or None
        found.append(Step(len(found), number, leg, before, after, is_over or not case.final))

    for leg, count in enumerate(legs):
        marks = [0] * len(latest)  # a tracker forgets them when its query ends
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
    """Spark counts in whole milliseconds."""
    return 0 if latest is None else (latest // MILLISECOND) * MILLISECOND - delay
