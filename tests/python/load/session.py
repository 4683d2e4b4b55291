"""A session with a limited heap, which remembers little of finished jobs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import windrow as wr

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: Space for compiled code; with the default, compilation stops after some hours.
JAVA = "-XX:ReservedCodeCacheSize=480m"
#: By default Spark remembers 1,000 finished jobs, stages and plans, each with its full text.
_HISTORY = ("ui.retainedJobs", "ui.retainedStages", "sql.ui.retainedExecutions")


def session(folder: Path, heap: str, batches: int, *, touched: bool = False) -> SparkSession:
    """Return a session with two cores that writes only to ``folder``.

    ``batches`` is the number of batches that Spark retains. With ``touched``, the heap is fully
    resident from the start; otherwise its garbage would look like a leak.
    """
    from pyspark.sql import SparkSession

    whole = f"-Xms{heap} -XX:+AlwaysPreTouch"
    builder: SparkSession.Builder = SparkSession.builder
    builder = (
        builder.master("local[2]")
        .appName("windrow load")
        .config("spark.driver.memory", heap)
        .config("spark.driver.extraJavaOptions", f"{JAVA} {whole}" if touched else JAVA)
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.ui.retainedTasks", "1000")
        .config("spark.local.dir", str(folder / "local"))
        .config("spark.sql.warehouse.dir", (folder / "warehouse").as_uri())
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.codegen.cache.maxEntries", "2000")
        .config("spark.sql.streaming.minBatchesToRetain", str(batches))
        .config("spark.sql.streaming.numRecentProgressUpdates", str(batches))
        .config("spark.sql.streaming.stateStore.rocksdb.trackTotalNumberOfRows", "true")
    )
    for name in _HISTORY:
        builder = builder.config(f"spark.{name}", "50")
    spark = wr.configure(builder).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark
