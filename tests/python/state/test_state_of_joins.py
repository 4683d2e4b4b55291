"""Reading the state of joins from outside: the rows of each stream, and the pending ones."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F

import windrow as wr
from feed import NOTHING, Feed, Order, disordered, order

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.slow]

LATENESS = timedelta(minutes=2)
DELAY = timedelta(minutes=1)
SOON = timedelta(minutes=20)

Batches = Sequence[Sequence[Order]]


class Both:
    """Orders and shipments, added in pairs, and their join in one checkpoint."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        """Start without files."""
        self.spark = spark
        self.orders, self.shipments = Feed(spark, folder / "orders"), Feed(spark, folder / "ships")
        self.checkpoint = str(folder / "cp")
        self.fed: list[tuple[Sequence[Order], Sequence[Order]]] = []

    def add(self, orders: Batches, shipments: Batches) -> Both:
        """Add a micro-batch for each pair."""
        self.orders.add(*orders)
        self.shipments.add(*shipments)
        self.fed += zip(orders, shipments, strict=True)
        return self

    def streams(self, **more: Any) -> tuple[wr.Stream, wr.Stream]:
        """Return both streams, with the column ``gap`` as identity."""
        offset = wr.RowId(source=F.lit("topic"), partition=F.lit(0), offset="gap")
        said = {"time": "time", "watermark": DELAY, "rowId": offset, **more}
        o, s = (
            wr.stream(feed.stream(), name=name, **said).lateness(LATENESS)
            for name, feed in (("orders", self.orders), ("shipments", self.shipments))
        )
        return o, s

    def join(self, how: str = "left", **more: Any) -> wr.JoinOutput:
        """Return the join of shipments within a while after their order."""
        o, s = self.streams(**more)
        return wr.join(o, s, on="product", within=(timedelta(0), SOON), how=how)  # type: ignore[arg-type]

    def run(self, rows: DataFrame) -> None:
        """Run the query over all files until it stops."""
        writer = rows.writeStream.format("noop").option("checkpointLocation", self.checkpoint)
        writer.trigger(availableNow=True).start().awaitTermination()

    def state(self, operator: str | None = "orders") -> wr.State:
        """Read the state."""
        return wr.state(self.checkpoint, operator=operator)

    # ---- the state that a simple reference join keeps for these batches

    def watermarks(self) -> list[datetime | None]:
        """Return the watermark of each batch, from the slower stream's times before the batch."""
        found: list[datetime | None] = []
        seen: tuple[list[datetime], list[datetime]] = ([], [])
        for batch in self.fed:
            found.append(min(map(max, seen)) - DELAY if all(seen) else None)
            for times, messages in zip(seen, batch, strict=True):
                times += [time_of(one) for one in messages]
        return found

    def accepted(self, side: int) -> list[Order]:
        """Return the rows of a stream that were not too late, in order of arrival."""
        judged = [None, *self.watermarks()[:-1]]
        return [
            one
            for batch, mark in zip(self.fed, judged, strict=True)
            for one in batch[side]
            if mark is None or mark <= time_of(one) + LATENESS
        ]

    def kept(self, side: int) -> list[Order]:
        """Return the rows that may still be paired; the last batch must be empty."""
        until = LATENESS + (SOON if side == 0 else timedelta(0))
        last = self.watermarks()[-1]
        return [
            one
            for one in self.accepted(side)
            if one["product"] is not None and (last is None or last <= time_of(one) + until)
        ]

    def alone(self) -> list[Order]:
        """Return the kept orders without a shipment."""
        return [
            one
            for one in self.kept(0)
            if not any(
                other["product"] == one["product"]
                and timedelta(0) <= time_of(other) - time_of(one) <= SOON
                for other in self.accepted(1)
            )
        ]


@pytest.fixture
def both(spark: SparkSession, tmp_path: Path) -> Both:
    """Return two empty streams."""
    return Both(spark, tmp_path)


def time_of(one: Order) -> datetime:
    """Return the event time of a row."""
    return datetime.fromisoformat(one["time"])


def at(clock: str) -> datetime:
    """Return a time on the day of all tests."""
    return datetime.fromisoformat(f"2025-01-01 {clock}")


def numbered(batches: Batches) -> list[list[Order]]:
    """Number the rows in order of arrival."""
    numbers = itertools.count()
    return [[{**one, "gap": next(numbers)} for one in batch] for batch in batches]


def offsets(messages: DataFrame) -> list[int]:
    """Return the offsets in the order of the rows."""
    return [row.gap for row in messages.collect()]


def in_order(messages: Sequence[Order]) -> list[int]:
    """Return the offsets ordered by (time, offset)."""
    return [one["gap"] for one in sorted(messages, key=lambda one: (time_of(one), one["gap"]))]


def check(both: Both) -> None:
    """Compare the state with the reference join, completely, by range and by key."""
    for side, name in enumerate(("orders", "shipments")):
        state, kept = both.state(name), both.kept(side)
        assert offsets(state.getMessages(None, None)) == in_order(kept)
        middle = sorted(map(time_of, kept))[len(kept) // 2]
        later = [one for one in kept if time_of(one) >= middle]
        assert offsets(state.getMessages(middle, None)) == in_order(later)
        by_key = [one for one in kept if one["product"] == "b" and time_of(one) <= middle]
        found = state.getMessages(None, middle, by={"product": "b"})
        assert offsets(found) == in_order(by_key)
        numbers = sorted(one["gap"] for one in kept)
        inside = numbers[len(numbers) // 3 : -1]
        assert offsets(state.getMessages(inside[0], inside[-1])) == inside
    coming = both.state("orders").pending().collect()
    assert [row.orders.gap for row in coming] == in_order(both.alone())
    decided = SOON + LATENESS + timedelta(microseconds=1)
    assert [row.watermark - row.orders.time for row in coming] == [decided] * len(coming)
    assert all(row.shipments is None and row.processing_time is None for row in coming)
    assert [row.product for row in coming] == [row.orders.product for row in coming]
    assert both.state("shipments").pending().count() == 0


@pytest.mark.full
def test_equal_to_a_slow_join(both: Both) -> None:
    """The state equals that of the reference join for disordered streams and a restart."""
    o, s = (numbered(disordered(seed, batches=4, size=30)) for seed in (7, 8))
    both.add([*o[:1], NOTHING], [*s[:1], NOTHING]).run(both.join().rows)
    check(both)
    both.add([*o[1:], NOTHING], [*s[1:], NOTHING]).run(both.join().rows)  # a restart
    check(both)
    every = [one for batch in s for one in batch]
    assert len(both.kept(1)) < len(both.accepted(1)) < len(every)  # some have left, some are late
    assert both.alone()


@pytest.mark.full
def test_while_it_runs(both: Both) -> None:
    """A committed batch is visible at once, and the read does not disturb the query."""
    both.add([[order("09:00:00", "x", gap=1)]], [[order("09:01:00", "x", gap=1)]])
    writer = both.join().rows.writeStream.format("noop")
    query = writer.option("checkpointLocation", both.checkpoint).start()
    try:
        query.processAllAvailable()
        frame = both.state().getMessages(None, None)
        assert frame.schema == both.orders.stream().schema
        assert offsets(frame) == [1]
        both.add([[order("09:00:30", "x", gap=2)]], [[order("09:00:10", "y", gap=2)]])
        query.processAllAvailable()
        assert offsets(both.state().getMessages(None, None)) == [1, 2]
        assert offsets(both.state("shipments").getMessages(None, None)) == [2, 1]
        assert offsets(frame) == [1]  # the frame still shows its own batch
        assert query.isActive
        assert query.exception() is None
    finally:
        query.stop()
    assert offsets(both.state().getMessages(None, None)) == [1, 2]


def test_restart_offsets(both: Both) -> None:
    """The restart offset is the least one that a stream keeps, otherwise the next one."""
    both.add(
        [[order("09:00:00", gap=3), order("09:30:00", gap=5)], [order("10:00:00", gap=7)]],
        [[order("09:00:00", gap=2)], [order("09:40:00", gap=4)]],
    )
    both.add([NOTHING, NOTHING], [[order("10:00:00", None, gap=6)], NOTHING]).run(both.join().rows)
    assert [tuple(row) for row in both.state().restartOffsets().collect()] == [
        ("orders/topic", 0, 7)
    ]
    found = both.state("shipments").restartOffsets().collect()
    assert [tuple(row) for row in found] == [("shipments/topic", 0, 7)]


@pytest.mark.full
@pytest.mark.anywhere
def test_keys(both: Both) -> None:
    """The key contains all equality fields; rows with a null key are not kept."""
    both.add([[order("09:00:00", "x", 7, gap=1), order("09:00:00", None, 7, gap=2)]], [NOTHING])
    o, s = both.streams()
    both.run(wr.join(o, s, on=["amount", "product"], within=(timedelta(0), SOON)).rows)
    state = both.state()

    def found(**key: Any) -> list[int]:
        by_join = offsets(state.getMessages(None, None, by=key))
        assert by_join == offsets(state.getMessages(None, None, key=key))
        return by_join

    assert found(product="x", amount=7) == found(amount="7", product="x") == [1]
    assert found(product="x", amount=8) == found(product=None, amount=7) == []
    key = {"product": "x", "amount": 7}
    with pytest.raises(wr.SpecError, match="KEYS_TWICE"):
        state.getMessages(None, None, by=key, key=key)
    for wrong in ({"product": "x"}, {**key, "gap": 1}):
        with pytest.raises(wr.SpecError, match=r"KEYS_NOT_THOSE.*amount, product"):
            state.getMessages(None, None, by=wrong)


@pytest.mark.full
def test_one_shard(both: Both) -> None:
    """A join without equality fields has an empty key and otherwise behaves the same."""
    both.add([[order("09:00:00", "x", gap=1)]], [[order("09:00:01", None, gap=2)]])
    o, s = both.streams()
    both.run(wr.join(o, s, within=(timedelta(0), SOON), how="full").rows)
    assert offsets(both.state("shipments").getMessages(None, None)) == [2]
    with pytest.raises(wr.SpecError, match=r"KEYS_NOT_THOSE.*the operator has no key"):
        both.state().getMessages(None, None, by={"product": "x"})


def test_pending_of_both_streams(both: Both) -> None:
    """Pending rows of a full join are the unmatched rows of both streams."""
    both.add([[order("09:00:00", "x", gap=1)]], [[order("09:00:01", "y", gap=2)]])
    both.run(both.join("full").rows)
    orders, shipments = (both.state(name).pending() for name in ("orders", "shipments"))
    names = ["product", "orders", "shipments", "watermark", "processing_time"]
    assert orders.columns == shipments.columns == names
    (first,), (second,) = orders.collect(), shipments.collect()
    assert (first.product, first.orders.gap, first.shipments) == ("x", 1, None)
    assert (second.product, second.shipments.gap, second.orders) == ("y", 2, None)
    assert first.watermark == at("09:22:00.000001")
    assert second.watermark == at("09:02:01.000001")


def test_rows_that_wait_for_a_period(both: Both, tmp_path: Path) -> None:
    """Rows that are computed but wait for processing time are pending."""
    both.add([[order("09:00:00", "x", gap=1)]], [[order("09:00:01", "x", gap=2)]])
    o, s = both.streams()
    joined = wr.join(o, s, on="product", within=(timedelta(0), SOON), early=wr.Every("900 days"))
    rows = wr.Files(str(tmp_path / "rows"))
    query = joined.start(checkpoint=both.checkpoint, rows=rows, availableNow=True)
    query.awaitTermination()
    for name in ("orders", "shipments"):
        (row,) = both.state(name).pending().collect()
        assert (row.orders.gap, row.shipments.gap, row.watermark) == (1, 2, None)
        assert row.processing_time.timestamp() % (900 * 86400) == 0


@pytest.mark.full
def test_windows_and_sessions(both: Both) -> None:
    """Joins by windows keep rows like other joins, and do not have windows to read."""
    both.add([[order("09:00:00", "x", gap=1)]], [[order("09:00:10", "y", gap=2)]])
    o, s = both.streams()
    both.run(wr.join(o, s, on="product", within=wr.Session("1 minute"), how="anti").rows)
    (row,) = both.state().pending().collect()
    assert (row.product, row.orders.gap) == ("x", 1)
    assert row.watermark == at("09:03:00")
    assert both.state("shipments").pending().columns == both.state().pending().columns
    assert both.state("shipments").pending().count() == 0
    with pytest.raises(wr.OperatorError, match=r"NO_WINDOWS.*'orders'.*messages"):
        both.state().getWindows(None, None)


@pytest.mark.full
def test_wrong_names(both: Both) -> None:
    """A join is read by the name of a stream; other names are refused."""
    both.add([[order("09:00:00", "x", gap=1)]], [NOTHING]).run(both.join(rowId=None).rows)
    streams = "a join of 'orders' and 'shipments'"
    for wrong in (None, "returns", "0"):
        with pytest.raises(wr.CheckpointError, match=f"OPERATOR_NOT_CLEAR.*{streams}"):
            both.state(wrong)
    with pytest.raises(wr.SpecError, match=r"VALUE_NOT_UNDERSTOOD.*'orders' have no offsets"):
        both.state().getMessages(1, 2)
    assert both.state().restartOffsets().count() == 0


@pytest.mark.full
def test_sql(both: Both) -> None:
    """The state of a join in SQL can be read in SQL."""
    both.add(
        [[order("09:00:00", "x", 1), order("09:00:10", "y", 2)]],
        [[order("09:01:00", "x", 3), order("09:02:00", "x", 4)]],
    )
    for feed, name in ((both.orders, "orders"), (both.shipments, "shipments")):
        feed.stream().withWatermark("time", "1 minute").createOrReplaceTempView(name)
    both.run(
        both.spark.sql(
            "SELECT * FROM windrow_join(TABLE(SELECT * FROM orders o LEFT JOIN shipments s "
            "ON o.product = s.product AND s.time BETWEEN o.time AND o.time + INTERVAL 5 MINUTES), "
            "lateness => '0 seconds')"
        )
    )

    def ask(what: str) -> list[Any]:
        asked = f"SELECT * FROM windrow_{what}"  # noqa: S608
        return both.spark.sql(asked, {"path": both.checkpoint}).collect()

    asked = "get_messages(:path, operator => 's', start => '2025-01-01 09:01:30', "
    found = ask(asked + "by => named_struct('product', 'x'))")
    assert [row.amount for row in found] == [4]
    assert [row.o.amount for row in ask("pending(:path, operator => 'o')")] == [2]
    assert ask("restart_offsets(:path, operator => 'o')") == []
    with pytest.raises(Exception, match="NO_WINDOWS"):
        ask("get_windows(:path, operator => 'o')")


@pytest.mark.full
def test_state_next_to_another_operator(both: Both) -> None:
    """A query with a join and a downstream operator distinguishes both by their names."""
    both.add([[order("09:00:00", "x", gap=1)]], [[order("09:01:00", "x", gap=2)]])
    rows = both.join("inner").rows.select(F.col("orders.time").alias("time"), "product")
    pairs = wr.stream(rows, time="time", key="product", name="pairs").lateness("1 hour")
    panes = (
        pairs.window(wr.Tumbling("1 hour"))
        .accumulationMode(wr.ACCUMULATING)
        .aggregate(F.count("*"))
    )
    both.run(panes.panes)
    assert both.state("pairs").getWindows(None, None).count() == 1
    assert offsets(both.state("shipments").getMessages(None, None)) == [2]
    with pytest.raises(wr.CheckpointError, match=r"OPERATOR_NOT_CLEAR.*'pairs'.*a join of"):
        both.state(None)
