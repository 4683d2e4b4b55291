"""Values that an operator without a query would have to change are refused by name."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

import windrow as wr
from operators import aggregated, at, prices

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]

SAID = prices(
    schema="symbol string, time timestamp, ratio float, n int, o struct<v: double, i: int>",
    window=wr.Tumbling("1 minute"),
    aggregates="count(*) AS c",
)
FITS: dict[str, Any] = {
    "symbol": "a",
    "time": at(0),
    "ratio": 0.1,
    "n": 1,
    "o": {"v": 1.0, "i": 2},
}


@pytest.mark.parametrize(
    ("wrong", "codes"),
    [
        ({"ratio": 1e300}, ["TYPE_NOT_ALLOWED"]),
        ({"n": 1.7}, ["TYPE_NOT_ALLOWED"]),
        ({"o": {"v": 1.0, "i": 1.5}}, ["TYPE_NOT_ALLOWED"]),
        ({"o": {"w": 1.0, "i": 1}}, ["COLUMN_MISSING", "COLUMN_UNKNOWN"]),
        ({"o": {"v": 1.0, "i": 1, "z": 1}}, ["COLUMN_UNKNOWN"]),
    ],
)
def test_what_does_not_fit(wrong: dict[str, Any], codes: list[str]) -> None:
    """In a message and in a table alike; nothing of it is taken."""
    message = {**FITS, **wrong}
    table = pa.table({name: [value] for name, value in message.items()})
    with aggregated(**SAID) as op:
        with pytest.raises(wr.MessageError) as one:
            op.addMessage(message)
        with pytest.raises(wr.MessageError) as many:
            op.addMessages(table)
        for found in (one, many):
            assert [problem.code for problem in found.value.problems] == codes
        op.finish()
        assert op.getResult().num_rows == 0


@pytest.mark.parametrize("more", [{}, {"n": 2.0}, {"ratio": float("inf")}, {"o": None}])
def test_what_fits(more: dict[str, Any]) -> None:
    """Whole numbers as floats, what is infinite, rounded digits, no struct at all."""
    with aggregated(**SAID) as op:
        op.addMessage({**FITS, **more})
        op.finish()
        assert op.getResult().column("c").to_pylist() == [1]
