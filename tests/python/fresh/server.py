"""Runs a server of Spark Connect with Windrow until it is killed. Arguments: folder, port."""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from typing import Any

import windrow as wr
from conftest import session_builder

settings: dict[str, Any] = {
    "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
    "spark.connect.grpc.binding.address": "127.0.0.1",
    "spark.connect.grpc.binding.port": sys.argv[2],
    "spark.windrow.shards": "1",
    "spark.sql.shuffle.partitions": "1",
}
builder = session_builder(Path(sys.argv[1])).config(map=settings)
spark = wr.configure(builder).getOrCreate()
spark.sparkContext.setLogLevel("ERROR")
threading.Event().wait()
