"""Writes panes to a table of Delta or Iceberg, and is killed before Spark commits a batch.

Arguments: folder with ``orders``, the JARs of the format, its name, the address of an object store
or ``none``, the sink (``append`` or ``upsert``), and the number of the batch after whose write to
be killed, or ``none``. Without a kill, prints the rows of the table, adds an order, and prints them
again. An append also continues from a copy of the checkpoint that is older than the table, and
prints the code of the error.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.classic.dataframe import DataFrame as Classic

import windrow as wr
from feed import SCHEMA, add_files, order
from formats import session
from sinks.storage import BUCKET

folder, (jars, kind, url, how, deadly) = Path(sys.argv[1]), sys.argv[2:]
spark, prefix = session(folder, jars, kind, url)
jvm: Any = spark._jvm
base = folder.as_uri() if url == "none" else f"s3a://{BUCKET}/{how}"
table, checkpoint, older = f"{prefix}log", f"{base}/checkpoint", f"{base}/older"
group = os.getpid()


def deadly_sink(_: DataFrame, batch: int) -> None:
    """Be killed after the panes of a batch are written, and before Spark commits it."""
    if deadly == str(batch):
        os.killpg(group, signal.SIGKILL)


def at(address: str) -> tuple[Any, Any]:
    """Return a path of Hadoop and its file system."""
    path = jvm.org.apache.hadoop.fs.Path(address)
    return path, path.getFileSystem(spark._jsparkSession.sessionState().newHadoopConf())


def copy(source: str, target: str) -> None:
    """Copy a folder."""
    (here, files), (there, _) = at(source), at(target)
    jvm.org.apache.hadoop.fs.FileUtil.copy(files, here, files, there, False, files.getConf())


def exists(address: str) -> bool:
    """Return whether there is such a folder."""
    path, files = at(address)
    return bool(files.exists(path))


def run() -> None:
    """Run the query over all orders."""
    more: dict[str, Any] = {"rejected": deadly_sink} if deadly != "none" else {}
    sink = table if how == "append" else wr.Upsert(table)
    output.start(panes=sink, checkpoint=checkpoint, availableNow=True, **more).awaitTermination()


def show() -> None:
    """Print the rows of the table."""
    rows = spark.table(table).collect()
    print(sorted((f"{r.window.start:%H:%M}", r["product"], r.total, r.pane["index"]) for r in rows))  # noqa: T201


reader = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1)
orders = reader.json(str(folder / "orders"))
stream = wr.stream(orders, time="time", key="product", watermark="0 seconds")
windows = stream.lateness("1 day").window(wr.Tumbling("1 minute")).accumulationMode("accumulating")
output = windows.aggregate(F.sum("amount").alias("total"))
columns = output.panes._jdf.schema()
empty = Classic(spark._jsparkSession.createDataFrame(jvm.java.util.ArrayList(), columns), spark)
if kind == "delta":  # the catalog ends with the session
    if not exists(f"{base}/log/_delta_log"):
        empty.write.format(kind).save(f"{base}/log")
    spark.sql(f"CREATE TABLE log USING delta LOCATION '{base}/log'")
elif not exists(checkpoint):
    empty.writeTo(table).using(kind).create()
run()
show()
copy(checkpoint, older)
add_files(folder / "orders", [order("09:09:00", "a")])
run()
show()
if how == "append":
    path, files = at(checkpoint)
    files.delete(path, True)
    copy(older, checkpoint)
    try:
        run()
    except Exception as error:  # noqa: BLE001  any error is printed
        codes = ("BATCH_OF_THE_PAST", "BATCH_IS_ANOTHER")
        print(next((code for code in codes if code in str(error)), error))  # noqa: T201
spark.stop()
