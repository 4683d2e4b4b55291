"""Creates a session without Windrow, expects a refusal, and attaches Windrow."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import windrow as wr

builder: SparkSession.Builder = SparkSession.builder
local = builder.master("local[1]").config("spark.ui.enabled", "false")
spark = local.config("spark.sql.shuffle.partitions", "1").getOrCreate()
df = spark.sql("SELECT timestamp'2025-01-01' + make_dt_interval(0, 0, id) AS time FROM range(3)")
minutes = wr.stream(df, time="time").lateness("0 seconds").window(wr.Tumbling("2 minutes"))
try:
    minutes.aggregate(F.count("*"))
except wr.JarNotFoundError as refused:
    print(str(refused)[1:15])  # noqa: T201
wr.attach()
print([tuple(r) for r in minutes.aggregate(F.count("*").alias("n")).panes.select("n").collect()])  # noqa: T201
print(wr.doctor().ok)  # noqa: T201
