"""Measures a query's memory, its checkpoint, and the operations on its state."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

#: RocksDB's operations in a batch, and their bytes.
_WORK = ("rocksdbGetCount", "rocksdbPutCount")
_WORK_BYTES = ("rocksdbTotalBytesRead", "rocksdbTotalBytesWritten")


def heap(spark: SparkSession) -> int:
    """Return the bytes in use after a garbage collection."""
    jvm: Any = spark._jvm
    runtime = jvm.java.lang.Runtime.getRuntime()
    runtime.gc()
    return int(runtime.totalMemory() - runtime.freeMemory())


def resident() -> int:
    """Return the resident bytes of the JVM, including native memory."""
    return _status("VmRSS")


def peak() -> int:
    """Return the peak of the resident bytes since ``forget_peak``."""
    return _status("VmHWM")


def forget_peak() -> None:
    """Reset the peak to the bytes that are resident now."""
    (_jvm() / "clear_refs").write_text("5")


def _status(name: str) -> int:
    lines = (_jvm() / "status").read_text().splitlines()
    [found] = (line.split()[1] for line in lines if line.startswith(f"{name}:"))
    return int(found) * 1024


@cache
def _jvm() -> Path:
    """Return the folder of this process's JVM in ``/proc``."""
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    return next(
        Path("/proc") / child
        for child in children
        if Path("/proc", child, "comm").read_text().strip() == "java"
    )


@dataclass(frozen=True)
class OnDisk:
    """The files of a folder."""

    files: int
    bytes: int

    @staticmethod
    def of(folder: Path) -> OnDisk:
        """Count the files; a file that is removed meanwhile does not count."""
        sizes = []
        for file in folder.rglob("*"):
            try:
                if file.is_file():
                    sizes.append(file.stat().st_size)
            except OSError:
                continue
        return OnDisk(len(sizes), sum(sizes))


@dataclass(frozen=True)
class Batch:
    """Spark's figures of a batch; state rows are 0 unless Spark is set to count them."""

    number: int
    rows: int
    state: int
    asked: int
    moved: int
    #: Metrics observed under the name ``out``.
    out: Mapping[str, int]

    @staticmethod
    def last(query: StreamingQuery) -> Batch | None:
        """Return the last finished batch."""
        last = query.lastProgress
        return None if last is None else Batch.of(json.loads(last.json))

    @staticmethod
    def all(query: StreamingQuery) -> list[Batch]:
        """Return all batches that the session remembers."""
        return [Batch.of(json.loads(one.json)) for one in query.recentProgress]

    @staticmethod
    def of(progress: Any) -> Batch:
        """Return the batch of a progress report."""
        operators = progress["stateOperators"]
        return Batch(
            progress["batchId"],
            sum(max(0, source["numInputRows"]) for source in progress["sources"]),
            sum(one["numRowsTotal"] for one in operators),
            sum(one["customMetrics"].get(name, 0) for one in operators for name in _WORK),
            sum(one["customMetrics"].get(name, 0) for one in operators for name in _WORK_BYTES),
            progress.get("observedMetrics", {}).get("out", {}),
        )


#: The column with the values in Spark's table of a state variable; timers do not have values.
_COLUMNS = {"ValueState": "value", "MapState": "user_map_value"}


def kept(spark: SparkSession, checkpoint: Path, batch: int | None = None) -> tuple[int, int]:
    """Return the number of state values after a batch, by default the last one, and their bytes."""
    sizes = []
    for row in spark.read.format("state-metadata").load(str(checkpoint)).collect():
        reader = spark.read.format("statestore").option("operatorId", row.operatorId)
        reader = reader.option("batchId", row.maxBatchId if batch is None else batch)
        for variable in json.loads(row.operatorProperties or "{}").get("stateVariables", []):
            column = _COLUMNS.get(variable["stateVariableType"])
            if column is not None:
                table = reader.option("stateVarName", variable["stateName"]).load(str(checkpoint))
                field = table.schema[column].dataType.fieldNames()[0]  # type: ignore[attr-defined]
                bytes_of = F.octet_length(F.col(column)[field].cast("string"))
                sizes.append(table.select(bytes_of.alias("bytes")))
    whole = reduce(DataFrame.unionAll, sizes).agg(
        F.count("*"), F.coalesce(F.sum("bytes"), F.lit(0))
    )
    [found] = whole.collect()
    return found[0], found[1]
