"""A table with the last pane of each window, in a format that supports MERGE.

Arguments: folder with ``orders``, the JARs of the format, its name. Prints the rows after each run.
Python's sink creates and writes windows, sessions and the newest window of each key; Scala's sink
writes sessions and newest windows.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from pyspark.sql import functions as F

import windrow as wr
from feed import SCHEMA
from formats import session
from sinks.writing import make
from windrow._running._sinks import Sink

folder, jars, kind = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
spark, PLACE = session(folder, jars, kind)


def by_scala(table: str, *on: str) -> Sink:
    """Return a sink that calls Scala's ``Upsert``."""
    jvm: Any = spark._jvm
    columns = jvm.PythonUtils.toSeq(list(on))
    upsert = jvm.windrow.spark.sinks.Upsert(f"{PLACE}{table}", columns, jvm.scala.Option.empty())
    return lambda panes, batch: upsert.write(panes._jdf, batch)


reader = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1)
orders = wr.stream(
    reader.json(str(folder / "orders")), time="time", key="product", watermark="0 seconds"
)
kept = orders.lateness("1 day")
total = F.sum("amount").alias("total")
minutes = kept.window(wr.Tumbling("1 minute")).accumulationMode(wr.ACCUMULATING)
sessions = kept.window(wr.Session("1 minute")).trigger(early=wr.EachBatch())
sessions = sessions.accumulationMode(wr.ACCUMULATING_AND_RETRACTING)
runs: dict[str, tuple[wr.Windowed, Sink]] = {
    "minutes": (minutes, wr.Upsert(f"{PLACE}minutes", create=kind)),
    "sessions": (sessions, wr.Upsert(f"{PLACE}sessions", create=kind)),
    "latest": (minutes, wr.Upsert(f"{PLACE}latest", on="product", create=kind)),
    "scala": (sessions, by_scala("scala")),
    "scala_latest": (minutes, by_scala("scala_latest", "product")),
}
for name, (windows, sink) in runs.items():
    output = windows.aggregate(total)
    if name.startswith("scala"):
        make(spark, wr.Upsert(f"{PLACE}{name}", create=kind), output.panes.schema)
    query = output.start(
        panes=sink,
        checkpoint=str(folder / name),
        availableNow=True,
        drain=True,
    )
    query.awaitTermination()
    rows = spark.table(f"{PLACE}{name}").orderBy("product", "window.start").collect()
    print(  # noqa: T201
        name,
        [
            (row.product, f"{row.window.start:%H:%M:%S}", f"{row.window.end:%H:%M:%S}", row.total)
            for row in rows
        ],
    )
spark.stop()
