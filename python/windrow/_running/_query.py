"""Start one query that writes to several sinks."""

from __future__ import annotations

import re
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, suppress
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Literal

from windrow._bridge import _sql
from windrow._running._settings import having
from windrow._running._sinks import Sink, problems_of_sinks, sinks_json
from windrow._specs import _duration
from windrow.errors import SpecError, SpecProblem, WindrowError, expect, problem, problems_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

_NO_DATA = "spark.sql.streaming.noDataMicroBatches.enabled"
_BOUNDED = {"availableNow", "once"}
_FRACTION = re.compile(r"(\d+\.\d+) seconds?", re.IGNORECASE)
#: The trigger of queries with periods that set none; Spark would run empty batches back to back.
PACE = {"processingTime": "1 second"}
#: The progress of the run before, by the id of the run that completes windows, while it is in use.
_BEFORE: dict[str, list[Any]] = {}


def start(
    part: Callable[[Literal["accepted", "all"]], DataFrame],
    sinks: Mapping[str, Sink | None],
    *,
    checkpoint: str | PathLike[str],
    availableNow: bool,
    processingTime: str | None,
    name: str | None,
    drain: bool,
    panes: Mapping[str, str] | None = None,
) -> StreamingQuery:
    """Write each kind of rows to its sink; rows with the sink None are only counted.

    A query with a period, of its own or of an earlier operator, runs micro-batches without data. It
    runs them at a pace if it has no trigger, and ``availableNow`` does not wait for them. With
    ``drain`` the query runs to the end of the available data, and once more to complete every
    window; if it is stopped before, the first run is returned. A start that fails leaves nothing
    behind.

    part: plans the output again, because settings of the session may have changed. Without a sink
    for rejected rows, the query does not emit them.

    panes: the properties of panes that decide whether a table can keep the last one of a window.

    Raises:
        SpecError: With every problem that can be known before the first micro-batch.
        CheckpointError: The checkpoint was started with settings that may not change.

    """
    expect("start(name=...)", name, str, type(None), example="'minutes'")
    output = part("accepted" if sinks["rejected"] is None else "all")
    spark = output.sparkSession
    stated = {kind: sink for kind, sink in sinks.items() if sink is not None}
    trigger = _trigger(availableNow, processingTime)
    found = [*problems_of_sinks(stated), *_of_trigger(availableNow, processingTime, drain=drain)]
    if drain and not found and not trigger.get("availableNow"):
        found.append(problem("DRAIN_WITHOUT_END", trigger=trigger or "not set"))
    checkpoint = fspath(checkpoint)
    tables = output, _sql.sinks_table(spark, sinks_json(sinks))
    options = {"checkpoint": checkpoint, "drain": str(drain is True).lower()}
    named = {} if name is None else {"name": name}
    looked = _look(tables, found, {**options, **named, **(panes or {})})
    trigger = trigger or (dict(PACE) if looked.has_periods else {})
    ends_with_data = looked.has_periods and not trigger.keys().isdisjoint(_BOUNDED)
    try:
        query = _sql.claim(tables, **options)

        def run(frame: DataFrame, trigger: Mapping[str, Any]) -> StreamingQuery:
            writer = frame.writeStream.option("checkpointLocation", checkpoint)
            if name is not None:
                writer = writer.queryName(name)
            if trigger:
                writer = writer.trigger(**trigger)
            if any(callable(sink) for sink in stated.values()):
                writer = writer.foreachBatch(_writing(stated, query, checkpoint))
            else:
                option = sinks_json(stated, query, checkpoint)
                writer = writer.format("windrow").option("windrow.secret", option)
            with _sql.plain_errors(), _ending_with_data(spark, ends_with_data):
                return writer.start()

        return _to_end(output, checkpoint, run, trigger) if drain else run(output, trigger)
    except BaseException:
        with suppress(Exception):
            _sql.claim(tables, checkpoint=checkpoint, missing=looked.missing)
        raise


def _look(
    tables: tuple[DataFrame, DataFrame], found: list[SpecProblem], options: Mapping[str, str]
) -> _sql.Looked:
    """Check the query, its checkpoint, and its sinks, and report the problems found before too."""
    try:
        looked = _sql.continues(tables, **options)
    except WindrowError as refused:
        if not found:
            raise
        found += problems_of(refused)
    if found:
        raise SpecError.of("start(...)", list(dict.fromkeys(found)))
    return looked


def _writing(
    sinks: Mapping[str, Sink], query: str, checkpoint: str
) -> Callable[[DataFrame, int], None]:
    """Return a function that writes micro-batches if a sink is a function.

    Scala writes to the other sinks. A Connect server unpickles the function without this package,
    so it uses only its own variables and builtins.
    """
    functions = {kind: sink for kind, sink in sinks.items() if callable(sink)}
    others = {kind: sink for kind, sink in sinks.items() if kind not in functions}
    option = sinks_json(others, query, checkpoint)
    is_first = True

    def write(batch: DataFrame, number: int) -> None:
        nonlocal is_first
        batch.persist()
        try:
            # This also reads all partitions, of which a function may read only some.
            writer = batch.write.format("windrow").option("windrow.secret", option).mode("append")
            writer.option("windrow.batch", number).option("windrow.first", is_first).save()
            for kind, function in functions.items():
                function(batch.where(f"kind = '{kind}'").select(f"{kind}.*"), number)
            is_first = False
        finally:
            batch.unpersist()

    write.__module__ = "__main__"  # so that it is pickled by value
    return write


def _to_end(
    output: DataFrame,
    checkpoint: str,
    run: Callable[[DataFrame, Mapping[str, Any]], StreamingQuery],
    trigger: Mapping[str, Any],
) -> StreamingQuery:
    folder, is_signaled = _sql.end(output, checkpoint)
    ended = _sql.until(output, folder)
    before: list[Any] = []
    if not is_signaled:  # availableNow reads only data that exists at the start
        first = run(ended, trigger)
        first.awaitTermination()
        before = list(first.recentProgress)
        _, is_signaled = _sql.end(output, checkpoint, signal="true")
        if not is_signaled:  # the run was stopped
            return first
    # This batch contains the data that has arrived since, whatever the limit of a source.
    last = run(ended, {"once": True})
    _BEFORE[last.runId] = before
    weakref.finalize(last, _BEFORE.pop, last.runId, None)
    return last


def expect_query(call: str, value: object, instead: str = "") -> None:
    """Raise TypeError for a value that is not a query, before it is asked for progress.

    instead: what else is allowed, for example ``the folder of a checkpoint or ``.
    """
    if not hasattr(value, "recentProgress"):
        msg = f"{call} needs {instead}a StreamingQuery, as start(...) returns it, not {value!r}."
        raise TypeError(msg)


def progress(query: StreamingQuery) -> list[Any]:
    """Return the progress that Spark still reports, of both parts of a drained run."""
    return [*_BEFORE.get(query.runId, []), *query.recentProgress]


def _trigger(availableNow: object, processingTime: object) -> dict[str, Any]:
    """Return the arguments of ``DataStreamWriter.trigger``; empty for back-to-back batches."""
    if availableNow:
        return {"availableNow": True}
    if processingTime is None:
        return {}
    micros = _pace(processingTime)  # Spark does not know units such as "s" and "min"
    return {"processingTime": _duration.show(micros) if isinstance(micros, int) else processingTime}


def _pace(text: object) -> int | SpecProblem:
    """Return the microseconds between micro-batches. As in Spark, seconds can have a fraction."""
    parts = _FRACTION.fullmatch(text) if isinstance(text, str) else None
    return round(float(parts[1]) * 1_000_000) if parts else _duration.read(text)


def _of_trigger(
    availableNow: object, processingTime: object, *, drain: object = False
) -> Iterator[SpecProblem]:
    is_pace = isinstance(processingTime, str) and bool(processingTime)
    is_known = isinstance(availableNow, bool) and isinstance(drain, bool)
    if not is_known or not (processingTime is None or is_pace):
        yield problem("START_TRIGGER_NOT_UNDERSTOOD.TYPE")
    elif availableNow and processingTime is not None:
        yield problem("START_TRIGGER_NOT_UNDERSTOOD.BOTH")
    elif processingTime is not None:
        micros = _pace(processingTime)
        if isinstance(micros, SpecProblem):
            yield micros._of("processingTime")
        elif micros < 0:
            yield problem("START_TRIGGER_NOT_UNDERSTOOD.NEGATIVE", value=processingTime)


def _ending_with_data(spark: SparkSession, needed: bool) -> AbstractContextManager[None]:  # noqa: FBT001
    """Prevent micro-batches without data in a query that would otherwise never end.

    A query that does not need this waits for the lock too; otherwise it could start with the
    setting of another query.
    """
    return having(spark, {_NO_DATA: "false"} if needed else {})
