"""Results of a user's Python function are converted without loss, each on its own (R125)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from windrow._calling import _aggregate, _worker

#: Labels and positions differ, and the labels do not begin at 0 after a filter.
UNSORTED = pd.Series([3, 1, 2])
TIMES = pd.Series([pd.Timestamp(2025, 1, 1), pd.NaT])


def returned(
    returns: str, function: Callable[..., Any], *panes: Sequence[float]
) -> list[dict[str, Any]]:
    """Return what the worker returns for panes with these rows."""
    types = _aggregate._types(returns)
    assert types is not None
    call = _worker.calling(function, "arrow", types[1])
    rows = [[{"column0": one} for one in pane] for pane in panes or [[2.0]]]
    found: list[dict[str, Any]] = call(
        pa.array(rows, pa.list_(pa.struct([("column0", pa.float64())])))
    ).to_pylist()
    return found


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize(
    ("returns", "function", "expected"),
    [
        ("double", pc.sum, 2.0),
        ("double", lambda _: None, None),
        ("double", lambda _: pd.NA, None),
        ("map<string, int>", lambda _: {"a": 1}, [("a", 1)]),
        ("array<array<int>>", lambda _: [[1], []], [[1], []]),
        ("decimal(5, 2)", lambda _: pa.scalar(125, pa.decimal128(5, 2)), "125.00"),
        ("timestamp", lambda _: datetime(2025, 1, 1, 9, tzinfo=UTC), "2025-01-01 09:00:00+00:00"),
        ("timestamp_ntz", lambda _: datetime(2025, 1, 1, 9), "2025-01-01 09:00:00"),  # noqa: DTZ001
        ("bigint", lambda _: Decimal("2.00"), 2),
        ("array<bigint>", lambda _: UNSORTED.sort_values(), [1, 2, 3]),
        ("array<bigint>", lambda _: UNSORTED[UNSORTED > 1], [3, 2]),
        ("array<bigint>", lambda _: UNSORTED.to_numpy(), [3, 1, 2]),
        ("array<timestamp_ntz>", lambda _: TIMES.to_numpy(), [datetime(2025, 1, 1), None]),  # noqa: DTZ001
        ("array<date>", lambda _: TIMES.to_numpy().astype("M8[D]"), [date(2025, 1, 1), None]),
        ("interval second", lambda _: TIMES.to_numpy().max() - TIMES.to_numpy().min(), None),
        ("interval second", lambda _: pd.Timedelta("1 s").to_numpy(), timedelta(seconds=1)),
        ("array<bigint>", lambda _: pa.array([3, None]), [3, None]),
        ("a array<bigint>, b int", lambda _: (UNSORTED[1:], pd.NA), {"a": [1, 2], "b": None}),
        ("array<struct<a int, b int>>", lambda _: [(1, 2)], [{"a": 1, "b": 2}]),
        ("map<string, array<bigint>>", lambda _: {"a": UNSORTED[1:]}, [("a", [1, 2])]),
    ],
)
def test_results(returns: str, function: Callable[..., Any], expected: object) -> None:
    """A result is converted to the type of ``returns``."""
    [one] = returned(returns, function)
    value = str(one["value"]) if isinstance(expected, str) else one["value"]
    assert (value, one["error"]) == (expected, None)


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize(
    ("returns", "value", "what"),
    [
        ("double", "2.0", "a value of type str"),
        ("int", 2.5, "a number with a fraction"),
        ("tinyint", 300, "a value of type int"),
        ("low double, high double", {"low": 1.0}, "a dict with the keys 'low'"),
        ("low double, high double", (1.0,), "a value of type tuple and length 1"),
        ("low double, high double", 1.0, "a value of type float"),
        ("timestamp", datetime(2025, 1, 1), "a datetime without a time zone"),  # noqa: DTZ001
        ("timestamp_ntz", datetime(2025, 1, 1, tzinfo=UTC), "a datetime with a time zone"),
        ("int", np.float32(1.5), "a number with a fraction"),
        ("bigint", Decimal("2.50"), "a number with a fraction"),
        ("n int", {"n": 1.5}, "a number with a fraction"),
        ("array<int>", [1.5], "a number with a fraction"),
        ("map<string, int>", {"a": 1.5}, "a number with a fraction"),
        ("map<string, int>", ["a"], "a map with an entry of type str"),
        ("at timestamp", (datetime(2025, 1, 1),), "a datetime without a time zone"),  # noqa: DTZ001
        ("date", datetime(2025, 1, 1, tzinfo=UTC), "a value of type datetime"),
        ("array<struct<a int>>", [{"b": 1}], "a dict with the keys 'b'"),
        ("array<string>", "text", "a value of type str"),
        ("array<string>", pd.DataFrame({"a": [1]}), "a value of type DataFrame"),
        ("double", pd.Series([1.0], index=[7]), "a value of type Series"),
    ],
)
def test_results_that_do_not_fit(returns: str, value: object, what: str) -> None:
    """A result that does not fit is an error, which does not contain the value (R125)."""
    [one] = returned(returns, lambda _: value)
    text = f"it returned {what}, which does not fit its type in returns"
    assert one == {"value": None, "error": text, "traceback": ""}


@pytest.mark.usefixtures("spark")
def test_a_failure_is_an_error_of_its_pane_only() -> None:
    """A failure, and a result that does not fit, leave the values of other panes (R125)."""

    def first(values: pa.Array) -> Any:
        found = values[0].as_py()
        return "text" if found < 0 else found

    found = returned("double", first, [1.0], [], [-1.0], [2.0], [], [-2.0])
    assert [one["value"] for one in found] == [1.0, None, None, 2.0, None, None]
    errors = [(one["error"] or "").partition(",")[0].partition(":")[0] for one in found]
    misfit = "it returned a value of type str"
    assert errors == ["", "IndexError", misfit, "", "IndexError", misfit]
    assert ["first" in (one["traceback"] or "") for one in found] == [
        *(False, True, False),
        *(False, True, False),
    ]
