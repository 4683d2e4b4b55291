"""Runs the query of the README with the client of Spark Connect alone.

Arguments: folder, address of the server. Prints the panes, the counts, the result of the
verification, the rows that a second query writes to a database and to a function, and the report of
the doctor.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import windrow as wr

folder, address = Path(sys.argv[1]), sys.argv[2]
spark = wr.configure(SparkSession.builder.remote(address)).getOrCreate()
orders = folder / "orders"
orders.mkdir()
prices = {"09:00:10": 2.0, "09:02:30": 5.0, "09:02:40": 5.0, "09:00:50": 9.0, "07:00:00": 1.0}
for number, (time, price) in enumerate(prices.items()):
    row = {"time": f"2025-01-01 {time}", "product": "tea", "price": price}
    file = orders / f"{number}.json"
    file.write_text(json.dumps(row))
    os.utime(file, (number, number))  # the order of files with equal timestamps is undefined
schema = "time timestamp, product string, price double"
reader = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).json(str(orders))
minutes = (
    wr.stream(reader, time="time", key="product", watermark="10 seconds")
    .lateness("10 minutes")
    .window(wr.Tumbling("1 minute"))
    .accumulationMode(wr.ACCUMULATING)
    .aggregate(F.avg("price").alias("price"))
)
query = minutes.start(
    panes=wr.Files(str(folder / "panes")),
    checkpoint=str(folder / "checkpoint"),
    availableNow=True,
)
query.awaitTermination()
dead = str(folder / "dead")


def keep(rows: DataFrame, batch: int) -> None:
    """Write rejected rows in the Python of the server."""
    rows.select("reason").write.mode("overwrite").parquet(f"{dead}/batch={batch}")


database = "jdbc:derby:memory:client;create=true"
beside = minutes.start(
    panes=wr.Jdbc(f"{database};password=hush", "minutes", upsert=True),
    rejected=keep,
    checkpoint=str(folder / "beside"),
    availableNow=True,
)
beside.awaitTermination()
panes = spark.read.parquet(str(folder / "panes")).orderBy("pane.index")
print([(row.price, row.pane.timing) for row in panes.collect()])  # noqa: T201
print(wr.status(query).accepted, wr.status(query).totals["late"])  # noqa: T201
print(wr.verify(str(folder / "checkpoint")).ok)  # noqa: T201
table = spark.read.format("jdbc").option("url", database).option("dbtable", "minutes").load()
print(table.count(), [row.reason for row in spark.read.parquet(dead).collect()])  # noqa: T201
print(wr.doctor().ok, importlib.util.find_spec("py4j") is None)  # noqa: T201
