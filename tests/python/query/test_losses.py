"""Faults found by reading the code: lost rows, shuffle-dependent output, failed queries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F

import windrow as wr
from feed import NOTHING, Feed, Order, order
from join.joins import Both
from query.test_idle import ago, by_the_clock
from restarts.test_start import finished

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pyspark.sql import Row, SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.slow]


def test_a_clock_that_is_set_back(feed: Feed, tmp_path: Path) -> None:
    """If a longer delay sets the clock back, late rows stay late (SEMANTICS R86, S2).

    They are returned with their row.
    """
    for delay, amount in (("1 hour", 1), ("10 hours", 2)):
        feed.add([order(ago(5), amount=amount)])
        query = by_the_clock(feed, delay, "1 minute").start(
            checkpoint=str(tmp_path / "checkpoint"),
            rejected=wr.Files(str(tmp_path / "rejected")),
            availableNow=True,
        )
        finished(query)
    rejected = feed.spark.read.parquet(str(tmp_path / "rejected")).collect()
    assert [(row.reason, row.message.amount) for row in rejected] == [("TOO_LATE", 2)]


@pytest.mark.parametrize("kind", ["text", "number"])
def test_a_null_before_its_column_became_required(
    spark: SparkSession, tmp_path: Path, kind: str
) -> None:
    """A column that a restart reads as non-null keeps its nulls in stored rows (S2)."""
    both = Both(spark, tmp_path)
    column, instead = ("product", F.lit("")) if kind == "text" else ("amount", F.lit(7))
    found: list[Row] = []
    steps: list[tuple[Sequence[Order], Sequence[Order]]] = [
        ([{**order("09:00:00", gap=1), column: None}], NOTHING),
        (NOTHING, [order("09:01:00", gap=1)]),
    ]
    for orders, ships in steps:
        both.add([orders], [ships])
        left = both.orders.stream()
        if ships:
            left = left.withColumn(column, F.coalesce(column, instead))
        streams = [
            wr.stream(df, time="time", watermark="1 minute", name=name).lateness("0 seconds")
            for name, df in (("o", left), ("s", both.shipments.stream()))
        ]
        rows = wr.join(*streams, on="gap", within=("0 seconds", "1 hour")).rows.select(
            f"o.{column}"
        )

        def keep(batch: Any, _: int) -> None:
            found.extend(batch.collect())

        writer = rows.writeStream.option("checkpointLocation", str(tmp_path / "checkpoint"))
        writer.foreachBatch(keep).trigger(availableNow=True).start().awaitTermination()
    assert [row[0] for row in found] == [None]


def test_sources_that_are_no_texts(spark: SparkSession) -> None:
    """The source may be a column of bytes; each has its own offsets (SEMANTICS R13)."""
    rows = spark.sql(
        "SELECT timestamp'2025-01-01' AS time, 1 AS k, device, 0 AS p, 0L AS n "
        "FROM VALUES (X'C0A80101'), (X'C1A80101'), (X'C0A80101'), (X'61') t(device)"
    )
    for of in (rows, rows.withColumn("device", F.expr("CAST(device AS STRING)"))):
        offset = wr.RowId(source="device", partition="p", offset="n")
        stream = wr.stream(of, time="time", key="k", rowId=offset).lateness("0 seconds")
        panes = stream.window(wr.Tumbling("1 day")).aggregate(F.count("*").alias("n")).panes
        assert [row.n for row in panes.collect()] == [3]


def test_an_odd_offset_in_a_cogroup(spark: SparkSession, tmp_path: Path) -> None:
    """A row of a co-group with an offset that is not a number is accepted without identity."""
    both = Both(spark, tmp_path)
    both.add(
        [[order("09:00:00", "x"), order("09:00:01", "7")], NOTHING],
        [[order("09:00:02", "8")], NOTHING],
    )
    offset = wr.RowId(source="gap", partition="amount", offset="product")
    streams = [
        wr.stream(feed.stream(), time="time", key="gap", watermark="0 s", name=name, rowId=offset)
        for name, feed in (("o", both.orders), ("s", both.shipments))
    ]
    windows = wr.cogroup(*streams).lateness("0 seconds").window(wr.Tumbling("1 minute"))
    both.add([[order("10:00:00", "9")]], [[order("10:00:00", "9")]])
    rows = both.run(windows.aggregate(F.count("*").alias("n")).panes)
    assert [row.n for row in rows] == [3]


def both_ways(spark: SparkSession, of: Any, *rows: Order) -> list[list[Any]]:
    """Return the output for rows in one task, in the given and in reversed order."""
    schema = "time string, product string, price double, amount bigint, gap bigint"
    found = []
    for some in (rows, rows[::-1]):
        df = spark.createDataFrame([dict(row) for row in some], schema).coalesce(1)
        df = df.withColumn("time", F.col("time").cast("timestamp"))
        found.append(of(df).collect())
    return found


def test_messages_that_differ_in_their_gap(spark: SparkSession, tmp_path: Path) -> None:
    """Rows that differ only in their gap are ordered by it, in any shuffle order (SEMANTICS T3)."""
    shown = []
    for seconds in ((5, 10), (10, 5)):
        feed = Feed(spark, tmp_path / f"{seconds}")
        feed.add([order("09:00:00", gap=gap * 1_000_000) for gap in seconds])
        df = feed.stream().coalesce(1)
        stream = wr.stream(df, time="time", key="product", watermark="0 seconds")
        windows = (
            stream.lateness("0 seconds")
            .window(wr.Session(F.col("gap")))
            .trigger(early=wr.EachMessage())
        )
        output = windows.accumulationMode(wr.ACCUMULATING).aggregate(F.count("*").alias("n"))
        rows = feed.run(output.panes.select("window", "n", "pane"))
        shown.append(rows)
    assert shown[0] == shown[1]


def test_the_greatest_of_equal_texts(spark: SparkSession) -> None:
    """``max`` returns the same one of equal collated texts for every shuffle (SEMANTICS R1)."""

    def greatest(df: Any) -> Any:
        stream = wr.stream(df, time="time", key="amount").lateness("0 seconds")
        text = F.collate("product", "UTF8_LCASE")
        ends = F.max(text).alias("greatest"), F.min(text).alias("least")
        return stream.window(wr.Tumbling("1 day")).aggregate(*ends).panes

    rows = [order("09:00:00", "a"), order("09:00:00", "A"), order("09:00:00", "aA"[:1])]
    one, other = both_ways(spark, greatest, *rows)
    assert one == other


def test_a_join_after_an_operator_without_watermark(spark: SparkSession, tmp_path: Path) -> None:
    """A join after an operator that passes on no watermark is refused (SEMANTICS R69).

    Such a join would never remove a row from its state.
    """
    both = Both(spark, tmp_path)
    panes = [
        wr.stream(feed.stream(), time="time", key="product", watermark="0 seconds", name=name)
        .lateness("0 seconds")
        .window(wr.Tumbling("1 minute"))
        .accumulationMode(wr.DISCARDING)
        .trigger(early=wr.Every("1 minute"))
        .aggregate(F.count("*").alias("n"))
        .panes
        for name, feed in (("a", both.orders), ("b", both.shipments))
    ]
    streams = [
        wr.stream(rows, time="window.end", key="product", name=name).lateness("0 seconds")
        for name, rows in zip(("o", "s"), panes, strict=True)
    ]
    with pytest.raises(wr.SpecError) as refused:
        wr.join(*streams, on="product", within=("0 seconds", "1 hour"), how="left").rows  # noqa: B018
    assert {problem.code for problem in refused.value.problems} == {"WATERMARK_NOT_PASSED_ON"}


def test_a_field_of_a_window_in_sql(feed: Feed) -> None:
    """In SQL the end of a window may be the event time, with a watermark (SEMANTICS T5)."""
    feed.add([order("09:00:10")], [order("09:05:00")], [order("09:20:00")], NOTHING)
    feed.stream().withWatermark("time", "0 seconds").createOrReplaceTempView("ordered")
    panes = feed.spark.sql(
        "SELECT n FROM windrow_tumble(TABLE(SELECT product, count(*) AS n FROM "
        "(SELECT window(time, '1 minute') AS w, product FROM ordered) GROUP BY product), "
        "time => 'w.end', size => '10 minutes', lateness => '0 seconds')"
    )
    assert [row.n for row in feed.run(panes)] == [2]


def test_keys_of_a_cogroup_with_dots(spark: SparkSession, tmp_path: Path) -> None:
    """Key names of a co-group may contain dots, in SQL too (SEMANTICS B7)."""
    both = Both(spark, tmp_path).add([[order("09:00:00")]], [[order("09:00:01")]])
    for name, feed in (("left_orders", both.orders), ("right_orders", both.shipments)):
        feed.batch().withColumnRenamed("product", "a.b").createOrReplaceTempView(name)
    columns = spark.sql(
        "SELECT * FROM windrow_cogroup(TABLE(SELECT * FROM left_orders AS l), "
        "TABLE(SELECT * FROM right_orders AS r), key => '`a.b`', time => 'time')"
    ).columns
    assert "a.b" in columns
