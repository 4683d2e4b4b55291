"""Guards: limits that a query reaches only by mistake (SEMANTICS S9)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import windrow as wr
from feed import Feed, order
from operators.tables import NINE, counts


@contextmanager
def limit(spark: SparkSession, name: str, value: str) -> Iterator[None]:
    """Set the limit of a guard temporarily."""
    setting = f"spark.windrow.{name}"
    before = spark.conf.get(setting, None)
    spark.conf.set(setting, value)
    try:
        yield
    finally:
        if before is None:
            spark.conf.unset(setting)
        else:
            spark.conf.set(setting, before)


def orders(spark: SparkSession) -> DataFrame:
    """Return ten orders within one minute."""
    return spark.range(10).select(
        F.timestamp_seconds(F.col("id") + 1_700_000_000).alias("time"), F.col("id").alias("price")
    )


def minutes(spark: SparkSession) -> DataFrame:
    """Return the prices of each hour in an aggregate that needs all rows at once."""
    hours = (
        wr.stream(orders(spark), time="time").lateness("0 seconds").window(wr.Tumbling("1 hour"))
    )
    return hours.aggregate(F.collect_list("price")).panes


def test_windows_of_each_row_are_counted_before_input(spark: SparkSession) -> None:
    """Too many windows per row are refused before the query starts, even if each is small."""
    of = wr.stream(
        spark.readStream.format("rate").load().withColumnRenamed("timestamp", "time"),
        time="time",
        watermark="1 minute",
    ).lateness("0 seconds")
    windows = of.window(wr.Hopping("1 day", step="1 second"))
    early = windows.trigger(early=wr.EachBatch()).accumulationMode(wr.ACCUMULATING)
    with pytest.raises(
        wr.SpecError, match=r"\[TOO_MANY_WINDOWS\].*86400.*limit is 10000"
    ) as refused:
        _ = early.aggregate(F.count("*")).panes
    assert "spark.windrow.maxWindowsPerMessage" in str(refused.value)
    with limit(spark, "maxWindowsPerMessage", "100000"):
        assert early.aggregate(F.count("*")).panes.columns
    assert windows.aggregate(F.count("*")).panes.columns


def test_a_limit_that_was_met_can_be_raised(spark: SparkSession) -> None:
    """A query that reached a limit succeeds after the limit is raised."""
    with (
        limit(spark, "maxMessagesPerWindow", "9"),
        pytest.raises(Exception, match=r"\[TOO_MANY_MESSAGES\] the window from .*limit is 9"),
    ):
        minutes(spark).collect()
    with limit(spark, "maxMessagesPerWindow", "10"):
        assert len(minutes(spark).collect()) == 1


@pytest.mark.slow
def test_a_query_reads_the_limit_as_it_runs(spark: SparkSession, feed: Feed) -> None:
    """A query reads the limit at each run or start, not when it is described."""
    before = minutes(spark)
    with limit(spark, "maxMessagesPerWindow", "9"):
        meanwhile = minutes(spark)
        with pytest.raises(Exception, match=r"TOO_MANY_MESSAGES"):
            before.collect()
    assert len(meanwhile.collect()) == 1
    feed.add([order("09:00:00")] * 10, [order("10:00:00")])
    of = wr.stream(feed.stream(), time="time", watermark="0 seconds").lateness("0 seconds")
    out = of.window(wr.Tumbling("1 minute")).aggregate(F.collect_list("amount").alias("all"))
    sizes: list[int] = []

    def run() -> None:
        out.start(
            checkpoint=feed.folder.parent / "checkpoint",
            panes=lambda rows, _: sizes.extend(len(row["all"]) for row in rows.collect()),
            availableNow=True,
        ).awaitTermination()

    with (
        limit(spark, "maxMessagesPerWindow", "9"),
        pytest.raises(Exception, match=r"TOO_MANY_MESSAGES"),
    ):
        run()
    with (
        limit(spark, "maxMessagesPerWindow", "many"),
        pytest.raises(wr.SpecError, match="LIMIT_NOT_UNDERSTOOD"),
    ):
        run()
    run()
    assert sizes == [10]
    with limit(spark, "shards", "3"), pytest.raises(wr.CheckpointError, match="SPEC_CHANGED"):
        run()


@pytest.mark.slow
def test_full_state_joins_and_policies_are_guarded(spark: SparkSession) -> None:
    """Full state, joins and policies limit their keys, and policies the rows of a window."""

    def kept() -> DataFrame:
        of = wr.stream(orders(spark), time="time", key="price").lateness("0 seconds")
        return of.retain(time="1 hour").window(wr.Global()).keepRows().panes

    def counted(key: str) -> DataFrame:
        by = wr.Policy.tumbling(wr.ByCount(99))
        keyed = orders(spark).withColumn("all", F.lit(1))
        return wr.stream(keyed, time="time", key=key).window(by).aggregate(F.count("*")).panes

    def pairs() -> DataFrame:
        sides = (
            wr.stream(orders(spark), time="time", name=name).lateness("0 seconds") for name in "ab"
        )
        return wr.join(*sides, on="price", within=("0 seconds", "1 hour")).rows

    spark.conf.set("spark.windrow.shards", "1")
    try:
        for made in (kept, lambda: counted("price"), pairs):
            with (
                limit(spark, "maxKeysPerShard", "9"),
                pytest.raises(Exception, match=r"\[TOO_MANY_KEYS\].*limit is 9"),
            ):
                made().collect()
            with limit(spark, "maxKeysPerShard", "10"):
                made().collect()
        with (
            limit(spark, "maxMessagesPerWindow", "9"),
            pytest.raises(Exception, match=r"\[TOO_MANY_MESSAGES\].*limit is 9"),
        ):
            counted("all").collect()
    finally:
        spark.conf.unset("spark.windrow.shards")


def test_operators_outside_queries_have_the_guards_of_the_session(spark: SparkSession) -> None:
    """An operator outside a query uses the session's limits at its creation."""
    spec = counts(window=wr.Session("1 minute"))
    messages = [{"symbol": name, "time": NINE, "price": 1.0} for name in "abc"]
    with limit(spark, "maxKeysPerShard", "2"), wr.AggregatedWindowOperator(spec) as op:
        for message in messages[:2]:
            op.addMessage(message)
        with pytest.raises(wr.WindrowError, match=r"\[TOO_MANY_KEYS\].*maxKeysPerShard"):
            op.addMessage(messages[2])


def test_a_limit_must_be_a_number(spark: SparkSession) -> None:
    """An invalid limit is refused with the name of the setting and its value."""
    for value in ("many", "0"):
        said = rf"\[LIMIT_NOT_UNDERSTOOD\].*maxKeysPerShard.*'{value}'"
        with limit(spark, "maxKeysPerShard", value), pytest.raises(wr.SpecError, match=said):
            minutes(spark)
    for shards in ("0", "many"):
        with (
            limit(spark, "shards", shards),
            pytest.raises(wr.SpecError, match=r"\[SHARDS_NOT_UNDERSTOOD\]"),
        ):
            minutes(spark)
