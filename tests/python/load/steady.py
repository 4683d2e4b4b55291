"""Hours at a fixed rate: the heap, files and state of a query of each kind stay level."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING

import windrow as wr
from load.gauge import Batch, OnDisk, heap, kept, resident
from load.kinds import KINDS
from load.level import compared
from load.messages import Messages

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

#: The number of queries whose state values are read each minute, because reading takes long.
READ = 4
MEASURED = ("files", "bytes", "rows", "values", "value bytes")
PROCESS = ("heap", "resident")
#: Settings without which Spark keeps superfluous data, so that files and bytes form a sawtooth: old
#: versions that are not worth a listing yet, and old values in tables that are not compacted yet.
EXACT = {
    "spark.sql.streaming.ratioExtraSpaceAllowedInCheckpoint": "0",
    "spark.sql.streaming.stateStore.rocksdb.compactOnCommit": "true",
}


def steady(
    spark: SparkSession, folder: Path, names: Sequence[str], hours: float, log: Path
) -> None:
    """Run a query of each kind, and write a line of JSON each minute."""
    for setting, value in EXACT.items():
        spark.conf.set(setting, value)
    queries = {name: _started(spark, name, folder) for name in names}
    turns = cycle(names)
    begun = time.monotonic()
    minute = 0
    while minute < 60 * hours:
        time.sleep(60 - (time.time() - 50) % 60)  # between two batches, which begin with a minute
        minute = round((time.monotonic() - begun) / 60)
        line = {"minute": minute, "heap": heap(spark), "resident": resident()}
        read = {next(turns) for _ in range(READ)}
        of = {}
        for name, query in queries.items():
            found = _of(query, folder / _folder(name))
            if name in read and "batch" in found:
                values, size = kept(spark, folder / _folder(name))
                found |= {"values": values, "value bytes": size}
            of[name] = found
        with log.open("a") as file:
            file.write(json.dumps(line | {"queries": of}) + "\n")
    for query in queries.values():
        query.stop()


def _folder(name: str) -> str:
    return name.replace(",", "").replace(" ", "-")


def _started(spark: SparkSession, name: str, folder: Path) -> StreamingQuery:
    kind = KINDS[name]
    output = kind.of(Messages(spark, kind.rows, kind.minutes))
    sink = {"panes" if isinstance(output, wr.Output) else "rows": _gone}
    return output.start(
        **sink,  # type: ignore[arg-type]
        checkpoint=folder / _folder(name),
        processingTime="1 minute",
        name=_folder(name),
    )


def _gone(batch: DataFrame, _: int) -> None:
    batch.write.format("noop").mode("overwrite").save()


def _of(query: StreamingQuery, checkpoint: Path) -> dict[str, int]:
    """Return a query's current figures; raise an error if it has ended."""
    error = query.exception()
    if error is not None:
        raise error
    batch = Batch.last(query)
    disk = OnDisk.of(checkpoint)
    found = {"files": disk.files, "bytes": disk.bytes}
    if batch is not None:
        found |= {"batch": batch.number, "rows": batch.state, "input": batch.rows}
    return found


def told(log: Path) -> Iterator[tuple[tuple[str, ...], bool]]:
    """Yield a row of figures for each kind and the process, and whether all of them are level."""
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    minutes = [line["minute"] for line in lines]
    for name, last in lines[-1]["queries"].items():
        found = [
            _compared(minutes, [line["queries"][name].get(what) for line in lines])
            for what in MEASURED
        ]
        shown = (text for text, _ in found)
        yield (name, str(last.get("batch", "")), *shown), all(is_level for _, is_level in found)
    for what in PROCESS:
        text, is_level = _compared(minutes, [line[what] for line in lines])
        yield (what, str(len(lines)), "", text, "", "", ""), is_level


def _compared(minutes: Sequence[int], found: Sequence[int | None]) -> tuple[str, bool]:
    """Return the means of the last two spans, marked with ``!`` if they rise."""
    points = [(at, one) for at, one in zip(minutes, found, strict=True) if one is not None]
    levels = compared(points, minutes[-1])
    if levels is None:
        return "nothing found!", False
    text = f"{levels.before:,.0f} → {levels.after:,.0f}"
    return text + "!" * levels.rises, not levels.rises
