"""Checked by the type checker only: valid and invalid code with operators."""

from __future__ import annotations

from datetime import UTC, datetime

import pyarrow as pa  # noqa: TC002  nothing runs here

import windrow as wr


def _room(outputs: pa.Table) -> bool:
    rows: int = outputs.num_rows
    return rows < 10


def accepted(batch: pa.Table) -> bytes:
    """Use operators in all valid ways."""
    spec = wr.WindowOperatorSpec(
        schema="symbol string, time timestamp, price double",
        time="time",
        key="symbol",
        rowId=wr.KAFKA,
        window=wr.Tumbling("1 minute"),
        lateness="0 seconds",
        early=wr.Every("1 second"),
        accumulation=wr.DISCARDING,
        aggregates=["max(price) AS top"],
        inputStreams="prices",
        outputStreams=("tops",),
    )
    op = wr.AggregatedWindowOperator(spec, store="folder", send=_room)
    op.addMessages(batch, stream="prices")
    op.addMessage({"symbol": "a", "time": datetime.now(UTC), "price": 1.0})
    op.refresh("2025-01-01", watermark=datetime.now(UTC))
    kept: bytes = op.checkpoint()
    op.reset()
    policy: wr.WindowKind = wr.Policy.sliding(
        wr.ByCount(20), trigger=wr.ByDelta("price", 1), limit=wr.KeyLimits(maxKeys=5)
    )
    policy.describe()
    with wr.CompositeOperator().addOperator(op) as composite:
        composite.process({"symbol": "a"})
    return kept


def refused(spec: wr.WindowOperatorSpec, join: wr.JoinSpec) -> None:
    """Use operators in ways that the type checker must reject."""
    wr.AggregatedWindowOperator(join)  # type: ignore[arg-type]
    wr.AggregatedWindowOperator(spec).getMessages(None, None)  # type: ignore[attr-defined]
    wr.AggregatedWindowOperator(spec).partitions()  # type: ignore[attr-defined]
    wr.Policy.sliding(wr.ByPunctuation("end"), trigger=wr.ByCount(1))  # type: ignore[arg-type]
    wr.Policy.tumbling(wr.ByCount(1), trigger=wr.ByCount(1))  # type: ignore[call-arg]
    wr.JoinSpec(streams=[], how="sideways")  # type: ignore[arg-type]
