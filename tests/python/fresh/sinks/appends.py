"""Appends panes to a table of Delta or Iceberg, and is killed before Spark commits a batch.

Arguments: folder with ``orders``, the JARs of the format, its name, and what to do: the number of
the batch after whose write to be killed, ``none``, or ``past``, which continues from a copy of the
checkpoint that is older than the table. Prints the rows of the table, or the code of the error.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import windrow as wr
from feed import SCHEMA
from formats import session

folder, jars, kind, deed = Path(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]
spark, place = session(folder, jars, kind)
table, checkpoint, older = f"{place}log", folder / "checkpoint", folder / "older"
group = os.getpid()


def deadly_sink(_: DataFrame, batch: int) -> None:
    """Be killed after the panes of a batch are written, and before Spark commits it."""
    if deed == str(batch):
        os.killpg(group, signal.SIGKILL)


more: dict[str, Any] = {"rejected": deadly_sink} if deed.isdigit() else {}
reader = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1)
orders = reader.json(str(folder / "orders"))
stream = wr.stream(orders, time="time", key="product", watermark="0 seconds")
windows = stream.lateness("1 day").window(wr.Tumbling("1 minute")).accumulationMode("accumulating")
output = windows.aggregate(F.sum("amount").alias("total"))
empty = spark.createDataFrame([], output.panes.schema)
if kind == "delta":  # the catalog ends with the session
    if not (folder / "log").exists():
        empty.write.format(kind).save(str(folder / "log"))
    spark.sql(f"CREATE TABLE log USING delta LOCATION '{folder}/log'")
elif not checkpoint.exists():
    empty.writeTo(table).using(kind).create()
if deed == "past":
    shutil.rmtree(checkpoint)
    shutil.copytree(older, checkpoint)
query = output.start(panes=table, checkpoint=str(checkpoint), availableNow=True, **more)
try:
    query.awaitTermination()
except Exception as error:  # noqa: BLE001  any error is printed
    print(next(code for code in ("BATCH_OF_THE_PAST", "BATCH_IS_ANOTHER") if code in str(error)))  # noqa: T201
else:
    rows = spark.table(table).collect()
    print(sorted((f"{r.window.start:%H:%M}", r["product"], r.total, r.pane["index"]) for r in rows))  # noqa: T201
    if not older.exists():
        shutil.copytree(checkpoint, older)
spark.stop()
