"""Runs an unchanged query that writes its rejected rows to one place, and may be killed.

Arguments: the folder of the orders, the place, the address of the store or "none", the number of
micro-batches before the kill or "none", and the seconds from the last one of them to the kill.
Prints the time, key, and amount of each rejected row, and the rows of the query's own sink.
"""

from __future__ import annotations

import sys
from pathlib import Path

from pyspark.sql import functions as F

from feed import SCHEMA
from sinks.storage import kill_later, session, told

folder, (place, url, *deadly) = Path(sys.argv[1]), sys.argv[2:]
spark = session(folder, url)
spark.conf.set("spark.windrow.accelerate", "true")
spark.conf.set("spark.windrow.accelerate.rejected", f"{place}/rejected")

reader = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1)
orders = reader.json(str(folder / "orders")).withWatermark("time", "1 minute")
grouped = orders.groupBy("product", F.window("time", "5 minutes"))
writer = grouped.agg(F.sum("amount").alias("total")).writeStream.format("parquet")
writer = writer.option("path", f"{place}/panes").option("checkpointLocation", f"{place}/checkpoint")
query = writer.trigger(availableNow=True).start()
kill_later(query, *deadly)
query.awaitTermination()

rejected = spark.read.parquet(f"{place}/rejected").where("reason = 'TOO_LATE'").select("message.*")
lines = [
    f"rejected {told(rejected.select('time', 'product', 'amount'))}",
    f"panes {told(spark.read.parquet(f'{place}/panes'))}",
]
sys.stdout.write("\n".join(lines) + "\n")
