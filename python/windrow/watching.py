"""Monitor a query: ``watch(query)``, ``status(query)``, and a log line for each micro-batch."""

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
from windrow.errors import SpecError, expect, failure, problem
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
    """Show the progress of a query until it ends or you press Ctrl-C.

    Ctrl-C stops only the display; the query keeps running. In a terminal and in a notebook the
    figures are updated in place; elsewhere each micro-batch prints a line. If the query fails, the
    last line states why.

    Args:
        query: The query, as ``start`` returns it.
        every: How often to ask Spark for progress. The default is ``"1 second"``.

    Raises:
        SpecError: ``every`` is not a duration (``DURATION_NOT_UNDERSTOOD``,
            ``DURATION_WITHOUT_UNIT``) or is not positive (``NOT_POSITIVE``).
        WindrowError: The terminal needs the package rich (``RICH_MISSING``): ``pip install
            'windrow[watch]'``.
        TypeError: ``query`` is not a query.

    Example:
        ``wr.watch(query)`` shows::

            query      minutes, running, batch 3
            read       7 rows, 3 in the last batch
            rejected   2 (INVALID_TIME 1, TOO_LATE 1)
            panes      2 on time, 1 late
            watermark  2025-01-01 09:02:20, 10 s behind the newest event time

    """
    expect_query("watch(query)", query)
    pause = _duration.micros(_duration.canonical(every, f"watch(every={every!r})")) / 1_000_000
    if pause <= 0:
        found = problem("NOT_POSITIVE.DURATION", name="every", value=every)
        raise SpecError.of("watch(...)", [found])
    with screen() as show, _interruptible() as interrupt:
        now, new = _look(Status(), query)
        show(now, new)
        while now.isActive and not interrupt.wait(pause):
            now, new = _look(now, query)
            show(now, new)


def status(query: StreamingQuery) -> Status:
    """Return the status of a running or ended query.

    The counts sum the micro-batches that Spark still reports, which are the last 100. The first
    call for a query with duplicates that its source does not explain issues a warning
    (``DUPLICATES_NOT_EXPLAINED``).

    Args:
        query: The query, as ``start`` returns it.

    Returns:
        The status. ``print`` shows it in a few lines, and a notebook as a table.

    Raises:
        TypeError: ``query`` is not a query.

    Example:
        ::

            status = wr.status(query)
            print(status.read, status.rejected, status.reasons)  # 6 1 {'TOO_LATE': 1}

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
    """Write a JSON line to a log for each micro-batch of Windrow's queries in the session.

    A line has ``event`` (``"batch"``) and the fields of ``BatchProgress``. A query that fails
    writes a line at level ERROR with ``event`` (``"failed"``), ``id``, ``runId``, and ``error``.
    Times are ISO text.

    Args:
        spark: The session.
        to: The logger. None uses the logger ``"windrow"``.
        level: The level of the lines. The default is ``logging.INFO``.

    Returns:
        The listener. Pass it to ``spark.streams.removeListener`` to stop the log.

    Raises:
        TypeError: ``to`` is not a logger, or ``level`` is not an integer.

    Example:
        ``wr.logBatches(spark)`` logs lines such as::

            {"event": "batch", "query": "minutes", "batch": 3, "read": 3, "rejected": 2}

    """
    from pyspark.sql.streaming.listener import StreamingQueryListener

    loggers = (logging.Logger, logging.LoggerAdapter, type(None))
    expect("logBatches(to)", to, *loggers, example="logging.getLogger('alerts')")
    expect("logBatches(level)", level, int, example="logging.INFO")
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
    """Publish the figures of the session's queries to Spark's metrics system.

    The figures are gauges ``windrow.<query>.<figure>``, so each of Spark's metrics sinks receives
    them: Prometheus, JMX, and Graphite. A second call does nothing. For Spark Connect, set
    ``spark.sql.streaming.streamingQueryListeners=windrow.spark.gauges.GaugeListener`` on the
    server.

    Args:
        spark: A classic session.

    Raises:
        WindrowError: The session is one of Spark Connect (``METRICS_ON_CONNECT``).
        JarNotFoundError: The session does not have Windrow's JAR (``JAR_NOT_LOADED``).

    Example:
        ::

            wr.publishMetrics(spark)

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
    """Read the status of a query again, and return its new micro-batches.

    Whether it is active is read first, because no micro-batch follows the end of a query.
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
    """Return the cause of an error, without traces and plans.

    This is Windrow's own sentence, else the error of a user's Python function, else Spark's first
    line.
    """
    lines = error.split("\n\nJVM stacktrace:", maxsplit=1)[0].strip().splitlines() or [error]
    for text in lines:
        for found in _CODE.finditer(text):
            if found[1] in _conditions.catalogue():
                return text[found.start() :]
    after = [n for n, text in enumerate(lines) if "Traceback (most recent call last)" in text][:1]
    raised = [text for n in after for text in lines[n + 1 :] if text and text[0] != " "]
    return _FAILED.sub("", (raised or lines)[0])


class _Interrupt:
    """A handler of Ctrl-C that never interrupts a call to Spark.

    It acts at once during a wait, otherwise at the next wait. PySpark's own handler would cancel
    the jobs of the query.
    """

    def __init__(self) -> None:
        """Start without a request."""
        self._isAsked = self._isWaiting = False

    def __call__(self, *_: object) -> None:
        self._isAsked = True
        if self._isWaiting:
            raise KeyboardInterrupt

    def wait(self, seconds: float) -> bool:
        """Wait, and return whether Ctrl-C was pressed."""
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
    """Handle Ctrl-C, which only the main thread can do."""
    interrupt = _Interrupt()
    if threading.current_thread() is not threading.main_thread():
        yield interrupt
        return
    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield interrupt
    finally:
        signal.signal(signal.SIGINT, before)
