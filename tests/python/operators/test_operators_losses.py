"""An operator without a query refuses values that it would have to change, and names them."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

import pyarrow as pa
import pytest

import windrow as wr
from operators.tables import aggregated, at, prices

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]

SAID = prices(
    schema="symbol string, time timestamp, ratio float, n int, o struct<v: double, i: int>, "
    "l array<float>, m map<string, int>, s map<string, struct<a: int>>, d date, at timestamp_ntz",
    window=wr.Tumbling("1 minute"),
    aggregates="count(*) AS c",
)
FITS: dict[str, Any] = {
    "symbol": "a",
    "time": at(0),
    "ratio": 0.1,
    "n": 1,
    "o": {"v": 1.0, "i": 2},
    "l": [0.1],
    "m": {"k": 1},
    "s": {"k": {"a": 1}},
    "d": date(2025, 1, 1),
    "at": datetime(2025, 1, 1),  # noqa: DTZ001
}


@pytest.mark.parametrize(
    ("wrong", "codes"),
    [
        ({"ratio": 1e300}, ["TYPE_NOT_ALLOWED"]),
        ({"n": 1.7}, ["TYPE_NOT_ALLOWED"]),
        ({"o": {"v": 1.0, "i": 1.5}}, ["TYPE_NOT_ALLOWED"]),
        ({"o": {"w": 1.0, "i": 1}}, ["COLUMN_MISSING", "COLUMN_UNKNOWN"]),
        ({"o": {"v": 1.0, "i": 1, "z": 1}}, ["COLUMN_UNKNOWN"]),
        ({"l": [1.0, 1e300]}, ["TYPE_NOT_ALLOWED"]),
        ({"m": {"k": 1.7}}, ["TYPE_NOT_ALLOWED"]),
        ({"s": {"k": {"b": 1}}}, ["COLUMN_MISSING", "COLUMN_UNKNOWN"]),
        ({"s": {"k": {"a": 1.7}}}, ["TYPE_NOT_ALLOWED"]),
        ({"time": 1_700_000_000}, ["TYPE_NOT_ALLOWED"]),
        ({"time": 1.7e9}, ["TYPE_NOT_ALLOWED"]),
        ({"d": at(0)}, ["TYPE_NOT_ALLOWED"]),
        ({"d": 20_000}, ["TYPE_NOT_ALLOWED"]),
        ({"at": at(0)}, ["TYPE_NOT_ALLOWED"]),
    ],
)
def test_values_that_do_not_fit(wrong: dict[str, Any], codes: list[str]) -> None:
    """A value that does not fit is refused in a single row and in a table; nothing is added."""
    message = {**FITS, **wrong}
    maps = {"m": pa.map_(pa.string(), pa.float64() if "m" in wrong else pa.int64())}
    if "s" in wrong:
        ((name, value),) = wrong["s"]["k"].items()
        inside = pa.struct([(name, pa.scalar(value).type)])
    else:
        inside = pa.struct([("a", pa.int64())])
    maps["s"] = pa.map_(pa.string(), inside)
    table = pa.table({name: pa.array([one], maps.get(name)) for name, one in message.items()})
    with aggregated(**SAID) as op:
        with pytest.raises(wr.MessageError) as one:
            op.addMessage(message)
        with pytest.raises(wr.MessageError) as many:
            op.addMessages(table)
        for found in (one, many):
            assert [problem.code for problem in found.value.problems] == codes
        op.finish()
        assert op.getResult().num_rows == 0


@pytest.mark.parametrize(
    "more",
    [{}, {"n": 2.0}, {"ratio": float("inf")}, {"o": None}, {"l": [1e-50]}, {"m": {"k": 2.0}}],
)
def test_values_that_fit(more: dict[str, Any]) -> None:
    """Accepted are integers as floats, infinity, rounded digits, and a null struct."""
    with aggregated(**SAID) as op:
        op.addMessage({**FITS, **more})
        op.finish()
        assert op.getResult().column("c").to_pylist() == [1]
