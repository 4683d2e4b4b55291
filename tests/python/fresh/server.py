"""Runs a server of Spark Connect with Windrow's JAR, but without the package, until it is killed.

Arguments: folder, port, JAR. Events of the server are in the folder ``events``.
"""

from __future__ import annotations

import importlib.util
import sys
import threading
from pathlib import Path

from pyspark.sql import SparkSession

assert importlib.util.find_spec("windrow") is None
folder = Path(sys.argv[1])
events = folder / "events"
events.mkdir()
builder: SparkSession.Builder = SparkSession.builder
settings = {
    "spark.master": "local[2]",
    "spark.jars": Path(sys.argv[3]).as_uri(),
    "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
    "spark.connect.grpc.binding.address": "127.0.0.1",
    "spark.connect.grpc.binding.port": sys.argv[2],
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.eventLog.enabled": "true",
    "spark.eventLog.dir": events.as_uri(),
    "spark.eventLog.compress": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.warehouse.dir": (folder / "warehouse").as_uri(),
    "spark.windrow.shards": "1",
}
for name, value in settings.items():
    builder.config(name, value)
spark = builder.getOrCreate()
spark.sparkContext.setLogLevel("ERROR")
threading.Event().wait()
