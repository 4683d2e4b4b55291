"""The Spark session that resolves names and types; no query runs in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from windrow._specs._columns import is_connect
from windrow.errors import failure

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def session() -> SparkSession:
    """Give the active classic session with the JAR, or a small local one."""
    from pyspark.sql import SparkSession

    from windrow.setup import attach

    active = SparkSession.getActiveSession()
    if active is not None and is_connect(active):
        raise failure("NO_JVM.OPERATORS")
    return attach(active or _started())


def _started() -> SparkSession:
    """Start a session of one thread that says nothing and opens nothing to the outside."""
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
