"""Idle keys and queries: windows fire on time without rows, and no batch runs needlessly."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from pyspark.sql import functions as F

import windrow as wr
from feed import Feed, Order, order
from restarts.test_start import finished
from windrow._running._settings import having

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql.streaming.query import StreamingQuery

pytestmark = [pytest.mark.spark, pytest.mark.slow]

KEYS = 100_000


def minutes(feed: Feed) -> wr.Windowed:
    """Return one-minute windows for each product, with a watermark without delay."""
    stream = wr.stream(feed.stream(), time="time", key="product", watermark="0 seconds")
    return stream.lateness("0 seconds").window(wr.Tumbling("1 minute"))


def batches(query: StreamingQuery, checkpoint: Path) -> set[int]:
    """Wait until all available input is read, and return the committed batches."""
    query.processAllAvailable()
    return {int(file.name) for file in (checkpoint / "commits").glob("[0-9]*")}


@pytest.mark.full
def test_keys_that_were_idle_for_long_fire_on_time(feed: Feed, tmp_path: Path) -> None:
    """Rows of another key move the watermark, which fires the windows of idle keys (R12)."""
    many = [order("09:00:10", f"k{n}") for n in range(KEYS)]
    idle = [[order(f"09:00:{second}", "clock")] for second in range(20, 26)]
    feed.add(many, *idle, [order("09:01:00", "clock")], [order("09:01:01", "clock")])
    output = minutes(feed).aggregate(F.count("*").alias("n"), F.sum("amount").alias("total"))
    query = output.start(
        checkpoint=str(tmp_path / "checkpoint"),
        panes=wr.Files(str(tmp_path / "panes")),
        availableNow=True,
    )
    counts = wr.status(finished(query))
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
    """Without data a query runs batches only until its watermark stops moving (R69)."""
    checkpoint = tmp_path / "checkpoint"
    query = (
        minutes(feed)
        .aggregate(F.count("*"))
        .start(checkpoint=str(checkpoint), panes=wr.Files(str(tmp_path / "panes")))
    )
    try:
        feed.add([order("09:00:10")], [order("09:01:10")])
        before = batches(query, checkpoint)
        for _ in range(5):  # each call waits for a trigger that finds no data
            assert batches(query, checkpoint) == before
        feed.add([order("09:02:10")])
        after = batches(query, checkpoint)
        assert len(after) > len(before)
        assert batches(query, checkpoint) == after
    finally:
        query.stop()
    panes = feed.spark.read.parquet(str(tmp_path / "panes")).collect()
    assert sorted(row.window.start.minute for row in panes) == [0, 1]


def ago(hours: float) -> str:
    """Return an event time this many hours before now."""
    return f"{datetime.now(UTC) - timedelta(hours=hours):%Y-%m-%d %H:%M:%S}"


def by_the_clock(feed: Feed, delay: str, size: str) -> wr.Output:
    """Return windows that complete when the clock is ``delay`` past their end."""
    behind = wr.ProcessingTimeWatermark(delay)
    stream = wr.stream(feed.stream(), time="time", key="product", watermark=behind)
    windows = stream.lateness("0 seconds").window(wr.Tumbling(size))
    return windows.aggregate(F.sum("amount").alias("total"))


def test_a_watermark_by_the_clock_needs_no_data(feed: Feed, tmp_path: Path) -> None:
    """A window fires by the clock although no more rows arrive (SEMANTICS R52)."""
    folder = tmp_path / "panes"
    query = by_the_clock(feed.add([order(ago(0))]), "1 second", "2 seconds").start(
        checkpoint=str(tmp_path / "checkpoint"), panes=wr.Files(str(folder))
    )
    try:
        for _ in range(600):
            if list(folder.glob("batch=[1-9]*/_SUCCESS")) or query.awaitTermination(1):
                break
    finally:
        query.stop()
    (pane,) = feed.spark.read.parquet(str(folder)).collect()
    assert (pane.total, pane.pane.timing, pane.pane.is_last) == (1, "ON_TIME", True)


def test_rows_that_the_clock_has_passed_are_late(feed: Feed, tmp_path: Path) -> None:
    """Rows are judged by the clock of the previous step, and late ones are returned (R52)."""
    checkpoint = str(tmp_path / "checkpoint")
    for amount in (1, 2):
        feed.add([order(ago(9), amount=amount), order(ago(0.5), amount=10 * amount)])
        output = by_the_clock(feed, "1 hour", "1 minute")
        query = output.start(
            checkpoint=checkpoint,
            panes=wr.Files(str(tmp_path / "panes")),
            rejected=wr.Files(str(tmp_path / "rejected")),
            availableNow=True,
        )
        finished(query)
    panes = feed.spark.read.parquet(str(tmp_path / "panes")).collect()
    assert [(row.total, row.pane.timing) for row in panes] == [(1, "ON_TIME")]
    rejected = feed.spark.read.parquet(str(tmp_path / "rejected")).collect()
    assert [(row.reason, row.message.amount) for row in rejected] == [("TOO_LATE", 2)]


def test_the_clock_in_sql(feed: Feed) -> None:
    """The clock's watermark is an argument in SQL too; the window fires in its row's batch."""
    feed.add([order(ago(9))]).stream().createOrReplaceTempView("clocked")
    panes = feed.spark.sql(
        "SELECT total, pane.timing FROM windrow_tumble("
        "TABLE(SELECT sum(amount) AS total FROM clocked), time => 'time', size => '1 minute', "
        "lateness => '0 seconds', processing_time_watermark => '1 hour')"
    )
    # otherwise the query does not end (R69)
    without_data = "spark.sql.streaming.noDataMicroBatches.enabled"
    with having(feed.spark, {without_data: "false"}):
        assert [tuple(row) for row in feed.run(panes)] == [(1, "ON_TIME")]


@pytest.mark.parametrize("makes_batches", [pytest.param(True, marks=pytest.mark.full), False])
def test_batches_without_data(feed: Feed, tmp_path: Path, *, makes_batches: bool) -> None:
    """Without no-data batches, panes wait for the next rows, judged by the old watermark (T4)."""
    output = minutes(feed).aggregate(F.sum("amount").alias("total"))
    setting = "spark.sql.streaming.noDataMicroBatches.enabled"

    def run(*orders: Order) -> tuple[list[int], list[int]]:
        feed.add(*([one] for one in orders))
        query = output.start(
            checkpoint=str(tmp_path / "checkpoint"),
            panes=wr.Files(str(tmp_path / "panes")),
            rejected=wr.Files(str(tmp_path / "rejected")),
            availableNow=True,
        )
        assert wr.status(finished(query)).unaccounted == 0
        panes, rejected = (
            feed.spark.read.parquet(str(tmp_path / kind)) for kind in ("panes", "rejected")
        )
        return (
            sorted(row.total for row in panes.collect()),
            sorted(row.message.amount for row in rejected.collect()),
        )

    with having(feed.spark, {setting: str(makes_batches).lower()}):
        runs = [
            run(order("09:00:10", amount=1), order("09:01:30", amount=2)),
            run(order("09:00:40", amount=4), order("09:02:30", amount=8)),
            run(order("09:01:50", amount=16)),
        ]
    if makes_batches:
        assert runs == [([1], []), ([1, 2], [4]), ([1, 2], [4, 16])]
    else:  # the last batch of each run has not fired any windows yet
        assert runs == [([], []), ([5], []), ([5, 18], [])]
