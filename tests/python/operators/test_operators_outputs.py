"""Outputs of operators without a query whose delivery fails are neither lost nor repeated."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import windrow as wr
from operators.tables import COUNTS, aggregated, at, counts, panes, table
from windrow.operators import _tables

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


class _Consumer:
    """A ``send`` function that accepts outputs, rejects them, or fails."""

    def __init__(self) -> None:
        self.taken: list[tuple[Any, ...]] = []
        self.offered = 0
        self.has_room = True
        self.is_broken = False

    def __call__(self, outputs: pa.Table) -> bool:
        self.offered += 1
        if self.is_broken:
            raise RuntimeError
        if self.has_room:
            self.taken += panes(outputs)
        return self.has_room


def _minute(number: int) -> pa.Table:
    return table("symbol time price", ("a", 60 * number + 1, 1.0))


NEXT = [("a", 1, (60.0, 120.0), "ON_TIME 0")]


def test_a_drain_while_the_consumer_is_full() -> None:
    """``drain`` returns False, and releases what the watermark held back once there is room."""
    send = _Consumer()
    with wr.AggregatedWindowOperator(counts(), send=send) as op:
        op.addMessages(pa.concat_tables([_minute(0), _minute(1)]))
        send.has_room = False
        op.advanceWatermark(at(60))
        op.advanceWatermark(at(120))
        assert not op.drain()
        assert panes(op.getResult()) == MINUTE
        send.has_room = True
        assert op.drain()
        assert send.taken == MINUTE + NEXT


def test_a_full_consumer_that_fails() -> None:
    """A full consumer that then fails stays full, and time waits with its outputs."""
    send = _Consumer()
    with wr.AggregatedWindowOperator(counts(), send=send) as op:
        op.addMessages(pa.concat_tables([_minute(0), _minute(1)]))
        send.has_room = False
        op.advanceWatermark(at(60))
        send.is_broken = True
        with pytest.raises(RuntimeError):
            op.advanceWatermark(at(120))
        assert not op.acceptsInput
        send.is_broken, send.has_room = False, True
        op.timeout(at(0))
        assert send.taken == MINUTE  # the second watermark was not applied
        op.advanceWatermark(at(120))
        assert send.taken == MINUTE + NEXT


def test_resets_of_a_full_operator() -> None:
    """A rejected reset leaves a full consumer and its outputs; a reset without bytes drops both."""
    with aggregated(**{**COUNTS, "aggregates": "sum(price) AS n"}) as other:
        foreign = other.checkpoint()
    send = _Consumer()
    send.has_room = False
    with wr.AggregatedWindowOperator(counts(), send=send) as op:
        op.addMessages(_minute(0))
        op.advanceWatermark(at(60))
        for broken in (foreign, foreign[:-1]):
            with pytest.raises(wr.CheckpointError):
                op.reset(broken)
            assert not op.acceptsInput
            assert panes(op.getResult()) == MINUTE
        op.reset()
        assert op.acceptsInput
        assert op.getResult().num_rows == 0
        send.has_room = True
        op.finish()
        assert send.taken == []


OFFSETS: Any = {
    "schema": "symbol string, time timestamp, topic string, partition int, offset bigint",
    "rowId": wr.KAFKA,
}


def _numbered(*seconds: int) -> pa.Table:
    rows = [("a", second, "t", 0, second) for second in seconds]
    return table("symbol time topic partition offset", *rows)


def test_a_crash_between_send_and_its_answer(tmp_path: Path) -> None:
    """Rows of outputs that were not answered are not stored, so a replay sends them again."""
    send = _Consumer()
    open_one = partial(
        wr.AggregatedWindowOperator, counts(**OFFSETS), store=str(tmp_path / "s"), send=send
    )
    with open_one() as op:
        op.addMessages(_numbered(1))  # no output, so it is stored
        op.addMessages(_numbered(2))
        send.is_broken = True
        with pytest.raises(RuntimeError):
            op.advanceWatermark(at(60))
    send.is_broken = False
    with open_one() as op:
        assert op.getResult().num_rows == 0
        op.addMessages(_numbered(1, 2))
        op.advanceWatermark(at(60))
        assert send.taken == [("a", 2, (0.0, 60.0), "ON_TIME 0")]
    with open_one() as op:
        op.addMessages(_numbered(1, 2))  # duplicates, because the outputs were accepted
        op.finish()
        assert len(send.taken) == 1


class _Withholds(wr.AggregatedWindowOperator):
    """Withholds all outputs."""

    def beforeSend(  # noqa: N802  the public name
        self, outputs: pa.Table
    ) -> pa.Table:
        return outputs.slice(0, 0)


def test_a_hook_that_withholds_all_outputs(tmp_path: Path) -> None:
    """Outputs that a hook withholds are not sent, and count as received."""
    send = _Consumer()
    folder = str(tmp_path / "s")
    with _Withholds(counts(**OFFSETS), store=folder, send=send) as op:
        op.addMessages(_numbered(1))
        op.advanceWatermark(at(60))
        assert op.acceptsInput
    with wr.AggregatedWindowOperator(counts(**OFFSETS), store=folder, send=send) as op:
        op.addMessages(_numbered(1))
        op.finish()
    assert (send.offered, send.taken) == (0, [])


def test_a_hook_that_fails_stops_time() -> None:
    """Time does not advance while ``beforeSend`` fails on earlier outputs."""
    with _FailsOnce(counts()) as op:
        op.addMessages(pa.concat_tables([_minute(0), _minute(1)]))
        with pytest.raises(RuntimeError):
            op.advanceWatermark(at(60))
        op.failed = False
        with pytest.raises(RuntimeError):
            op.advanceWatermark(at(120))
        assert panes(op.getResult()) == MINUTE


def test_an_empty_result_has_columns() -> None:
    """An empty result has its columns, before there are outputs and after they were taken."""
    with aggregated(**COUNTS) as op:
        names = op.getResult().schema.names
        op.flush()
        assert op.getResult().schema.names == names == ["symbol", "window", "n", "pane"]


def test_results_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """``getResult`` reads only new outputs from the JVM, and all after ``flush`` and ``reset``."""
    read: list[int] = []
    with wr.AggregatedWindowOperator(counts()) as op:
        call = op._call

        def counted(method: str, *arguments: object) -> Any:
            given = call(method, *arguments)
            if method == "waiting":
                read.append(sum(one.num_rows for one in _tables.streams(given)))
            return given

        monkeypatch.setattr(op, "_call", counted)
        for minute in range(4):
            op.addMessages(table("symbol time price", ("a", 60 * minute + 1, 1.0)))
            op.advanceWatermark(at(60 * minute + 60))
            assert op.getResult().num_rows == minute + 1
        assert op.getResult().num_rows == 4
        assert read == [1, 1, 1, 1, 0]
        kept = op.checkpoint()
        op.flush()
        assert op.getResult().num_rows == 0
        op.reset(kept)
        op.addMessages(table("symbol time price", ("a", 300, 1.0)))
        op.finish()
        assert op.getResult().num_rows == 5
        assert read[5:] == [0, 5]
