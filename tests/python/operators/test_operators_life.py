"""The life cycle of operators without a query: contexts, back-pressure, checkpoints, closing."""

from __future__ import annotations

import gc
import logging
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

import windrow as wr
from operators.tables import COUNTS, NINE, aggregated, at, counts, panes, table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]


def _minute(number: int) -> pa.Table:
    return table("symbol time price", ("a", 60 * number + 1, 1.0))


def _selects(op: wr.AggregatedWindowOperator) -> bool:
    return op.acceptsInput


def test_a_downstream_that_refuses() -> None:
    """Outputs that a full downstream refuses stay in order.

    No row is accepted until a timeout has delivered them.
    """
    room: list[bool] = [True]
    taken: list[tuple[Any, ...]] = []

    def send(outputs: pa.Table) -> bool:
        taken.extend(panes(outputs) if room[0] else ())
        return room[0]

    with wr.AggregatedWindowOperator(counts(), send=send) as op:
        op.addMessages(_minute(0))
        op.advanceWatermark(at(60))
        assert taken == [("a", 1, (0.0, 60.0), "ON_TIME 0")]
        assert op.getResult().num_rows == 0
        op.addMessages(_minute(1))
        room[0] = False
        op.advanceWatermark(at(120))
        assert not _selects(op)
        with pytest.raises(wr.BackpressureError, match=r"\[DOWNSTREAM_FULL\].*1 outputs"):
            op.addMessages(_minute(2))
        op.timeout(at(0))
        op.advanceWatermark(at(130))  # waits while the downstream is full
        assert not _selects(op)
        assert panes(op.getResult()) == [("a", 1, (60.0, 120.0), "ON_TIME 0")]
        room[0] = True
        op.timeout(at(1))
        assert _selects(op)
        assert taken[1:] == [("a", 1, (60.0, 120.0), "ON_TIME 0")]
        op.addMessages(_minute(0))
        assert op.getRejected().column("watermark").to_pylist() == [at(130)]
        op.addMessages(_minute(2))
        op.finish()
        assert taken[2:] == [("a", 1, (120.0, 180.0), "ON_TIME 0")]


def test_a_full_downstream_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    """A row that arrives while the downstream is full logs a warning."""
    with wr.AggregatedWindowOperator(counts(), send=lambda _: False) as op:
        op.addMessages(_minute(0))
        op.advanceWatermark(at(60))
        with caplog.at_level(logging.WARNING, "windrow"), pytest.raises(wr.BackpressureError):
            op.addMessages(_minute(1))
    assert "downstream is full" in caplog.text


def test_outputs_that_wait_hold_messages_back_after_a_reset() -> None:
    """Outputs that wait still block rows after a reset, and the next timeout delivers them."""
    taken: list[tuple[Any, ...]] = []

    def send(outputs: pa.Table) -> bool:
        taken.extend(panes(outputs))
        return True

    with wr.AggregatedWindowOperator(counts(), send=lambda _: False) as full:
        full.addMessages(_minute(0))
        full.advanceWatermark(at(60))
        kept = full.checkpoint()
    with wr.AggregatedWindowOperator(counts(), send=send) as op:
        op.reset(kept)
        assert not _selects(op)
        assert taken == []
        op.timeout(at(0))
        assert _selects(op)
        assert taken == [("a", 1, (0.0, 60.0), "ON_TIME 0")]


class _Halved(wr.AggregatedWindowOperator):
    """Withholds cheap rows, and removes the symbol from the outputs."""

    def beforeProcess(  # noqa: N802  the public name
        self, batch: pa.Table
    ) -> pa.Table:
        return batch.filter(pa.compute.greater(batch.column("price"), 1.0))

    def beforeSend(  # noqa: N802  the public name
        self, outputs: pa.Table
    ) -> pa.Table:
        return outputs.drop_columns("symbol")


def test_hooks() -> None:
    """Hooks see rows before any check and outputs before delivery, once each."""
    with _Halved(counts()) as op:
        op.addMessages(table("symbol time price", ("a", 1, 1.0), ("a", 2, 2.0), ("a", None, 0.5)))
        op.finish()
        assert panes(op.getResult()) == panes(op.getResult()) == [(1, (0.0, 60.0), "ON_TIME 0")]
        assert op.filteredCount == 2
        assert op.getRejected().num_rows == 0


def test_processing_time() -> None:
    """Periodic panes follow the clock passed to ``timeout``, and no other clock."""
    more = {"early": wr.Every("10 seconds"), "accumulation": wr.DISCARDING}
    with aggregated(**{**COUNTS, **more}) as op:
        op.timeout(NINE)
        op.addMessages(_minute(0))
        op.timeout(NINE + timedelta(seconds=9))
        assert op.getResult().num_rows == 0
        op.timeout(NINE + timedelta(seconds=10))
        assert panes(op.getResult()) == [("a", 1, (0.0, 60.0), "EARLY 0")]
        op.flush()
        op.addMessages(_minute(0))
        op.refresh(NINE + timedelta(seconds=11), at(60))
        assert panes(op.getResult()) == [("a", 1, (0.0, 60.0), "ON_TIME 1")]


def test_late_panes_come_every_ten_seconds() -> None:
    """The default late trigger without a query is every ten seconds."""
    more = {"lateness": "1 hour", "accumulation": wr.ACCUMULATING}
    assert counts(**more).late == wr.Every("10 seconds")
    with aggregated(**{**COUNTS, **more}) as op:
        op.timeout(NINE)
        op.addMessages(_minute(0))
        op.advanceWatermark(at(60))
        op.flush()
        op.addMessages(_minute(0))
        assert op.getResult().num_rows == 0
        op.timeout(NINE + timedelta(seconds=10))
        assert panes(op.getResult()) == [("a", 2, (0.0, 60.0), "LATE 1")]


def test_checkpoints() -> None:
    """A checkpoint contains state, watermark, clock and waiting outputs for another operator."""
    with aggregated(**COUNTS) as op:
        op.addMessages(_minute(0))
        op.advanceWatermark(at(60))
        op.addMessages(_minute(1))
        kept = op.checkpoint()
        op.addMessages(_minute(1))
        op.finish()
        expected = [
            ("a", 1, (0.0, 60.0), "ON_TIME 0"),
            ("a", 1, (60.0, 120.0), "ON_TIME 0"),
        ]
        op.reset(kept)
        assert panes(op.getResult()) == expected[:1]
        op.finish()
        assert panes(op.getResult()) == expected
        op.reset()
        op.finish()
        assert op.getResult().num_rows == 0
    with aggregated(**COUNTS) as other:
        other.reset(kept)
        other.addMessages(_minute(0))
        rejected = other.getRejected().to_pylist()
        assert [(row["reason"], row["watermark"]) for row in rejected] == [("TOO_LATE", at(60))]
        other.finish()
        assert panes(other.getResult()) == expected


def test_a_store_in_a_folder(tmp_path: Path) -> None:
    """A reopened folder contains exactly the flushed state."""
    folder = str(tmp_path / "operator")
    offset = {
        "schema": "symbol string, time timestamp, price double, topic string, partition int, "
        "offset bigint",
        "rowId": wr.KAFKA,
    }
    rows = [("a", second, 1.0, "t", 0, second) for second in range(1, 5)]
    columns = "symbol time price topic partition offset"
    with wr.AggregatedWindowOperator(counts(**offset), store=folder) as op:
        op.addMessages(table(columns, *rows[:2]))
        op.advanceWatermark(at(3))
        op.flush()
        op.addMessages(table(columns, rows[2]))
        with pytest.raises(wr.OperatorError, match=r"\[STORE_NOT_OPENED\]"):
            wr.AggregatedWindowOperator(counts(**offset), store=folder).init()
    with wr.AggregatedWindowOperator(counts(**offset), store=folder) as op:
        op.addMessages(table(columns, *rows))  # the flushed rows are duplicates
        op.addMessage(
            {"symbol": "a", "time": at(-60), "price": 1.0}
            | {"topic": "t", "partition": 0, "offset": 9}
        )
        assert op.getRejected().column("watermark").to_pylist() == [at(3)]
        op.finish()
        assert panes(op.getResult()) == [("a", 4, (0.0, 60.0), "ON_TIME 0")]
    with pytest.raises(wr.CheckpointError, match=r"\[SPEC_CHANGED\]"):
        wr.AggregatedWindowOperator(counts(), store=folder).init()


def test_checkpoints_that_do_not_fit() -> None:
    """A damaged checkpoint and one of another spec are refused, each with its own error."""
    with aggregated(**COUNTS) as op:
        kept = op.checkpoint()
        for broken in (
            b"",
            kept[:8],
            kept[:11],
            kept[:-1],
            kept[:20] + bytes([kept[20] ^ 1]) + kept[21:],
        ):
            with pytest.raises(wr.CheckpointError, match=r"STATE_DAMAGED"):
                op.reset(broken)
    for more in ({"window": wr.Tumbling("2 minutes")}, {"aggregates": "sum(price) AS n"}):
        with (
            aggregated(**{**COUNTS, **more}) as other,
            pytest.raises(wr.CheckpointError, match=r"\[SPEC_CHANGED\] The checkpoint has"),
        ):
            other.reset(kept)


def test_a_rejected_reset_changes_nothing() -> None:
    """A refused reset changes nothing.

    Delivered outputs are not repeated, and rejected rows are still available.
    """
    with aggregated(**{**COUNTS, "lateness": "1 hour", "accumulation": wr.DISCARDING}) as other:
        other.addMessages(_minute(0))
        kept = other.checkpoint()
    with aggregated(**COUNTS) as op:
        op.addMessages(_minute(0))
        op.advanceWatermark(at(60))
        found = panes(op.getResult())
        op.addMessages(_minute(0))
        with pytest.raises(wr.CheckpointError):
            op.reset(kept)
        assert panes(op.getResult()) == found == [("a", 1, (0.0, 60.0), "ON_TIME 0")]
        assert [row["reason"] for row in op.getRejected().to_pylist()] == ["TOO_LATE"]


def test_rows_after_the_end() -> None:
    """A row after the end is late, and its rejection shows no watermark (SEMANTICS R71)."""
    with aggregated(**COUNTS) as op:
        op.finish()
        op.addMessages(_minute(0))
        (row,) = op.getRejected().to_pylist()
        assert (row["reason"], row["watermark"]) == ("TOO_LATE", None)


class _Held:
    """Observes the JVM's operators through weak references."""

    def __init__(self, jvm: Any, *ops: wr.AggregatedWindowOperator) -> None:
        self.jvm = jvm
        self.freed = jvm.java.lang.ref.ReferenceQueue()
        held = [op._java._java for op in ops if op._java]
        self.references = [jvm.java.lang.ref.WeakReference(one, self.freed) for one in held]
        assert len(self.references) == len(ops)

    def alive(self, *, until: int) -> list[bool]:
        """Return which are alive, once at most ``until`` are or the JVM has had enough time."""
        alive = [True] * len(self.references)
        for _ in range(100):
            gc.collect()
            self.jvm.java.lang.System.gc()
            alive = [reference.get() is not None for reference in self.references]
            if sum(alive) <= until:
                break
            self.freed.remove(100)  # Py4J releases objects on its own thread
        return alive


def test_closing_frees_the_operator(spark: SparkSession) -> None:
    """A closed operator is freed in the JVM, even if Python still references it."""
    ops = [wr.AggregatedWindowOperator(counts()) for _ in range(4)]
    for op in ops:
        op.addMessages(_minute(0))
    held = _Held(spark._jvm, *ops)
    for op in ops[:3]:
        op.close()
        op.close()
    assert held.alive(until=1) == [False, False, False, True]
    ops[3].close()
    with pytest.raises(wr.OperatorError, match=r"\[NOT_OPEN\] .*is closed"):
        ops[3].addMessages(_minute(0))


def test_an_operator_that_is_dropped_is_freed(spark: SparkSession) -> None:
    """An operator without ``close()`` is freed in the JVM once Python drops it."""
    op = wr.AggregatedWindowOperator(counts())
    op.init()
    held = _Held(spark._jvm, op)
    assert held.alive(until=1) == [True]
    del op
    assert held.alive(until=0) == [False]


@pytest.mark.parametrize("how", ["checkpoint", "reset"])
def test_panes_that_wait_survive_a_crash(tmp_path: Path, how: str) -> None:
    """A waiting pane survives a crash after a checkpoint or reset.

    A checkpoint does not count outputs as received, so the rows of the pane stay unapplied in the
    store.
    """
    folder = str(tmp_path / "operator")
    expected = [("a", 1, (0.0, 60.0), "ON_TIME 0")]
    with wr.AggregatedWindowOperator(counts(), store=folder) as op:
        op.addMessages(_minute(0))
        op.advanceWatermark(at(60))
        kept = op.checkpoint()
        if how == "reset":
            op.reset(kept)
        assert panes(op.getResult()) == expected
    with wr.AggregatedWindowOperator(counts(), store=folder) as op:
        assert op.getResult().num_rows == 0
        op.addMessages(_minute(0))
        op.advanceWatermark(at(60))
        assert panes(op.getResult()) == expected


def test_a_checkpoint_is_in_the_store_once_it_is_flushed(tmp_path: Path) -> None:
    """A reset keeps the store's old contents until the next flush."""
    folder = str(tmp_path / "operator")
    with aggregated(**COUNTS) as op:
        op.addMessages(_minute(0))
        kept = op.checkpoint()
    with wr.AggregatedWindowOperator(counts(), store=folder) as op:
        op.reset(kept)
        op.flush()
        op.reset()
    with wr.AggregatedWindowOperator(counts(), store=folder) as op:
        op.finish()
        assert panes(op.getResult()) == [("a", 1, (0.0, 60.0), "ON_TIME 0")]
