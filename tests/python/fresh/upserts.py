"""A table that holds the last pane of each window, in a format that can merge.

Arguments: folder with ``orders``, the JARs of the format. Prints the rows after each run: windows
and sessions by the sink of Python, sessions by that of Scala.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F

import windrow as wr
from conftest import session_builder
from feed import SCHEMA
from windrow._running._sinks import Sink

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

folder, jars = Path(sys.argv[1]), sys.argv[2]
builder = session_builder(folder).config("spark.jars", jars)
extensions = "io.delta.sql.DeltaSparkSessionExtension"
builder = builder.config("spark.sql.extensions", extensions)
catalog = "org.apache.spark.sql.delta.catalog.DeltaCatalog"
spark = wr.configure(builder.config("spark.sql.catalog.spark_catalog", catalog)).getOrCreate()
spark.sparkContext.setLogLevel("ERROR")


def by_scala(panes: DataFrame, batch: int) -> None:
    """Do what the sink of the Scala entry does."""
    jvm: Any = spark._jvm
    by_key = jvm.PythonUtils.toSeq(jvm.java.util.ArrayList())
    jvm.windrow.spark.Upsert("scala", by_key).write(panes._jdf, batch)


reader = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1)
orders = wr.stream(
    reader.json(str(folder / "orders")), time="time", key="product", watermark="0 seconds"
)
kept = orders.lateness("1 day")
total = F.sum("amount").alias("total")
minutes = kept.window(wr.Tumbling("1 minute")).accumulate(wr.ACCUMULATING)
sessions = kept.window(wr.Session("1 minute")).trigger(early=wr.EachStep())
sessions = sessions.accumulate(wr.ACCUMULATING_AND_RETRACTING)
runs: dict[str, tuple[wr.Windowed, Sink]] = {
    "minutes": (minutes, wr.Upsert("minutes")),
    "sessions": (sessions, wr.Upsert("sessions")),
    "scala": (sessions, by_scala),
}
for name, (windows, sink) in runs.items():
    output = windows.aggregate(total)
    spark.createDataFrame([], output.panes.schema).write.format("delta").saveAsTable(name)
    query = output.start(
        panes=sink,
        checkpoint=str(folder / name),
        queryTrigger={"availableNow": True},
        final=True,
    )
    query.awaitTermination()
    rows = spark.table(name).orderBy("product", "window.start").collect()
    print(  # noqa: T201
        name,
        [
            (row.product, f"{row.window.start:%H:%M:%S}", f"{row.window.end:%H:%M:%S}", row.total)
            for row in rows
        ],
    )
spark.stop()
