"""Runs the chains of ``identities`` as real queries."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chain.identities import SCHEMA, Case, Row
from feed import add_files

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: A row far after all others, and a micro-batch without rows: all other windows complete.
END: tuple[list[Row], list[Row]] = (
    [{"time": "2025-01-05 09:00:00", "key": "z", "x": 0.0, "n": 0}],
    [],
)

Changed = Callable[["DataFrame", str], "DataFrame"]


def unchanged(rows: DataFrame, _: str) -> DataFrame:
    """Return the rows."""
    return rows


def ran(
    spark: SparkSession, case: Case, way: int, folder: Path, changed: Changed = unchanged
) -> list[dict[str, Any]]:
    """Run a case in two parts, the second after a restart, and return its panes in order.

    ``changed`` may add a function to a table that is called ``row``, ``pane`` or ``result``.
    """
    spark.conf.set("spark.windrow.shards", str(way + 1))
    batches = case.cut(way)
    half = len(batches) // 2
    by_batch: dict[int, list[dict[str, Any]]] = {}
    refused: list[Any] = []

    def write(panes: DataFrame, batch: int) -> None:
        rows = changed(panes, "result").collect()
        by_batch[batch] = [row.asDict(recursive=True) for row in rows]

    for some in (batches[:half], [*batches[half:], *END]):
        add_files(folder / "in", *some)
        reader = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1)
        rows = changed(reader.json(str(folder / "in")), "row")
        query = case.pipeline(rows, lambda panes: changed(panes, "pane")).start(
            checkpoint=folder / "checkpoint",
            panes=write,
            rejected=lambda rows, _: refused.extend(rows.collect()),
            availableNow=True,
        )
        query.awaitTermination()
    assert refused == []
    return [pane for batch in sorted(by_batch) for pane in by_batch[batch]]
