"""Orders and their payments within an hour, with those that have no partner.

Run it with ``python examples/unmatched_payments.py``. A pair is emitted at once. An order without a
payment is emitted when no payment can arrive any more, which the watermark of both streams decides.
It prints:

+---+-------------------+-------------------+
| id|            ordered|               paid|
+---+-------------------+-------------------+
|  1|2025-01-01 09:00:00|2025-01-01 09:20:00|
|  2|2025-01-01 09:10:00|               NULL|
|  3|2025-01-01 12:00:00|2025-01-01 12:05:00|
|  9|               NULL|2025-01-01 10:30:00|
+---+-------------------+-------------------+
"""

import json
import tempfile
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

import windrow as wr

ORDERS = [(1, "09:00"), (2, "09:10"), (3, "12:00")]
PAYMENTS = [(1, "09:20"), (9, "10:30"), (3, "12:05")]

builder = SparkSession.builder.master("local[2]").config("spark.sql.shuffle.partitions", 2)
spark = wr.configure(builder).getOrCreate()
folder = Path(tempfile.mkdtemp())


def stream(name: str, events: list[tuple[int, str]]) -> wr.Stream:
    """Return a stream of the events."""
    (folder / name).mkdir()
    lines = [json.dumps({"id": key, "time": f"2025-01-01 {time}:00"}) for key, time in events]
    (folder / name / "0.json").write_text("\n".join(lines))
    rows: DataFrame = spark.readStream.schema("time timestamp, id int").json(f"{folder}/{name}")
    return wr.stream(rows, time="time", watermark="1 minute", name=name).lateness("0 seconds")


joined = wr.join(
    stream("orders", ORDERS),
    stream("payments", PAYMENTS),
    on="id",
    within=("0 hours", "1 hour"),
    how="full",
)
query = joined.start(
    rows=wr.Files(f"{folder}/joined"),
    rejected=wr.Files(f"{folder}/rejected"),
    checkpoint=folder / "checkpoint",
    availableNow=True,
    drain=True,  # no more rows arrive after these
)
query.awaitTermination()

pairs = spark.read.parquet(f"{folder}/joined").orderBy("id")
pairs.selectExpr("id", "orders.time AS ordered", "payments.time AS paid").show()
