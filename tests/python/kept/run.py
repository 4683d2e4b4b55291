"""Runs the stored queries over files."""

from __future__ import annotations

import json
import os
import random
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import windrow as wr
from kept.queries import QUERIES, SCHEMA, Outputs, Read

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: Outputs whose rows are not panes.
OF_ROWS = (wr.JoinOutput, wr.DedupOutput, wr.MatchOutput)
#: One shard and partition keep the number of files small. Without no-data batches, two runs have
#: the same steps.
SETTINGS = {
    "spark.windrow.shards": "1",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.streaming.noDataMicroBatches.enabled": "false",
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
    "spark.sql.streaming.minBatchesToRetain": "2",
}
STREAMS = ("orders", "shipments", "lookups")
BEFORE, AFTER = 3, 3

Input = Mapping[str, Mapping[str, str]]


def session_of(spark: SparkSession) -> SparkSession:
    """Return a session with the settings of the stored checkpoints."""
    session = spark.newSession()
    for name, value in SETTINGS.items():
        session.conf.set(name, value)
    return session


def reading(session: SparkSession, folder: Path) -> Read:
    """Return a reader of the streams in a folder, with one file per batch."""
    for stream in STREAMS:
        (folder / stream).mkdir(parents=True, exist_ok=True)

    def read(stream: str) -> DataFrame:
        reader = session.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1)
        return reader.option("timeZone", "UTC").json(str(folder / stream))

    return read


def run(session: SparkSession, name: str, folder: Path, since: int = 0) -> list[str]:
    """Run a query over all input, and return its rows of the batches from ``since`` on."""
    output = QUERIES[name](reading(session, folder))
    kinds = ["rows" if isinstance(output, OF_ROWS) else "panes", "rejected"]
    if isinstance(output, wr.Answers):
        kinds.append("answers")
    sinks: dict[str, Any] = {kind: wr.Files(str(folder / kind), format="json") for kind in kinds}
    query = output.start(checkpoint=folder / "checkpoint", availableNow=True, **sinks)
    query.awaitTermination()
    clock = re.compile(r'"processing_time":"[^"]*",')
    return sorted(
        f"{kind} {file.parent.name} {clock.sub('', line)}"
        for kind in kinds
        for file in (folder / kind).glob("batch=*/*.json")
        for line in file.read_text().splitlines()
        if int(file.parent.name.removeprefix("batch=")) >= since
    )


def write(files: Mapping[str, str], folder: Path) -> None:
    """Write input files; Spark reads them in the order of their modification time."""
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        stamp = 1_700_000_001 + int(file.stem)
        os.utime(file, (stamp, stamp))


def made() -> Input:
    """Create one input file per stream and batch; the later ones repeat some numbers."""
    rng = random.Random(6)  # noqa: S311  no secret
    parts: dict[str, dict[str, str]] = {"before": {}, "after": {}}
    for batch in range(BEFORE + AFTER):
        part = parts["before" if batch < BEFORE else "after"]
        for stream in STREAMS:
            rows = [_row(rng, batch, batch * 8 + i) for i in range(8)]
            if batch >= BEFORE:
                rows[-1]["number"] -= 20
            part[f"{stream}/{batch:04}.json"] = "\n".join(map(json.dumps, rows)) + "\n"
    return parts


def _row(rng: random.Random, batch: int, number: int) -> dict[str, Any]:
    """Draw an order about nine hours after the previous batch, around a change of DST."""
    begin = datetime(2025, 3, 28, 12, tzinfo=UTC)
    back = rng.choice([0, 1, 1, 2, 4, 30])
    at = begin + timedelta(hours=9 * batch - back, minutes=rng.randrange(540))
    return {
        "time": f"{at:%Y-%m-%d %H:%M:%S}",
        "product": rng.choice(["a", "a", "b", "c", None]),
        "price": rng.randrange(40) / 4,
        "amount": rng.randrange(-5, 20),
        "number": number,
        "gap": rng.choice([20, 60, 180]) * 60_000_000,
        "mark": rng.random() < 0.15,
    }


def programs(session: SparkSession, output: Outputs) -> Sequence[Any]:
    """Return the JVM's shard programs of a query, one for each of its operators."""
    rows = output.rows if isinstance(output, OF_ROWS) else output.panes
    plan = rows._jdf.queryExecution().analyzed()
    found = session._jvm.windrow.spark.running.ResumeCheck.programs(plan)  # type: ignore[union-attr]
    return [found.apply(number)._2() for number in range(found.size())]


def fingerprint(program: Any) -> list[str]:
    """Return the fingerprint that a checkpoint is created with, in the format of headers."""
    entries = program.fingerprint().entries()
    return [entries.apply(number).kept() for number in range(entries.size())]


def change(session: SparkSession, program: Any, kept: Sequence[str]) -> str | None:
    """Return why a state created with ``kept`` cannot continue, or None."""
    found = program.fingerprint().changed(session._jvm.PythonUtils.toSeq(list(kept)))  # type: ignore[union-attr]
    return found.get().getMessage() if found.isDefined() else None
