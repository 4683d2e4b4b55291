"""Real queries are watched in a pipe, by a log, and in Spark's metrics system (SEMANTICS R74)."""

from __future__ import annotations

import json
import logging
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F

import windrow as wr
from feed import NOTHING, Feed, order
from windrow._running._settings import having
from windrow.figures import figures

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

ON_TIME = ([order("09:00:10"), order("09:00:40")], [order("09:01:30")], [order("09:02:30")])
LATE = [order("09:00:50"), order("07:00:00"), order(None)]


@pytest.fixture(autouse=True)
def small(spark: SparkSession) -> Iterator[None]:
    """Use few shards."""
    spark.conf.set("spark.windrow.shards", "2")
    yield
    spark.conf.unset("spark.windrow.shards")


def minutes(feed: Feed) -> wr.Output:
    """Return counts of each minute, which are corrected for ten more minutes."""
    stream = wr.stream(feed.stream(), time="time", key="product", watermark="10 seconds")
    windows = stream.lateness("10 minutes").window(wr.Tumbling("1 minute"))
    return windows.accumulationMode(wr.ACCUMULATING).aggregate(F.count("*").alias("n"))


def nowhere(*_: object) -> None:
    """Discard the rows."""


@contextmanager
def listened(spark: SparkSession, logger: logging.Logger) -> Iterator[None]:
    """Log batches within the context."""
    listener = wr.logBatches(spark, logger)
    try:
        yield
    finally:
        spark.streams.removeListener(listener)


def heard(spark: SparkSession) -> None:
    """Wait until listeners have received all events."""
    spark._jsparkSession.sparkContext().listenerBus().waitUntilEmpty()


def gauges(spark: SparkSession) -> dict[str, int]:
    """Return Windrow's gauges in one of Spark's metric sinks, here JMX."""
    jvm: Any = spark._jvm
    gateway: Any = spark.sparkContext._gateway
    server = jvm.java.lang.management.ManagementFactory.getPlatformMBeanServer()
    of = jvm.java.lang.Class.forName("javax.management.MBeanServer")

    def call(method: str, *given: object) -> Any:
        """Call a method through its interface, because Py4J does not see the server's own class."""
        [found] = [one for one in of.getMethods() if one.getName() == method]
        arguments = gateway.new_array(jvm.java.lang.Object, len(given))
        for number, value in enumerate(given):
            arguments[number] = value
        return found.invoke(server, arguments)

    names = call("queryNames", jvm.javax.management.ObjectName("metrics:*"), None)
    found = {name.getKeyProperty("name").partition(".driver.windrow.")[2]: name for name in names}
    return {own: call("getAttribute", name, "Value") for own, name in found.items() if own}


@pytest.mark.anywhere
def test_a_running_query(
    feed: Feed, tmp_path: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    """Ctrl-C ends only the watching; log and gauges match the progress until the query ends."""
    spark = feed.spark
    logger = logging.getLogger("test of windrow")
    wr.publishMetrics(spark)
    wr.publishMetrics(spark)
    query = minutes(feed.add(*ON_TIME)).start(
        panes=nowhere, checkpoint=tmp_path / "c", name="a.b minutes"
    )
    with caplog.at_level(logging.INFO, logger.name), listened(spark, logger):
        try:
            query.processAllAvailable()
            threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
            wr.watch(query, every="10 ms")
            feed.add(LATE)
            query.processAllAvailable()
            heard(spark)
            shown = gauges(spark)
            seen = wr.status(query)
            assert seen.isActive
        finally:
            query.stop()
        heard(spark)
    assert seen.last is not None
    assert seen.last.reasons == {"INVALID_TIME": 1, "TOO_LATE": 1}
    said = capsys.readouterr().out.splitlines()
    assert [f" a.b minutes batch {n}: " in line for n, line in enumerate(said[:4])] == [True] * 4
    assert "ended" not in said

    own = {name.removeprefix("a_b_minutes."): value for name, value in shown.items()}
    assert "minutes" not in "".join(own)
    assert (own["read"], own["on_time"], own["late"], own["too_late"]) == (7, 2, 1, 1)
    assert own["batch"] == seen.last.batch
    assert own["open_windows"] == sum(seen.openWindows.values()) == 3
    assert own["state_bytes"] == seen.stateBytes >= seen.last.stateBytes
    assert seen.behind is not None
    assert own["behind_ms"] == seen.behind.total_seconds() * 1000
    assert gauges(spark) == {}

    logged = [json.loads(record.message) for record in caplog.records]
    batches = {one["batch"]: one for one in logged if one["event"] == "batch"}
    last = batches[seen.last.batch]
    assert last["reasons"] == seen.last.reasons
    assert last["openWindows"] == seen.openWindows
    assert last["watermark"] == "2025-01-01T09:02:20+00:00"


def test_before_there_is_a_watermark(feed: Feed, tmp_path: Path) -> None:
    """A watermark of 1970 from Spark is not shown as a lag (SEMANTICS R70)."""
    wr.publishMetrics(feed.spark)
    with having(feed.spark, {"spark.sql.streaming.noDataMicroBatches.enabled": "false"}):
        query = minutes(feed.add([order("09:00:00")])).start(
            panes=nowhere, checkpoint=tmp_path / "c", name="none"
        )
    try:
        query.processAllAvailable()
        heard(feed.spark)
        shown = gauges(feed.spark)
        seen = wr.status(query)
    finally:
        query.stop()
    assert [shown[f"none.{name}"] for name in ("read", "watermark_ms", "behind_ms")] == [1, 0, 0]
    assert seen.last is not None
    assert (seen.last.watermark, seen.behind) == (None, None)


def test_a_failing_query(
    feed: Feed, tmp_path: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    """Watching a failed query ends with its error, which is also logged."""

    def broken(*_: object) -> None:
        msg = "the sink is away"
        raise OSError(msg)

    logger = logging.getLogger("test of windrow")
    with caplog.at_level(logging.INFO, logger.name), listened(feed.spark, logger):
        query = minutes(feed.add(*ON_TIME)).start(panes=broken, checkpoint=tmp_path / "c")
        wr.watch(query, every="10 ms")
        heard(feed.spark)
    assert capsys.readouterr().out.splitlines()[-1] == "OSError: the sink is away"
    failed = json.loads(caplog.records[-1].message)
    assert (failed["event"], failed["error"]) == ("failed", "OSError: the sink is away")
    assert failed["runId"] == str(query.runId)


@pytest.mark.slow
def test_panes_are_counted_by_timing(feed: Feed, tmp_path: Path) -> None:
    """Panes are counted by timing and retraction, and match the rows of each (SEMANTICS R74)."""
    feed.add([order("09:00:00"), order("09:20:00")], [order("09:45:00")], NOTHING)
    feed.add([order("09:10:00")], [order("09:50:00", "b")])
    stream = wr.stream(feed.stream(), time="time", key="product", watermark="0 seconds")
    sessions = stream.lateness("2 hours").window(wr.Session("15 minutes"))
    firing = sessions.trigger(early=wr.EachBatch()).accumulationMode(wr.ACCUMULATING_AND_RETRACTING)
    rows: list[Any] = []
    query = firing.aggregate(F.count("*")).start(
        panes=lambda panes, _: rows.extend(panes.collect()),
        checkpoint=tmp_path / "c",
        availableNow=True,
    )
    query.awaitTermination()
    of = [row.pane for row in rows]
    fired = [pane.timing for pane in of if not pane.is_retraction]
    totals = wr.status(query).totals
    assert totals["early"] == fired.count("EARLY") > 0
    assert totals["onTime"] == fired.count("ON_TIME") > 0
    assert totals["late"] == fired.count("LATE") > 0
    assert totals["withdrawn"] == len(of) - len(fired) > 0
    assert totals["panes"] == len(of)
    last = figures(query.recentProgress[-1])
    assert last.panes == last.early + last.onTime + last.late + last.withdrawn


@pytest.mark.parametrize("name", ["watch", "status"])
def test_arguments_that_are_not_queries(name: str) -> None:
    """An argument that is not a query raises a TypeError that names the expected type."""
    with pytest.raises(TypeError, match=rf"{name}\(query\) needs a StreamingQuery.*'x'"):
        getattr(wr, name)("x")


def test_memory_over_snapshots(feed: Feed, tmp_path: Path) -> None:
    """Spark reports little memory after a snapshot; the status has the memory before it (R74)."""
    feed.add(*([order(f"09:0{n}:10", f"{key}") for key in range(200)] for n in range(5)))
    with having(feed.spark, {"spark.sql.streaming.stateStore.minDeltasForSnapshot": "2"}):
        query = minutes(feed).start(panes=nowhere, checkpoint=tmp_path / "c")
        try:
            query.processAllAvailable()
            batches = query.recentProgress
        finally:
            query.stop()
    reported, shown, status = [], [], wr.Status()
    for batch in batches[1:5]:  # the last one has no rows
        status = status.after(batch)
        reported.append(figures(batch).stateBytes)
        shown.append(status.stateBytes)
    assert min(reported) < 100_000
    assert min(shown) > 1_000_000, reported
