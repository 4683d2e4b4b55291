"""A failed step of an operator without a query leaves the operator unchanged."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import windrow as wr
from operators.tables import COUNTS, NINE, at, panes, table
from replays.run import follow

if TYPE_CHECKING:
    import pyarrow as pa

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]

SPEC = wr.WindowOperatorSpec(
    **{
        **COUNTS,
        "schema": "symbol string, time timestamp, price bigint",
        "aggregates": ["sum(10 div price) AS s", "count(*) AS n"],
    }
)


def _rows(*rows: tuple[Any, ...]) -> pa.Table:
    return table("symbol time price", *rows)


def test_a_table_that_fails_is_not_stored(tmp_path: Path) -> None:
    """A table that fails leaves no rows in the next step or in the store."""
    folder = str(tmp_path / "operator")
    with wr.AggregatedWindowOperator(SPEC, store=folder) as op:
        op.addMessages(_rows(("a", 1, 1)))
        with pytest.raises(Exception, match="DIVIDE_BY_ZERO"):
            op.addMessages(_rows(("a", 2, 1), ("a", 3, 0), ("b", 4, 1)))
        op.addMessages(_rows(("a", 2, 10), ("b", 4, 1)))
        op.flush()
    with wr.AggregatedWindowOperator(SPEC, store=folder) as op:
        op.finish()
        expected = [("a", 11, 2, (0.0, 60.0), "ON_TIME 0"), ("b", 10, 1, (0.0, 60.0), "ON_TIME 0")]
        assert panes(op.getResult()) == expected


def test_windows_by_policies_go_on_from_before() -> None:
    """Policy windows and their numbers continue from before the failed step."""
    spec = wr.WindowOperatorSpec(
        schema="k string, v bigint",
        key="k",
        window=wr.Policy.tumbling(wr.ByCount(2)),
        aggregates="sum(10 div v) AS s",
    )
    with wr.PolicyWindowOperator(spec) as op:
        with pytest.raises(Exception, match="DIVIDE_BY_ZERO"):
            op.addMessages(table("k v", ("a", 1), ("a", 1), ("a", 1), ("a", 0)))
        op.addMessages(table("k v", ("a", 5), ("a", 5)))
        found = [(row["s"], row["window"]["number"]) for row in op.getResult().to_pylist()]
        assert found == [(4, 0)]


def test_the_clock_of_a_step_that_fails() -> None:
    """The clock of a failed step does not apply to rows that are rejected later."""
    with wr.AggregatedWindowOperator(SPEC) as op:
        op.advanceWatermark(NINE)
        with pytest.raises(Exception, match="DIVIDE_BY_ZERO"):
            follow(op, {"messages": _rows(("a", 1, 0))}, now=1)
        op.addMessages(_rows(("a", -60, 1)))
        rejected = op.getRejected().to_pylist()
        assert [(one["watermark"], one["processing_time"]) for one in rejected] == [(at(0), None)]
