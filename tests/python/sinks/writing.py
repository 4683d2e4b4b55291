"""Writes to sinks as a query does, and the Scala functions behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F

from windrow._bridge._sql import plain_errors
from windrow._running._sinks import Sink, sinks_json

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType


def write(
    sink: Sink,
    rows: DataFrame,
    batch: int,
    query: str = "q",
    kind: str = "panes",
    checkpoint: str = "",
) -> None:
    """Write the rows of one kind, as a query does that also writes to a function."""
    option = sinks_json({kind: sink}, query, checkpoint)
    columns = [F.col(f"`{name.replace('`', '``')}`") for name in rows.columns]
    both = rows.select(F.lit(kind).alias("kind"), F.struct(*columns).alias(kind))
    writer = both.write.format("windrow").option("windrow.secret", option).mode("append")
    with plain_errors():
        writer.option("windrow.batch", batch).option("windrow.first", True).save()


def writing(spark: SparkSession, **sinks: Sink) -> Callable[[DataFrame, int], None]:
    """Return the writer of a stream to sinks none of which is a function."""
    writer = _read(spark, sinks).writer()
    return lambda batch, number: writer.write(batch._jdf, number)


def make(spark: SparkSession, sink: Sink, schema: StructType) -> None:
    """Check a sink, and create its tables, as a start does."""
    jvm: Any = spark._jsparkSession
    rows, scala = jvm.parseDataType(schema.json()), of_scala(spark, sink)
    with plain_errors():
        scala.verify(jvm, rows)
        scala.make(jvm, rows)


def of_scala(spark: SparkSession, sink: Sink) -> Any:
    """Return the sink of Scala that Python's sink describes."""
    return _read(spark, {"panes": sink}).sinks().stated().head().sink()


def records(panes: DataFrame, sink: Sink) -> DataFrame:
    """Return the records that a compacted topic receives."""
    return _frame(panes, of_scala(panes.sparkSession, sink).records(panes._jdf))


def winners(panes: DataFrame, sink: Sink, on: Sequence[str]) -> DataFrame:
    """Return the panes that replace rows of a table, and the retractions of rows."""
    scala = of_scala(panes.sparkSession, sink)
    return _frame(panes, scala.winners(panes._jdf, _seq(panes, on)))


def last_of_each(panes: DataFrame, on: Sequence[str]) -> DataFrame:
    """Return the last pane for each value of some columns."""
    return _frame(panes, _last_panes(panes).ofEach(panes._jdf, _seq(panes, on)))


def newest_of_each(panes: DataFrame, on: Sequence[str]) -> DataFrame:
    """Return the pane of the newest window for each value of some columns."""
    return _frame(panes, _last_panes(panes).ofNewest(panes._jdf, _seq(panes, on)))


def columns(panes: DataFrame, sink: Sink) -> list[str]:
    """Return the columns that identify the row of a pane."""
    found = of_scala(panes.sparkSession, sink).columns(panes._jdf.schema())
    return [found.apply(i) for i in range(found.size())]


def _read(spark: SparkSession, sinks: Mapping[str, Sink]) -> Any:
    jvm: Any = spark._jvm
    return jvm.windrow.spark.sinks.SinkJson.read(sinks_json(sinks))


def _last_panes(panes: DataFrame) -> Any:
    jvm: Any = panes.sparkSession._jvm
    return jvm.windrow.spark.output.LastPanes


def _seq(panes: DataFrame, names: Sequence[str]) -> Any:
    jvm: Any = panes.sparkSession._jvm
    return jvm.PythonUtils.toSeq(list(names))


def _frame(like: DataFrame, java: Any) -> DataFrame:
    from pyspark.sql.classic.dataframe import DataFrame as Classic

    return Classic(java, like.sparkSession)
