"""A row is a replay only if it was applied before, out of order and with holes (SEMANTICS R13)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pyspark.sql import functions as F

import windrow as wr

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

START = datetime(2025, 1, 1, tzinfo=UTC)
SCHEMA = "topic string, partition int, offset bigint, k string, time timestamp"


def apart(spark: SparkSession, count: int, keys: int, *, order: Column | None = None) -> DataFrame:
    """Return rows of one source partition; every other row is an hour ahead of its neighbors."""
    number = F.col("id")
    later = F.when(F.hash(number * 7) % 2 == 0, 3600).otherwise(0)
    return spark.range(0, count, 1, 4).select(
        F.lit("topic").alias("topic"),
        F.lit(0).alias("partition"),
        number.alias("offset"),
        F.concat(F.lit("k"), (order if order is not None else number) % keys).alias("k"),
        F.timestamp_seconds(F.lit(START.timestamp()) + number / 1000 + later).alias("time"),
    )


@pytest.mark.slow
def test_one_hot_key_of_a_batch(spark: SparkSession) -> None:
    """Thousands of rows of one shard, far out of order, all count, as without offsets."""
    rows = apart(spark, 5000, keys=1)
    day = wr.Tumbling("1 day")
    with_offsets = wr.stream(rows, time="time", key="k", rowId=wr.KAFKA).lateness("0 seconds")
    without = wr.stream(rows, time="time", key="k").lateness("0 seconds")
    counted = [
        one.window(day).aggregate(F.count("*").alias("n")) for one in (with_offsets, without)
    ]
    assert [one.panes.select("n").collect() for one in counted] == [[(5000,)]] * 2
    kept = with_offsets.retain(time="1 day").window(day).keepRows()
    assert kept.panes.select(F.sum(F.size("messages"))).collect() == [(5000,)]
    policy = wr.stream(rows, key="k", rowId=wr.KAFKA).window(wr.Policy.tumbling(wr.ByCount(5000)))
    inside = policy.aggregate(F.count("*").alias("n"))
    assert inside.panes.select("n").collect() == [(5000,)]


@pytest.mark.slow
def test_a_join_after_a_shuffle(spark: SparkSession) -> None:
    """A source partition read by several tasks, in any order, joins as without offsets."""
    spark.conf.set("spark.windrow.shards", "1")
    try:
        sides = [apart(spark, 6000, keys=6000).repartition(4, "k") for _ in range(2)]
        streams = [
            wr.stream(side, time="time", name=name, rowId=wr.KAFKA).lateness("0 seconds")
            for side, name in zip(sides, "ab", strict=True)
        ]
        joined = wr.join(*streams, on="k", within=("0 seconds", "1 minute"))
        assert joined.rows.count() == 6000
    finally:
        spark.conf.unset("spark.windrow.shards")


def written(spark: SparkSession, folder: Path, batches: list[list[int]]) -> DataFrame:
    """Return a stream with one file of offsets per batch, and times out of order by hours."""
    for offsets in batches:
        rows = [
            ("topic", one % 3, one, f"k{one % 7}", START + timedelta(seconds=one * 7919 % 10007))
            for one in offsets
        ]
        frame = spark.createDataFrame(rows, SCHEMA).coalesce(1)
        frame.write.mode("append").parquet(str(folder))
    reader = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1)
    return reader.parquet(str(folder))


@pytest.mark.slow
@pytest.mark.parametrize("shuffled", [pytest.param(False, marks=pytest.mark.full), True])
def test_batches_that_come_again(spark: SparkSession, tmp_path: Path, *, shuffled: bool) -> None:
    """Exactly the rows that a source with holes sends twice are recognized as duplicates."""
    offsets = [one for one in range(9000) if one * 7919 % 101 > 20]
    batches = [
        offsets[at::3] if shuffled else offsets[at * 2400 : at * 2400 + 2400] for at in (0, 1, 2)
    ]
    again = [*batches[0][::2], *batches[2]]
    came = written(spark, tmp_path / "in", [batches[0], batches[1], batches[2], again])
    came = came.repartition(3) if shuffled else came
    stream = wr.stream(came, time="time", key="k", rowId=wr.KAFKA, watermark="1 hour")
    output = stream.lateness("1 day").window(wr.Tumbling("1 day")).accumulationMode(wr.ACCUMULATING)
    query = output.aggregate(F.count("*").alias("n")).start(
        checkpoint=tmp_path / "checkpoint",
        panes=wr.Files(str(tmp_path / "panes")),
        availableNow=True,
    )
    query.awaitTermination()
    counts = wr.status(query)
    assert counts.duplicates == len(again)
    assert counts.accepted == sum(map(len, batches))
    assert counts.rejected == counts.unaccounted == 0


@pytest.mark.full
def test_a_backlog_in_one_batch(spark: SparkSession, tmp_path: Path) -> None:
    """A batch with over a thousand rows of a source partition for each of 128 shards succeeds."""
    apart(spark, 400_000, keys=1000, order=F.hash("id")).write.parquet(str(tmp_path / "in"))
    came = spark.readStream.schema(SCHEMA).parquet(str(tmp_path / "in"))
    stream = wr.stream(came, time="time", key="k", rowId=wr.KAFKA, watermark="0 seconds")
    day = stream.lateness("0 seconds").window(wr.Tumbling("1 day"))
    query = day.aggregate(F.count("*")).start(
        checkpoint=tmp_path / "checkpoint",
        panes=wr.Files(str(tmp_path / "panes")),
        availableNow=True,
    )
    query.awaitTermination()
    counts = wr.status(query)
    assert (counts.accepted, counts.duplicates) == (400_000, 0)
