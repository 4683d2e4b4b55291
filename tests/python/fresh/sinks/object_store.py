"""Runs a query whose checkpoint, panes and rejected rows are in one place, and may be killed.

Arguments: the folder of the orders, the place, the address of the store or "none", the number of
micro-batches before the kill or "none", and the seconds from the last one of them to the kill.
Prints the panes, the rejected rows, the open windows, and the result of ``wr.verify``.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from pathlib import Path

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import windrow as wr
from conftest import session_builder
from feed import SCHEMA
from sinks.storage import settings

folder, (place, url, deadly, late) = Path(sys.argv[1]), sys.argv[2:]
builder = session_builder(folder)
for name, value in (settings(url) if url != "none" else {}).items():
    builder = builder.config(name, value)
spark = wr.configure(builder).getOrCreate()
spark.sparkContext.setLogLevel("OFF")
spark.conf.set("spark.windrow.shards", "8")

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


def kill() -> None:
    """Kill this process and Spark at the chosen time."""
    while len(query.recentProgress) < int(deadly):
        time.sleep(0.02)
    time.sleep(float(late))
    os.killpg(os.getpid(), signal.SIGKILL)


if deadly != "none":
    threading.Thread(target=kill, daemon=True).start()
query.awaitTermination()


def told(rows: DataFrame) -> list[str]:
    """Return rows as text, in an order of their own."""
    return sorted(row[0] for row in rows.select(F.to_json(F.struct("*"))).collect())


found = wr.verify(f"{place}/checkpoint", deep=True)
lines = [
    f"panes {told(spark.read.parquet(f'{place}/panes'))}",
    f"rejected {told(spark.read.parquet(f'{place}/rejected').drop('processing_time'))}",
    f"open {told(wr.state(f'{place}/checkpoint').pending())}",
    f"complete {found.ok}",
]
sys.stdout.write("\n".join(lines) + "\n")
