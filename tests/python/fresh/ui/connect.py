"""Runs a query through Spark Connect, and prints the tab of the server's UI. Argument: a folder."""

import sys
import time
from pathlib import Path
from urllib.request import urlopen

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import windrow as wr
from feed import Feed, order
from programs import free_ports

folder = Path(sys.argv[1])
(port,) = free_ports(1)
builder: SparkSession.Builder = SparkSession.builder
local = builder.remote("local[2]").config("spark.ui.port", str(port))
local = local.config("spark.sql.shuffle.partitions", "1")
spark = wr.configure(local.config("spark.windrow.shards", "1")).getOrCreate()
orders = Feed(spark, folder / "orders").add([order("09:00:10")])
stream = wr.stream(orders.stream(), time="time", watermark="30 seconds").lateness("0 seconds")
minutes = stream.window(wr.Tumbling("1 minute")).aggregate(F.count("*").alias("n"))
query = minutes.start(
    panes=wr.Files(str(folder / "panes")), checkpoint=folder / "c", name="minutes"
)
query.processAllAvailable()
page = ""
for _ in range(100):  # the UI is updated after the query
    with urlopen(f"http://127.0.0.1:{port}/windrow/") as found:
        page = found.read().decode()
    if "WATERMARK" in page:
        break
    time.sleep(0.2)
print(page)  # noqa: T201
print(wr.whyNoOutput(query).codes)  # noqa: T201
query.stop()
spark.stop()
