"""Queries whose acceleration is switched at restarts, for sessions with and without Connect."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

import windrow as wr
from feed import Feed, disordered

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SETTING = "spark.windrow.accelerate"


def _of_frame(stream: DataFrame) -> DataFrame:
    """Return a query as a DataFrame."""
    marked = stream.withWatermark("time", "10 minutes")
    grouped = marked.groupBy("product", F.window("time", "5 minutes"))
    return grouped.agg(F.sum("amount").alias("total"), F.count("*").alias("n"))


def _of_text(stream: DataFrame) -> DataFrame:
    """Return a query from SQL text."""
    stream.withWatermark("time", "10 minutes").createOrReplaceTempView("switched_orders")
    return stream.sparkSession.sql(
        "SELECT product, session_window.end AS until, max(amount) AS most FROM switched_orders "
        "GROUP BY session_window(time, '2 minutes'), product"
    )


FORMS: dict[str, Callable[[DataFrame], DataFrame]] = {"frame": _of_frame, "sql": _of_text}


def _run(
    spark: SparkSession, folder: Path, form: str, settings: Iterable[bool]
) -> tuple[dict[int, list[str]], list[str]]:
    """Run a query with a start for each setting; return each micro-batch's rows, and the codes."""
    feed = Feed(spark, folder / "orders")
    codes = []
    for start, setting in enumerate(settings):
        spark.conf.set(SETTING, str(setting).lower())
        feed.add(*disordered(seed=5, batches=6)[2 * start : 2 * start + 2])
        writer = FORMS[form](feed.stream()).writeStream.format("json")
        writer = writer.option("checkpointLocation", str(folder / "checkpoint"))
        query = writer.start(str(folder / "rows"))
        try:
            query.processAllAvailable()
            (operator,) = wr.explainAcceleration(query).operators
            codes.append(operator.code or "accelerated")
        finally:
            query.stop()
            spark.conf.unset(SETTING)
    return _written(folder / "rows"), codes


def _written(folder: Path) -> dict[int, list[str]]:
    """Return the rows of each micro-batch from the log of Spark's files."""
    logs = {int(one.stem): one for one in (folder / "_spark_metadata").glob("[0-9]*")}
    found: dict[int, list[str]] = {}
    seen: set[str] = set()  # a compacted log repeats the files of earlier micro-batches
    for batch, log in sorted(logs.items()):
        files = {json.loads(line)["path"] for line in log.read_text().splitlines()[1:]}
        texts = [(folder / Path(file).name).read_text() for file in files - seen]
        found[batch] = sorted("".join(texts).splitlines())
        seen |= files
    return found


def switched(spark: SparkSession, folder: Path, form: str, *, first: bool) -> str:
    """Compare a query whose setting changes at each restart with the same query of plain Spark.

    Return whether the rows of each micro-batch are equal, whether there are enough, and the codes.
    """
    expected, plain = _run(spark, folder / "plain", form, [False] * 3)
    assert plain == ["ACCELERATION_OFF"] * 3, plain
    found, codes = _run(spark, folder / "switched", form, [first, not first, first])
    return f"{found == expected} {sum(map(len, expected.values())) > 9} {' '.join(codes)}"


#: What `switched` returns if the first start is accelerated, and if it is not.
ON = "True True accelerated accelerated accelerated"
OFF = "True True ACCELERATION_OFF CHECKPOINT_OF_SPARK ACCELERATION_OFF"
