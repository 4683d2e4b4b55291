"""A query continues from its checkpoint under any settings of its session (SEMANTICS S2, T3)."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F

import windrow as wr
from feed import Order, add_files, disordered

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import Column, DataFrame, SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.slow]

SCHEMA = "time timestamp, product string, price double, amount bigint, gap bigint, number bigint"
MINUTES = wr.Tumbling("5 minutes")

#: The settings that may change at each start.
SETTINGS: Mapping[str, tuple[str, ...]] = {
    "spark.sql.shuffle.partitions": ("1", "2", "3", "5"),
    "spark.sql.adaptive.enabled": ("true", "false"),
    "spark.sql.adaptive.coalescePartitions.enabled": ("true", "false"),
    "spark.sql.debug.maxToStringFields": ("1", "25", "1000"),
    "spark.sql.session.timeZone": ("UTC", "Asia/Kathmandu"),
    "spark.sql.ansi.enabled": ("true", "false"),
    "spark.sql.caseSensitive": ("true", "false"),
    "spark.sql.codegen.wholeStage": ("true", "false"),
}


def of_orders() -> wr.RowId:
    """Return the identity of the orders: their numbers."""
    return wr.RowId(source=F.lit("orders"), partition=F.lit(0), offset="number")


def timed(orders: DataFrame, name: str, *, offset: bool = False) -> wr.Stream:
    """Return the orders as a stream with event time."""
    stream = wr.stream(
        orders,
        time="time",
        key="product",
        watermark="1 minute",
        name=name,
        rowId=of_orders() if offset else None,
    )
    return stream.lateness("20 minutes")


def counted(orders: DataFrame, name: str) -> wr.Stream:
    """Return the orders as a stream with numbers and without event time."""
    return wr.stream(orders, key="product", rowId=of_orders(), name=name)


def aggregated(windows: wr.Windowed) -> wr.Output:
    """Return sums, and a value that depends on the order."""
    return windows.aggregate(F.sum("amount").alias("total"), F.last("number").alias("last"))


def kept(windows: wr.Windowed) -> wr.Output:
    """Return accumulating panes."""
    return aggregated(windows.accumulationMode(wr.ACCUMULATING))


def early(stream: wr.Stream, kind: wr.WindowKind, trigger: wr.PaneTrigger) -> wr.Output:
    """Return panes that are emitted before windows complete."""
    return kept(stream.window(kind).trigger(early=trigger))


def inherited(orders: DataFrame, name: str) -> wr.Output:
    """Return windows over the panes of another operator."""
    panes = kept(timed(orders, f"{name}_from").window(MINUTES)).panes
    windows = wr.stream(panes, name=name).lateness("20 minutes").window(wr.Inherit())
    totals = windows.accumulationMode(wr.ACCUMULATING)
    return totals.aggregate(F.sum("total").alias("total"), F.max("last").alias("last"))


OPERATORS: Mapping[str, Callable[[DataFrame, str], wr.Output]] = {
    "each message": lambda df, n: early(timed(df, n), MINUTES, wr.EachMessage()),
    "offsets": lambda df, n: kept(counted(df, n).lateness(30).window(wr.OffsetRange(10))),
    "policy": lambda df, n: aggregated(
        counted(df, n).window(wr.Policy.sliding(wr.ByCount(4), trigger=wr.ByDelta("price", 3.0)))
    ),
    "over": lambda df, n: kept(timed(df, n).window(wr.Over(rows=5))),
    "every third": lambda df, n: early(
        timed(df, n), wr.Hopping("10 minutes", step="4 minutes"), wr.Every(messages=3)
    ),
    "count": lambda df, n: aggregated(counted(df, n).window(wr.Count(7, step=3))),
    "tuple session": lambda df, n: aggregated(counted(df, n).window(wr.OffsetSession(gap=3))),
    "session": lambda df, n: early(
        timed(df, n, offset=True), wr.Session("90 seconds"), wr.EachMessage()
    ),
    "sliding": lambda df, n: kept(timed(df, n, offset=True).window(wr.Sliding("3 minutes"))),
    "aligned": lambda df, n: kept(timed(df, n, offset=True).window(MINUTES)),
    "gaps": lambda df, n: kept(timed(df, n).window(MINUTES, fillGaps=True)),
    "beyond": lambda df, n: kept(timed(df, n).window(MINUTES, closeOn="next_row")),
    "inherited": inherited,
}


def panes_of(
    orders: DataFrame, operators: Iterable[str], build: Mapping[str, Callable[..., wr.Output]]
) -> DataFrame:
    """Return the panes of operators of all kinds in one query."""
    shown = [F.col(f"pane.{field}") for field in ("timing", "index", "is_retraction")]
    bounds = F.to_json("window", {"timeZone": "UTC"}).alias("window")
    all_of_them = [
        build[name](orders, f"s{number}").panes.select(
            F.lit(name).alias("operator"), bounds, "total", "last", *shown
        )
        for number, name in enumerate(operators)
    ]
    return reduce(lambda left, right: left.union(right), all_of_them)


class Restarted:
    """A query that restarts for each part of its input."""

    def __init__(self, spark: SparkSession, folder: Path, operators: Iterable[str]) -> None:
        """Start without input."""
        self.spark, self.folder, self.operators = spark, folder, tuple(operators)
        self.panes: list[tuple[object, ...]] = []

    def take(self, settings: Mapping[str, str], *batches: list[Order]) -> None:
        """Continue with other settings over more batches."""
        add_files(self.folder / "orders", *batches)
        before: dict[str, Any] = {name: self.spark.conf.get(name, None) for name in settings}
        try:
            for name, value in settings.items():
                self.spark.conf.set(name, value)
            reader = self.spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1)
            orders = reader.option("timeZone", "UTC").json(str(self.folder / "orders"))
            rows = panes_of(orders, self.operators, OPERATORS)
            self._run(rows)
        finally:
            for name, old in before.items():
                if old:
                    self.spark.conf.set(name, old)
                else:
                    self.spark.conf.unset(name)

    def _run(self, rows: DataFrame) -> None:
        def add(batch: DataFrame, _: int) -> None:
            self.panes += [tuple(row) for row in batch.collect()]

        writer = rows.writeStream.option("checkpointLocation", str(self.folder / "checkpoint"))
        writer.foreachBatch(add).trigger(availableNow=True).start().awaitTermination()

    def sorted_panes(self) -> list[str]:
        """Return all emitted panes, sorted."""
        return sorted(map(repr, self.panes))


#: A run does not end with a batch without data, which would divide the stream into other steps.
FIXED = {
    "spark.windrow.shards": "3",
    "spark.sql.streaming.noDataMicroBatches.enabled": "false",
}


def numbered(seed: int, batches: int, size: int) -> list[list[Order]]:
    """Draw shuffled orders with their numbers."""
    rng, number = random.Random(seed), 0  # noqa: S311  no secret
    all_of_them: list[list[Order]] = []
    for batch in disordered(seed, batches, size):
        rows = [{**row, "number": number + i} for i, row in enumerate(batch)]
        number += len(rows)
        all_of_them.append(rng.sample(rows, len(rows)))
    return all_of_them


def goes_on(
    spark: SparkSession, folder: Path, operators: Iterable[str], parts: int, size: int, seed: int
) -> None:
    """Compare a query that restarts with other settings with an undisturbed one."""
    rng = random.Random(seed)  # noqa: S311  no secret
    batches = numbered(seed, parts, size)
    same, other = (Restarted(spark, folder / name, operators) for name in ("same", "other"))
    same.take(FIXED, *batches)
    for batch in batches:
        settings = {name: rng.choice(values) for name, values in SETTINGS.items()}
        other.take({**settings, **FIXED}, batch)
    assert {pane[0] for pane in same.panes} == set(operators)
    assert other.sorted_panes() == same.sorted_panes()


def test_other_settings(spark: SparkSession, tmp_path: Path) -> None:
    """Order-dependent values are the same after a restart with other shuffle partitions."""
    goes_on(spark, tmp_path, ["each message", "offsets", "policy"], parts=2, size=30, seed=7)


@pytest.mark.full
@pytest.mark.parametrize("seed", range(10))
def test_other_settings_of_all(spark: SparkSession, tmp_path: Path, seed: int) -> None:
    """Every operator's output is the same with restarts between any two batches."""
    goes_on(spark, tmp_path, OPERATORS, parts=5, size=400, seed=seed)


def test_another_query_is_refused_in_its_own_words(spark: SparkSession, tmp_path: Path) -> None:
    """Keys, inputs, filters, rows and the time zone cannot change at a restart (S2).

    The error describes the change in the user's words.
    """
    add_files(tmp_path / "orders", *numbered(seed=3, batches=1, size=4))
    reader = spark.readStream.schema(SCHEMA).option("timeZone", "UTC")
    orders = reader.json(str(tmp_path / "orders"))
    total = F.sum("amount").alias("total")

    def minutes(
        *aggregates: Column, key: Any = "product", of: DataFrame = orders, **more: Any
    ) -> wr.Output:
        stream = wr.stream(of, key=key, **{"time": "time", "watermark": "1 minute", **more})
        return stream.lateness("0 seconds").window(MINUTES).aggregate(*aggregates or (total,))

    def start(output: wr.Output, checkpoint: str = "minutes") -> None:
        query = output.start(
            checkpoint=tmp_path / checkpoint,
            panes=wr.Files(str(tmp_path / "panes" / checkpoint)),
            availableNow=True,
        )
        query.awaitTermination()

    start(minutes())
    hour = F.hour("time").alias("hour")
    refused = {
        "keys `product STRING`, but the query has `gap BIGINT`": minutes(key="gap"),
        "the query has `product STRING, gap BIGINT`": minutes(key=["product", "gap"]),
        "aggregates `sum(amount)`, but the query has `sum(number)`": minutes(F.sum("number")),
        "`sum(amount), sum(number)`": minutes(total, F.sum("number").alias("n")),
        "inputs of aggregates `amount BIGINT`, but the query has `amount INT`": minutes(
            of=orders.withColumn("amount", F.col("amount").cast("int"))
        ),
        "identity `none`, but the query has": minutes(rowId=of_orders()),
        "the query has `hour(time) INT`": minutes(key=hour),
    }
    for words, output in refused.items():
        with pytest.raises(wr.CheckpointError) as error:
            start(output)
        assert words in str(error.value), error.value
    # the same query written differently
    start(minutes(F.expr("sum(Amount)").alias("another name"), key=F.col("Product")))
    start(minutes(of=orders.withColumn("unread", F.lit(1))))
