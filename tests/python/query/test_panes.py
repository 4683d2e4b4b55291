"""On-time and late panes, rejected rows, and their columns."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

import windrow as wr
from feed import NOTHING, SCHEMA, Feed, order

pytestmark = [pytest.mark.spark, pytest.mark.anywhere]

PANE = "struct<timing:string,index:bigint,is_last:boolean,is_retraction:boolean>"


def minutes(feed: Feed, **more: Any) -> wr.Windowed:
    """Return one-minute windows with an hour of lateness and a watermark without delay."""
    stream = wr.stream(feed.stream(), time="time", key="product", watermark="0 seconds", **more)
    windows = stream.lateness("1 hour").window(wr.Tumbling("1 minute"))
    return windows.accumulationMode(wr.ACCUMULATING)


def short(rows: list[Any]) -> list[tuple[Any, ...]]:
    """Return the product, window start, total, timing and index of each pane, in order."""
    return [
        (r.product, r.window.start.strftime("%H:%M"), r.total, r.pane.timing, r.pane["index"])
        for r in rows
    ]


def test_on_time_then_late(feed: Feed) -> None:
    """Each batch that changes a complete window emits a correction."""
    feed.add(
        [order("09:00:10", amount=1), order("09:00:20", amount=2)],
        [order("09:01:30", amount=5)],
        NOTHING,
        [order("09:00:30", amount=4), order("09:00:40", amount=8), order("09:02:00", amount=1)],
    )
    panes = feed.run(minutes(feed).aggregate(F.sum("amount").alias("total")).panes)
    assert short(panes) == [
        ("a", "09:00", 3, "ON_TIME", 0),
        ("a", "09:00", 15, "LATE", 1),
        ("a", "09:01", 5, "ON_TIME", 0),
    ]
    assert {row.pane.is_last for row in panes} == {False}


def test_a_delay_of_a_part_of_a_millisecond(feed: Feed) -> None:
    """The watermark is never ahead of its exact value, although Spark counts milliseconds (T5)."""
    feed.add([order("09:00:00.001000")], NOTHING, [order("09:00:00.000600", amount=2)], NOTHING)
    stream = wr.stream(feed.stream(), time="time", watermark="500 microseconds")
    windows = stream.lateness("0 seconds").window(wr.Tumbling("100 microseconds"))
    assert feed.run(windows.aggregate(F.count("*")).rejected) == []


def test_each_message(feed: Feed) -> None:
    """With ``EachMessage``, each late row emits a pane, in order of event time."""
    feed.add(
        [order("09:00:10"), order("09:02:00")],
        NOTHING,
        [order("09:00:50", amount=8), order("09:00:40", amount=4)],
    )
    each = minutes(feed).trigger(late=wr.EachMessage())
    panes = feed.run(each.aggregate(F.sum("amount").alias("total")).panes)
    late = [row for row in short(panes) if row[3] == "LATE"]
    assert late == [("a", "09:00", 5, "LATE", 1), ("a", "09:00", 13, "LATE", 2)]


def test_rejected_rows_have_reason_and_message(feed: Feed) -> None:
    """A row that no window accepts is returned unchanged, with its reason."""
    rows = [
        order(None, "null", amount=1, gap=11),
        order("2099-01-01 00:00:00", "future", amount=2, gap=22),
        order("09:00:00", "fine", amount=3),
        order("11:00:00", None, amount=4),
    ]
    more = [order("09:30:00", "late", amount=5), order("10:00:59", "in", amount=6)]
    feed.add(rows, NOTHING, more)
    output = minutes(feed, maxFuture="1 day").aggregate(F.count("*").alias("n"))
    rejected = feed.run(output.rejected)
    found = {row.message.product: row for row in rejected}
    assert {product: row.reason for product, row in found.items()} == {
        "null": "INVALID_TIME",
        "future": "TOO_FAR_AHEAD",
        "late": "TOO_LATE",
    }
    assert tuple(found["null"].message) == (None, "null", 0.25, 1, 11)
    assert found["late"].message.time == datetime(2025, 1, 1, 9, 30)  # noqa: DTZ001
    assert {row.stream for row in rejected} == {"messages"}
    assert found["late"].watermark == datetime(2025, 1, 1, 11)  # noqa: DTZ001
    panes = feed.run(output.panes)
    assert sum(row.n for row in panes) == 2


@pytest.mark.parametrize(
    ("kind", "late"),
    [
        (wr.Tumbling("1 minute"), 3),
        (wr.Session("1 minute"), 2),
        (wr.Sliding("1 minute", granularity="1 second"), 1),
    ],
)
def test_windows_that_end_at_the_watermark(feed: Feed, kind: wr.WindowKind, late: int) -> None:
    """A row whose window ends exactly at the watermark is rejected, as are older rows."""
    times = ["10:58:59", "10:59:00", "10:59:01"]
    feed.add([order("11:00:00")], NOTHING, [order(time) for time in times])
    stream = wr.stream(feed.stream(), time="time", key="product", watermark="0 seconds")
    counted = stream.lateness("0 seconds").window(kind).aggregate(F.count("*"))
    found = [f"{row.message.time:%H:%M:%S}" for row in feed.run(counted.rejected)]
    assert sorted(found) == times[:late]


def test_equal_messages_that_are_refused_are_as_many_rows(feed: Feed) -> None:
    """Equal rejected rows are all returned, even if combined before the shuffle (SEMANTICS A2)."""
    feed.add([order("11:00:00")], NOTHING, [order("09:30:00", "late")] * 3)
    feed.spark.conf.set("spark.windrow.combine", "always")
    try:
        rejected = feed.run(minutes(feed).aggregate(F.count("*").alias("n")).rejected)
    finally:
        feed.spark.conf.unset("spark.windrow.combine")
    assert [(row.message.product, row.reason) for row in rejected] == [("late", "TOO_LATE")] * 3


def test_too_far_ahead_in_a_long_window(feed: Feed) -> None:
    """``maxFuture`` judges a row's own time, even if rows of a window are combined."""
    now = datetime.now(UTC)
    ahead = [now + timedelta(minutes=minutes) for minutes in (0, 10, 120)]
    feed.add([order(f"{time:%Y-%m-%d %H:%M:%S}", amount=i) for i, time in enumerate(ahead)])
    stream = wr.stream(feed.stream(), time="time", watermark="0 seconds", maxFuture="1 hour")
    windows = stream.lateness("0 seconds").window(wr.Tumbling("3650 days"))
    rejected = feed.run(windows.aggregate(F.count("*")).rejected)
    assert [(row.message.amount, row.reason) for row in rejected] == [(2, "TOO_FAR_AHEAD")]


def test_columns(feed: Feed) -> None:
    """The columns have the documented names and types."""
    output = minutes(feed).aggregate(F.sum("amount").alias("total"))
    window = "struct<start:timestamp,end:timestamp>"
    panes = f"struct<product:string,window:{window},total:bigint,pane:{PANE}>"
    message = StructType.fromDDL(SCHEMA).simpleString()
    rejected = (
        "struct<stream:string,reason:string,watermark:timestamp,processing_time:timestamp,"
        f"message:{message}>"
    )
    assert output.panes.schema.simpleString() == panes
    assert output.rejected.schema.simpleString() == rejected
    whole = f"struct<kind:string,panes:{panes},rejected:{rejected}>"
    assert output.output.schema.simpleString() == whole
    assert not output.panes.schema["window"].nullable
    assert not output.panes.schema["pane"].nullable


def test_time_without_zone(feed: Feed) -> None:
    """The window's bounds have the type of the time column (SEMANTICS R51)."""
    feed.add([order("09:00:10")])
    local = feed.batch().withColumn("time", F.col("time").cast("timestamp_ntz"))
    stream = wr.stream(local, time="time").lateness("0 seconds")
    panes = stream.window(wr.Tumbling("1 minute")).aggregate(F.count("*")).panes
    assert panes.schema["window"].dataType.simpleString() == (
        "struct<start:timestamp_ntz,end:timestamp_ntz>"
    )
    assert panes.collect()[0].window.start == datetime(2025, 1, 1, 9)  # noqa: DTZ001


def test_time_without_zone_is_in_none(feed: Feed) -> None:
    """TIMESTAMP_NTZ is refused with zones and ``maxFuture``; UTC days accept it (W4)."""
    late = F.expr("TIMESTAMP_NTZ '2026-03-28 23:30:00'")
    local = feed.add([order("09:00:10")]).batch().withColumn("time", late)
    stream = wr.stream(local, time="time").lateness("0 seconds")

    def days(zone: str) -> wr.Tumbling:
        return wr.Tumbling("1 day", zone=zone)

    (found,) = stream.window(days("UTC")).aggregate(F.count("*")).panes.collect()
    assert found.window.start == datetime(2026, 3, 28)  # noqa: DTZ001
    guarded = wr.stream(local, time="time", maxFuture="1 hour").lateness("0 seconds")
    other = wr.stream(local, time="time", name="other").lateness("0 seconds")
    berlin = days("Europe/Berlin")
    refused = r"TIME_NOT_TIMESTAMP\].*"
    with pytest.raises(wr.SpecError, match=f"{refused}'Europe/Berlin'.*zone='UTC'"):
        stream.window(berlin).aggregate(F.count("*")).panes  # noqa: B018
    with pytest.raises(wr.SpecError, match=f"{refused}maxFuture is 1 hour.*CAST"):
        guarded.window(wr.Tumbling("1 day")).aggregate(F.count("*")).panes  # noqa: B018
    with pytest.raises(wr.SpecError, match=f"{refused}'Europe/Berlin'.*zone='UTC'"):
        wr.join(stream, other, on="product", within=berlin).rows  # noqa: B018


def test_time_without_zone_has_no_watermark(feed: Feed) -> None:
    """A watermark needs TIMESTAMP; the error shows the remedy, for joins too."""
    local = feed.stream().withColumn("time", F.col("time").cast("timestamp_ntz"))
    stream = wr.stream(local, time="time", watermark="0 seconds").lateness("0 seconds")
    refused = r"\[TIME_NOT_TIMESTAMP\].*TIMESTAMP_NTZ.*CAST"
    with pytest.raises(wr.SpecError, match=refused):
        stream.window(wr.Tumbling("1 minute")).aggregate(F.count("*")).panes  # noqa: B018
    other = wr.stream(local, time="time", watermark="0 seconds", name="other").lateness("0 seconds")
    with pytest.raises(wr.SpecError, match=refused):
        wr.join(stream, other, on="product", within=("0 seconds", "1 minute")).rows  # noqa: B018


@pytest.mark.slow
def test_replays_have_no_effect(feed: Feed) -> None:
    """A row whose offset was already processed is not counted again."""
    feed.add([order("09:00:10", amount=1, gap=0)], [order("09:00:20", amount=2, gap=0)])
    offset = wr.RowId(source=F.lit("s"), partition=F.lit(0), offset="gap")
    output = minutes(feed, rowId=offset).aggregate(F.sum("amount").alias("total"))
    feed.add([order("09:05:00", amount=4, gap=1)])
    assert short(feed.run(output.panes)) == [("a", "09:00", 1, "ON_TIME", 0)]


@pytest.mark.parametrize(
    ("code", "make"),
    [
        (
            "NO_WATERMARK",
            lambda feed: wr.stream(feed.stream(), time="time"),
        ),
        (
            "GUARD_TOO_LATE",
            lambda feed: wr.stream(
                feed.stream().withWatermark("time", "1 minute"), time="time", maxFuture="1 hour"
            ),
        ),
    ],
)
def test_mistakes_are_plain(feed: Feed, code: str, make: Any) -> None:
    """Problems that the JVM finds raise a SpecError without Java stack frames."""
    windows = make(feed).lateness("0 seconds").window(wr.Tumbling("1 minute"))
    with pytest.raises(wr.SpecError) as refused:
        windows.aggregate(F.count("*")).panes  # noqa: B018  the access raises
    assert [problem.code for problem in refused.value.problems] == [code]
    assert "java" not in str(refused.value)
    assert "\n" not in str(refused.value)


def test_unknown_columns(feed: Feed) -> None:
    """All unknown column names are reported at once; names are case-insensitive."""
    named = wr.stream(feed.stream(), time="tyme", key=("product", "ki"), watermark="0 seconds")
    with pytest.raises(wr.SpecError) as refused:
        named.lateness("0 seconds").window(wr.Tumbling("1 minute")).aggregate(F.count("*"))
    assert [p.text.split(" is")[0] for p in refused.value.problems] == [
        "time='tyme'",
        "key[1]='ki'",
    ]
    other = wr.stream(feed.stream(), time="TIME", key="Product", watermark="0 seconds")
    other.lateness("0 seconds").window(wr.Tumbling("1 minute")).aggregate(F.count("*"))
    stream = wr.stream(feed.stream(), time=F.col("tyme"), watermark="0 seconds")
    with pytest.raises(wr.SpecError, match=r"QUERY_REFUSED.*`tyme`[^\n]*$"):
        stream.lateness("0 seconds").window(wr.Tumbling("1 minute")).aggregate(F.count("*"))


def test_problems_of_columns_and_aggregates_at_once(feed: Feed) -> None:
    """Problems that only the JVM can find are reported in one error too."""
    stream = wr.stream(feed.stream(), time="product").lateness("0 seconds")
    with pytest.raises(wr.SpecError) as refused:
        stream.window(wr.Tumbling("1 minute")).aggregate(F.sum_distinct("amount")).panes  # noqa: B018
    codes = [problem.code for problem in refused.value.problems]
    assert codes == ["AGGREGATE_NOT_MERGEABLE", "TIME_NOT_TIMESTAMP", "NO_WATERMARK"]


def test_all_problems_of_a_description_at_once(feed: Feed) -> None:
    """Problems of lateness, aggregates and gap are in one error, before the JVM is called."""
    stream = wr.stream(feed.stream(), time="time", maxFuture="-1 second")
    with pytest.raises(wr.SpecError) as refused:
        stream.window(wr.Session(None)).aggregate()
    assert [problem.code for problem in refused.value.problems] == [
        "LATENESS_NOT_STATED",
        "MAX_FUTURE_NEGATIVE",
        "GAP_NOT_STATED",
        "AGGREGATE_NOT_STATED",
    ]


def test_explains(feed: Feed, capsys: pytest.CaptureFixture[str]) -> None:
    """``explain`` describes the condition that each window waits for."""
    minutes(feed).aggregate(F.count("*")).explain()
    said = capsys.readouterr().out
    assert "when the watermark reaches the end of the window + 1 hour" in said
    assert "greatest event time minus 0 seconds" in said
