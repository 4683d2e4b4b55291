"""The Spark session that resolves names and types; it does not run queries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from windrow._specs._columns import is_connect
from windrow.errors import failure

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def session() -> SparkSession:
    """Return the existing classic session, with the JAR, or a small local one."""
    from windrow.setup import attach

    there = existing()
    if there is not None and is_connect(there):
        raise failure("NO_JVM.OPERATORS")
    return attach(there or _started())


def existing() -> SparkSession | None:
    """Return the active session of this thread, else one that another thread created."""
    from pyspark.errors import PySparkRuntimeError
    from pyspark.sql import SparkSession

    try:
        return SparkSession.active()
    except PySparkRuntimeError:
        return None


def _started() -> SparkSession:
    """Start a quiet session with one thread and without open ports to the outside."""
    from pyspark.sql import SparkSession

    from windrow.setup import configure

    builder: SparkSession.Builder = SparkSession.builder
    quiet = (
        builder.master("local[1]")
        .appName("windrow")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "1")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.log.level", "ERROR")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
    )
    return configure(quiet).getOrCreate()
