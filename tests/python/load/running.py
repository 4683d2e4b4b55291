"""A query over a bounded stream, with its output and its cost."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import windrow as wr
from load.gauge import Batch, forget_peak, peak

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.streaming.query import StreamingQuery

    from load.kinds import Operator

#: The number of batches that move the watermark past all rows, also through two operators.
AFTER = 6


@dataclass(frozen=True)
class Ran:
    """A finished run: batches, aggregated output, duration in seconds, peak of resident bytes."""

    batches: list[Batch]
    totals: tuple[int, ...]
    seconds: float
    peak: int


def out_of(operator: Operator) -> DataFrame:
    """Return the panes, or the rows of a join."""
    return operator.panes if isinstance(operator, wr.Output) else operator.rows


def run(
    rows: DataFrame, totals: Sequence[Column], checkpoint: Path, batches: int, period: int = 0
) -> Ran:
    """Run a query over so many batches, and for ``period`` seconds after them.

    ``totals`` are aggregated over all batches.
    """
    forget_peak()
    begun = time.monotonic()
    named = [total.alias(f"t{number}") for number, total in enumerate(totals)]
    writer = rows.observe("out", *named).writeStream.format("noop")
    query = writer.option("checkpointLocation", str(checkpoint)).start()
    try:
        _await(query, batches)
        if period and not query.awaitTermination(period):
            _await(query, Batch.all(query)[-1].number + 3)
    finally:
        query.stop()
    found = Batch.all(query)
    out = [one.out for one in found if one.out]
    sums = tuple(
        sum(one[name] or 0 for one in out) for name in (f"t{i}" for i in range(len(named)))
    )
    return Ran(found, sums, time.monotonic() - begun, peak())


def _await(query: StreamingQuery, batches: int) -> None:
    while (last := Batch.last(query)) is None or last.number + 1 < batches:
        if query.awaitTermination(1):
            msg = "the query has ended"
            raise RuntimeError(msg)
