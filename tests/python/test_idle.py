"""Keys and queries at rest: windows fire on time without messages, and nothing runs for nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pyspark.sql import functions as F

import windrow as wr
from feed import Feed, order
from test_start import ONCE, finished

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql.streaming.query import StreamingQuery

pytestmark = [pytest.mark.spark, pytest.mark.slow]

KEYS = 100_000


def minutes(feed: Feed) -> wr.Windowed:
    """Windows of a minute for each product, a watermark without delay."""
    stream = wr.stream(feed.stream(), time="time", key="product", watermark="0 seconds")
    return stream.lateness("0 seconds").window(wr.Tumbling("1 minute"))


def batches(query: StreamingQuery, checkpoint: Path) -> set[int]:
    """Batches of a query that are done, once all that is there has been read."""
    query.processAllAvailable()
    return {int(file.name) for file in (checkpoint / "commits").glob("[0-9]*")}


@pytest.mark.full
def test_keys_that_were_idle_for_long_fire_on_time(feed: Feed, tmp_path: Path) -> None:
    """Another key's messages move the watermark; the windows of all others fire with it (R12)."""
    many = [order("09:00:10", f"k{n}") for n in range(KEYS)]
    idle = [[order(f"09:00:{second}", "clock")] for second in range(20, 26)]
    feed.add(many, *idle, [order("09:01:00", "clock")], [order("09:01:01", "clock")])
    output = minutes(feed).aggregate(F.count("*").alias("n"), F.sum("amount").alias("total"))
    query = output.start(
        checkpoint=str(tmp_path / "checkpoint"),
        panes=wr.Files(str(tmp_path / "panes")),
        queryTrigger=ONCE,
    )
    counts = wr.metrics(finished(query))
    panes = feed.spark.read.parquet(str(tmp_path / "panes"))
    fired = panes.where("product != 'clock'").groupBy("batch", "n", "total", "pane")
    found = [(row.batch, row["count"], row.n, row.total) for row in fired.count().collect()]
    ends = [b["batchId"] for b in query.recentProgress if _watermark(b) >= "2025-01-01T09:01"]
    assert found == [(ends[0], KEYS, 1, 1)]
    assert panes.count() == panes.select("product").distinct().count() == KEYS + 1
    assert (counts.read, counts.unaccounted) == (KEYS + len(idle) + 2, 0)


def _watermark(progress: object) -> str:
    time: str = progress["eventTime"].get("watermark", "")  # type: ignore[index]
    return time


def test_an_idle_query_runs_no_batches(feed: Feed, tmp_path: Path) -> None:
    """Without data a query goes on until its watermark rests, and not a batch longer (R69)."""
    checkpoint = tmp_path / "checkpoint"
    query = (
        minutes(feed)
        .aggregate(F.count("*"))
        .start(checkpoint=str(checkpoint), panes=wr.Files(str(tmp_path / "panes")))
    )
    try:
        feed.add([order("09:00:10")], [order("09:01:10")])
        before = batches(query, checkpoint)
        for _ in range(5):  # each waits for a trigger that finds nothing
            assert batches(query, checkpoint) == before
        feed.add([order("09:02:10")])
        after = batches(query, checkpoint)
        assert len(after) > len(before)
        assert batches(query, checkpoint) == after
    finally:
        query.stop()
    panes = feed.spark.read.parquet(str(tmp_path / "panes")).collect()
    assert sorted(row.window.start.minute for row in panes) == [0, 1]
