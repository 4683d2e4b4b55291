"""When windows fire in a query, and the values of their panes."""

from __future__ import annotations

import time
import warnings
from typing import TYPE_CHECKING

import pytest
from pyspark.sql import functions as F

import windrow as wr
from feed import NOTHING, Feed, disordered, order, trigger_of
from query.test_against_spark import rows

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import Row

pytestmark = [pytest.mark.spark, pytest.mark.anywhere, pytest.mark.slow]

MINUTE = wr.Tumbling("1 minute")


def minutes(feed: Feed, kind: wr.WindowKind = MINUTE) -> wr.Windowed:
    """Return windows of a key with one hour of lateness and a watermark without delay."""
    stream = wr.stream(feed.stream(), time="time", key="product", watermark="0 seconds")
    return stream.lateness("1 hour").window(kind)


def totals(feed: Feed, windows: wr.Windowed) -> list[Row]:
    """Run the query and return its panes with the sum of the amounts."""
    return feed.run(windows.aggregate(F.sum("amount").alias("total")).panes)


def short(panes: list[Row]) -> list[tuple[int | None, str, int, bool]]:
    """Return the total, timing, index and retraction flag of each pane."""
    return [(r.total, r.pane.timing, r.pane["index"], r.pane.is_retraction) for r in panes]


STEPS = (
    [order("09:00:10", amount=1), order("09:00:20", amount=2)],
    [order("09:00:30", amount=4)],
    [order("09:01:00", amount=100)],
    NOTHING,
    [order("09:00:40", amount=8)],
)


def of_first(panes: list[Row]) -> list[tuple[int | None, str, int, bool]]:
    """Return the panes of the window that begins at 9:00."""
    return short([row for row in panes if row.window.start.minute == 0])


def test_each_step_accumulating(feed: Feed) -> None:
    """An accumulating pane repeats the complete value at the end of every step that changed it."""
    feed.add(*STEPS)
    windows = minutes(feed).trigger(early=wr.EachBatch()).accumulationMode(wr.ACCUMULATING)
    assert of_first(totals(feed, windows)) == [
        (3, "EARLY", 0, False),
        (7, "EARLY", 1, False),
        (7, "ON_TIME", 2, False),
        (15, "LATE", 3, False),
    ]


def test_each_message_discarding(feed: Feed) -> None:
    """A discarding pane contains only the rows since the last pane; on time none are left."""
    feed.add(*STEPS)
    windows = minutes(feed).trigger(early=wr.EachMessage()).accumulationMode(wr.DISCARDING)
    assert of_first(totals(feed, windows)) == [
        (1, "EARLY", 0, False),
        (2, "EARLY", 1, False),
        (4, "EARLY", 2, False),
        (None, "ON_TIME", 3, False),
        (8, "LATE", 4, False),
    ]


def test_counted_retracting_updated_only(feed: Feed) -> None:
    """Each pane of two rows retracts the previous one; panes with an equal value are skipped."""
    feed.add(*STEPS)
    windows = (
        minutes(feed)
        .trigger(early=wr.Every(messages=2), skipUnchanged=True)
        .accumulationMode(wr.ACCUMULATING_AND_RETRACTING)
    )
    assert of_first(totals(feed, windows)) == [
        (3, "EARLY", 0, False),
        (3, "EARLY", 0, True),
        (7, "ON_TIME", 1, False),
        (7, "ON_TIME", 1, True),
        (15, "LATE", 2, False),
    ]


@pytest.mark.parametrize(
    "kind",
    [
        wr.Session("90 seconds"),
        pytest.param(wr.Hopping("10 minutes", step="3 minutes"), marks=pytest.mark.full),
        pytest.param(wr.Sliding("3 minutes"), marks=pytest.mark.full),
    ],
    ids=repr,
)
def test_changelog_sums_up(feed: Feed, kind: wr.WindowKind) -> None:
    """Panes minus retractions leave one row per window: the value of its last pane."""
    feed.add(*disordered(seed=5), [order("23:00:00")], NOTHING)
    windows = minutes(feed, kind).lateness("1 day").trigger(early=wr.Every(messages=3))
    panes = totals(feed, windows.accumulationMode(wr.ACCUMULATING_AND_RETRACTING))
    live: dict[str, list[int]] = {}
    for row in panes:
        if row.window.start.hour > 20:
            continue  # a window of the row that completes all others
        values = live.setdefault(repr((row.product, row.window)), [])
        if row.pane.is_retraction:
            assert values.pop() == row.total
        else:
            values.append(row.total)
    assert {len(values) for values in live.values()} <= {0, 1}
    assert sum(row.pane.is_retraction for row in panes) > 10
    stream = wr.stream(feed.batch(), time="time", key="product").lateness("0 seconds")
    whole = stream.window(kind).aggregate(F.sum("amount").alias("total")).panes.collect()
    assert sorted(v for values in live.values() for v in values) == sorted(
        row.total for row in whole if row.window.start.hour < 20
    )


def test_period_fires_without_data(feed: Feed) -> None:
    """A period ends although no more rows arrive, because the query continues by itself (R69)."""
    feed.add([order("09:00:10", amount=1), order("09:00:20", amount=2)])
    windows = minutes(feed).trigger(early=wr.Every("200 milliseconds"))
    panes = (
        windows.accumulationMode(wr.ACCUMULATING).aggregate(F.sum("amount").alias("total")).panes
    )
    query = panes.writeStream.format("memory").queryName("periods").start()
    try:
        deadline = time.monotonic() + 120
        while not feed.spark.table("periods").collect() and time.monotonic() < deadline:
            assert not query.awaitTermination(1), "it ended"  # raises if the query failed
        assert query.lastProgress is not None
    finally:
        query.stop()
    assert short(feed.spark.table("periods").collect()) == [(3, "EARLY", 0, False)]


def test_a_period_has_a_pace(feed: Feed, tmp_path: Path) -> None:
    """Without a trigger, a query with a period starts one step per second (SEMANTICS R88)."""
    windows = minutes(feed.add([order("09:00:10")])).accumulationMode(wr.ACCUMULATING)
    timed = windows.trigger(early=wr.Every("1 hour")).aggregate(F.count("*"))
    untimed = windows.aggregate(F.count("*"))
    begun = {}
    for name, output in {"timed": timed, "untimed": untimed}.items():
        query = output.start(checkpoint=tmp_path / name, panes=lambda _, __: None)
        begun[name] = trigger_of(query)
        running = query._jsq.streamingQuery().sparkSessionForStream()
        assert running.conf().get("spark.sql.streaming.noDataMicroBatches.enabled") == "true"
        query.stop()
    assert begun == {"timed": "ProcessingTimeTrigger(1000)", "untimed": "ProcessingTimeTrigger(0)"}


def test_period_in_a_bounded_run(feed: Feed, tmp_path: Path) -> None:
    """A run with ``availableNow`` ends and does not change the session's own setting."""
    feed.add([order("09:00:10", amount=1)], [order("09:02:00", amount=2)], NOTHING)
    conf = feed.spark.conf
    before = conf.get("spark.sql.streaming.noDataMicroBatches.enabled")
    windows = minutes(feed).trigger(early=wr.AnyOf(wr.EachBatch(), wr.Every("1 hour")))
    output = windows.accumulationMode(wr.ACCUMULATING).aggregate(F.sum("amount").alias("total"))
    folder = str(tmp_path / "panes")
    query = output.start(
        checkpoint=str(tmp_path / "checkpoint"),
        panes=wr.Files(folder),
        availableNow=True,
    )
    assert query.awaitTermination(120)
    assert conf.get("spark.sql.streaming.noDataMicroBatches.enabled") == before
    found = feed.spark.read.parquet(folder).collect()
    assert sorted((row.total, row.pane.timing) for row in found) == [
        (1, "EARLY"),
        (1, "ON_TIME"),
        (2, "EARLY"),
    ]


@pytest.mark.parametrize(
    ("said", "early"),
    [
        pytest.param(
            "array('each_batch', 'each_message')",
            wr.AnyOf(wr.EachBatch(), wr.EachMessage()),
            marks=pytest.mark.full,
        ),
        ("array('2 messages', 'each_batch')", wr.AnyOf(wr.Every(messages=2), wr.EachBatch())),
        pytest.param("2", wr.Every(messages=2), marks=pytest.mark.full),
    ],
)
def test_triggers_can_be_set_in_sql(feed: Feed, said: str, early: wr.PaneTrigger) -> None:
    """The SQL functions accept the same triggers as arguments."""
    feed.add(*STEPS)
    feed.stream().createOrReplaceTempView("orders")
    table = "TABLE(SELECT product, sum(amount) AS total FROM orders GROUP BY product)"
    panes = feed.spark.sql(
        f"SELECT * FROM windrow_tumble({table}, time => 'time', size => '1 minute', "  # noqa: S608
        f"watermark => '0 seconds', lateness => '1 hour', early => {said}, "
        "accumulation_mode => 'accumulating_and_retracting', skip_unchanged => true)"
    )
    windows = minutes(feed).trigger(early=early, skipUnchanged=True)
    built = totals(feed, windows.accumulationMode(wr.ACCUMULATING_AND_RETRACTING))
    assert rows(feed.run(panes)) == rows(built)
    assert "EARLY" in {row.pane.timing for row in built}


def test_periods_shorter_than_a_step_are_warned_of(feed: Feed, tmp_path: Path) -> None:
    """A period shorter than Spark's trigger causes a warning (SEMANTICS R57)."""
    for period, warned in (("1 minute", True), ("2 hours", False)):
        early = minutes(feed).trigger(early=wr.Every(period)).accumulationMode(wr.ACCUMULATING)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            output = early.aggregate(F.sum("amount"))
            query = output.start(
                panes=lambda _, __: None,
                checkpoint=str(tmp_path / period),
                processingTime="1 hour",
            )
        query.stop()
        ours = [str(one.message) for one in told if one.category is UserWarning]
        assert ["multiple of that" in said for said in ours] == [True] * warned
