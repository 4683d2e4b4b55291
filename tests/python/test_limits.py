"""Guards: limits that only a mistake reaches (SEMANTICS S9)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import windrow as wr


@contextmanager
def limit(spark: SparkSession, name: str, value: str) -> Iterator[None]:
    """Set the limit of a guard for a while."""
    spark.conf.set(f"spark.windrow.{name}", value)
    try:
        yield
    finally:
        spark.conf.unset(f"spark.windrow.{name}")


def orders(spark: SparkSession) -> DataFrame:
    """Give ten orders of one minute."""
    return spark.range(10).select(
        F.timestamp_seconds(F.col("id") + 1_700_000_000).alias("time"), F.col("id").alias("price")
    )


def minutes(spark: SparkSession) -> DataFrame:
    """Give the prices of each hour, all of which are needed at once."""
    hours = (
        wr.stream(orders(spark), time="time").lateness("0 seconds").window(wr.Tumbling("1 hour"))
    )
    return hours.aggregate(F.collect_list("price")).panes


def test_windows_for_each_message_are_counted_before_anything_comes(spark: SparkSession) -> None:
    """Also where each of them is small."""
    of = wr.stream(
        spark.readStream.format("rate").load().withColumnRenamed("timestamp", "time"),
        time="time",
        watermark="1 minute",
    ).lateness("0 seconds")
    windows = of.window(wr.Hopping("1 day", step="1 second"))
    early = windows.trigger(early=wr.EachStep()).accumulate(wr.ACCUMULATING)
    with pytest.raises(
        wr.SpecError, match=r"\[TOO_MANY_WINDOWS\].*86400.*at most 10000"
    ) as refused:
        _ = early.aggregate(F.count("*")).panes
    assert "spark.windrow.maxWindowsPerMessage" in str(refused.value)
    with limit(spark, "maxWindowsPerMessage", "100000"):
        assert early.aggregate(F.count("*")).panes.columns
    assert windows.aggregate(F.count("*")).panes.columns


def test_a_limit_that_was_met_can_be_raised(spark: SparkSession) -> None:
    """The same query goes on with a higher one."""
    with (
        limit(spark, "maxMessagesPerWindow", "9"),
        pytest.raises(Exception, match=r"\[TOO_MANY_MESSAGES\] the window from .*at most 9 may be"),
    ):
        minutes(spark).collect()
    with limit(spark, "maxMessagesPerWindow", "10"):
        assert len(minutes(spark).collect()) == 1


def test_a_limit_must_be_a_number(spark: SparkSession) -> None:
    """What cannot be a limit says what can."""
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
