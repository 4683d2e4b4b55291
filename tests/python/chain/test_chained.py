"""Valid inputs from panes of an operator: inherited windows, other windows, joins."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import windrow as wr
from feed import NOTHING, Feed, order, trigger_of

pytestmark = [pytest.mark.spark, pytest.mark.slow]

ON_TIME = "pane.timing = 'ON_TIME' AND NOT pane.is_retraction"


def totals(df: DataFrame, **triggers: Any) -> wr.Output:
    """Count each product's orders by the minute, with corrections for ten minutes."""
    stream = wr.stream(
        df,
        time="time",
        key="product",
        watermark="0 seconds" if df.isStreaming else None,
        name="orders",
    )
    minutes = stream.lateness("10 minutes").window(wr.Tumbling("1 minute"))
    minutes = minutes.trigger(**triggers).accumulationMode(wr.ACCUMULATING_AND_RETRACTING)
    return minutes.aggregate(F.sum("amount").alias("total"))


def overall(panes: DataFrame) -> wr.Output:
    """Sum up the sales of all products in each window of the panes."""
    windows = wr.stream(panes, name="totals").lateness("10 minutes").window(wr.Inherit())
    return windows.accumulationMode(wr.ACCUMULATING_AND_RETRACTING).aggregate(
        F.sum("total").alias("total"), F.count("*").alias("products")
    )


def nowhere(*_: object) -> None:
    """Discard the rows."""


@pytest.fixture
def corrected(feed: Feed) -> Feed:
    """Return orders of two products; one of them is corrected in the first minute."""
    return feed.add(
        [order("09:00:10", "a", 1), order("09:00:20", "b", 2)],
        [order("09:01:30", "a", 5)],
        [order("09:00:30", "b", 4)],
        [order("09:03:00", "a", 1)],
        [order("09:00:31", "a", 8)],
        [order("10:03:00", "a", 1)],
        NOTHING,
    )


def short(rows: list[Any]) -> list[tuple[Any, ...]]:
    """Return the window start, values, timing and sign of each pane, sorted."""
    return sorted(
        (
            f"{row.window.start:%H:%M}",
            row.total,
            row.products,
            row.pane.timing,
            "-" if row.pane.is_retraction else "+",
        )
        for row in rows
    )


@pytest.mark.full
def test_an_operator_without_input_yet_continues(feed: Feed, tmp_path: Path) -> None:
    """A query restarts although its second operator has received no pane yet (S2)."""
    no_data = "spark.sql.streaming.noDataMicroBatches.enabled"
    feed.spark.conf.set(no_data, "false")
    try:
        for time in ("09:00:10", "09:01:30", "09:20:00", "10:00:00", "11:00:00"):
            feed.add([order(time, "a", 1)])
            query = overall(totals(feed.stream()).panes).start(
                panes=wr.Files(str(tmp_path / "panes")), checkpoint=tmp_path / "checkpoint"
            )
            query.processAllAvailable()
            query.stop()
    finally:
        feed.spark.conf.unset(no_data)
    rows = feed.spark.read.parquet(str(tmp_path / "panes")).where(ON_TIME).collect()
    assert [row.total for row in sorted(rows, key=lambda row: row.window.start)] == [1, 1, 1]


@pytest.mark.anywhere
def test_a_period_of_the_operator_before_is_the_query_s(feed: Feed, tmp_path: Path) -> None:
    """A period of the first operator applies to the query (R69, R88).

    The query ends with its data if it is bounded; otherwise it runs at the period's pace.
    """
    feed.add([order("09:00:10")], [order("09:02:00")])
    panes = totals(feed.stream(), early=wr.Every("1 hour")).panes.where(ON_TIME)
    by_start = panes.select("product", "total", F.col("window.start").alias("start"))
    stream = wr.stream(by_start, time="start", key="product", name="totals")
    pairs = stream.window(wr.Policy.tumbling(wr.ByCount(2)))
    above = pairs.aggregate(F.sum("total"))
    bounded = above.start(checkpoint=tmp_path / "bounded", panes=nowhere, availableNow=True)
    assert bounded.awaitTermination(120)
    query = above.start(checkpoint=tmp_path / "paced", panes=nowhere)
    assert trigger_of(query) == "ProcessingTimeTrigger(1000)"
    query.stop()


@pytest.mark.anywhere
def test_windows_are_inherited_with_their_corrections(corrected: Feed) -> None:
    """``Inherit`` removes the values of retractions from its sums in the same query."""
    panes = corrected.run(overall(totals(corrected.stream()).panes).panes)
    assert short(panes) == [
        ("09:00", 7, 2, "ON_TIME", "+"),
        ("09:00", 7, 2, "ON_TIME", "-"),
        ("09:00", 15, 2, "LATE", "+"),
        ("09:01", 5, 1, "ON_TIME", "+"),
        ("09:03", 1, 1, "ON_TIME", "+"),
    ]


@pytest.mark.anywhere
def test_a_batch_of_panes(corrected: Feed) -> None:
    """A batch of panes has one pane for each window."""
    panes = overall(totals(corrected.batch()).panes).panes.collect()
    assert short(panes) == [
        ("09:00", 15, 2, "ON_TIME", "+"),
        ("09:01", 5, 1, "ON_TIME", "+"),
        ("09:03", 1, 1, "ON_TIME", "+"),
        ("10:03", 1, 1, "ON_TIME", "+"),
    ]


@pytest.mark.full
def test_panes_that_were_written_are_read_by_another_query(corrected: Feed, tmp_path: Any) -> None:
    """Panes that were written to a sink can be read by another query, with a new watermark."""
    spark, folder = corrected.spark, str(tmp_path / "panes")
    first = totals(corrected.stream())
    query = first.start(panes=wr.Files(folder), checkpoint=str(tmp_path / "c"), availableNow=True)
    query.awaitTermination()
    reader = spark.readStream.schema(first.panes.schema).option("maxFilesPerTrigger", 1)
    read = wr.stream(reader.parquet(folder), watermark="1 minute", name="totals")
    windows = read.lateness("1 hour").window(wr.Inherit()).accumulationMode(wr.ACCUMULATING)
    rows = corrected.run(windows.aggregate(F.sum("total").alias("total")).panes)
    last = {f"{row.window.start:%H:%M}": row.total for row in rows}
    assert last == {"09:00": 15, "09:01": 5}


def test_rows_that_are_not_panes_are_rejected(feed: Feed) -> None:
    """A row with a missing window or an unknown timing is rejected."""
    panes = totals(feed.add([order("09:00:10", "a", 1)]).batch()).panes
    strange = panes.withColumn(
        "pane", F.col("pane").withField("timing", F.lit("NEVER"))
    ).unionByName(panes.withColumn("window", F.lit(None).cast(panes.schema["window"].dataType)))
    output = overall(strange)
    assert [row.reason for row in output.rejected.collect()] == ["INVALID_TIME"] * 2
    assert output.panes.collect() == []


@pytest.mark.parametrize(
    ("change", "codes"),
    [
        (lambda df: df.drop("pane"), ["PANE_COLUMN_MISSING"]),
        (lambda df: df.drop("pane", "window"), ["PANE_COLUMN_MISSING"] * 2),
        (lambda df: df.withColumn("window", F.lit(1)), ["PANE_COLUMN_STRANGE"]),
    ],
)
def test_a_table_without_panes_is_refused(feed: Feed, change: Any, codes: list[str]) -> None:
    """The error names the columns that are missing or are not of a pane."""
    panes = totals(feed.add([order("09:00:10")]).batch()).panes
    with pytest.raises(wr.SpecError) as refused:
        overall(change(panes)).panes  # noqa: B018
    assert [problem.code for problem in refused.value.problems] == codes


def test_a_watermark_that_is_not_passed_on_is_missed_at_once(feed: Feed) -> None:
    """A downstream operator without a watermark is refused at once.

    An upstream operator with processing-time periods passes on no watermark, so no window would
    complete.
    """
    with pytest.raises(wr.SpecError) as refused:
        overall(totals(feed.stream(), early=wr.Every("1 minute")).panes).panes  # noqa: B018
    assert [problem.code for problem in refused.value.problems] == ["WATERMARK_NOT_PASSED_ON"]


def test_rows_that_may_wait_for_ever_need_a_lateness(feed: Feed) -> None:
    """Rows that may wait without bound need an explicit lateness (SEMANTICS R95).

    A window of three rows may wait for the third row for any time.
    """
    orders = wr.stream(feed.stream(), time="time", key="product", watermark="0 seconds", name="few")
    few = orders.window(wr.Count(3)).aggregate(F.max("time").alias("last"))
    hours = wr.stream(few.panes, time="last", key="product", name="hours")
    with pytest.raises(wr.SpecError) as refused:
        hours.lateness("0 seconds").window(wr.Tumbling("1 hour")).aggregate(F.count("*")).panes  # noqa: B018
    assert [problem.code for problem in refused.value.problems] == ["WAIT_NOT_BOUNDED"]
    more = wr.stream(feed.stream(), time="time", watermark="0 seconds", name="more")
    both = [one.lateness("0 seconds") for one in (hours, more)]
    joined = wr.join(*both, on="product", within=("0 seconds", "1 minute"))
    with pytest.raises(wr.SpecError) as refused:
        joined.rows  # noqa: B018
    assert [problem.code for problem in refused.value.problems] == ["WAIT_NOT_BOUNDED"]
    later = hours.lateness("1 minute").window(wr.Tumbling("1 hour")).accumulationMode(wr.DISCARDING)
    assert later.aggregate(F.count("*")).panes.isStreaming


def test_sparks_own_windows_get_no_watermark_that_lags(feed: Feed) -> None:
    """Panes that lag behind the query's watermark carry no watermark (SEMANTICS B2).

    With one, Spark's own windows would drop these panes.
    """
    o, s = (
        wr.stream(feed.stream(), time="time", watermark="0 seconds", name=name).lateness(
            "0 seconds"
        )
        for name in ("o", "s")
    )
    joined = wr.join(o, s, on="product", within=("0 seconds", "1 minute"), how="left").rows

    def delay(time: str) -> object:
        rows = wr.stream(joined, time=time, key="product", name="minutes").lateness("0 seconds")
        panes = rows.window(wr.Tumbling("1 minute")).aggregate(F.count("*").alias("n")).panes
        return panes.schema["window"].metadata.get("spark.watermarkDelayMs")

    assert delay("o.time") is None
    assert delay("s.time") == 0


def test_operators_of_one_query_need_names_of_their_own(feed: Feed) -> None:
    """Two operators of a query with the same name are refused, as counts could not be separated."""
    panes = totals(feed.stream()).panes
    named = wr.stream(panes, name="orders").lateness("0 seconds").window(wr.Inherit())
    with pytest.raises(wr.SpecError) as refused:
        named.aggregate(F.count("*")).panes  # noqa: B018
    assert [problem.code for problem in refused.value.problems] == ["STREAM_NAME_TAKEN"]


def test_a_union_of_operators_needs_names_of_their_own(feed: Feed) -> None:
    """A union of two operators with the same name is refused with a remedy.

    The same applies to two outputs of one operator, because a union is a single query.
    """
    first, second = totals(feed.stream()), totals(feed.stream().where("amount > 1"))
    with pytest.raises(AnalysisException) as refused:
        first.panes.union(second.panes)
    assert refused.value.getCondition() == "STREAM_NAME_TAKEN"
    assert "two operators that are called 'orders'" in str(refused.value)
    with pytest.raises(AnalysisException, match="use its 'output'"):
        first.panes.select("product").union(first.rejected.select("stream"))


@pytest.mark.full
def test_sparks_own_windows_over_panes(corrected: Feed) -> None:
    """Spark's own windows over panes follow the query's watermark (SEMANTICS B2).

    They drop corrections as late.
    """
    panes = totals(corrected.stream()).panes.where(ON_TIME)
    coarse = panes.groupBy(F.window("window", "2 minutes")).agg(F.sum("total").alias("total"))
    rows = corrected.run(coarse)
    assert sorted((f"{row.window.start:%H:%M}", row.total) for row in rows) == [
        ("09:00", 12),
        ("09:02", 1),
    ]
    same = panes.groupBy("window").agg(F.sum("total").alias("total"))
    rows = corrected.run(same)
    assert sorted((f"{row.window.start:%H:%M}", row.total) for row in rows) == [
        ("09:00", 7),
        ("09:01", 5),
        ("09:03", 1),
    ]


@pytest.mark.full
def test_windows_of_windrow_over_panes(corrected: Feed) -> None:
    """The event time of a pane can be Spark's ``window_time``, its last instant."""
    panes = totals(corrected.stream()).panes.withColumn("at", F.window_time("window"))
    signed = F.sum(F.expr("IF(pane.is_retraction, -total, total)")).alias("total")
    hours = wr.stream(panes, time="at", name="totals").lateness("1 hour")
    output = (
        hours.window(wr.Tumbling("3 minutes")).accumulationMode(wr.ACCUMULATING).aggregate(signed)
    )
    rows = corrected.run(output.panes)
    assert [(f"{row.window.start:%H:%M}", row.total, row.pane.timing) for row in rows] == [
        ("09:00", 20, "ON_TIME"),
        ("09:03", 1, "ON_TIME"),
    ]


@pytest.mark.full
def test_panes_join_a_table(corrected: Feed) -> None:
    """Panes can be joined with a table, including corrections."""
    names = corrected.spark.createDataFrame([("a", "apples"), ("b", "beans")], ["product", "name"])
    rows = corrected.run(totals(corrected.stream()).panes.join(names, "product"))
    named = {(row.name, row.total) for row in rows if not row.pane.is_retraction}
    assert named == {("apples", 1), ("apples", 5), ("apples", 9), ("beans", 6)}


@pytest.mark.full
def test_sparks_own_join_with_panes(corrected: Feed) -> None:
    """Panes join a stream by key and time, and Spark removes waiting rows by the watermark."""
    panes = totals(corrected.stream()).panes.where(ON_TIME)
    panes = panes.select("product", "total", F.window_time("window").alias("at")).alias("p")
    orders = corrected.stream().withWatermark("time", "0 seconds").alias("o")
    joined = panes.join(
        orders,
        F.expr(
            "p.product = o.product AND o.time <= at AND o.time > at - INTERVAL 1 MINUTE "
            "AND o.amount * 2 > total"
        ),
    )
    rows = corrected.run(joined.select("p.product", "at", "total", "amount"))
    assert sorted((row.product, f"{row.at:%H:%M}", row.total, row.amount) for row in rows) == [
        ("a", "09:00", 1, 1),
        ("a", "09:01", 5, 5),
        ("a", "09:03", 1, 1),
        ("b", "09:00", 6, 4),
    ]


def test_named_queries_of_sql_chain_operators(spark: SparkSession) -> None:
    """A definition that only another removed definition reads is not a second operator."""
    spark.readStream.format("rate").load().createOrReplaceTempView("ticks")
    hours = spark.sql("""
        WITH minutes AS (
          SELECT * FROM windrow_tumble(
            TABLE(SELECT value % 5 AS k, sum(value) AS total FROM ticks GROUP BY value % 5),
            stream => 'minutes', time => 'timestamp', watermark => '10 seconds',
            lateness => '0 seconds', size => '1 minute')),
        narrow AS (SELECT k, total, window FROM minutes)
        SELECT * FROM windrow_tumble(
          TABLE(SELECT k, max(total) AS most FROM narrow GROUP BY k),
          stream => 'hours', time => 'window.end', lateness => '0 seconds', size => '1 hour')""")
    assert hours.columns == ["k", "window", "most", "pane"]
