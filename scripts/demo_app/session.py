"""The Spark session of the demo: small, quiet and quick to start."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import SparkSession

import windrow as wr

_QUIET = Path(__file__).parents[1] / "conf" / "log4j2.properties"
# A run of a minute is over before C2's code would pay for its making.
_JAVA = (
    "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=256m -XX:+UseSerialGC "
    f"-Dlog4j2.configurationFile={_QUIET.as_uri()}"
)
_SETTINGS = {
    "spark.driver.memory": "1500m",
    "spark.driver.extraJavaOptions": _JAVA,
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.streaming.numRecentProgressUpdates": "1000",
    # The code of four queries is more than the 100 classes that Spark keeps by default.
    "spark.sql.codegen.cache.maxEntries": "1000",
    # The default starts a process for the permissions of each file of a checkpoint.
    "spark.sql.streaming.checkpointFileManagerClass": (
        "org.apache.spark.sql.execution.streaming.checkpointing."
        "FileSystemBasedCheckpointFileManager"
    ),
    # Four queries that look for files each 10 ms would take the time of those that work.
    "spark.sql.streaming.pollingDelay": "50ms",
}


def start() -> SparkSession:
    """Start Spark on two cores with windrow's JAR."""
    builder = wr.configure(SparkSession.builder.master("local[2]").appName("windrow demo"))
    for name, value in _SETTINGS.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()
