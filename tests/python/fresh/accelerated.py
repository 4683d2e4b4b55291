"""Runs an unchanged query over Connect with the setting off and on, or without the JAR.

Uses the folder ``FOLDER``. ``PART`` is "connect", "settings", "switches" or "without"; the last
one continues ``CHECKPOINT``.
"""

import os
from pathlib import Path

from pyspark.errors import PySparkException, StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import windrow as wr
from feed import SCHEMA, Feed, order
from restarts.switched import FORMS, switched

FOLDER = Path(os.environ["FOLDER"])
builder: SparkSession.Builder = SparkSession.builder
builder = builder.config("spark.ui.enabled", "false").config("spark.sql.shuffle.partitions", "2")
builder = builder.config("spark.sql.session.timeZone", "UTC")


def minutes(stream: DataFrame) -> DataFrame:
    """Return the plain query."""
    marked = stream.withWatermark("time", "10 minutes")
    grouped = marked.groupBy("product", F.window("time", "5 minutes"))
    return grouped.agg(F.sum("amount").alias("total"), F.count("*").alias("n"))


def connect() -> None:
    """Compare the rows of both engines, and print the decisions."""
    spark = wr.configure(builder.remote("local[2]")).getOrCreate()
    feed = Feed(spark, FOLDER / "orders")
    feed.add([order("09:00:00"), order("09:07:00")], [order("09:40:00")], [order("11:00:00")])
    found = []
    for setting in ("false", "true"):
        spark.conf.set("spark.windrow.accelerate", setting)
        writer = minutes(feed.stream()).writeStream.format("memory").queryName(f"rows_{setting}")
        query = writer.option("checkpointLocation", str(FOLDER / setting)).start()
        query.processAllAvailable()
        explained = wr.explainAcceleration(query)
        query.stop()
        found.append(sorted(map(str, spark.table(f"rows_{setting}").collect())))
    print([one.code for one in explained.operators])  # noqa: T201
    complete = wr.explainAcceleration(minutes(feed.stream()), "complete")
    print([one.code for one in complete.operators])  # noqa: T201
    print(found[0] == found[1], len(found[1]))  # noqa: T201


def settings() -> None:
    """Print the rejected rows, the updates with late rows, and the error of a mode without them."""
    spark = wr.configure(builder.remote("local[2]"), accelerate=True).getOrCreate()
    feed = Feed(spark, FOLDER / "orders")
    feed.add([order("09:00:00")], [order("10:00:00")], [order("10:01:00")])
    feed.add([order("09:01:00", amount=5)])
    query = minutes(feed.stream()).select("total")

    def run(mode: str) -> None:
        """Run the query, and write its rows from a function."""
        folder = str(FOLDER / mode)

        def write(batch: DataFrame, number: int) -> None:
            batch.coalesce(1).write.mode("overwrite").json(f"{folder}/batch={number}")

        writer = query.writeStream.outputMode(mode).foreachBatch(write)
        started = writer.option("checkpointLocation", f"{folder}_checkpoint").start()
        started.processAllAvailable()
        started.stop()

    spark.conf.set("spark.windrow.accelerate.rejected", str(FOLDER / "lost"))
    run("append")
    lost = spark.read.parquet(str(FOLDER / "lost"))
    print(*[row.reason for row in lost.collect()], lost.count())  # noqa: T201
    spark.conf.unset("spark.windrow.accelerate.rejected")
    spark.sql("SET spark.windrow.accelerate.lateness = 2 hours")
    run("update")
    updates = spark.read.schema("total bigint").json(str(FOLDER / "update"))
    print(sorted(row.total for row in updates.collect()))  # noqa: T201
    try:
        run("append")
    except PySparkException as refused:
        print(str(refused).split("[")[1].split("]")[0])  # noqa: T201


def switches() -> None:
    """Switch the setting at restarts."""
    spark = wr.configure(builder.remote("local[2]")).getOrCreate()
    for form in FORMS:
        for first in (True, False):
            print(switched(spark, FOLDER / f"{form}_{first}", form, first=first))  # noqa: T201


def without() -> None:
    """Print Spark's error for a checkpoint of Windrow."""
    provider = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    local = builder.master("local[2]")
    local = local.config("spark.sql.streaming.stateStore.providerClass", provider)
    spark = local.getOrCreate()
    stream = spark.readStream.schema(SCHEMA).json(str(FOLDER))
    writer = minutes(stream).writeStream.format("noop")
    query = writer.option("checkpointLocation", os.environ["CHECKPOINT"]).start()
    try:
        query.processAllAvailable()
    except StreamingQueryException as refused:
        print(refused)  # noqa: T201
        names = [word for word in str(refused).split() if "NOT_MATCH" in word]
        print(names[0].strip("[]") if names else "other")  # noqa: T201


PARTS = {"connect": connect, "settings": settings, "switches": switches, "without": without}
PARTS[os.environ["PART"]]()
