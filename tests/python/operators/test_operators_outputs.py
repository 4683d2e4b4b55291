"""Outputs of operators without a query whose delivery fails are neither lost nor repeated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import windrow as wr
from operators.tables import COUNTS, aggregated, at, counts, panes, table

if TYPE_CHECKING:
    import pyarrow as pa

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]

MINUTE = [("a", 1, (0.0, 60.0), "ON_TIME 0")]


class _FailsOnce(wr.AggregatedWindowOperator):
    """Fails at the first outputs."""

    failed = False

    def beforeSend(  # noqa: N802  the public name
        self, outputs: pa.Table
    ) -> pa.Table:
        if outputs.num_rows and not self.failed:
            self.failed = True
            raise RuntimeError
        return outputs


@pytest.mark.parametrize("sends", [True, False])
def test_a_hook_that_fails(*, sends: bool) -> None:
    """A hook that fails sees the same outputs again at the next call."""
    taken: list[tuple[Any, ...]] = []

    def send(outputs: pa.Table) -> bool:
        taken.extend(panes(outputs))
        return True

    with _FailsOnce(counts(), send=send if sends else None) as op:
        op.addMessages(table("symbol time price", ("a", 1, 1.0)))
        with pytest.raises(RuntimeError):
            op.advanceWatermark(at(60))
        op.drain()
        assert (taken if sends else panes(op.getResult())) == MINUTE
        op.finish()
        assert len(taken) + op.getResult().num_rows == 1


def test_a_send_that_fails() -> None:
    """A ``send`` that fails is offered the same outputs again, once."""
    taken: list[tuple[Any, ...]] = []
    broken = [True]

    def send(outputs: pa.Table) -> bool:
        if broken[0]:
            raise RuntimeError
        taken.extend(panes(outputs))
        return True

    with wr.AggregatedWindowOperator(counts(), send=send) as op:
        op.addMessages(table("symbol time price", ("a", 1, 1.0)))
        with pytest.raises(RuntimeError):
            op.advanceWatermark(at(60))
        broken[0] = False
        op.drain()
        assert taken == MINUTE


@pytest.mark.parametrize("sends", [True, False])
def test_a_value_that_cannot_be_computed(*, sends: bool) -> None:
    """A value that cannot be computed raises in each call that would deliver it.

    No call counts it as received.
    """
    said = {**COUNTS, "aggregates": "10 div (count(*) - 1) AS n"}
    send = (lambda _: True) if sends else None
    with wr.AggregatedWindowOperator(wr.WindowOperatorSpec(**said), send=send) as op:
        op.addMessages(table("symbol time price", ("a", 1, 1.0), ("b", 2, 3.0), ("b", 3, 3.0)))
        calls = [op.finish, op.drain, op.flush] if sends else [op.getResult, op.flush, op.getResult]
        if not sends:
            op.finish()
        for call in calls:
            with pytest.raises(Exception, match="DIVIDE_BY_ZERO"):
                call()


def test_an_empty_result_has_columns() -> None:
    """An empty result has its columns, before there are outputs and after they were taken."""
    with aggregated(**COUNTS) as op:
        names = op.getResult().schema.names
        op.flush()
        assert op.getResult().schema.names == names == ["symbol", "window", "n", "pane"]
