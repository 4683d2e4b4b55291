"""Partial sums of a key fail a query only if a window has them (R94)."""

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


@pytest.mark.parametrize(
    "window",
    [wr.Count(1), wr.Over(rows=1), wr.Over(range="1 second"), wr.Sliding("1 second")],
    ids=str,
)
def test_a_sum_that_no_window_has_does_not_fail(spark: SparkSession, window: wr.WindowKind) -> None:
    """Each window has one row, so two large values of a key never belong to one sum."""
    numbers = [2**62] * 3

    def sums(rows: DataFrame) -> wr.Output:
        windows = wr.stream(rows.withWatermark("t", "0 seconds"), time="t", key="k").window(window)
        if window != wr.Count(1):
            windows = windows.lateness("0 seconds")
        return windows.aggregate(F.sum("n").alias("total"))

    with wr.testing.harness(sums, spark, schema="t timestamp, k string, n bigint") as run:
        for at, n in enumerate(numbers):
            run.add([(START + timedelta(minutes=at), "a", n)])
        if window != wr.Count(1):
            run.finish()
        assert [pane["total"] for pane in run.panes()] == numbers
