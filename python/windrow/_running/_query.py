"""Start one query that writes to several sinks."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from windrow._bridge import _sql
from windrow._running._before import files_of, look, make, of_columns, of_sinks
from windrow._running._ending import Ending, is_stopped
from windrow._running._settings import having
from windrow._running._sinks import BatchWriter, Sink
from windrow._version import __version__
from windrow.errors import SpecProblem, failure, problem

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery
    from pyspark.sql.streaming.readwriter import DataStreamWriter

_NO_DATA = "spark.sql.streaming.noDataMicroBatches.enabled"
_BOUNDED = {"availableNow", "once"}
#: The trigger of queries with periods that set none; Spark would run empty batches back to back.
PACE = {"processingTime": "1 second"}
#: The progress of the run before, by the id of the run that completes windows, while it is in use.
_BEFORE: dict[str, list[Any]] = {}


def start(
    output: DataFrame,
    sinks: Mapping[str, Sink | None],
    *,
    checkpoint: str | PathLike[str],
    availableNow: bool,
    processingTime: str | None,
    name: str | None,
    drain: bool,
    wrong: Sequence[SpecProblem] = (),
) -> StreamingQuery:
    """Write each kind of rows of ``output`` to its sink; rows with the sink None are only counted.

    A query with a period, of its own or of an earlier operator, runs micro-batches without data. It
    runs them at a pace if it has no trigger, and ``availableNow`` does not wait for them. With
    ``drain`` the query runs to the end of the available data, and once more to complete every
    window; if it is stopped before, the first run is returned. A start that fails leaves nothing
    behind.

    wrong: the problems that the caller has found.

    Raises:
        SpecError: With every problem that can be known before the first micro-batch.
        CheckpointError: The checkpoint was started with settings that may not change.

    """
    spark = output.sparkSession
    stated = {kind: sink for kind, sink in sinks.items() if sink is not None}
    trigger = _trigger(availableNow, processingTime)
    found = [
        *wrong,
        *of_sinks(stated),
        *of_columns(output, stated),
        *_of_trigger(availableNow, processingTime),
    ]
    if not stated:
        found.append(problem("SINK_NOT_STATED", outputs="=, ".join(sinks)))
    if not output.isStreaming:
        found.append(problem("NOT_STREAMING.INPUT", output=next(iter(sinks))))
    if drain and not found and not trigger.get("availableNow"):
        found.append(problem("DRAIN_WITHOUT_END", trigger=trigger or "not set"))
    checkpoint = fspath(checkpoint)
    files = files_of(stated)
    looked = look(output, stated, checkpoint, found, drain=drain, name=name)
    trigger = trigger or (dict(PACE) if looked.has_periods else {})
    ends_with_data = looked.has_periods and not trigger.keys().isdisjoint(_BOUNDED)
    made: list[str] = []
    try:
        make(output, stated, made)
        query = _sql.claim(spark, checkpoint, files, drain=str(drain).lower()) or ""

        def run(frame: DataFrame, trigger: Mapping[str, Any]) -> StreamingQuery:
            writer = frame.writeStream.option("checkpointLocation", checkpoint)
            if name is not None:
                writer = writer.queryName(name)
            if trigger:
                writer = writer.trigger(**trigger)
            with _sql.plain_errors(), _ending_with_data(spark, ends_with_data):
                return _begun(writer.foreachBatch(BatchWriter(stated, query, checkpoint)))

        return _to_end(output, checkpoint, run, trigger) if drain else run(output, trigger)
    except BaseException:
        with suppress(Exception):
            if _sql.claim(spark, checkpoint, files, missing=looked.missing) is not None:
                for table in made:
                    spark.sql(f"DROP TABLE IF EXISTS IDENTIFIER({_sql.text(table)})")
        raise


def _to_end(
    output: DataFrame,
    checkpoint: str,
    run: Callable[[DataFrame, Mapping[str, Any]], StreamingQuery],
    trigger: Mapping[str, Any],
) -> StreamingQuery:
    ending = Ending.create(output.sparkSession, checkpoint)
    ended = _sql.until(output, ending.folder)
    before: list[Any] = []
    if not ending.is_signaled():  # availableNow reads only data that exists at the start
        first = run(ended, trigger)
        first.awaitTermination()
        if is_stopped(output.sparkSession, checkpoint):
            return first
        before = list(first.recentProgress)
        ending.signal()
    # This batch contains the data that has arrived since, whatever the limit of a source.
    last = run(ended, {"once": True})
    _BEFORE[last.runId] = before
    weakref.finalize(last, _BEFORE.pop, last.runId, None)
    return last


def expect_query(call: str, value: object) -> None:
    """Raise TypeError for a value that is not a query, before it is asked for progress."""
    if not hasattr(value, "recentProgress"):
        msg = f"{call} needs a StreamingQuery, as start(...) returns it, not {value!r}."
        raise TypeError(msg)


def progress(query: StreamingQuery) -> list[Any]:
    """Return the progress that Spark still reports, of both parts of a drained run."""
    return [*_BEFORE.get(query.runId, []), *query.recentProgress]


def _begun(writer: DataStreamWriter) -> StreamingQuery:
    """Start the query.

    Raises:
        WindrowError: The Connect server cannot write the rows, because it lacks the package.

    """
    try:
        return writer.start()
    except Exception as failed:
        if "No module named 'windrow'" in str(failed):
            raise failure("SERVER_WITHOUT_WINDROW", version=__version__) from None
        raise


def _trigger(availableNow: object, processingTime: object) -> dict[str, Any]:
    """Return the arguments of ``DataStreamWriter.trigger``; empty for back-to-back batches."""
    if availableNow:
        return {"availableNow": True}
    return {} if processingTime is None else {"processingTime": processingTime}


def _of_trigger(availableNow: object, processingTime: object) -> Iterator[SpecProblem]:
    is_pace = isinstance(processingTime, str) and bool(processingTime)
    if not isinstance(availableNow, bool) or not (processingTime is None or is_pace):
        yield problem("START_TRIGGER_NOT_UNDERSTOOD.TYPE")
    elif availableNow and processingTime is not None:
        yield problem("START_TRIGGER_NOT_UNDERSTOOD.BOTH")


def _ending_with_data(spark: SparkSession, needed: bool) -> AbstractContextManager[None]:  # noqa: FBT001
    """Prevent micro-batches without data in a query that would otherwise never end.

    A query that does not need this waits for the lock too; otherwise it could start with the
    setting of another query.
    """
    return having(spark, {_NO_DATA: "false"} if needed else {})
