"""Visits of users, where a late click merges two sessions into one.

Run it with ``python examples/merged_sessions.py``. The click of 09:08 joins two sessions that were
emitted before. Windrow withdraws both with retractions and emits the merged session. The second
table keeps the sessions that are still valid: panes minus retractions. It prints:

+-----+----+-------------------+-------------------+------+-------------+
|batch|user|              start|                end|clicks|is_retraction|
+-----+----+-------------------+-------------------+------+-------------+
|    1| ann|2025-01-01 09:00:00|2025-01-01 09:10:00|     1|        false|
|    3| ann|2025-01-01 09:12:00|2025-01-01 09:22:00|     1|        false|
|    4| ann|2025-01-01 09:00:00|2025-01-01 09:10:00|     1|         true|
|    4| ann|2025-01-01 09:12:00|2025-01-01 09:22:00|     1|         true|
|    4| ann|2025-01-01 09:00:00|2025-01-01 09:22:00|     3|        false|
+-----+----+-------------------+-------------------+------+-------------+
+----+-------------------+-------------------+------+
|user|              start|                end|clicks|
+----+-------------------+-------------------+------+
| ann|2025-01-01 09:00:00|2025-01-01 09:22:00|     3|
+----+-------------------+-------------------+------+
"""

import json
import tempfile
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import windrow as wr

ARRIVALS = [["09:00", "09:12"], ["10:00"], ["09:08"]]  # clicks of each run of the query

builder = SparkSession.builder.master("local[2]").config("spark.sql.shuffle.partitions", 2)
spark = wr.configure(builder).getOrCreate()
folder = Path(tempfile.mkdtemp())
(folder / "clicks").mkdir()
clicks = spark.readStream.schema("time timestamp, user string").json(f"{folder}/clicks")
visits = (
    wr.stream(clicks, time="time", key="user", watermark="0 seconds")
    .lateness("1 hour")
    .window(wr.Session("10 minutes"))
    .accumulationMode(wr.ACCUMULATING)
    .aggregate(F.count("*").alias("clicks"))
)
for number, times in enumerate(ARRIVALS):
    lines = [json.dumps({"time": f"2025-01-01 {time}:00", "user": "ann"}) for time in times]
    (folder / "clicks" / f"{number}.json").write_text("\n".join(lines))
    query = visits.start(
        panes=wr.Files(f"{folder}/visits"),
        rejected=wr.Files(f"{folder}/rejected"),
        checkpoint=folder / "checkpoint",
        availableNow=True,
    )
    query.awaitTermination()

panes = spark.read.parquet(f"{folder}/visits").select("*", "pane.is_retraction", "window.*")
shown = panes.orderBy("batch", F.desc("is_retraction"), "start")
shown.select("batch", "user", "start", "end", "clicks", "is_retraction").show()
sign = F.when(F.col("is_retraction"), -1).otherwise(1)
valid = panes.groupBy("user", "start", "end", "clicks").agg(F.sum(sign).alias("times"))
valid.where("times > 0").drop("times").orderBy("start").show()
