"""The builder through Spark Connect, with a server in a process of its own."""

import os
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import windrow as wr
from feed import NOTHING, Feed, order

FOLDER = Path(os.environ["FOLDER"])

builder: SparkSession.Builder = SparkSession.builder
local = builder.remote("local[2]").config("spark.ui.enabled", "false")
local = local.config("spark.sql.shuffle.partitions", "2").config(
    "spark.sql.session.timeZone", "UTC"
)
spark = wr.configure(local).getOrCreate()
feed = Feed(spark, FOLDER / "orders")
feed.add(
    [order("09:00:10", amount=1), order("09:00:20", amount=2)],
    [order("09:01:30", amount=5)],
    NOTHING,
    [order("09:00:30", amount=4)],
    [order("09:01:40", amount=4)],
)
windows = wr.stream(feed.stream(), time="time", key="product").lateness("0 seconds")
try:
    windows.window(wr.Tumbling("1 minute")).aggregate(F.count("*")).panes  # noqa: B018
except wr.SpecError as refused:
    print("SpecError", *(problem.code for problem in refused.problems))  # noqa: T201

df = spark.sql("SELECT timestamp'2025-01-01' + make_dt_interval(0, 0, id) AS time FROM range(3)")
pairs = wr.stream(df, time="time").lateness("0 seconds").window(wr.Tumbling("2 minutes"))
print([tuple(r) for r in pairs.aggregate(F.count("*").alias("n")).panes.select("n").collect()])  # noqa: T201

marked = wr.stream(feed.stream(), time="time", key="product", watermark="0 seconds")
sums = marked.lateness("0 seconds").window(wr.Tumbling("1 minute"))
query = sums.aggregate(F.sum("amount").alias("total")).start(
    checkpoint=str(FOLDER / "checkpoint"),
    panes=wr.Files(str(FOLDER / "panes")),
    rejected=wr.Files(str(FOLDER / "dead")),
    queryTrigger={"availableNow": True},
)
query.awaitTermination()
panes = spark.read.parquet(str(FOLDER / "panes")).collect()
dead = spark.read.parquet(str(FOLDER / "dead")).collect()
print([(row.product, row.total, row.pane.timing) for row in panes])  # noqa: T201
print([(row.reason, row.message.product) for row in dead])  # noqa: T201
counts = wr.metrics(query)
print(counts.read, counts.accepted, counts.rejected)  # noqa: T201
spark.stop()
