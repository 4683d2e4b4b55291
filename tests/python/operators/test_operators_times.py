"""Naive times of operators without a query are in the session's zone, in any Spark notation."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from operators.tables import COUNTS, NINE, aggregated, table
from windrow._specs import _zones

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark]

NAIVE = datetime(2025, 1, 1, 9, 0, 1)  # noqa: DTZ001  tests naive times


@pytest.fixture(params=["+02:00", "UTC+2", "Africa/Cairo", "CAT"])
def _two_ahead(request: pytest.FixtureRequest, spark: SparkSession) -> Iterator[None]:
    before = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", request.param)
    yield
    spark.conf.set("spark.sql.session.timeZone", str(before))


@pytest.mark.usefixtures("_two_ahead")
@pytest.mark.parametrize("unit", ["s", "us", "ns"])
def test_a_zone_that_is_an_offset(unit: str) -> None:
    """A session zone that is an offset applies to single rows, tables and watermarks."""
    with aggregated(**COUNTS) as op:
        row: dict[str, Any] = {"symbol": "a", "time": NAIVE, "price": 1.0}
        op.addMessage(row)
        times = pa.array([NAIVE], pa.timestamp(unit))
        op.addMessages(pa.table({"symbol": ["a"], "time": times, "price": [1.0]}))
        op.advanceWatermark("2025-01-01 09:01:00")
        (found,) = op.getResult().to_pylist()
        assert found["n"] == 2
        assert found["window"]["start"] == datetime(2025, 1, 1, 7, tzinfo=UTC)


@pytest.mark.parametrize(
    ("name", "ahead"),
    [("+02:00", 7200), ("-3", -10800), ("GMT+5:30", 19800), ("UTC-01:00:30", -3630), ("Z", 0)],
)
def test_offsets_as_spark_writes_them(name: str, ahead: int) -> None:
    """Offset zones are read with their sign and all parts."""
    zone = _zones.tzinfo_of(name)
    assert isinstance(zone, timezone)
    assert zone.utcoffset(None) == timedelta(seconds=ahead)


@pytest.mark.parametrize(
    ("name", "ahead"), [("JST", 9), ("PST", -8), ("EST", -5), ("UT", 0), ("GMT0", 0)]
)
def test_short_names_of_zones(name: str, ahead: int) -> None:
    """Short zone names have Spark's meaning."""
    assert NAIVE.replace(tzinfo=_zones.tzinfo_of(name)).utcoffset() == timedelta(hours=ahead)


def test_spark_has_the_same_short_names(spark: SparkSession) -> None:
    """Python's short zone names equal Java's, in winter and in summer."""
    jvm: Any = spark._jvm
    java = jvm.java.time
    for name in java.ZoneId.SHORT_IDS:
        zone = _zones.tzinfo_of(name)
        rules = java.ZoneId.of(name, java.ZoneId.SHORT_IDS).getRules()
        for at in (NAIVE, NAIVE.replace(month=7)):
            aware = at.replace(tzinfo=zone)
            instant = java.Instant.ofEpochSecond(int(aware.timestamp()))
            ahead = timedelta(seconds=rules.getOffset(instant).getTotalSeconds())
            assert aware.utcoffset() == ahead, name


@pytest.mark.parametrize(
    ("month", "day", "minute"),
    [
        pytest.param(10, 26, datetime(2025, 10, 26, 0, 30, tzinfo=UTC), id="twice: the earlier"),
        pytest.param(3, 30, datetime(2025, 3, 30, 1, 30, tzinfo=UTC), id="never: as before it"),
    ],
)
@pytest.mark.parametrize("unit", ["s", "us"])
def test_a_time_where_clocks_change(
    spark: SparkSession, month: int, day: int, minute: datetime, unit: str
) -> None:
    """A local time at a clock change is read as Spark reads it, in tables and single rows."""
    before = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "Europe/Berlin")
    try:
        local = datetime(2025, month, day, 2, 30)  # noqa: DTZ001
        (row,) = spark.sql(f"SELECT unix_seconds(timestamp'{local}') AS seconds").collect()
        assert row.seconds == minute.timestamp()
        with aggregated(**COUNTS) as op:
            op.addMessage({"symbol": "a", "time": local, "price": 1.0})
            times = pa.array([local], pa.timestamp(unit))
            op.addMessages(pa.table({"symbol": ["a"], "time": times, "price": [1.0]}))
            op.finish()
            (found,) = op.getResult().to_pylist()
            assert found["n"] == 2
            assert found["window"]["start"] == minute
    finally:
        spark.conf.set("spark.sql.session.timeZone", str(before))


def test_aggregates_read_no_more_than_in_a_query() -> None:
    """Aggregates do not read filtered rows or rows without a time (SEMANTICS R94)."""
    texts = ["sum(100 div n) FILTER (WHERE n <> 0) AS s", "max(1 div m) AS t"]
    schema = "symbol string, time timestamp, n int, m int"
    with aggregated(**{**COUNTS, "aggregates": texts, "schema": schema}) as op:
        op.addMessages(table("symbol time n m", ("a", 1, 4, 1), ("a", 2, 0, 1), ("a", None, 1, 0)))
        op.advanceWatermark(NINE + timedelta(minutes=1))
        (found,) = op.getResult().to_pylist()
        assert (found["s"], found["t"]) == (25, 1)
        assert op.getRejected().num_rows == 1
