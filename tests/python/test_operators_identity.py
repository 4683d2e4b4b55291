"""Identities of messages of operators without a query: they stay, and a hook keeps to them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import windrow as wr
from operators import counts, panes, table

if TYPE_CHECKING:
    import pyarrow as pa

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]

BY = wr.Offset(source="topic", partition="part", offset="number")


def _spec(**more: Any) -> wr.WindowOperatorSpec:
    schema = "symbol string, time timestamp, topic string, part int, other int, number bigint"
    return counts(**{"schema": schema, "offset": BY, **more})


def _rows(*numbers: int) -> pa.Table:
    rows = [("a", number, "t", 0, 7, number) for number in numbers]
    return table("symbol time topic part other number", *rows)


@pytest.mark.parametrize(
    "by", [None, wr.Offset(source="topic", partition="other", offset="number")]
)
def test_another_identity_is_refused(tmp_path: Path, by: wr.Offset | None) -> None:
    """By it replays are known."""
    folder = str(tmp_path / "operator")
    with wr.AggregatedWindowOperator(_spec(), store=folder) as op:
        op.addMessages(_rows(1, 2))
        op.flush()
        kept = op.checkpoint()
    with pytest.raises(wr.CheckpointError, match=r"\[SPEC_CHANGED\].*CAST\(part AS BIGINT\)"):
        wr.AggregatedWindowOperator(_spec(offset=by), store=folder).init()
    with (
        wr.AggregatedWindowOperator(_spec(offset=by)) as other,
        pytest.raises(wr.CheckpointError, match=r"\[SPEC_CHANGED\]"),
    ):
        other.reset(kept)


def test_another_gap_is_refused(tmp_path: Path) -> None:
    """It says how far sessions reach."""
    folder = str(tmp_path / "operator")
    more = {
        "schema": "symbol string, time timestamp, brief bigint, long bigint",
        "window": wr.Session(None),
        "offset": None,
    }
    with wr.AggregatedWindowOperator(_spec(**more, gap="brief"), store=folder) as op:
        op.flush()
    with pytest.raises(wr.CheckpointError, match=r"\[SPEC_CHANGED\].*gap \(brief\)"):
        wr.AggregatedWindowOperator(_spec(**more, gap="long"), store=folder).init()


class _Closed(wr.AggregatedWindowOperator):
    """Withholds all but odd numbers, until it is opened."""

    shut = True

    def beforeProcess(  # noqa: N802  the public name
        self, batch: pa.Table
    ) -> pa.Table:
        odd = [number % 2 == 1 for number in batch.column("number").to_pylist()]
        return batch.filter(odd) if self.shut else batch


def test_what_a_hook_withholds_is_applied() -> None:
    """If it comes again it is a replay."""
    with _Closed(_spec()) as op:
        op.addMessages(_rows(1, 2, 3, 4))
        op.shut = False
        op.addMessages(_rows(1, 2, 3, 4, 5))
        op.finish()
        assert panes(op.getResult()) == [("a", 3, (0.0, 60.0), "ON_TIME 0")]
        assert op.filteredCount == 2
        assert op.getRejected().num_rows == 0
