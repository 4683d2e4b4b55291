"""Writes panes to a database, and is killed before a batch is written, or before Spark commits it.

Arguments: folder, address of the database, JARs, the batch after whose write to be killed, the
batch before whose write to be killed as a negative number, or "none".
Prints the panes in the database, and the number of recorded batches.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import windrow as wr
from conftest import session_builder
from feed import SCHEMA
from sinks.databases import Database

folder, url, jars, deadly = Path(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]
spark = wr.configure(session_builder(folder).config("spark.jars", jars)).getOrCreate()
spark.sparkContext.setLogLevel("OFF")
group = os.getpid()
database = Database(url.split(":")[1], url)


def deadly_read(product: str, amount: int) -> str:
    """Be killed while batch N is read, whose first order has the amount N + 1."""
    if deadly.startswith("-") and amount == 1 - int(deadly):
        os.killpg(group, signal.SIGKILL)
    return product


def deadly_sink(_: DataFrame, batch: int) -> None:
    """Be killed after the panes of a batch are written, and before Spark commits it."""
    if deadly == str(batch):
        os.killpg(group, signal.SIGKILL)


more: dict[str, Any] = {"rejected": deadly_sink} if deadly.isdigit() else {}
reader = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1)
read_orders = reader.json(str(folder / "orders"))
product = F.udf(deadly_read, "string")("product", "amount")
orders = wr.stream(
    read_orders.withColumn("product", product), time="time", key="product", watermark="0 seconds"
)
windows = orders.lateness("1 day").window(wr.Tumbling("1 minute")).accumulationMode("accumulating")
output = windows.aggregate(F.sum("amount").alias("total"))
for name, upsert in (("minutes", True), ("log", False)):
    if deadly != "none" and name == "minutes":
        continue
    output.start(
        panes=wr.Jdbc(url, name, upsert=upsert),
        **more,
        checkpoint=str(folder / name),
        availableNow=True,
    ).awaitTermination()
    held = sorted(
        (f"{row.window_start:%H:%M}", row["product"], row.total, row.pane_index)
        for row in database.held(spark, name)
    )
    print(name, held)  # noqa: T201
known = database.held(spark, "windrow_batches")
print(sorted({row.sink for row in known}))  # noqa: T201
spark.stop()
