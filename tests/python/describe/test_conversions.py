"""Times, gaps and offsets that fail to convert are treated as missing (SEMANTICS R51, W3, R13)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pyspark.sql import functions as F

import windrow as wr

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import Column, DataFrame, SparkSession

    from feed import Feed

pytestmark = pytest.mark.spark

ROWS = [("2025-01-01 09:00:10", "1735722010", 1), ("no time", "9223372036854775807", 10)]

#: The conversions that pages and errors recommend, and other ways to convert a text to a time.
CONVERSIONS: dict[str, Callable[[], Column]] = {
    "to_timestamp": lambda: F.to_timestamp("text"),
    "to_timestamp of a format": lambda: F.to_timestamp("text", "yyyy-MM-dd HH:mm:ss"),
    "try_to_timestamp": lambda: F.try_to_timestamp("text"),
    "cast": lambda: F.col("text").cast("timestamp"),
    "timestamp_seconds": lambda: F.expr("timestamp_seconds(cast(number AS bigint))"),
    "timestamp_micros": lambda: F.expr("timestamp_micros(cast(text AS bigint))"),
    "arithmetic": lambda: F.expr("to_timestamp(text) + INTERVAL 1 SECOND"),
    "an error": lambda: F.expr("if(v = 1, timestamp_seconds(v), raise_error('no time'))"),
}


@pytest.fixture
def ansi(spark: SparkSession) -> SparkSession:
    """Return a session in which failed conversions raise errors."""
    assert spark.conf.get("spark.sql.ansi.enabled") == "true"
    return spark


def of_rows(spark: SparkSession) -> DataFrame:
    """Return a row whose text is a valid time, and one whose text is not."""
    return spark.createDataFrame(ROWS, "text string, number string, v int")


def minutes(df: DataFrame, time: Column, **more: object) -> wr.Output:
    """Sum each minute."""
    windows = wr.stream(df, time=time, **more).lateness("0 seconds").window(wr.Tumbling("1 minute"))  # type: ignore[arg-type]
    return windows.aggregate(F.sum("v").alias("v"))


@pytest.mark.parametrize("name", CONVERSIONS)
def test_a_time_that_does_not_convert_is_rejected(ansi: SparkSession, name: str) -> None:
    """A row with an unconvertible time is rejected, for each conversion and any aggregate."""
    out = minutes(of_rows(ansi), CONVERSIONS[name]())
    rejected = [(row.reason, row.message.v) for row in out.rejected.collect()]
    bad = {10} if name != "timestamp_micros" else {1, 10}
    assert set(rejected) == {("INVALID_TIME", v) for v in bad}
    assert [row.v for row in out.panes.collect()] == [v for v in (1,) if v not in bad]


def test_the_row_is_named_where_it_ends_the_query(ansi: SparkSession) -> None:
    """With `invalid="fail"` the error names the row, and does not show the conversion's error."""
    out = minutes(of_rows(ansi).coalesce(1), F.to_timestamp("text"), invalid="fail")
    with pytest.raises(Exception, match=r"MESSAGE_INVALID.* row 2 of partition") as failed:
        out.panes.collect()
    assert "CAST_INVALID_INPUT" not in str(failed.value)


def test_a_subexpression_shared_with_the_time_does_not_fail(ansi: SparkSession) -> None:
    """Without a valid time the gap, keys and aggregates of the same text are not evaluated."""
    of = wr.stream(
        of_rows(ansi),
        time=F.to_timestamp("text"),
        key=F.expr("month(to_timestamp(text))").alias("m"),
    )
    gap = F.expr("10 * minute(to_timestamp(text)) + 1000000")
    out = (
        of.lateness("0 seconds")
        .window(wr.Session(gap))
        .aggregate(
            F.max(F.to_timestamp("text")).alias("last"),
            F.expr("collect_list(hour(to_timestamp(text)))").alias("h"),
        )
    )
    assert [(row.m, row.h) for row in out.panes.collect()] == [(1, [9])]
    assert [row.reason for row in out.rejected.collect()] == ["INVALID_TIME"]


@pytest.mark.parametrize(
    "gap", ["1000000 div (v - 10)", "make_dt_interval(0, 0, 0, 1 div (v - 10) + 9)"]
)
def test_a_gap_that_fails_is_none(ansi: SparkSession, gap: str) -> None:
    """A gap that fails to convert is treated as missing, in microseconds or as an interval."""
    df = ansi.createDataFrame(
        [("2025-01-01 09:00:10", 11), ("2025-01-01 09:00:20", 10)], "text string, v int"
    )
    of = (
        wr.stream(df, time=F.to_timestamp("text"))
        .lateness("0 seconds")
        .window(wr.Session(F.expr(gap)))
    )
    out = of.aggregate(F.sum("v").alias("v"))
    assert [row.v for row in out.panes.collect()] == [11]
    assert [(row.reason, row.message.v) for row in out.rejected.collect()] == [("INVALID_TIME", 10)]


def test_an_offset_that_fails_is_none(ansi: SparkSession) -> None:
    """A row whose offset fails to convert has an empty identity, so it is never a replay."""
    df = ansi.createDataFrame([("1",), ("1",), ("x",), ("x",)], "text string").withColumn(
        "t", F.lit("2025-01-01 09:00:10").cast("timestamp")
    )
    offset = wr.RowId(source="t0", partition=F.lit(0), offset=F.expr("cast(text AS bigint)"))
    of = wr.stream(df.withColumn("t0", F.lit("topic")), time="t", rowId=offset).lateness(
        "0 seconds"
    )
    panes = of.window(wr.Tumbling("1 minute")).aggregate(F.count("*").alias("n")).panes
    assert [row.n for row in panes.collect()] == [3]


def sides(spark: SparkSession) -> list[wr.Stream]:
    """Return two streams with texts as times."""
    df = of_rows(spark).withColumn("k", F.lit(1))
    return [wr.stream(df, time=F.to_timestamp("text"), key="k", name=name) for name in "ab"]


@pytest.mark.slow
def test_joins_and_cogroups_convert_times_alike(ansi: SparkSession) -> None:
    """Joins and co-groups reject unconvertible times, from builders and in SQL."""
    a, b = sides(ansi)
    on_time = a.lateness("0 seconds"), b.lateness("0 seconds")
    joined = wr.join(*on_time, on="k", within=("0 seconds", "1 minute"))
    assert joined.rows.count() == 1
    assert sorted(row.stream for row in joined.rejected.collect()) == ["a", "b"]
    grouped = wr.cogroup(*sides(ansi)).lateness("0 seconds").window(wr.Tumbling("1 minute"))
    out = grouped.aggregate(F.count("a.v").alias("a"), F.count("b.v").alias("b"))
    assert [(row.a, row.b) for row in out.panes.collect()] == [(1, 1)]
    assert [row.reason for row in out.rejected.collect()] == ["INVALID_TIME"] * 2
    of_rows(ansi).createOrReplaceTempView("converted")
    rows = ansi.sql("""
        SELECT * FROM windrow_join(TABLE(
            SELECT * FROM converted a JOIN converted b ON a.v = b.v
            AND to_timestamp(b.text) BETWEEN to_timestamp(a.text)
            AND to_timestamp(a.text) + INTERVAL 1 MINUTE),
            lateness => '0 seconds')""")
    assert rows.count() == 1


@pytest.mark.slow
@pytest.mark.usefixtures("ansi")
def test_a_stream_goes_on_after_a_time_that_does_not_convert(feed: Feed) -> None:
    """A stream continues after an unconvertible time, and other rows move the watermark."""
    feed.add([{"time": "2025-01-01 09:00:10", "product": "1", "amount": 1}])
    feed.add([{"time": "2025-01-01 09:00:20", "product": "x", "amount": 10}])
    feed.add([{"time": "2025-01-01 09:10:00", "product": "2", "amount": 100}])
    df = feed.stream()
    time = F.expr("time + make_dt_interval(0, 0, cast(product AS int))")
    out = wr.stream(df, time=time, watermark="0 seconds").lateness("0 seconds")
    sums = out.window(wr.Tumbling("1 minute")).aggregate(F.sum("amount").alias("v"))
    got: dict[str, list[object]] = {"panes": [], "rejected": []}
    query = sums.start(
        checkpoint=feed.folder.parent / "checkpoint",
        panes=lambda rows, _: got["panes"].extend(row.v for row in rows.collect()),
        rejected=lambda rows, _: got["rejected"].extend(row.reason for row in rows.collect()),
        availableNow=True,
    )
    query.awaitTermination()
    assert got == {"panes": [1], "rejected": ["INVALID_TIME"]}
