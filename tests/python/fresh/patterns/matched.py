"""A search for a pattern through Spark Connect. Uses the folder ``FOLDER``."""

import os
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import windrow as wr
from feed import NOTHING, Feed, order

FOLDER = Path(os.environ["FOLDER"])

builder: SparkSession.Builder = SparkSession.builder
local = builder.remote("local[2]").config("spark.ui.enabled", "false")
local = local.config("spark.sql.shuffle.partitions", "1").config(
    "spark.sql.session.timeZone", "UTC"
)
spark = wr.configure(local).getOrCreate()
feed = Feed(spark, FOLDER / "orders")
feed.add(
    [order("09:00:00", amount=5), order("09:01:00", amount=4), order("09:02:00", amount=6)],
    [order("09:10:00", amount=0)],
    NOTHING,
)
stream = wr.stream(feed.stream(), time="time", key="product", watermark="0 seconds")
keyed = stream.lateness("0 seconds")
try:
    keyed.match("A (B", define={"A": "nothing > 1"}, within="-1 minutes")
except wr.SpecError as refused:
    print(*(problem.code for problem in refused.problems))  # noqa: T201

found = keyed.match(
    "A LOW HIGH",
    define={"LOW": F.col("amount") < 5, "HIGH": "amount > FIRST(amount)"},
    measures={"rise": "HIGH.amount - A.amount"},
    within="5 minutes",
)
query = found.start(
    checkpoint=str(FOLDER / "checkpoint"), rows=wr.Files(str(FOLDER / "rows")), availableNow=True
)
query.awaitTermination()
rows = spark.read.parquet(str(FOLDER / "rows")).select("match.end", "rise").collect()
print([(row.end.minute, row.rise) for row in rows])  # noqa: T201
