"""A checkpoint continues with a longer lateness; removed windows stay removed (SEMANTICS S2)."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F

import windrow as wr
from feed import Feed, Order, disordered

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, Row

pytestmark = [pytest.mark.spark, pytest.mark.slow]

DELAY = timedelta(minutes=1)
LONG_AGO = datetime(1, 2, 1)  # noqa: DTZ001  all times are UTC
#: The lateness of each batch; the query restarts for each.
MINUTES = (2, 2, 2, 45, 45, 60)


def expected(
    batches: list[list[Order]], size: timedelta, step: timedelta
) -> tuple[dict[tuple[str | None, datetime], int], int]:
    """Return the sum of each key and window start, and the number of rejected rows."""
    sums: dict[tuple[str | None, datetime], int] = defaultdict(int)
    refused, seen, left = 0, LONG_AGO, LONG_AGO
    zero = datetime(2025, 1, 1)  # noqa: DTZ001
    for number, (batch, minutes) in enumerate(zip(batches, MINUTES, strict=True)):
        watermark = seen - DELAY
        if number and minutes > MINUTES[number - 1]:
            left = max(left, watermark - timedelta(minutes=MINUTES[number - 1]))
        for row in batch:
            time = datetime.fromisoformat(row["time"])
            starts = [zero + step * ((time - zero) // step - i) for i in range(size // step + 1)]
            taken = [
                start
                for start in starts
                if start <= time < start + size
                and start + size + timedelta(minutes=minutes) > watermark
                and start + size > left
            ]
            for start in taken:
                sums[row["product"], start] += row["amount"]
            refused += not taken
        seen = max(seen, *(datetime.fromisoformat(row["time"]) for row in batch))
    return sums, refused


@pytest.mark.parametrize(
    ("how", "kind", "size", "step"),
    [
        pytest.param("writeStream", wr.Tumbling("5 minutes"), 5, 5, marks=pytest.mark.full),
        ("start", wr.Hopping("10 minutes", step="2 minutes"), 10, 2),
    ],
)
def test_longer_lateness(
    feed: Feed, tmp_path: Path, how: str, kind: wr.WindowKind, size: int, step: int
) -> None:
    """Each window sums all accepted rows, and each rejected row is returned."""
    batches = disordered(seed=5, batches=len(MINUTES), size=400)
    panes: list[Row] = []
    refused: list[Row] = []

    def take(rows: DataFrame, _: int) -> None:
        for row in rows.collect():
            (panes if row.kind == "panes" else refused).append(row[row.kind])

    for batch, minutes in zip(batches, MINUTES, strict=True):
        feed.add(batch)
        stream = wr.stream(feed.stream(), time="time", key="product", watermark="1 minute")
        windows = (
            stream.lateness(f"{minutes} minutes").window(kind).accumulationMode(wr.ACCUMULATING)
        )
        output = windows.aggregate(F.sum("amount").alias("total"))
        once: dict[str, Any] = {"availableNow": True}
        if how == "writeStream":
            writer = output.output.writeStream.foreachBatch(take).trigger(**once)
            query = writer.option("checkpointLocation", str(tmp_path / "cp")).start()
        else:
            query = output.start(
                panes=lambda rows, _: panes.extend(rows.collect()),
                rejected=lambda rows, _: refused.extend(rows.collect()),
                checkpoint=tmp_path / "cp",
                availableNow=True,
            )
        query.awaitTermination()
    sums, count = expected(batches, timedelta(minutes=size), timedelta(minutes=step))
    last = {(pane["product"], pane.window.start): pane.total for pane in panes}
    open_ones = set(sums) - set(last)  # not on time yet
    assert last == {window: total for window, total in sums.items() if window not in open_ones}
    newest = max(start for _, start in sums)
    assert all(start > newest - timedelta(minutes=size + 2) for _, start in open_ones)
    assert len(refused) == count > 0
    assert {row.reason for row in refused} == {"TOO_LATE"}
    assert all(row.message is not None for row in refused)
