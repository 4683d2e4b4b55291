"""Policy windows without a query, their events and their partitions."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pyarrow as pa
import pytest

import windrow as wr
from operators.tables import NINE, panes, table

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]


def _quotes(window: wr.Policy, *, key: str = "symbol", **more: Any) -> wr.PolicyWindowOperator:
    spec = wr.WindowOperatorSpec(
        schema="symbol string, price double, is_end boolean",
        key=key,
        window=window,
        aggregates=["count(*) AS n", "sum(price) AS total"],
        **more,
    )
    return wr.PolicyWindowOperator(spec)


def _ticks(*rows: tuple[str, float]) -> pa.Table:
    return table("symbol price is_end", *((*row, None) for row in rows)).cast(
        pa.schema([("symbol", pa.string()), ("price", pa.float64()), ("is_end", pa.bool_())])
    )


class _Log(wr.WindowListener):
    """Records the events that it receives, and how often it was drained."""

    def __init__(self) -> None:
        self.heard: list[tuple[Any, ...]] = []
        self.counts: dict[str, int] = {}
        self.evict: wr.PolicyWindowOperator | None = None

    def onEvent(self, event: wr.WindowEvent) -> None:  # noqa: N802  the public name
        prices = event.messages.column("price").to_pylist()
        self.heard.append((event.key["symbol"], event.event, event.sequence, prices))
        self.counts[event.key["symbol"]] = self.counts.get(event.key["symbol"], 0) + 1

    def onDrain(self) -> None:  # noqa: N802  the public name
        if self.evict is not None:
            self.evict.evictPartition({"symbol": "a"})

    def save(self, partition: wr.operators._jvm.Keys) -> bytes:
        return str(self.counts[partition["symbol"]]).encode()

    def load(self, partition: wr.operators._jvm.Keys, state: bytes) -> None:
        self.counts[partition["symbol"]] = int(state)


def test_the_last_ticks_once_the_price_has_moved() -> None:
    """A window of the last 3 rows fires once the price has moved by more than 1 (example 8)."""
    window = wr.Policy.sliding(wr.ByCount(3), trigger=wr.ByDelta("price", 1.0))
    with _quotes(window, accumulation=wr.ACCUMULATING) as op:
        op.addMessages(_ticks(*(("a", price) for price in (1.0, 1.5, 2.0, 2.0))))
        op.addMessages(_ticks(("b", 9.0), ("a", 2.5), ("b", 10.5)))
        result = op.getResult()
        assert result.schema.names == ["symbol", "window", "n", "total", "pane"]
        assert panes(result) == [
            ("a", 3, 5.5, (0,), "ON_TIME 0"),
            ("b", 1, 9.0, (0,), "ON_TIME 0"),
        ]


def test_events_in_order() -> None:
    """A listener receives the documented events of a tumbling count after each call."""
    log = _Log()
    with _quotes(wr.Policy.tumbling(wr.ByCount(2))) as op:
        op.addListener(log)
        op.addMessages(_ticks(("a", 1.0), ("a", 2.0), ("a", 3.0)))
        assert log.heard == [
            ("a", "INSERTION", 0, [1.0]),
            ("a", "INSERTION", 1, [2.0]),
            ("a", "EVICTION", 2, [1.0, 2.0]),
            ("a", "INSERTION", 3, [3.0]),
        ]
        op.finish()
        assert log.heard[4:] == [("a", "FINAL", 4, [3.0])]
        assert panes(op.getResult()) == [("a", 2, 3.0, (0,), "ON_TIME 0")]


def test_markers() -> None:
    """A row with true in the marker column is the last one of its key's window (P1)."""
    with _quotes(wr.Policy.tumbling(wr.ByPunctuation("is_end"))) as op:
        op.addMessages(_ticks(("a", 1.0), ("b", 5.0), ("a", 2.0)))
        assert op.getResult().num_rows == 0
        op.addMessage({"symbol": "a", "price": 7.0, "is_end": True})
        assert panes(op.getResult()) == [("a", 3, 10.0, (0,), "ON_TIME 0")]


def test_periods_of_processing_time() -> None:
    """A tumbling period empties the window, even if it is empty already."""
    with _quotes(wr.Policy.tumbling(wr.ByTime("30 seconds"))) as op:
        op.timeout(NINE)
        op.addMessages(_ticks(("a", 1.0)))
        op.timeout(NINE + timedelta(seconds=30))
        op.timeout(NINE + timedelta(seconds=60))
        assert panes(op.getResult()) == [
            ("a", 1, 1.0, (0,), "ON_TIME 0"),
            ("a", 0, None, (1,), "ON_TIME 0"),
        ]


def test_partitions() -> None:
    """Partitions are listed, and evicted by a limit, or by a listener while the operator drains."""
    log = _Log()
    window = wr.Policy.tumbling(wr.ByCount(9), limit=wr.KeyLimits(maxKeys=2))
    with _quotes(window) as op:
        op.addListener(log)
        op.addMessages(_ticks(("a", 1.0), ("b", 2.0)))
        assert op.partitions().column("symbol").to_pylist() == ["a", "b"]
        assert op.needsPartitionEviction() is False
        with pytest.raises(wr.OperatorError, match=r"\[NOT_IN_DRAIN\]"):
            op.evictPartition({"symbol": "a"})
        log.evict = op
        op.drain()
        assert log.heard[-1] == ("a", "PARTITION_EVICTION", 1, [1.0])
        log.evict = None
        op.addMessages(_ticks(("c", 3.0), ("d", 4.0)))
        assert sorted(op.partitions().column("symbol").to_pylist()) == ["c", "d"]
    with (
        _quotes(wr.Policy.tumbling(wr.ByCount(9)), key=()) as op,  # type: ignore[arg-type]
        pytest.raises(wr.OperatorError, match=r"\[NOT_KEYED\]"),
    ):
        op.evictPartition({})


def test_checkpoints_keep_partitions_and_state_of_listeners() -> None:
    """A checkpoint contains each partition's contents and marks, and the listeners' state."""
    window = wr.Policy.tumbling(wr.ByCount(3))
    first, second = _Log(), _Log()
    with _quotes(window) as op:
        op.addListener(first)
        op.addMessages(_ticks(("a", 1.0), ("a", 2.0)))
        kept = op.checkpoint()
    with _quotes(window) as op:
        op.addListener(second)
        op.reset(kept)
        assert second.counts == {"a": 2}
        assert second.heard == []
        op.addMessages(_ticks(("a", 3.0)))
        assert panes(op.getResult()) == [("a", 3, 6.0, (0,), "ON_TIME 0")]
        assert [event[1:3] for event in second.heard] == [("INSERTION", 2), ("EVICTION", 3)]


def test_a_listener_that_fails() -> None:
    """A listener's exception is raised by the call, and other listeners still get all events."""

    class Broken(wr.WindowListener):
        def onEvent(self, event: wr.WindowEvent) -> None:  # noqa: N802  the public name
            msg = f"cannot hear {event.event}"
            raise RuntimeError(msg)

    log = _Log()
    with _quotes(wr.Policy.tumbling(wr.ByCount(1))) as op:
        op.addListener(Broken())
        op.addListener(log)
        with pytest.raises(RuntimeError, match="cannot hear INSERTION"):
            op.addMessages(_ticks(("a", 1.0)))
        assert [event[1] for event in log.heard] == ["INSERTION", "EVICTION"]
        assert op.getResult().num_rows == 1


@pytest.mark.parametrize(
    ("window", "text"),
    [
        (wr.Policy.tumbling(wr.ByDelta("prize", 1.0)), r"COLUMN_NOT_FOUND.*'prize'.*symbol, price"),
        (wr.Policy.tumbling(wr.ByDelta("symbol", 1.0)), r"COLUMN_TYPE.*STRING\. It must be a num"),
        (
            wr.Policy.tumbling(wr.ByPunctuation("price")),
            r"COLUMN_TYPE.*DOUBLE\. It must be a boolean",
        ),
    ],
)
def test_columns_that_a_policy_looks_at(window: wr.Policy, text: str) -> None:
    """A policy's column must exist and have a suitable type."""
    with pytest.raises(wr.SpecError, match=text):
        _quotes(window).init()


def test_nothing_to_measure() -> None:
    """A null counts as the previous value (SEMANTICS R89)."""
    with _quotes(wr.Policy.tumbling(wr.ByDelta("price", 1.0))) as op:
        for price in (1.0, None, 1.5, 3.0):
            op.addMessage({"symbol": "a", "price": price, "is_end": False})
        assert panes(op.getResult()) == [("a", 3, 2.5, (0,), "ON_TIME 0")]


class _Failing(wr.PolicyWindowOperator):
    """Fails to send until ``may`` is true."""

    may = False

    def beforeSend(  # noqa: N802  the public name
        self, outputs: pa.Table
    ) -> pa.Table:
        if not self.may:
            raise ValueError
        return outputs


def test_a_reset_drops_rows_without_events() -> None:
    """Events that a reset drops are never delivered, nor those of a failed step (SEMANTICS R60)."""
    log = _Log()
    with _Failing(_quotes(wr.Policy.tumbling(wr.ByCount(1))).spec) as op:
        op.addListener(log)
        with pytest.raises(ValueError, match=r"^$"):
            op.addMessages(_ticks(("a", 1.0), ("a", 2.0)))
        op.may = True
        op.reset()
        op.addMessages(_ticks(("b", 1.0)))
        assert {key for key, *_ in log.heard} == {"b"}


def test_overdue_events_after_a_reset() -> None:
    """A listener receives the events that are overdue after a reset (SEMANTICS R60)."""
    log = _Log()
    with _quotes(wr.Policy.tumbling(wr.ByTime("30 seconds"))) as op:
        op.addListener(log)
        op.timeout(NINE)
        op.addMessages(_ticks(("a", 1.0)))
        kept = op.checkpoint()
        op.timeout(NINE + timedelta(seconds=30))
        op.flush()
        del log.heard[:]
        op.reset(kept)
        assert log.heard == [("a", "EVICTION", 1, [1.0])]
        assert panes(op.getResult()) == [("a", 1, 1.0, (0,), "ON_TIME 0")]


def test_evictions_in_a_full_drain() -> None:
    """A listener evicts a partition although the consumer is full (SEMANTICS R62)."""
    log, room = _Log(), [False]
    spec = _quotes(wr.Policy.tumbling(wr.ByCount(2))).spec
    with wr.PolicyWindowOperator(spec, send=lambda _: room[0]) as op:
        op.addListener(log)
        op.addMessages(_ticks(("b", 1.0), ("a", 1.0), ("b", 2.0)))
        log.evict = op
        assert not op.drain()
        assert log.heard[-1] == ("a", "PARTITION_EVICTION", 1, [1.0])
        log.evict = None
        room[0] = True
        assert op.drain()
        assert op.partitions().column("symbol").to_pylist() == ["b"]


def test_policies_are_for_their_operator() -> None:
    """Another operator refuses a policy spec and names the right operator."""
    spec = _quotes(wr.Policy.tumbling(wr.ByCount(1))).spec
    with pytest.raises(wr.SpecError, match=r"Use PolicyWindowOperator"):
        wr.AggregatedWindowOperator(spec)
