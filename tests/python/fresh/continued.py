"""Queries with every kind of state, started or continued on the Spark that runs this.

Arguments: folder, name of the run. The program reads the available orders in ``orders`` in the
folder, writes checkpoints and panes under the run's name, and prints all its panes.
"""

from __future__ import annotations

import sys
from pathlib import Path

from pyspark.sql import functions as F

import windrow as wr
from conftest import session_builder
from feed import SCHEMA

KINDS = {
    "tumbling": wr.Tumbling("5 minutes"),
    "hopping": wr.Hopping("10 minutes", step="3 minutes"),
    "session": wr.Session("90 seconds"),
    "sliding": wr.Sliding("3 minutes"),
    "over": wr.Over(rows=5),
    "count": wr.Count(7, step=3),
}

folder, run = Path(sys.argv[1]), sys.argv[2]
spark = wr.configure(session_builder(folder)).getOrCreate()
spark.sparkContext.setLogLevel("ERROR")
# Otherwise a run ends with a batch without data, which divides the stream into other steps.
spark.conf.set("spark.sql.streaming.noDataMicroBatches.enabled", "false")
orders = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1)
messages = orders.json(str(folder / "orders"))
stream = wr.stream(messages, time="time", key="product", watermark="1 minute")
aggregates = [
    F.count("*").alias("n"),
    F.avg(F.col("price").cast("decimal(12,2)")).alias("mean"),
    F.max_by("amount", F.struct("time", "amount")).alias("latest"),
    F.approx_count_distinct("amount").alias("kinds"),
    F.percentile_approx("amount", 0.5).alias("middle"),
    F.collect_list("amount").alias("all"),
]
queries = []
for name, kind in KINDS.items():
    windows = stream.lateness("20 minutes").window(kind)
    if name != "count":
        windows = windows.trigger(early=wr.Every(messages=3))
    output = windows.accumulationMode(wr.ACCUMULATING).aggregate(*aggregates)
    query = output.start(
        checkpoint=str(folder / run / "checkpoints" / name),
        panes=wr.Files(str(folder / run / "panes" / name)),
        availableNow=True,
    )
    queries.append(query)
for query in queries:
    query.awaitTermination()
for name in KINDS:
    rows = spark.read.parquet(str(folder / run / "panes" / name)).collect()
    print("\n".join(sorted(f"{name} {row!r}" for row in rows)))  # noqa: T201
spark.stop()
