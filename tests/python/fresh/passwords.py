"""A query with passwords in the address and options of its database, with Spark's full log.

Argument: folder. Prints progress, metrics, plans and errors, and a summary at the end.
"""

from __future__ import annotations

import sys
import traceback
from pathlib import Path
from typing import Any

from pyspark.sql import functions as F

import windrow as wr
from conftest import session_builder
from feed import SCHEMA, add_files, order
from house.addresses import OPTIONS, PASSWORD

folder = Path(sys.argv[1])
builder = session_builder(folder).config("spark.eventLog.enabled", "true")
events = folder / "events"
events.mkdir()
builder = builder.config("spark.eventLog.dir", events.as_uri())
spark = wr.configure(builder.config("spark.eventLog.compress", "false")).getOrCreate()
spark.sparkContext.setLogLevel("INFO")
options = {name: value.format(PASSWORD) for name, value in OPTIONS.items()}
add_files(
    folder / "orders", [order("09:00:10")], [order("09:03:00", "k" * 701)], [order("09:06:00")]
)
reader = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1)
orders = wr.stream(
    reader.json(str(folder / "orders")), time="time", key="product", watermark="0 seconds"
)
windows = orders.lateness("0 seconds").window(wr.Tumbling("1 minute"))
totals = windows.aggregate(F.sum("amount").alias("total"))
url = f"jdbc:derby:memory:passwords;create=true;user=me;password={PASSWORD}"
happened = []


def run(name: str, sink: wr.Jdbc, **more: Any) -> Any:
    """Start a query that ends with its input."""
    print(totals, sink)  # noqa: T201
    return totals.start(panes=sink, checkpoint=folder / name, availableNow=True, **more)


# beside a function, the format writes each kind of rows as a batch
sink = wr.Jdbc(url, "t", upsert=True, options=options, deadLetter="d")
query = run("c", sink, rejected=lambda *_: None)
query.awaitTermination()
print(query.recentProgress, wr.status(query), query.lastProgress)  # noqa: T201
happened.append("wrote")
query = run("d", wr.Jdbc(url, "t2", upsert=True, options=options))
try:
    query.awaitTermination()
except Exception as failed:  # noqa: BLE001  any error is printed
    print(failed, query.exception())  # noqa: T201
    traceback.print_exc()
    happened.append("failed")
try:
    run("e", wr.Jdbc(f"jdbc:derby:/nowhere/at/all;password={PASSWORD}", "t", options=options))
except wr.WindrowError as refused:
    print(refused)  # noqa: T201
    traceback.print_exc()
    happened.append("refused")
jvm: Any = spark._jvm
store = spark._jsparkSession.sharedState().statusStore().executionsList()
for i in range(store.size()):
    print(store.apply(i).physicalPlanDescription())  # noqa: T201
spark.stop()
print(", ".join(happened))  # noqa: T201
