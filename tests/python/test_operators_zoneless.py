"""Naive times of operators without a query: as they stand without a zone, else of the session's."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

import windrow as wr
from operators import counts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("_berlin")]

NAIVE = datetime(2025, 1, 1, 9, 0, 1)  # noqa: DTZ001  what these tests are of


@pytest.fixture
def _berlin(spark: SparkSession) -> Iterator[None]:
    before = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "Europe/Berlin")
    yield
    spark.conf.set("spark.sql.session.timeZone", str(before))


def test_times_without_zone() -> None:
    """Watermarks and questions say them as messages do."""
    schema = "symbol string, time timestamp_ntz"
    with wr.AggregatedWindowOperator(counts(schema=schema)) as op:
        op.addMessage({"symbol": "a", "time": NAIVE})
        op.advanceWatermark("2025-01-01 09:01:00")
        assert op.getResult().num_rows == 1
    spec = wr.WindowOperatorSpec(
        schema=schema,
        time="time",
        key="symbol",
        window=wr.Tumbling("1 minute"),
        lateness="0 seconds",
        retention=wr.Retention(time="1 hour"),
    )
    with wr.FullStateWindowOperator(spec) as kept:
        kept.addMessage({"symbol": "a", "time": NAIVE})
        minute = ("2025-01-01 09:00:00", "2025-01-01 09:00:59")
        assert kept.getMessages(*minute).num_rows == 1
        assert kept.getWindows(*minute).num_rows == 1
        assert kept.getWindow({"symbol": "a"}, minute[0]).num_rows == 1


@pytest.mark.parametrize("whole", [True, False])
def test_times_inside_a_struct(*, whole: bool) -> None:
    """They are of the session's zone, as those of a column are."""
    schema = "symbol string, o struct<time: timestamp, v: bigint>"
    with wr.AggregatedWindowOperator(counts(schema=schema, time="o.time")) as op:
        message: dict[str, Any] = {"symbol": "a", "o": {"time": NAIVE, "v": 1}}
        if whole:
            inside = pa.struct([("v", pa.int32()), ("time", pa.timestamp("ms"))])
            rows = pa.array([message["o"], None], inside)
            op.addMessages(pa.table({"symbol": ["a", "b"], "o": rows}))
            assert op.getRejected().num_rows == 1
        else:
            op.addMessage(message)
        op.finish()
        (found,) = op.getResult().to_pylist()
        assert found["window"]["start"] == datetime(2025, 1, 1, 8, tzinfo=UTC)
