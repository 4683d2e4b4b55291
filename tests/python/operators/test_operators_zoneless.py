"""Naive times of operators without a query: kept for TIMESTAMP_NTZ, else in the session's zone."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

import windrow as wr
from operators.tables import counts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("_berlin")]

NAIVE = datetime(2025, 1, 1, 9, 0, 1)  # noqa: DTZ001  tests naive times


@pytest.fixture
def _berlin(spark: SparkSession) -> Iterator[None]:
    before = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "Europe/Berlin")
    yield
    spark.conf.set("spark.sql.session.timeZone", str(before))


def test_times_without_zone() -> None:
    """With TIMESTAMP_NTZ, watermarks and lookups accept the naive times of the rows."""
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
    """Naive times inside a struct are in the session's zone, like those of a column."""
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


@pytest.mark.parametrize("whole", [True, False])
def test_times_inside_lists_and_maps(*, whole: bool) -> None:
    """Naive times in lists and maps are in the session's zone, at any depth.

    Nulls and empty values stay as they are.
    """
    schema = (
        "time timestamp, l array<timestamp>, s array<struct<t: timestamp>>, "
        "m map<string, timestamp>, k map<timestamp, array<timestamp>>"
    )
    spec: dict[str, Any] = {
        "key": (),
        "time": "time",
        "aggregates": [f"first({n}) AS {n}" for n in "lsmk"],
    }
    eight = datetime(2025, 1, 1, 8, 0, 1, tzinfo=UTC)
    messages: list[dict[str, Any]] = [
        {"l": None, "s": None, "m": None, "k": None},
        {"l": [], "s": [], "m": [], "k": []},
        {"l": [NAIVE, None], "s": [{"t": NAIVE}, None], "m": [("a", NAIVE), ("b", None)]},
        {"l": [NAIVE], "s": [None], "m": [("c", NAIVE)], "k": [(NAIVE, [NAIVE, None])]},
    ]
    expected: list[dict[str, Any]] = [
        {"l": None, "s": None, "m": None, "k": None},
        {"l": [], "s": [], "m": [], "k": []},
        {"l": [eight, None], "s": [{"t": eight}, None], "m": [("a", eight), ("b", None)]},
        {"l": [eight], "s": [None], "m": [("c", eight)], "k": [(eight, [eight, None])]},
    ]
    plain = pa.timestamp("ms")
    types = {
        "time": plain,
        "l": pa.large_list(plain),
        "s": pa.list_(pa.struct([("t", plain)])),
        "m": pa.map_(pa.string(), plain),
        "k": pa.map_(plain, pa.list_(plain)),
    }
    for number, message in enumerate(messages):
        message["time"] = NAIVE.replace(minute=number)
    with wr.AggregatedWindowOperator(counts(schema=schema, **spec)) as op:
        if whole:
            rows = {name: [one.get(name) for one in messages] for name in types}
            given = pa.table({name: pa.array(rows[name], kind) for name, kind in types.items()})
            op.addMessages(given.slice(0, 1))
            op.addMessages(given.slice(1))
        else:
            for message in messages:
                maps = {name: dict(message[name]) for name in "m" if message[name] is not None}
                op.addMessage({"k": None, **message, **maps})
        op.finish()
        found = [{name: row[name] for name in "lsmk"} for row in op.getResult().to_pylist()]
        assert found == [{"k": None, **one} for one in expected]


def test_days_of_a_zone_are_of_instants() -> None:
    """TIMESTAMP_NTZ supports UTC days, but no zones and no ``maxFuture`` (SEMANTICS W4, R51)."""
    schema = "symbol string, time timestamp_ntz"
    night = datetime(2026, 3, 28, 23, 30)  # noqa: DTZ001
    utc = counts(schema=schema, window=wr.Tumbling("1 day", zone="UTC"))
    with wr.AggregatedWindowOperator(utc) as op:
        op.addMessage({"symbol": "a", "time": night})
        op.finish()
        (found,) = op.getResult().to_pylist()
        assert found["window"]["start"] == night.replace(hour=0, minute=0)
    berlin = wr.Tumbling("1 day", zone="Europe/Berlin")
    refused: list[tuple[dict[str, Any], str]] = [
        ({"window": berlin}, "'Europe/Berlin'.*zone='UTC'"),
        ({"maxFuture": "1 hour"}, "maxFuture is 1 hour.*CAST"),
    ]
    for more, text in refused:
        with pytest.raises(wr.SpecError, match=rf"TIME_NOT_TIMESTAMP\].*{text}"):
            wr.AggregatedWindowOperator(counts(schema=schema, **more)).init()
