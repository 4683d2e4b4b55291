"""Hours at a fixed rate: heap, files and state of a query of each kind stay level."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import windrow as wr
from load.gauge import Batch, OnDisk, heap, kept, resident
from load.kinds import KINDS
from load.messages import Messages

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

#: By how much the last quarter may lie above the one before.
RISE = 0.05
ROWS = 1000
#: Values are read from the checkpoint only now and then: that takes a while.
VALUES_EVERY = 30
MEASURED = ("files", "bytes", "rows", "values", "value bytes")
PROCESS = ("heap", "resident")


@dataclass(frozen=True)
class Rise:
    """Something that is not level: its means in the third and the fourth quarter."""

    what: str
    before: float
    after: float

    def __str__(self) -> str:
        """Say both."""
        return f"{self.what} rose from {self.before:,.0f} to {self.after:,.0f}"


def steady(
    spark: SparkSession, folder: Path, names: Sequence[str], hours: float, log: Path
) -> None:
    """Run a query of each kind and write a line of JSON each minute."""
    queries = {name: _started(spark, name, folder) for name in names}
    end = time.monotonic() + 3600 * hours
    minute = 0
    while time.monotonic() < end:
        time.sleep(60 - (time.time() - 50) % 60)  # between two batches, which begin with a minute
        minute += 1
        line = {
            "minute": minute,
            "heap": heap(spark),
            "resident": resident(),
            "queries": {
                name: _of(spark, query, folder / _folder(name), minute)
                for name, query in queries.items()
            },
        }
        with log.open("a") as file:
            file.write(json.dumps(line) + "\n")
    for query in queries.values():
        query.stop()


def _folder(name: str) -> str:
    return name.replace(",", "").replace(" ", "-")


def _started(spark: SparkSession, name: str, folder: Path) -> StreamingQuery:
    kind = KINDS[name]
    output = kind.of(Messages(spark, ROWS, kind.minutes))
    sink = {"panes" if isinstance(output, wr.Output) else "rows": _gone}
    return output.start(
        **sink,  # type: ignore[arg-type]
        checkpoint=folder / _folder(name),
        queryTrigger={"processingTime": "1 minute"},
        name=_folder(name),
    )


def _gone(batch: DataFrame, _: int) -> None:
    batch.write.format("noop").mode("overwrite").save()


def _of(
    spark: SparkSession, query: StreamingQuery, checkpoint: Path, minute: int
) -> Mapping[str, int]:
    """Give what a query has at the moment; an end that nobody asked for is an error."""
    error = query.exception()
    if error is not None:
        raise error
    batch = Batch.last(query)
    disk = OnDisk.of(checkpoint)
    found = {"files": disk.files, "bytes": disk.bytes}
    if batch is not None:
        found |= {"batch": batch.number, "rows": batch.state, "input": batch.rows}
    if minute % VALUES_EVERY == 0:
        values, size = kept(spark, checkpoint)
        found |= {"values": values, "value bytes": size}
    return found


def told(log: Path) -> Iterator[tuple[tuple[str, ...], list[Rise]]]:
    """Give a row of figures for each kind and for the process, and what of it rose."""
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    for name, last in lines[-1]["queries"].items():
        wrong: list[Rise] = []
        shown = [name, str(last.get("batch", ""))]
        for what in MEASURED:
            found = [line["queries"][name].get(what) for line in lines]
            shown.append(_compared(f"{name}: {what}", found, wrong))
        yield tuple(shown), wrong
    for what in PROCESS:
        wrong = []
        shown = [what, str(len(lines)), "", _compared(what, [line[what] for line in lines], wrong)]
        yield (*shown, "", "", ""), wrong


def _compared(what: str, found: Sequence[int | None], wrong: list[Rise]) -> str:
    """Compare the means of the last two quarters."""
    quarter = len(found) // 4
    before = _mean(found[-2 * quarter : -quarter])
    after = _mean(found[-quarter:])
    if before is None or after is None:
        return ""
    if after > before * (1 + RISE):
        wrong.append(Rise(what, before, after))
    return f"{before:,.0f} → {after:,.0f}"


def _mean(found: Sequence[int | None]) -> float | None:
    known = [one for one in found if one is not None]
    return sum(known) / len(known) if known else None
