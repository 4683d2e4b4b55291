"""Loads the classes that a query needs, so that the JVM can write them to an archive as it exits.

Argument: a folder. A JVM that reads the archive needs half of the CPU to start and run a query.
"""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pyspark import SparkContext
from pyspark.sql import functions as F

import windrow as wr
from conftest import session_builder

folder = Path(sys.argv[1])
spark = wr.configure(session_builder(folder)).getOrCreate()
spark.sparkContext.setLogLevel("OFF")
rows = spark.createDataFrame(
    [(datetime(2025, 1, 1, 9, minute, tzinfo=UTC), "a", minute) for minute in range(5)],
    "time timestamp, key string, n int",
)
rows.write.json(str(folder / "rows"))
stream = spark.readStream.schema(rows.schema).json(str(folder / "rows"))
windows = wr.stream(stream, time="time", key="key", watermark="0 seconds").window(
    wr.Tumbling("1 minute")
)
panes = windows.lateness("0 seconds").aggregate(F.sum("n").alias("total"))
query = panes.start(
    checkpoint=folder / "checkpoint", panes=wr.Files(str(folder / "panes")), availableNow=True
)
query.awaitTermination()
spark.read.parquet(str(folder / "panes")).collect()
gateway: Any = SparkContext._gateway
spark.stop()
gateway.shutdown()
gateway.proc.stdin.close()
gateway.proc.wait()
