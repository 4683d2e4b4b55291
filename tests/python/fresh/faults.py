"""A query whose tasks fail or whose processes are killed, in a session of its own.

Arguments: folder, name of the run, fault. The orders are in ``orders`` in the folder; checkpoint
and panes are named after the run. The faults: ``none``; ``tasks``, where the first attempt of every
task that sees a row or a result fails; ``stragglers``, where the first partition waits for a second
attempt that runs at the same time; ``kill-task N`` and ``kill-sink N``, where JVM and Python are
killed in batch N, while its tasks update the state or when its panes are written.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pyspark import TaskContext
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

import windrow as wr
from conftest import session_builder
from feed import SCHEMA
from windrow._running._query import _writing

folder, run, fault = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
# the batch in which the processes are killed
last = int(sys.argv[4]) if fault.startswith("kill") else -1

builder = session_builder(folder).master(os.environ["MASTER"])
if fault == "stragglers":
    builder.config("spark.speculation", "true").config("spark.speculation.interval", "50ms")
    builder.config("spark.speculation.task.duration.threshold", "100ms")
    builder.config("spark.locality.wait", "0s")
spark = wr.configure(builder).getOrCreate()
spark.sparkContext.setLogLevel("OFF")
assert spark.sparkContext._gateway is not None
jvm: int = spark.sparkContext._gateway.proc.pid


def fragile(stage: str, batch: int) -> Callable[[str], Column]:
    """Return a function that wraps a column with the fault."""

    def given(value: str) -> str:
        task = TaskContext.get()
        assert task is not None
        if fault == "tasks" and task.attemptNumber() == 0:
            (folder / f"failed {stage} {task.taskAttemptId()}").touch()
            raise ValueError("this attempt is to fail")
        if fault == "stragglers" and task.partitionId() == 0:
            second = folder / f"second {stage} {task.stageId()}"
            if task.attemptNumber() > 0:
                second.touch()
            while not second.exists():
                threading.Event().wait(0.05)
        if fault == "kill-task" and batch == last:
            os.kill(jvm, signal.SIGKILL)
        return value

    return F.udf(given, "string")


def dead(_: DataFrame, batch: int) -> None:
    """Kill the processes when the rejected rows are written, before the batch is committed."""
    if fault == "kill-sink" and batch == last:
        os.kill(jvm, signal.SIGKILL)
        os.kill(os.getpid(), signal.SIGKILL)


def write(rows: DataFrame, batch: int) -> None:
    """Write a batch as ``start`` does; its tasks may fail after their work on the state."""
    watched = rows.withColumn("kind", fragile("result", batch)("kind"))
    sinks: dict[str, Any] = {"panes": wr.Files(str(folder / run)), "rejected": dead}
    _writing(sinks, query="", checkpoint="")(watched, batch)


orders = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1)
messages = orders.json(str(folder / "orders"))
watched = messages.withColumn("product", fragile("message", -2)("product"))
stream = wr.stream(watched, time="time", key="product", watermark="1 minute")
windows = stream.lateness("10 minutes").window(wr.Hopping("5 minutes", step="2 minutes"))
fired = windows.trigger(early=wr.EachBatch()).accumulationMode(wr.ACCUMULATING_AND_RETRACTING)
output = fired.aggregate(F.sum("amount").alias("total"), F.collect_list("amount").alias("all"))
writer = output.output.writeStream.option("checkpointLocation", str(folder / f"of {run}"))
query = writer.trigger(availableNow=True).foreachBatch(write).start()
query.awaitTermination()
for line in sorted(map(repr, spark.read.parquet(str(folder / run)).collect())):
    print(line)  # noqa: T201
spark.stop()
