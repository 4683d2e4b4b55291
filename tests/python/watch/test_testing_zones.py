"""The harness reads, compares, and shows times in the time zone of the session."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F

import windrow as wr
from windrow._running._settings import having
from windrow.testing import assertSamePanes, harness

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Move this process to a time zone that differs from that of every session."""
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def hours(df: DataFrame) -> wr.Output:
    """Return the count of each hour."""
    windows = wr.stream(df, time="time", watermark="0 seconds").lateness("0 seconds")
    return windows.window(wr.Tumbling("1 hour")).aggregate(F.count("*").alias("n"))


@pytest.mark.usefixtures("elsewhere")
@pytest.mark.parametrize("engine", ["core", "query"])
def test_times_without_a_zone(spark: SparkSession, engine: Any) -> None:
    """Input, expected times, and messages have the same zone, also at a change of the clocks."""
    with (
        having(spark, {"spark.sql.session.timeZone": "Europe/Berlin"}),
        harness(hours, spark, schema="time timestamp", engine=engine) as h,
    ):
        h.add({"time": "2025-07-01 09:10:00"})
        assert "window=[2025-07-01 09:00:00, 2025-07-01 10:00:00)" in str(h.state())
        panes = h.add({"time": "2025-10-26 00:10:00Z"}).finish().panes()
        assert panes[0]["window"]["start"] == datetime(2025, 7, 1, 7, tzinfo=UTC)
        summer = {"window": "2025-07-01 09:00:00"}
        # The hour from 2:00 has come twice; this is the first one.
        autumn = {"window": (datetime(2025, 10, 26, 2), "2025-10-26 01:00:00Z")}  # noqa: DTZ001
        assertSamePanes(panes, [summer, autumn])
        assertSamePanes([one for one in panes if one["n"]], [summer, autumn])
        assert "window=[2025-07-01 09:00:00, 2025-07-01 10:00:00)" in str(panes)
        with pytest.raises(AssertionError) as wrong:
            assertSamePanes(panes[:1], [{"window": "2025-07-01 07:00:00", "n": 1}])
        assert "window: expected '2025-07-01 07:00:00', got [2025-07-01 09:00:00, " in str(
            wrong.value
        )
