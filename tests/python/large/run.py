"""Runs a scenario in Windrow: real files, a real checkpoint, new settings at each restart."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyspark.sql import functions as F

import windrow as wr
from large.clock import Step, steps
from large.expected.unchanged import Plain
from large.scenario import Asking, Leg, Looking, Scenario, Traffic
from large.traffic import key_columns, made

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

    from large.scenario import Described

IDENTITY = wr.RowId(source="source", partition="partition", offset="offset")
#: Columns for the test's own use, which the files omit.
HIDDEN = ("batch",)
SETTINGS = {
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.shuffle.partitions": "2",
}


@dataclass(frozen=True)
class Ran:
    """The input and the output of a run; ``counts`` is keyed by Spark's batch number."""

    case: Scenario
    folder: Path
    messages: Sequence[pa.Table]
    steps: Sequence[Step]
    counts: Mapping[int, Mapping[str, int]]
    lookups: pa.Table | None = None


#: The beginnings of the names under which the first operator counts its rows.
FIRST = ("windrow_in", "windrow_accelerated_0")
#: The counts that are compared; only a deduplication of last rows counts replaced ones.
COUNTED = ("read", "accepted", "rejected", "duplicates", "gaps", "replaced")
#: Ids of each stream begin at a multiple of this.
APART = 10**9


def run(spark: SparkSession, case: Scenario, folder: Path) -> Ran:
    """Run the scenario to its end."""
    inputs, tables = inputs_of(case)
    counts: dict[int, Mapping[str, int]] = {}
    batch = 0
    for number, leg in enumerate(case.legs):
        last = number == len(case.legs) - 1
        count = leg.batches + (last and not case.final)
        written(tables, inputs, range(batch, batch + count), folder)
        batch += count
        counts |= _leg(session_of(spark, case, leg), case, folder)
    asked = tables.pop("lookups", None)
    messages = list(tables.values())
    return Ran(case, folder, messages, steps(case, latest(case, messages)), counts, asked)


def inputs_of(case: Scenario) -> tuple[dict[str, Traffic], dict[str, pa.Table]]:
    """Name the streams that a query reads, and create their rows."""
    inputs = {f"in{i}": t for i, t in enumerate(case.traffic)}
    inputs |= {"lookups": case.lookups} if case.lookups else {}
    return inputs, {
        name: made(t, case.seed + i, case.batches, i * APART)
        for i, (name, t) in enumerate(inputs.items())
    }


def written(
    tables: Mapping[str, pa.Table],
    inputs: Mapping[str, Traffic],
    batches: Iterable[int],
    folder: Path,
) -> None:
    """Write the files of some batches."""
    for batch in batches:
        for name, traffic in inputs.items():
            _write(tables[name], traffic, batch, folder / name)


def latest(case: Scenario, messages: Sequence[pa.Table]) -> list[list[int | None]]:
    """Return the greatest time of each batch of each stream."""
    return [_latest(table, case.batches + 1) for table in messages]


#: Returns the rows of the stream with that name.
Read = Callable[[str, Traffic], "DataFrame"]


def streams(case: Scenario, read: Read) -> list[wr.Stream]:
    """Describe the input."""
    return [
        wr.stream(
            read(f"in{i}", traffic),
            time="t" if case.operator.timed else None,
            key=_keys(traffic),
            rowId=IDENTITY if case.identity else None,
            watermark=f"{case.delay} us" if case.operator.timed else None,
            name=f"in{i}",
        )
        for i, traffic in enumerate(case.traffic)
    ]


def _keys(traffic: Traffic) -> list[str] | list[Column]:
    """Return the key columns; a collated text is mapped to one spelling (W2)."""
    if traffic.key_type == "collated":
        return [F.expr("collate(lower(k0), 'UTF8_BINARY')").alias("k0")]
    return key_columns(traffic)


def session_of(spark: SparkSession, case: Scenario, leg: Leg) -> SparkSession:
    """Return a session with the settings of the run."""
    session = spark.newSession()
    shards = ("spark.windrow.shards", str(case.shards))
    for name, value in [*SETTINGS.items(), shards, *leg.settings]:
        session.conf.set(name, value)
    return session


def _leg(session: SparkSession, case: Scenario, folder: Path) -> Mapping[int, Mapping[str, int]]:
    query = begun(session, case, folder)
    query.awaitTermination()
    counts = counted(query)
    if isinstance(case.operator, Looking):
        for name, answer in case.operator.look(wr.state(folder / "checkpoint")).items():
            answer.write.parquet(str(folder / name / f"batch={max(counts)}"))
    return counts


def begun(session: SparkSession, case: Scenario, folder: Path) -> StreamingQuery:
    """Start the query over all available input."""
    output, kinds = described(case, files_of(session, folder))
    sinks: dict[str, Any] = {name: wr.Files(str(folder / name)) for name in kinds}
    return output.start(
        checkpoint=folder / "checkpoint",
        availableNow=True,
        drain=case.final,
        **sinks,
    )


def described(case: Scenario, read: Read) -> tuple[Described | wr.Answers | Plain, list[str]]:
    """Describe the query, and name the kinds of rows that it emits."""
    output: Described | wr.Answers | Plain
    output = case.operator.output(streams(case, read), case)
    if isinstance(output, Plain):
        return output, list(output.kinds)
    kinds = ["panes" if isinstance(output, wr.Output) else "rows", "rejected"]
    if isinstance(output, wr.Output) and isinstance(output.spec.window, wr.Policy):
        kinds.append("events")
    if case.lookups and isinstance(case.operator, Asking) and isinstance(output, wr.Output):
        kinds.append("answers")
        output = case.operator.ask(output, read("lookups", case.lookups))
    return output, kinds


def counted(query: StreamingQuery) -> Mapping[int, Mapping[str, int]]:
    """Return for each batch the first operator's counts and the number of rows read by Spark."""
    counts: dict[int, dict[str, int]] = {}
    for progress in query.recentProgress:
        observed = progress["observedMetrics"]
        rows = [row.asDict() for name, row in observed.items() if name.startswith(FIRST)]
        if rows:
            counts[progress["batchId"]] = {
                name: sum(row[name] or 0 for row in rows if name in row) for name in COUNTED
            }
            given = (s["numInputRows"] for s in progress["sources"] if "/in" in s["description"])
            counts[progress["batchId"]]["given"] = sum(given)
    return counts


def files_of(session: SparkSession, folder: Path) -> Read:
    """Return a reader that takes one file of each source partition in each batch."""

    def read(name: str, traffic: Traffic) -> DataFrame:
        schema = session.read.parquet(str(folder / name)).schema
        reader = session.readStream.schema(schema)
        df = reader.option("maxFilesPerTrigger", traffic.partitions).parquet(str(folder / name))
        if traffic.key_type == "collated":
            df = df.withColumn("k0", F.expr("collate(k0, 'UTF8_LCASE')"))
        return df.repartition(traffic.repartition) if traffic.repartition else df

    return read


def _write(table: pa.Table, traffic: Traffic, batch: int, folder: Path) -> None:
    """Write the files of a batch; Spark reads files in the order of their modification time."""
    folder.mkdir(parents=True, exist_ok=True)
    mine = table.filter(pc.equal(table["batch"], batch)).drop_columns(list(HIDDEN))
    for partition in range(traffic.partitions):
        file = folder / f"{batch:05}-{partition:03}.parquet"
        pq.write_table(mine.filter(pc.equal(mine["partition"], partition)), file)
        stamp = 1_700_000_001 + batch * traffic.partitions + partition
        os.utime(file, (stamp, stamp))


def _latest(table: pa.Table, batches: int) -> list[int | None]:
    """Return the greatest time of each batch."""
    found = table.group_by("batch").aggregate([("t", "max")])
    times = pc.cast(found["t_max"], pa.int64()).to_pylist()
    by = dict(zip(found["batch"].to_pylist(), times, strict=True))
    return [by.get(batch) for batch in range(batches)]
