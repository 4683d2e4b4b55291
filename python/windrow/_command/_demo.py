"""Run the query of README over sample orders, two of them late."""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from windrow._command import _text

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

_SCHEMA = "time timestamp, product string, price double"
_DAY = "2025-01-01"
_ORDERS: tuple[tuple[tuple[str, float], ...], ...] = (
    (("09:00:10", 2.0), ("09:00:40", 4.0)),
    (("09:01:30", 6.0),),
    (("09:02:30", 5.0),),
    (("09:00:50", 9.0), ("07:00:00", 1.0)),  # both are late
)
_SMALL = {"spark.sql.shuffle.partitions": "1", "spark.windrow.shards": "1"}
_QUERY = """\
The average price per minute, which late rows correct for ten more minutes:

    wr.stream(orders, time="time", key="product", watermark="10 seconds")
      .lateness("10 minutes")
      .window(wr.Tumbling("1 minute"))
      .accumulationMode(wr.ACCUMULATING)
      .aggregate(F.avg("price").alias("price"))
"""


def run(arguments: argparse.Namespace, out: TextIO) -> bool:
    """Run the query in a temporary folder, without network access.

    With ``--orders``, the orders are also written to a folder, and no other file is left.
    """
    from windrow._running._settings import having
    from windrow.operators._session import session

    if arguments.orders is not None:
        _write(Path(arguments.orders))
    spark = session()
    with tempfile.TemporaryDirectory(prefix="windrow-demo-") as folder, having(spark, _SMALL):
        emitted = _ran(spark, Path(folder))
    _text.put(out, _QUERY)
    for title, rows in _tables(emitted):
        _text.put(out, title)
        _text.put(out, _text.table(list(rows[0]), rows) + "\n")
    _text.put(out, "Spark's own window() emits the first two panes, and drops both late orders.")
    return True


def _ran(spark: SparkSession, folder: Path) -> dict[str, list[Any]]:
    from pyspark.sql import functions as F

    from windrow.streams import stream
    from windrow.triggers import ACCUMULATING
    from windrow.windows import Tumbling

    _write(folder / "orders")
    reader = spark.readStream.schema(_SCHEMA).option("maxFilesPerTrigger", 1)
    orders = reader.json(str(folder / "orders"))
    minutes = (
        stream(orders, time="time", key="product", watermark="10 seconds")
        .lateness("10 minutes")
        .window(Tumbling("1 minute"))
        .accumulationMode(ACCUMULATING)
        .aggregate(F.avg("price").alias("price"))
    )
    emitted: dict[str, list[Any]] = {"panes": [], "rejected": []}
    shown = _shown()

    def taking(kind: str) -> Any:  # noqa: ANN401  a sink
        def take(rows: DataFrame, _: int) -> None:
            emitted[kind] += [row.asDict() for row in rows.select(*shown[kind]).collect()]

        return take

    query = minutes.start(
        checkpoint=str(folder / "checkpoint"),
        panes=taking("panes"),
        rejected=taking("rejected"),
        availableNow=True,
    )
    query.awaitTermination()
    return emitted


def _shown() -> dict[str, list[Column]]:
    """Return the displayed columns, with times in the zone of the session."""
    from pyspark.sql import functions as F

    start, end = (F.date_format(f"window.{bound}", "HH:mm") for bound in ("start", "end"))
    pane = [
        F.col("product"),
        F.concat(start, F.lit(" to "), end).alias("window"),
        F.col("price"),
        F.col("pane.timing").alias("timing"),
        F.col("pane.index").alias("index"),
    ]
    rejected = [
        F.col("reason"),
        F.date_format("message.time", "HH:mm:ss").alias("time"),
        F.col("message.price").alias("price"),
    ]
    return {"panes": pane, "rejected": rejected}


def _write(folder: Path) -> None:
    """Write the orders, a file for each micro-batch."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, orders in enumerate(_ORDERS):
        rows = [
            {"time": f"{_DAY} {time}", "product": "tea", "price": price} for time, price in orders
        ]
        file = folder / f"{number}.json"
        file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
        os.utime(file, (1_700_000_000 + number,) * 2)


def _tables(emitted: dict[str, list[Any]]) -> list[tuple[str, list[dict[str, Any]]]]:
    orders = [
        {"batch": number + 1, "time": time, "product": "tea", "price": price}
        for number, some in enumerate(_ORDERS)
        for time, price in some
    ]
    return [
        ("Orders:", orders),
        ("Panes (the last one corrects the first):", emitted["panes"]),
        ("Rejected rows with the reason:", emitted["rejected"]),
    ]
