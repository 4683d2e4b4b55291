"""Writes panes to a database, and is killed between the rows and the commit of the offsets.

Arguments: folder, address of the database, JARs, the batch after which to be killed (or "none").
Prints the panes in the database, and the number of recorded batches.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import windrow as wr
from conftest import session_builder
from feed import SCHEMA
from windrow._running import _sinks

folder, url, jars, deadly = Path(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]
spark = wr.configure(session_builder(folder).config("spark.jars", jars)).getOrCreate()
spark.sparkContext.setLogLevel("OFF")
write = _sinks._write
read = {"url": url, "driver": "org.postgresql.Driver"}


def dying(
    rows: DataFrame,
    sink: _sinks.Sink,
    batch_id: int,
    kind: str = "",
    query: str = "",
    checkpoint: str = "",
) -> None:
    """Write, and be killed before Spark commits; a negative number kills before the write."""
    if deadly == f"-{batch_id}":
        os.killpg(os.getpid(), signal.SIGKILL)
    write(rows, sink, batch_id, kind, query, checkpoint)
    if deadly == str(batch_id) and kind == "panes":
        os.killpg(os.getpid(), signal.SIGKILL)


_sinks._write = dying
reader = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1)
orders = wr.stream(
    reader.json(str(folder / "orders")), time="time", key="product", watermark="0 seconds"
)
windows = orders.lateness("1 day").window(wr.Tumbling("1 minute")).accumulationMode("accumulating")
output = windows.aggregate(F.sum("amount").alias("total"))
for name, upsert in (("minutes", True), ("log", False)):
    if deadly != "none" and name == "minutes":
        continue
    output.start(
        panes=wr.Jdbc(url, name, upsert=upsert),
        checkpoint=str(folder / name),
        availableNow=True,
    ).awaitTermination()
    rows = spark.read.format("jdbc").options(**read, dbtable=name).load()
    held = sorted(
        (f"{row.window_start:%H:%M}", row["product"], row.total, row.pane_index)
        for row in rows.collect()
    )
    print(name, held)  # noqa: T201
known = spark.read.format("jdbc").options(**read, dbtable="windrow_batches").load()
print(sorted({row.sink for row in known.collect()}))  # noqa: T201
spark.stop()
