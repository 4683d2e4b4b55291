"""Watching a query: ``watch(query)``, ``status(query)``, and a line in a log for each batch."""

from __future__ import annotations

import json
import logging
import re
import signal
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from windrow import _conditions
from windrow._bridge import _gateway, _jar
from windrow._running._query import expect_query, progress
from windrow._specs import _duration
from windrow._specs._columns import is_connect
from windrow._specs._duration import Duration
from windrow._watching._screens import screen
from windrow._watching._status import Status
from windrow.errors import failure, problem
from windrow.figures import BatchProgress, figures, open_after, operators

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.listener import StreamingQueryListener
    from pyspark.sql.streaming.query import StreamingQuery

__all__ = ["BatchProgress", "Status", "logBatches", "publishMetrics", "status", "watch"]


_warned: set[str] = set()  # ids of queries

_CODE = re.compile(r"\[([A-Z][A-Z0-9_]*)\] ")
_FAILED = re.compile(r"^\[STREAM_FAILED\] Query \[.*?\] terminated with exception: ")


def watch(query: StreamingQuery, *, every: Duration = "1 second") -> None:
    """Show what a query does until it ends, or until Ctrl-C, which does not end the query.

    In a terminal and in a notebook figures change in their place; elsewhere each batch is a line.
    What ended the query is shown last. every: how often Spark is asked.

    Errors: SpecError if ``every`` is no duration; WindrowError without rich in a terminal
    (``pip install 'windrow[watch]'``).
    """
    expect_query("watch(query)", query)
    pause = _duration.micros(_duration.canonical(every, f"watch(every={every!r})")) / 1_000_000
    with screen() as show, _interruptible() as interrupt:
        now, new = _look(Status(), query)
        show(now, new)
        while now.isActive and not interrupt.wait(pause):
            now, new = _look(now, query)
            show(now, new)


def status(query: StreamingQuery) -> Status:
    """Return the status of a running or ended query, over the batches that Spark still reports.

    ``print`` shows it in lines, a notebook as a table. A warning reports duplicates that the source
    does not explain, once for each query.
    """
    expect_query("status(query)", query)
    now = _look(Status(), query)[0]
    if now.unexplainedDuplicates and query.id not in _warned:
        _warned.add(query.id)
        text = str(problem("DUPLICATES_NOT_EXPLAINED", count=now.unexplainedDuplicates))
        warnings.warn(text, UserWarning, stacklevel=2)
    return now


def logBatches(
    spark: SparkSession, to: logging.Logger | None = None, *, level: int = logging.INFO
) -> StreamingQueryListener:
    """Write a line of JSON into a log for each micro-batch of the session's windrow queries.

    to: the logger; None: the one called "windrow". A line has ``event`` ("batch") and the fields of
    ``BatchProgress``, ``openWindows`` as far as they are known, times as ISO text; one of a query
    that failed has ``event`` ("failed"), ``id``, ``runId`` and ``error``, at level ERROR. Give the
    listener to ``spark.streams.removeListener`` to end it.
    """
    from pyspark.sql.streaming.listener import StreamingQueryListener

    logger = to or logging.getLogger("windrow")

    class BatchLog(StreamingQueryListener):
        def __init__(self) -> None:
            self._open: dict[str, dict[str, int]] = {}  # by run

        def onQueryStarted(self, event: Any) -> None: ...  # noqa: ANN401

        def onQueryProgress(self, event: Any) -> None:  # noqa: ANN401
            if operators(event.progress):
                batch = figures(event.progress)
                now = open_after(self._open.get(batch.runId, {}), batch)
                self._open[batch.runId] = now
                fields = {**asdict(batch), "openWindows": now}
                del fields["openChange"]
                logger.log(level, "%s", _as_json("batch", fields))

        def onQueryIdle(self, event: Any) -> None: ...  # noqa: ANN401

        def onQueryTerminated(self, event: Any) -> None:  # noqa: ANN401
            self._open.pop(str(event.runId), None)
            if event.exception:
                ids = {"id": str(event.id), "runId": str(event.runId)}
                logger.error("%s", _as_json("failed", {**ids, "error": _first(event.exception)}))

    listener = BatchLog()
    spark.streams.addListener(listener)
    return listener


def publishMetrics(spark: SparkSession) -> None:
    """Show the figures of the session's windrow queries in Spark's metrics system while they run.

    They are gauges ``windrow.<query>.<figure>``, so each of Spark's metrics sinks has them:
    Prometheus, JMX, Graphite. Again does nothing. For a session of Connect it is a setting of the
    server: ``spark.sql.streaming.streamingQueryListeners=windrow.spark.gauges.GaugeListener``.

    Errors: JarNotFoundError; WindrowError for a Connect session.
    """
    if is_connect(spark):
        raise failure("METRICS_ON_CONNECT")
    _jar.check(spark)
    _gateway.publish_metrics(spark)


def _as_json(event: str, fields: dict[str, Any]) -> str:
    def plain(value: object) -> str:
        return value.isoformat() if isinstance(value, datetime) else str(value)

    return json.dumps({"event": event, **fields}, default=plain)


def _look(before: Status, query: StreamingQuery) -> tuple[Status, list[BatchProgress]]:
    """Look at a query again, and give its new batches.

    Whether it is active is asked first: no batch comes after its end.
    """
    active = query.isActive
    now, new = before, []
    for batch in progress(query):
        later = now.after(batch)
        if later is not now and later.last is not None:
            new.append(later.last)
        now = later
    failed = None if active else query.exception()
    error = None if failed is None else _first(str(failed))
    return replace(now, isActive=active, error=error), new


def _first(error: str) -> str:
    """Give what is wrong, without traces and plans.

    It is windrow's own sentence, or what a Python function of the user's raised, or what Spark says
    first.
    """
    said = error.split("\n\nJVM stacktrace:", maxsplit=1)[0].strip().splitlines() or [error]
    for text in said:
        for found in _CODE.finditer(text):
            if found[1] in _conditions.catalogue():
                return text[found.start() :]
    after = [n for n, text in enumerate(said) if "Traceback (most recent call last)" in text][:1]
    raised = [text for n in after for text in said[n + 1 :] if text and text[0] != " "]
    return _FAILED.sub("", (raised or said)[0])


class _Interrupt:
    """Ctrl-C, while one waits at once and else when one waits next: no call of Spark is torn.

    PySpark's own handler would cancel the jobs of the query.
    """

    def __init__(self) -> None:
        """Nobody has asked yet."""
        self._isAsked = self._isWaiting = False

    def __call__(self, *_: object) -> None:
        self._isAsked = True
        if self._isWaiting:
            raise KeyboardInterrupt

    def wait(self, seconds: float) -> bool:
        """Wait; whether one is to end."""
        try:
            self._isWaiting = True
            if not self._isAsked:
                time.sleep(seconds)
        except KeyboardInterrupt:
            self._isAsked = True
        finally:
            self._isWaiting = False
        return self._isAsked


@contextmanager
def _interruptible() -> Iterator[_Interrupt]:
    """Take Ctrl-C; only the main thread can."""
    interrupt = _Interrupt()
    if threading.current_thread() is not threading.main_thread():
        yield interrupt
        return
    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield interrupt
    finally:
        signal.signal(signal.SIGINT, before)
