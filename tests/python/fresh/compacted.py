"""Writes sessions to a compacted topic, with a repeated batch; prints the final records.

Arguments: folder, address of the broker, JARs of the connector.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from pyspark.sql import functions as F

import windrow as wr
from conftest import session_builder
from feed import SCHEMA, add_files, order

folder, broker, jars = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
spark = wr.configure(session_builder(folder).config("spark.jars", jars)).getOrCreate()
spark.sparkContext.setLogLevel("OFF")
add_files(
    folder / "orders",
    [order("09:00:10", "a", 1), order("09:02:00", "a", 2), order("09:00:30", "b", 4)],
    [order("09:01:05", "a", 16)],
)
orders = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1)
stream = wr.stream(
    orders.json(str(folder / "orders")), time="time", key="product", watermark="0 seconds"
).lateness("1 day")
windows = stream.window(wr.Session("1 minute")).trigger(early="each_batch")
output = windows.accumulationMode("accumulating_and_retracting").aggregate(
    F.sum("amount").alias("total")
)
for _ in range(2):  # repeats the last batch
    output.start(
        panes=wr.KafkaTable(broker, "sessions"),
        checkpoint=folder / "checkpoint",
        availableNow=True,
    ).awaitTermination()
    commits = sorted((folder / "checkpoint" / "commits").glob("[0-9]*"), key=lambda f: int(f.name))
    commits[-1].unlink()
reader = spark.read.format("kafka").option("kafka.bootstrap.servers", broker)
records = reader.option("subscribe", "sessions").load().orderBy("offset")
last = {bytes(row.key): row.value for row in records.collect()}
held = [json.loads(value) for value in last.values() if value is not None]
print(  # noqa: T201
    sorted(
        (one["product"], one["window"]["start"][11:19], one["window"]["end"][11:19], one["total"])
        for one in held
    )
)
spark.stop()
