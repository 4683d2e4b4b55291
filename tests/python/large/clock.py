"""The steps of a query and the watermarks before and after each, by Spark's own rule (T4, T5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from large.scenario import MILLISECOND, Scenario


@dataclass(frozen=True)
class Step:
    """A micro-batch: its number, the batch of messages that it brings, if any, W before and after.

    W is in microseconds, None where there is none yet.
    """

    step: int
    batch: int | None
    leg: int
    before: int | None
    after: int | None


def steps(case: Scenario, latest: Sequence[Sequence[int | None]]) -> list[Step]:
    """Walk over the batches. ``latest``: for each stream the greatest time of each batch.

    A batch closes by what the batches before it brought; one without data ends each run if the
    watermark has moved since.
    """
    found: list[Step] = []
    known = closed = judged = 0
    batch = 0
    legs = [leg.batches for leg in case.legs]
    legs[-1] += 1  # the end

    def step(number: int | None, leg: int) -> None:
        nonlocal closed, judged
        judged, closed = closed, known
        found.append(Step(len(found), number, leg, judged or None, closed or None))

    for leg, count in enumerate(legs):
        marks = [0] * len(latest)  # a tracker forgets them when its query ends
        for _ in range(count):
            step(batch, leg)
            for stream, times in enumerate(latest):
                marks[stream] = max(marks[stream], _mark(times[batch], case.delay))
            known = max(known, min(marks)) if case.operator.timed else 0
            batch += 1
        if known > closed:
            step(None, leg)
    return found


def _mark(latest: int | None, delay: int) -> int:
    """Spark counts in whole milliseconds."""
    return 0 if latest is None else (latest // MILLISECOND) * MILLISECOND - delay
