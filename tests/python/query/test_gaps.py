"""``fillGaps`` in queries: silent keys, calendars, and downstream operators (SEMANTICS R3)."""

from __future__ import annotations

import os
import random
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F

import windrow as wr
from windrow.testing import harness

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pyspark.sql import DataFrame, SparkSession

    Silence = bool | str

pytestmark = [pytest.mark.spark, pytest.mark.slow]

FULL = os.environ.get("WINDROW_MODE") == "full"
SCHEMA = "time timestamp, sensor string, temp double"
START = datetime(2025, 1, 1, 9, tzinfo=UTC)

#: The number of windows of a kind that contain each upstream pane; None: it varies.
KINDS: Mapping[str, tuple[wr.WindowKind, int | None]] = {
    "tumbling": (wr.Tumbling("10 minutes"), 1),
    "hopping": (wr.Hopping("10 minutes", step="5 minutes"), 2),
    "over": (wr.Over(rows=1), 1),
    "over a range": (wr.Over(range="10 minutes"), None),
    "sliding": (wr.Sliding("3 minutes"), None),
    "session": (wr.Session("90 seconds"), 1),
    "inherit": (wr.Inherit(), 1),
    "calendar": (wr.Tumbling("1 day", zone="Europe/Berlin"), 1),
}


def minutes(readings: DataFrame, silence: Silence) -> wr.Output:
    """Count the readings of each sensor and minute."""
    stream = wr.stream(
        readings, time="time", key="sensor", watermark="0 seconds", name="minutes"
    ).lateness("0 seconds")
    windows = stream.window(wr.Tumbling("1 minute"), fillGaps=silence)
    return windows.aggregate(F.count("*").alias("n"), F.max("temp").alias("temp"))


def above(kind: str, silence: Silence) -> Callable[[DataFrame], wr.Output]:
    """Return a pipeline that counts the panes of ``minutes`` in windows of another kind."""

    def chained(readings: DataFrame) -> wr.Output:
        panes = minutes(readings, silence).panes
        key: dict[str, Any] = {} if kind == "inherit" else {"key": "sensor"}
        stream = wr.stream(panes, name="above", **key).lateness("0 seconds")
        mode = wr.ACCUMULATING_AND_RETRACTING
        windows = stream.window(KINDS[kind][0]).accumulationMode(mode)
        last = F.last("temp", ignorenulls=True).alias("temp")
        return windows.aggregate(F.count("*").alias("panes"), F.sum("n").alias("n"), last)

    return chained


def readings(seed: int) -> list[list[tuple[datetime, str, float]]]:
    """Draw ordered readings of sensors that pause and resume, with jumps of the watermark."""
    draw = random.Random(seed)  # noqa: S311  no secret
    at, batches = START, []
    for number in range(8):
        batch = []
        for _ in range(draw.randrange(1, 4)):
            at += timedelta(seconds=draw.choice((5, 20, 70, 400)))
            batch.append((at, draw.choice("ab" if number % 4 else "abc"), float(number)))
        batches.append(batch)
    return batches


def ran(
    spark: SparkSession, pipeline: Callable[[DataFrame], wr.Output], seed: int, **how: Any
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the panes and the rejected rows."""
    with harness(pipeline, spark, schema=SCHEMA, **how) as h:
        for number, batch in enumerate(readings(seed)):
            h.add(batch)
            if number % 3 == 2:
                h.restart()
        h.finish()
        return list(h.panes()), list(h.rejected())


@cache
def of_minutes(
    spark: SparkSession, silence: Silence, seed: int
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the output of the upstream windows alone."""
    return ran(spark, lambda df: minutes(df, silence), seed)


@pytest.mark.parametrize(
    ("kind", "silence"),
    [
        pytest.param(kind, silence, marks=[pytest.mark.full] if (i + j) % 2 else [])
        for i, kind in enumerate(KINDS)
        for j, silence in enumerate([True, "5 minutes"])
    ],
)
def test_nothing_above_rejects_a_gap(spark: SparkSession, kind: str, silence: Silence) -> None:
    """With lateness 0 everywhere, the downstream windows accept each upstream pane."""
    for seed in range(3 if FULL else 1):
        below, none = of_minutes(spark, silence, seed)
        panes, rejected = ran(spark, above(kind, silence), seed)
        assert none == rejected == []
        assert any(pane["n"] == 0 for pane in below)
        assert not any(pane["pane"]["is_retraction"] for pane in panes)
        times, each = KINDS[kind][1], sum(pane["panes"] for pane in panes)
        if times is not None:
            assert each == times * len(below)
            assert sum(pane["n"] for pane in panes) == times * sum(pane["n"] for pane in below)
        else:
            assert len(panes) >= len(below)


@pytest.mark.anywhere
def test_the_last_temperature_is_carried_on(spark: SparkSession) -> None:
    """A silent sensor keeps its value within the range, on the core and in a real query."""
    for engine in ("core", "query") if FULL else ("core",):
        with harness(above("over a range", True), spark, schema=SCHEMA, engine=engine) as h:
            h.add([("2025-01-01 09:00:10", "c", 1.0), ("2025-01-01 09:00:20", "a", 2.0)])
            for minute in range(5, 25, 5):
                h.add((f"2025-01-01 09:{minute:02}:30", "a", 2.0))
            h.add(("2025-01-01 09:21:10", "c", 3.0)).add(("2025-01-01 09:23:00", "a", 2.0))
            carried = [pane["temp"] for pane in h.panes() if pane["sensor"] == "c"]
            assert h.rejected() == []
            assert carried == [1.0] * 11 + [None] * 10 + [3.0] * 2


@pytest.mark.anywhere
def test_sql_accepts_the_arguments_of_python(spark: SparkSession) -> None:
    """SQL accepts true, a text and an interval for ``fill_gaps``; other values are an error."""
    times = ("09:00:10", "09:04:20")
    rows = ", ".join(f"('c', timestamp'2025-01-01 {time}')" for time in times)
    table = f"TABLE(SELECT sensor, count(*) AS n FROM VALUES {rows} AS t(sensor, time) GROUP BY 1)"  # noqa: S608
    call = f"{table}, time => 'time', size => '1 minute', lateness => '0 seconds'"

    def counts(fills: str) -> list[int]:
        query = f"SELECT * FROM windrow_tumble({call}, fill_gaps => {fills})"  # noqa: S608
        return [row.n for row in sorted(spark.sql(query).collect(), key=lambda row: row.window)]

    assert counts("false") == [1, 1]
    assert counts("true") == [1, 0, 0, 0, 1]
    assert counts("'2 minutes'") == counts("INTERVAL '2' MINUTE") == [1, 0, 0, 1]
    with pytest.raises(Exception, match=r"FILL_GAPS_NOT_UNDERSTOOD.*'30 days'"):
        counts("'yes'")
    with pytest.raises(Exception, match=r"FILL_GAPS_TOO_SHORT.*'1 minute'"):
        counts("'30 seconds'")
