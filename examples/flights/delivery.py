"""Run the four queries while the files arrive one by one."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

import windrow as wr
from flights import queries, rows
from flights.files import Batch, deliver
from flights.rows import Answers

WINDROW = {
    "hourly": queries.hourly,
    "three_hours": queries.three_hours,
    "sessions": queries.delay_sessions,
}


@dataclass
class Run:
    """The running queries, their results so far, and the number of the current file."""

    answers: dict[str, Answers]
    spark: Answers
    file: int = 0
    running: dict[str, StreamingQuery] = field(default_factory=dict)

    @property
    def hourly(self) -> Answers:
        """The results of the hourly query."""
        return self.answers["hourly"]

    def metrics(self) -> dict[str, wr.Status]:
        """Return the counts of the Windrow queries."""
        return {name: wr.status(self.running[name]) for name in WINDROW}

    def spark_counter(self) -> int:
        """Return the late rows that Spark counts as dropped, after a partial aggregation."""
        progress = self.running["spark"].recentProgress
        states = [state for batch in progress for state in batch["stateOperators"]]
        return sum(state["numRowsDroppedByWatermark"] for state in states)


@contextmanager
def started(spark: SparkSession, folder: Path) -> Iterator[Run]:
    """Start the queries on an empty folder, and stop them on exit."""
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
    """Deliver each file, and yield it after all queries have processed it.

    Each query first processes the flights of the file, then the watermark that they advanced.
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
