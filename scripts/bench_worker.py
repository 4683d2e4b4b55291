"""Run jobs of the benchmarks in PySpark, as windrow.benchmarks.Worker does in Scala.

This process only describes the query with the Python API. Scala code runs and measures it. The CPU
time of this process is added to the figure that Scala measures.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any, ClassVar

from pyspark.java_gateway import ensure_callback_server_started
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import windrow as wr

SIGN = "windrow-bench "


def described(events: DataFrame, size: int, step: int) -> DataFrame:
    """Return the same query as windrow.benchmarks.queries.Grouped builds in SQL."""
    windows = (
        wr.Tumbling(f"{size} seconds")
        if size == step
        else wr.Hopping(f"{size} seconds", step=f"{step} seconds")
    )
    panes = (
        wr.stream(events, time="ts", key="key", watermark="0 seconds")
        .lateness("0 seconds")
        .window(windows)
        .aggregate(
            F.count("*").alias("n"), F.sum("value").alias("total"), F.max("value").alias("top")
        )
        .panes
    )
    bounds = [F.unix_micros(f"window.{bound}").alias(bound) for bound in ("start", "end")]
    return panes.select("key", *bounds, "n", "total", "top")


class Describe:
    """Describes a stream for the JVM."""

    def __init__(self, spark: SparkSession, size: int, step: int) -> None:
        """Store the size and the step of the windows, in seconds."""
        self.spark, self.size, self.step = spark, size, step

    def apply(self, events: Any) -> Any:  # noqa: ANN401
        """Convert a DataFrame of the JVM to the panes of the query, also of the JVM."""
        return described(DataFrame(events, self.spark), self.size, self.step)._jdf

    class Java:
        """The interface under which Py4J passes this object to the JVM."""

        implements: ClassVar = ["java.util.function.UnaryOperator"]


def session(class_path: str, heap: str, settings: list[str]) -> SparkSession:
    """Start a session whose JVM has the benchmarks on its class path."""
    opens = (Path(__file__).parent / "conf/spark-opens.txt").read_text(encoding="utf-8").split()
    options = " ".join(f"--add-opens={opened}=ALL-UNNAMED" for opened in opens)
    os.environ["PYSPARK_SUBMIT_ARGS"] = (
        f'--driver-memory {heap} --driver-class-path "{class_path}"'
        f' --driver-java-options "{options} -Xms{heap} -Duser.timezone=UTC -Xss8m" pyspark-shell'
    )
    builder = SparkSession.builder.master("local[2]")
    for setting in settings:
        builder = builder.config(*setting.split("=", 1))
    return builder.getOrCreate()


def main() -> None:
    """Run the jobs of the standard input until it ends."""
    class_path, heap, *settings = sys.argv[1:]
    spark = session(class_path, heap, settings)
    gateway: Any = spark.sparkContext._gateway
    callbacks: Any = ensure_callback_server_started
    callbacks(gateway)
    desk = gateway.jvm.windrow.benchmarks.PythonDesk(spark._jsparkSession)
    for line in sys.stdin:
        before = time.process_time_ns()
        describe = Describe(spark, desk.size(line), desk.step(line))
        reply = json.loads(desk.answered(line, describe))
        if reply["measured"]:
            events = json.loads(line)["amount"]["events"]
            reply["measured"]["cpu"] += (time.process_time_ns() - before) / 1000 / events
        print(SIGN + json.dumps(reply), flush=True)
    desk.close()


main()
