"""Runs a query whose checkpoint, panes and rejected rows are in one place, and may be killed.

Arguments: the folder of the orders, the place, the address of the store or "none", the number of
micro-batches before the kill or "none", and the seconds from the last one of them to the kill.
Prints the panes, the rejected rows, the open windows, and the result of ``wr.verify``.
"""

from __future__ import annotations

import sys
from pathlib import Path

from pyspark.sql import functions as F

import windrow as wr
from feed import SCHEMA
from sinks.storage import kill_later, session, told

folder, (place, url, *deadly) = Path(sys.argv[1]), sys.argv[2:]
spark = session(folder, url)
reader = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1)
orders = wr.stream(
    reader.json(str(folder / "orders")), time="time", key="product", watermark="1 minute"
)
windows = orders.lateness("15 minutes").window(wr.Hopping("10 minutes", step="5 minutes"))
output = windows.accumulationMode(wr.ACCUMULATING_AND_RETRACTING).aggregate(
    F.sum("amount").alias("total")
)
query = output.start(
    panes=wr.Files(f"{place}/panes"),
    rejected=wr.Files(f"{place}/rejected"),
    checkpoint=f"{place}/checkpoint",
    availableNow=True,
)
kill_later(query, *deadly)
query.awaitTermination()
found = wr.verify(f"{place}/checkpoint", deep=True)
lines = [
    f"panes {told(spark.read.parquet(f'{place}/panes'))}",
    f"rejected {told(spark.read.parquet(f'{place}/rejected').drop('processing_time'))}",
    f"open {told(wr.state(f'{place}/checkpoint').pending())}",
    f"complete {found.ok}",
]
sys.stdout.write("\n".join(lines) + "\n")
