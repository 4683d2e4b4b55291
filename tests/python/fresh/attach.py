"""Creates a session without Windrow, expects a refusal, attaches Windrow, and starts a query."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession
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
df.createOrReplaceTempView("times")
try:
    spark.sql("""WITH some AS (SELECT * FROM times)
        SELECT * FROM windrow_tumble(TABLE(SELECT count(*) FROM some), time => 'time',
          size => '1 minute', lateness => '0 seconds')""")
except AnalysisException as refused:
    print(refused.getCondition())  # noqa: T201


def written(folder: Path) -> tuple[int, int, int]:
    """Run a query from a thread, to files and to a function."""
    counts: list[int] = []

    def count(rows: DataFrame, _: int) -> None:
        counts.append(rows.count())

    df.write.parquet(str(folder / "in"))
    source = spark.readStream.schema(df.schema).parquet(str(folder / "in"))
    stream = wr.stream(source, time="time", watermark="0 seconds").lateness("0 seconds")
    output = stream.window(wr.Tumbling("2 minutes")).aggregate(F.count("*").alias("n"))
    sinks: dict[str, dict[str, Any]] = {"files": {}, "beside": {"rejected": count}}
    for name, more in sinks.items():
        to = str(folder / name)
        output.start(
            panes=wr.Files(to), checkpoint=folder / f"of {name}", availableNow=True, **more
        ).awaitTermination()
        counts.append(spark.read.parquet(to).count())
    return counts[0], sum(counts[1:-1]), counts[-1]


with TemporaryDirectory() as temporary, ThreadPoolExecutor(1) as thread:
    print(thread.submit(written, Path(temporary)).result())  # noqa: T201
