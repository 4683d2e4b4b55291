"""Without other triggers, a window emits its only pane when its lateness ends (R80)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from pyspark.sql import functions as F

import windrow as wr

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

START = datetime(2025, 1, 1, 9)  # noqa: DTZ001  the session's zone is UTC


def last_panes(rows: DataFrame, window: wr.WindowKind, lateness: str | None) -> wr.Output:
    """Return panes without early, on-time, and late triggers."""
    return (
        wr.stream(rows.withWatermark("t", "0 seconds"), time="t", key="k")
        .window(window)
        .lateness(lateness)
        .trigger(onTime=False, late=wr.Never())
        .accumulationMode(wr.ACCUMULATING)
        .aggregate(F.sum("n").alias("total"))
    )


@pytest.mark.parametrize("window", [wr.Session("5 minutes"), wr.Tumbling("5 minutes")], ids=str)
def test_one_pane(spark: SparkSession, window: wr.WindowKind) -> None:
    """A late row is in the only pane, which is emitted 10 minutes after the end."""

    def panes(rows: DataFrame) -> wr.Output:
        return last_panes(rows, window, "10 minutes")

    with wr.testing.harness(panes, spark, schema="t timestamp, k string, n int") as run:
        for minute, n in [(0, 1), (10, 5), (4, 2), (12, 6)]:
            run.add([(START + timedelta(minutes=minute), "a" if n < 5 else "b", n)])
            assert not run.panes()
        run.add([(START + timedelta(minutes=20), "b", 7)])
        assert [(pane["total"], pane["pane"]["timing"]) for pane in run.panes()] == [(3, "LATE")]


@pytest.mark.parametrize("window", [wr.Session("5 minutes"), wr.Tumbling("5 minutes")], ids=str)
def test_none_without_an_end(spark: SparkSession, window: wr.WindowKind) -> None:
    """A window whose lateness does not end would never emit a pane."""
    rows = spark.readStream.format("rate").load().selectExpr("timestamp t", "'a' k", "value n")
    with pytest.raises(wr.SpecError, match="NOTHING_FIRES"):
        assert last_panes(rows, window, None).panes
