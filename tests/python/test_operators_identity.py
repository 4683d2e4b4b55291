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
