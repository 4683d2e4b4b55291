"""Rejected rows of every operator of a query (SEMANTICS B14)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import windrow as wr
from feed import NOTHING, Feed, order

if TYPE_CHECKING:
    import pandas as pd

pytestmark = [pytest.mark.spark, pytest.mark.slow]

#: The order with amount 100 is too late for its minute, and the one with 1000 lacks a time.
BATCHES = (
    [order("09:00:10", "a", 1)],
    [order("09:05:00", "a", 2)],
    NOTHING,
    [order("09:00:20", "a", 100)],
    [order(None, "a", 1000)],
    [order("11:00:00", "a", 4)],
    NOTHING,
)
BOTH = [("orders", "INVALID_TIME", 1000), ("orders", "TOO_LATE", 100)]
INVALID = BOTH[:1]


def minutes(df: DataFrame, name: str = "orders") -> wr.Output:
    """Sum up orders by the minute."""
    delay = "0 seconds" if df.isStreaming else None
    stream = wr.stream(df, time="time", key="product", watermark=delay, name=name)
    windows = stream.lateness("0 seconds").window(wr.Tumbling("1 minute"))
    return windows.aggregate(F.sum("amount").alias("total"))


def hours(panes: DataFrame, name: str = "hours") -> wr.Output:
    """Sum up panes by the hour."""
    stream = wr.stream(panes, key="product", name=name).lateness("0 seconds")
    windows = stream.window(wr.Tumbling("1 hour"))
    return windows.aggregate(F.sum("total").alias("total"))


def found(rows: list[Any], column: str = "orders", *, last: bool = False) -> list[Any]:
    """Return the stream, reason and amount of the rows that an operator rejected."""
    if not last:
        assert all(row.message is None for row in rows)
    return sorted((row.stream, row.reason, row[column].amount) for row in rows)


def test_a_query(feed: Feed) -> None:
    """Rows that the upstream operator rejects are returned with those of the last one, once."""
    feed.add(*BATCHES)
    output = hours(minutes(feed.stream()).panes)
    assert output.rejected.columns == [
        *("stream", "reason", "watermark", "processing_time", "message", "orders"),
    ]
    assert found(feed.run(output.rejected)) == BOTH


def test_one_operator_alone_has_the_columns_that_it_had(feed: Feed) -> None:
    """With a single operator, ``rejected`` lacks columns for other operators."""
    assert minutes(feed.stream()).rejected.columns[4:] == ["message"]


@pytest.mark.full
def test_rejected_rows_after_any_use_of_panes(feed: Feed) -> None:
    """Filters, joins and Python functions between the operators see only panes."""

    def checked_all(frames: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        for frame in frames:
            assert not frame["total"].isna().any()
            yield frame

    feed.add(*BATCHES)
    panes = minutes(feed.batch()).panes
    names = feed.spark.createDataFrame([("a", "apples")], ["product", "name"])
    checked = F.udf(lambda total: total + 0, "bigint")  # fails on a row that is not a pane
    ways = [
        panes.where("total < 0"),
        panes.where(checked("total") > 1),
        panes.join(names, "product").drop("name"),
        panes.repartition(3).sort("total"),
        panes.mapInPandas(checked_all, panes.schema),
        panes.union(panes.where("total > 2")),
        panes.limit(1),
    ]
    for way in ways:
        assert found(hours(way).rejected.collect()) == INVALID


@pytest.mark.full
def test_panes_that_are_read_twice(feed: Feed) -> None:
    """If panes are read twice, the operator runs twice, but each rejected row is returned once."""
    feed.add(*BATCHES)
    panes = minutes(feed.stream()).panes
    twice = panes.where("total < 3").union(panes.where("total >= 3"))
    assert found(feed.run(hours(twice).rejected)) == BOTH


def test_three_operators(feed: Feed) -> None:
    """Rejected rows of three operators are returned, each in a column of its own."""
    feed.add(*BATCHES)
    strange = hours(minutes(feed.batch()).panes.withColumn("at", F.lit(None).cast("timestamp")))
    late = wr.stream(strange.panes, time="window.start", key="product", name="days")
    output = late.lateness("0 seconds").window(wr.Tumbling("1 day")).aggregate(F.count("*"))
    assert output.rejected.columns[4:] == ["message", "orders", "hours"]
    assert found(output.rejected.collect()) == INVALID


def test_rows_that_are_messages(feed: Feed) -> None:
    """Rejected rows that another operator reads are its input, and are not returned again."""
    feed.add(*BATCHES)
    rejected = minutes(feed.batch()).rejected
    stream = wr.stream(rejected, time="processing_time", key="reason", name="reasons")
    windows = stream.lateness("0 seconds").window(wr.Tumbling("1 day"))
    output = windows.aggregate(F.count("*").alias("n"))
    assert [(row.reason, row.n) for row in output.panes.collect()] == [("INVALID_TIME", 1)]
    assert output.rejected.columns[4:] == ["message"]
    assert output.rejected.collect() == []


def test_joins_and_co_groups(feed: Feed) -> None:
    """Rejected rows are returned of operators upstream of a join, a co-group or an operator."""
    feed.add(*BATCHES)
    sides = [
        wr.stream(
            minutes(feed.batch(), name).panes.withColumn("at", F.window_time("window")),
            time="at",
            key="product",
            name=f"{name}_panes",
        ).lateness("0 seconds")
        for name in ("one", "two")
    ]
    both = [("one", "INVALID_TIME"), ("two", "INVALID_TIME")]
    joined = wr.join(*sides, on="product", within=("0 seconds", "0 seconds"))
    grouped = wr.cogroup(*sides).window(wr.Tumbling("1 hour")).aggregate(F.count("*").alias("n"))
    for output in (joined, grouped):
        rows = output.rejected.collect()
        assert sorted((row.stream, row.reason) for row in rows) == both
        assert [row[row.stream].amount for row in rows] == [1000, 1000]
        assert output.rejected.columns[-2:] == ["one", "two"]
    orders = [wr.stream(feed.batch(), time="time", name=n).lateness("0 seconds") for n in "lr"]
    pairs = wr.join(*orders, on="product", within=("0 seconds", "0 seconds"))
    stream = wr.stream(pairs.rows, time="l.time", key="product", name="pairs")
    above = stream.lateness("0 seconds").window(wr.Tumbling("1 hour")).aggregate(F.count("*"))
    rows = above.rejected.collect()
    assert sorted((row.stream, row.l_r[row.stream].amount) for row in rows) == [
        ("l", 1000),
        ("r", 1000),
    ]


def test_sql(feed: Feed) -> None:
    """SQL returns the same columns with the same names."""
    feed.add(*BATCHES)
    feed.batch().createOrReplaceTempView("orders")
    rows = feed.spark.sql("""
        SELECT * FROM windrow_tumble(TABLE(
          SELECT product, sum(total) AS total FROM windrow_tumble(
            TABLE(SELECT product, sum(amount) AS total FROM orders GROUP BY product),
            time => 'time', stream => 'orders', size => '1 minute', lateness => '0 seconds')
          GROUP BY product),
        stream => 'hours', size => '1 hour', lateness => '0 seconds', output => 'rejected')""")
    assert found(rows.collect()) == INVALID


def plan(df: DataFrame) -> str:
    """Return the plan of a query."""
    jvm: Any = df
    return str(jvm._jdf.queryExecution().analyzed().toString())


def test_unread_rejected_rows_cost_nothing(feed: Feed, tmp_path: Path) -> None:
    """A query that reads no rejected rows needs no extra shuffle, and still counts them."""
    feed.add(*BATCHES)
    output = hours(minutes(feed.stream()).panes)
    assert "PassRejected" in plan(output.output)
    assert "PassRejected" not in plan(output.panes)
    assert "PassRejected" not in plan(output._part("accepted"))
    assert output._part("accepted").columns == ["kind", "panes"]
    query = output.start(
        checkpoint=tmp_path / "checkpoint",
        panes=wr.Files(str(tmp_path / "panes")),
        availableNow=True,
    )
    query.awaitTermination()
    assert wr.status(query).rejected == 2


def test_a_name_that_is_a_column(feed: Feed) -> None:
    """A stream name that equals a column of ``rejected`` is refused."""
    output = hours(minutes(feed.stream(), "Reason").panes)
    with pytest.raises(wr.SpecError, match="NAME_TAKEN") as refused:
        output.rejected  # noqa: B018
    assert "'Reason'" in str(refused.value)
    assert output.panes.columns[0] == "product"
