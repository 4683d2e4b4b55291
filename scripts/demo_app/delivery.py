"""Runs the four queries while the files arrive one by one."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

import windrow as wr
from demo_app import queries, rows
from demo_app.files import Batch, deliver
from demo_app.rows import Answers

WINDROW = {
    "hourly": queries.hourly,
    "three_hours": queries.three_hours,
    "sessions": queries.delay_sessions,
}


@dataclass
class Run:
    """The queries at work, what they have answered, and the file that they are at."""

    answers: dict[str, Answers]
    spark: Answers
    file: int = 0
    running: dict[str, StreamingQuery] = field(default_factory=dict)

    @property
    def hourly(self) -> Answers:
        """The answers of the hourly query."""
        return self.answers["hourly"]

    def metrics(self) -> dict[str, wr.Status]:
        """The counts of windrow's queries."""
        return {name: wr.status(self.running[name]) for name in WINDROW}

    def spark_counter(self) -> int:
        """Rows that Spark says it dropped as late (it counts after a first aggregation)."""
        progress = self.running["spark"].recentProgress
        states = [state for batch in progress for state in batch["stateOperators"]]
        return sum(state["numRowsDroppedByWatermark"] for state in states)


@contextmanager
def started(spark: SparkSession, folder: Path) -> Iterator[Run]:
    """Start the queries on an empty folder; stop them at the end."""
    arriving, checkpoints = folder / "arriving", folder / "checkpoints"
    for path in (arriving, checkpoints):
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir(parents=True)
    flights = queries.departures(spark, arriving)
    run = Run({name: Answers() for name in WINDROW}, Answers())
    try:
        for name, ask in WINDROW.items():
            run.running[name] = _start(ask(flights), run, run.answers[name], checkpoints / name)
        own = queries.spark_hourly(flights).writeStream
        own = own.option("checkpointLocation", str(checkpoints / "spark"))
        run.running["spark"] = own.foreachBatch(_panes_to(run, run.spark)).start()
        yield run
    finally:
        for query in run.running.values():
            query.stop()


def feed(run: Run, batches: list[Batch], folder: Path) -> Iterator[Batch]:
    """Deliver each file, and give it back once all queries are done with it.

    Each query first answers for the file's flights, then for the watermark that they moved.
    """
    for batch in batches:
        run.file = batch.number
        deliver(batch, folder / "arriving")
        for query in run.running.values():
            query.processAllAvailable()
        yield batch


def _start(output: wr.Output, run: Run, answers: Answers, checkpoint: Path) -> StreamingQuery:
    def rejected(batch: DataFrame, _: int) -> None:
        answers.rejected += rows.rejected(batch.collect(), run.file)

    return output.start(
        panes=_panes_to(run, answers), rejected=rejected, checkpoint=str(checkpoint)
    )


def _panes_to(run: Run, answers: Answers) -> Callable[[DataFrame, int], None]:
    def panes(batch: DataFrame, _: int) -> None:
        answers.panes += rows.panes(batch.collect(), run.file)

    return panes
