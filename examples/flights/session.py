"""The Spark session of the demo, with settings for a fast start and little output."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import SparkSession

import windrow as wr

_QUIET = Path(__file__).parents[2] / "scripts" / "conf" / "log4j2.properties"
# A run takes about a minute, which is too short for the C2 compiler to be worth its CPU.
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
    # The generated code of four queries exceeds the 100 classes that Spark caches by default.
    "spark.sql.codegen.cache.maxEntries": "1000",
    # The default manager starts a process to set the permissions of each checkpoint file.
    "spark.sql.streaming.checkpointFileManagerClass": (
        "org.apache.spark.sql.execution.streaming.checkpointing."
        "FileSystemBasedCheckpointFileManager"
    ),
    # With the default of 10 ms, polling of four queries would take CPU from the working ones.
    "spark.sql.streaming.pollingDelay": "50ms",
}


def start() -> SparkSession:
    """Start Spark on two cores with the Windrow JAR."""
    builder = wr.configure(SparkSession.builder.master("local[2]").appName("windrow demo"))
    for name, value in _SETTINGS.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()
