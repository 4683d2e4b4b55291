"""Runs the query of README in SQL, with a JAR that ``spark-submit`` adds and no package."""

import importlib.util
import sys
from pathlib import Path

from pyspark.sql import SparkSession

folder = Path(sys.argv[1])
spark = SparkSession.builder.getOrCreate()
orders = spark.readStream.schema("time timestamp, product string, price double").option(
    "maxFilesPerTrigger", 1
)
orders.json(str(folder / "orders")).createOrReplaceTempView("orders")
panes = spark.sql(
    "SELECT * FROM windrow_tumble("
    "TABLE(SELECT product, avg(price) AS price FROM orders GROUP BY product),"
    "time => 'time', size => '1 minute', lateness => '10 minutes',"
    "accumulation_mode => 'accumulating', watermark => '10 seconds')"
)
query = (
    panes.writeStream.format("json")
    .option("path", str(folder / "panes"))
    .option("checkpointLocation", str(folder / "checkpoint"))
    .trigger(availableNow=True)
    .start()
)
query.awaitTermination()
rows = spark.read.json(str(folder / "panes")).orderBy("pane.index", "window.start")
package = importlib.util.find_spec("windrow")  # with --packages, the folder of this name in the JAR
print(getattr(package, "origin", None))  # noqa: T201
print([(row.price, row.pane.timing) for row in rows.collect()])  # noqa: T201
spark.stop()
