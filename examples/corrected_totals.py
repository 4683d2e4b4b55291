"""Totals of five minutes that are corrected when a late order arrives.

Run it with ``python examples/corrected_totals.py``. The order of 09:04 arrives after its window was
emitted, so the window is emitted again, with the whole total. It prints:

+-----+-------+-------------------+-----+-------+
|batch|product|              start|total| timing|
+-----+-------+-------------------+-----+-------+
|    3|    tea|2025-01-01 09:00:00|  6.0|ON_TIME|
|    4|    tea|2025-01-01 09:00:00|  9.0|   LATE|
+-----+-------+-------------------+-----+-------+
"""

import json
import tempfile
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import windrow as wr

ARRIVALS = [  # one list for each run of the query
    [("09:00:30", "tea", 2.0), ("09:03:10", "tea", 4.0)],
    [("09:11:00", "tea", 6.0)],
    [("09:04:00", "tea", 3.0)],
]

builder = SparkSession.builder.master("local[2]").config("spark.sql.shuffle.partitions", 2)
spark = wr.configure(builder).getOrCreate()
folder = Path(tempfile.mkdtemp())
(folder / "orders").mkdir()
schema = "time timestamp, product string, price double"
orders = spark.readStream.schema(schema).json(f"{folder}/orders")
totals = (
    wr.stream(orders, time="time", key="product", watermark="30 seconds")
    .lateness("1 day")
    .window(wr.Tumbling("5 minutes"))
    .accumulationMode(wr.ACCUMULATING)
    .aggregate(F.sum("price").alias("total"))
)
for number, rows in enumerate(ARRIVALS):
    lines = [json.dumps({"time": f"2025-01-01 {t}", "product": p, "price": x}) for t, p, x in rows]
    (folder / "orders" / f"{number}.json").write_text("\n".join(lines))
    query = totals.start(
        panes=wr.Files(f"{folder}/totals"),
        rejected=wr.Files(f"{folder}/rejected"),
        checkpoint=folder / "checkpoint",
        availableNow=True,
    )
    query.awaitTermination()

panes = spark.read.parquet(f"{folder}/totals").orderBy("batch", "window")
panes.select("batch", "product", "window.start", "total", "pane.timing").show()
