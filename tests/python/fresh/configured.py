"""Creates a session with Windrow from the start."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import windrow as wr

builder: SparkSession.Builder = SparkSession.builder
local = builder.master("local[1]").config("spark.ui.enabled", "false")
spark = wr.configure(local).getOrCreate()
df = spark.sql("SELECT timestamp'2025-01-01' + make_dt_interval(0, 0, id) AS time FROM range(3)")
minutes = wr.stream(df, time="time").lateness("0 seconds").window(wr.Tumbling("2 minutes"))
print([tuple(r) for r in minutes.aggregate(F.count("*").alias("n")).panes.select("n").collect()])  # noqa: T201
