"""Runs an aggregate and a join, and prints what Spark's Prometheus servlet shows of them."""

import sys
from pathlib import Path
from urllib.request import urlopen

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import windrow as wr
from feed import Feed, order

folder, namespace = Path(sys.argv[1]), sys.argv[2]
sink = "spark.metrics.conf.*.sink.prometheusServlet"
builder: SparkSession.Builder = SparkSession.builder
local = (
    builder.master("local[2]")
    .config("spark.ui.port", "0")
    .config("spark.ui.showConsoleProgress", "false")
    .config("spark.sql.shuffle.partitions", "1")
    .config("spark.windrow.shards", "1")
    .config("spark.metrics.namespace", namespace)
    .config(f"{sink}.class", "org.apache.spark.metrics.sink.PrometheusServlet")
    .config(f"{sink}.path", "/metrics/prometheus")
)
spark = wr.configure(local).getOrCreate()
wr.publishMetrics(spark)


def stream(name: str, *times: str) -> wr.Stream:
    """Return a stream of orders at these times."""
    orders = Feed(spark, folder / name).add([order(time) for time in times])
    return wr.stream(orders.stream(), time="time", key="product", watermark="10 s", name=name)


def nowhere(*_: object) -> None:
    """Discard the rows."""


windows = stream("one", "09:00:10", "09:05:00").lateness("1 hour").window(wr.Tumbling("1 minute"))
sides = [stream("a", "09:00:10").lateness("0 s"), stream("b/b").lateness("0 s")]
queries = [
    windows.accumulationMode(wr.ACCUMULATING)
    .aggregate(F.count("*").alias("n"))
    .start(panes=nowhere, checkpoint=folder / "c1", name="a.b minutes"),
    wr.join(*sides, on="product", within=("0 minutes", "5 minutes")).start(
        rows=nowhere, checkpoint=folder / "c2", name="pairs"
    ),
]
for query in queries:
    query.processAllAvailable()
spark._jsparkSession.sparkContext().listenerBus().waitUntilEmpty()
with urlopen(f"{spark.sparkContext.uiWebUrl}/metrics/prometheus") as page:  # noqa: S310
    print(page.read().decode())  # noqa: T201
for query in queries:
    query.stop()
spark.stop()
