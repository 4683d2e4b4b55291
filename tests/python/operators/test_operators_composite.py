"""Several operators as one: crashes, and parts that fail."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import windrow as wr
from operators.tables import at, counts, panes, table

if TYPE_CHECKING:
    import pyarrow as pa

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]

SAID: dict[str, Any] = {
    "schema": "symbol string, time timestamp, topic string, partition int, offset bigint",
    "rowId": wr.KAFKA,
}
COUNTED = counts(**SAID, inputStreams="kept", outputStreams="counted")


def _rows(*offsets: int) -> pa.Table:
    rows = [("a", offset, "t", 0, offset) for offset in offsets]
    return table("symbol time topic partition offset", *rows)


def _kept(store: Path | None = None, said: dict[str, Any] = SAID) -> wr.FullStateWindowOperator:
    spec = wr.WindowOperatorSpec(
        **said,
        time="time",
        key="symbol",
        window=wr.Tumbling("1 minute"),
        lateness="0 seconds",
        retention=wr.Retention(time="1 hour"),
        inputStreams="messages",
        outputStreams="kept",
    )
    return wr.FullStateWindowOperator(spec, store=None if store is None else str(store / "kept"))


def _stored(folder: Path) -> wr.CompositeOperator:
    counted = wr.AggregatedWindowOperator(COUNTED, store=str(folder / "counted"))
    return wr.CompositeOperator().addOperator(_kept(folder)).addOperator(counted)


def test_flush_persists_every_part(tmp_path: Path) -> None:
    """After ``flush`` a row that only reached a window survives a crash and is recognized."""
    with _stored(tmp_path) as composite:
        composite.addMessages(_rows(1))
        composite.flush()
    with _stored(tmp_path) as composite:
        composite.addMessages(_rows(1, 2))
        composite.finish()
        assert panes(composite.getResult()) == [("a", 2, (0.0, 60.0), "ON_TIME 0")]


def test_nothing_is_persisted_before_flush(tmp_path: Path) -> None:
    """Before ``flush``, neither rows between parts nor unread results are stored."""
    for _ in range(2):
        with _stored(tmp_path) as composite:
            composite.addMessages(_rows(1))
            composite.advanceWatermark(at(60))
            assert panes(composite.getResult()) == [("a", 1, (0.0, 60.0), "ON_TIME 0")]


class _FailsOnce(wr.AggregatedWindowOperator):
    """Fails at its first rows, or at its first outputs."""

    failed = False
    at_messages = True

    def _fail(self) -> None:
        self.failed = True
        raise RuntimeError

    def beforeProcess(  # noqa: N802  the public name
        self, batch: pa.Table
    ) -> pa.Table:
        if self.at_messages and not self.failed:
            self._fail()
        return batch

    def beforeSend(  # noqa: N802  the public name
        self, outputs: pa.Table
    ) -> pa.Table:
        if not self.at_messages and not self.failed and outputs.num_rows:
            self._fail()
        return outputs


@pytest.mark.parametrize("at_messages", [True, False])
def test_each_taker_gets_a_message_once(*, at_messages: bool) -> None:
    """Each downstream operator receives a row once, even if another one fails on it."""
    plain: dict[str, Any] = {"schema": "symbol string, time timestamp"}
    more = {"early": wr.EachMessage(), "accumulation": wr.DISCARDING, "inputStreams": "kept"}
    first = wr.AggregatedWindowOperator(counts(**plain, **more, outputStreams="first"))
    second = _FailsOnce(counts(**plain, **more, outputStreams="second"))
    second.at_messages = at_messages
    composite = wr.CompositeOperator().addOperator(_kept(said=plain)).addOperator(first)
    with composite.addOperator(second):
        with pytest.raises(RuntimeError):
            composite.addMessages(table("symbol time", ("a", 1)))
        composite.addMessages(table("symbol time", ("b", 2)))
        for stream in ("first", "second"):
            found = composite.getResult(stream)
            assert [row["symbol"] for row in found.to_pylist()] == ["a", "b"]
            assert found.column("n").to_pylist() == [1, 1]
