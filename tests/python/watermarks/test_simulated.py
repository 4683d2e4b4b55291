"""The test kit simulates idle inputs and partitions with its own clock (SEMANTICS R107)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F

import windrow as wr

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.slow]

SCHEMA = {"orders": "time timestamp, id int", "ships": "time timestamp, id int"}


def pairs(orders: DataFrame, ships: DataFrame) -> wr.JoinOutput:
    """Return orders with shipments, which can be silent for two hours."""
    quiet = wr.EventTimeWatermark("0 seconds", idle="2 hours")
    left = wr.stream(orders, time="time", watermark="0 seconds", name="o").lateness("0 seconds")
    right = wr.stream(ships, time="time", watermark=quiet, name="s").lateness("0 seconds")
    return wr.join(left, right, on="id", within=("0 minutes", "5 minutes"), how="left")


@pytest.mark.parametrize("engine", ["core", pytest.param("query", marks=pytest.mark.full)])
def test_silent_shipments(spark: SparkSession, engine: Any) -> None:
    """Orders of each hour stay alone although no shipment arrives for ten hours."""
    settings: dict[str, Any] = {"schema": SCHEMA, "now": "2025-01-01 09:00:00", "engine": engine}
    with wr.testing.harness(pairs, spark, **settings) as h:
        h.add(("2025-01-01 09:00:00", 1), to="orders")
        h.add(("2025-01-01 09:00:00", 9), to="ships")
        found = []
        for hour in range(10, 20):
            h.advanceProcessingTime(f"2025-01-01 {hour}:00:00")
            h.add((f"2025-01-01 {hour}:00:00", hour), to="orders")
            found.append([row["id"] for row in h.rows()])
    # At 11:00 shipments have been silent for two hours. An order waits for five minutes, so each
    # is alone when the next one has moved the watermark.
    assert found[0] == []
    assert [one for some in found for one in some] == [1, *range(10, 19)]


def beside(orders: DataFrame, ships: DataFrame) -> wr.Output:
    """Return hours of orders and shipments, five minutes behind the clock."""
    clock = wr.ProcessingTimeWatermark("5 minutes")
    left = wr.stream(orders, time="time", key="id", watermark=clock, name="o")
    right = wr.stream(ships, time="time", key="id", watermark=clock, name="s")
    both = wr.cogroup(left, right).lateness("0 seconds").window(wr.Tumbling("1 hour"))
    return both.aggregate(F.count("o.id").alias("orders"), F.count("s.id").alias("ships"))


@pytest.mark.parametrize("engine", ["core", "query"])
def test_a_cogroup_by_the_clock(spark: SparkSession, engine: Any) -> None:
    """The clock completes the hours of a co-group, although one input has no rows (R52)."""
    settings: dict[str, Any] = {"schema": SCHEMA, "now": "2025-01-01 09:00:00", "engine": engine}
    with wr.testing.harness(beside, spark, **settings) as h:
        h.add(("2025-01-01 09:00:00", 1), to="orders")
        h.advanceProcessingTime("2025-01-01 10:04:59")
        assert h.panes() == []
        h.advanceProcessingTime("2025-01-01 10:06:00")
        assert [(p["id"], p["orders"], p["ships"]) for p in h.panes()] == [(1, 1, 0)]
        h.add(("2025-01-01 09:59:00", 1), to="ships")  # by the clock, the hour is over
        h.add(("2025-01-01 11:00:00", 2), to="ships")  # the clock decides, not this row
        h.add(("2025-01-01 10:30:00", 1), to="ships")
        assert h.panes() == []
        (late,) = h.rejected()
        assert (late["reason"], late["message"]["o"]) == ("TOO_LATE", None)
        h.advanceProcessingTime("2025-01-01 11:05:00")
        assert [(p["id"], p["orders"], p["ships"]) for p in h.panes()] == [(1, 0, 1)]


def minutes(rows: DataFrame) -> wr.Output:
    """Return minutes of two partitions, each of which can be silent for a minute."""
    mark = wr.EventTimeWatermark("0 seconds", by="id", partitions=2, idle="1 minute")
    stream = wr.stream(rows, time="time", watermark=mark).lateness("0 seconds")
    return stream.window(wr.Tumbling("1 minute")).aggregate(F.count("*").alias("n"))


@pytest.mark.parametrize("engine", ["core", pytest.param("query", marks=pytest.mark.full)])
def test_a_silent_partition(spark: SparkSession, engine: Any) -> None:
    """The partition that is behind holds the others back, until it has been silent for long."""
    settings: dict[str, Any] = {"now": "2025-01-01 09:00:00", "engine": engine}
    with wr.testing.harness(minutes, spark, schema=SCHEMA["orders"], **settings) as h:
        h.add(("2025-01-01 08:00:10", 1))
        h.add([("2025-01-01 08:30:00", 1), ("2025-01-01 08:00:30", 2)])
        assert h.panes() == []
        h.advanceProcessingTime("2025-01-01 09:00:50")
        h.add(("2025-01-01 08:40:00", 1))
        assert h.panes() == []
        h.advanceProcessingTime("2025-01-01 09:01:00")
        h.add(("2025-01-01 08:50:00", 1))
        h.add(("2025-01-01 08:50:00", 1))
        assert [pane["n"] for pane in h.panes()] == [2, 1, 1]
