"""Lookup streams: each row returns what its key keeps, in the same query (SEMANTICS S7)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F

import windrow as wr
from feed import NOTHING, Feed, Order, disordered, order

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.slow]


class Both:
    """Input rows and lookups, added in pairs, one micro-batch per pair."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        """Start without files."""
        self.messages, self.lookups = Feed(spark, folder / "m"), Feed(spark, folder / "l")
        self.run = self.messages.run

    def add(self, *pairs: tuple[Sequence[Order], Sequence[Order]]) -> Both:
        """Add micro-batches, each with its rows and its lookups."""
        for messages, lookups in pairs:
            self.messages.add(messages)
            self.lookups.add(lookups)
        return self

    def kept(
        self,
        kind: wr.WindowKind | None = None,
        *,
        retain: str = "2 hours",
        key: str | tuple[()] = "product",
        by: Sequence[str] = (),
        **more: Any,
    ) -> wr.Output:
        """Return full state by product, kept for two hours."""
        said = {"time": "time", "key": key, "watermark": "0 seconds", **more}
        stream = wr.stream(self.messages.stream(), **said).lateness("1 hour").retain(time=retain)
        stream = stream.index(by=by) if by else stream
        return stream.window(kind or wr.Tumbling("1 minute")).keepRows()

    def asks(self) -> DataFrame:
        """Return lookups of the minute before their time."""
        return self.lookups.stream().withColumn("since", F.expr("time - INTERVAL 1 MINUTE"))


@pytest.fixture
def both(spark: SparkSession, tmp_path: Path) -> Both:
    """Return two empty streams."""
    return Both(spark, tmp_path)


def found(rows: Sequence[Row]) -> list[tuple[Any, list[int]]]:
    """Return the number of each lookup and the amounts of its rows."""
    return sorted((r.amount, [m.amount for m in r.messages]) for r in rows)


def test_messages_of_the_key(both: Both) -> None:
    """A lookup returns its key's rows in a closed range, including those of its own step (S7)."""
    both.add(
        ([order("09:00:00", amount=1), order("09:00:30", "b", 2)], [order("09:00:30", amount=101)]),
        ([order("09:00:59.999999", amount=3)], [order("09:01:00", amount=102)]),
        ([order("09:00:00", amount=4)], [order("09:01:00", "b", 103), order("09:00:30", "c", 104)]),
        (NOTHING, [order("09:01:00.000001", amount=105), order("09:01:00", amount=106)]),
    )
    asked = both.kept().getMessages(both.asks(), "since", "time")
    assert found(both.run(asked.answers)) == [
        (101, [1]),
        (102, [1, 3]),
        (103, [2]),
        (104, []),
        (105, [3]),
        (106, [1, 4, 3]),
    ]


def test_columns(both: Both) -> None:
    """The answer has the columns of the lookup and an array of the input's rows."""
    both.add(([order("09:00:00", amount=1)], [order("09:00:30", amount=101, gap=7)]))
    asked = both.kept().getMessages(both.asks(), "since", "time")
    assert asked.answers.columns == [*both.asks().columns, "messages"]
    messages = asked.answers.selectExpr("inline(messages)").schema
    assert messages.simpleString() == both.messages.stream().schema.simpleString()
    (row,) = both.run(asked.answers)
    at = datetime(2025, 1, 1, 9, 0)  # noqa: DTZ001  the session's zone
    assert (row.time, row.gap, row.messages[0].time) == (at + timedelta(seconds=30), 7, at)


def test_open_ends(both: Both) -> None:
    """A missing bound and a null bound are open."""
    both.add(
        (
            [order("09:00:00", amount=1), order("09:01:00", amount=2)],
            [order("09:00:30", amount=101)],
        )
    )
    lookups = both.asks().withColumn("never", F.lit(None).cast("timestamp"))
    for start, end, expected in [("never", "time", [1]), ("time", None, [2])]:
        asked = both.kept().getMessages(lookups, start, end)
        assert found(both.run(asked.answers)) == [(101, expected)]


def test_rows_that_retention_removed(both: Both) -> None:
    """Rows beyond the retention are not returned; the watermark of the step decides (S7)."""
    both.add(
        (
            [order("06:00:00", amount=1), order("08:30:00", amount=2)],
            [order("09:00:00", amount=101)],
        ),
        (NOTHING, [order("09:00:00", amount=102)]),
    )
    asked = both.kept().getMessages(both.lookups.stream(), None, "time")
    assert found(both.run(asked.answers)) == [(101, [1, 2]), (102, [2])]


def test_keys_by_name(both: Both) -> None:
    """The lookup's key may have another name or be an expression, and null is a key."""
    both.add(
        (
            [order("09:00:00", "a", 1), order("09:00:00", None, 2)],
            [order("09:00:30", "A", 101), order("09:00:30", None, 102)],
        )
    )
    lookups = both.asks().withColumnRenamed("product", "of")
    asked = both.kept().getMessages(lookups, "since", "time", key={"product": F.lower("of")})
    assert found(both.run(asked.answers)) == [(101, [1]), (102, [2])]
    same = both.kept().getMessages(lookups, "since", "time", by={"product": F.lower("of")})
    assert found(both.run(same.answers)) == [(101, [1]), (102, [2])]


@pytest.mark.full
def test_index_of_lookups(both: Both) -> None:
    """Declared fields select among the rows of a key (R24)."""
    both.add(
        (
            [order("09:00:00", amount=n, gap=n % 2) for n in (1, 2, 3)]
            + [order("09:00:00", amount=4)],
            [order("09:00:30", amount=101, gap=1), order("09:00:30", amount=102)],
        )
    )
    output = both.kept(by=["gap"])
    asked = output.getMessages(both.asks(), "since", "time", by={"gap": "gap"})
    assert found(both.run(asked.answers)) == [(101, [1, 3]), (102, [4])]
    every = output.getMessages(both.asks(), "since", "time")
    assert found(both.run(every.answers))[0] == (101, [1, 2, 3, 4])


@pytest.mark.full
def test_without_a_key(both: Both) -> None:
    """Without a key, every lookup searches all rows."""
    both.add(
        ([order("09:00:00", "a", 1), order("09:00:00", "b", 2)], [order("09:00:30", "c", 101)])
    )
    asked = both.kept(key=()).getMessages(both.asks(), "since", "time")
    assert found(both.run(asked.answers)) == [(101, [1, 2])]


def test_by_offset(both: Both) -> None:
    """Integer bounds are offsets."""
    both.add(
        (
            [order(f"09:00:0{9 - n}", amount=n, gap=n) for n in range(5)],
            [order("09:00:30", amount=101, gap=1)],
        )
    )
    offset = wr.RowId(source=F.lit("s"), partition=F.lit(0), offset="gap")
    asked = both.kept(rowId=offset).getMessages(both.asks(), "gap", F.col("gap") + 2)
    assert found(both.run(asked.answers)) == [(101, [1, 2, 3])]


def test_windows(both: Both) -> None:
    """A lookup of windows returns the metadata of the key's windows in the range (R22, R23)."""
    both.add(
        (
            [order("09:00:10", amount=1), order("09:00:20", amount=2)],
            [order("09:00:30", amount=101)],
        ),
        ([order("09:01:10", amount=3), order("09:01:10", "b", 4)], [order("09:01:30", amount=102)]),
        (NOTHING, [order("09:01:30", amount=103)]),
    )
    asked = both.kept().getWindows(both.asks(), "since", "time")
    rows = sorted(both.run(asked.answers), key=lambda row: row.amount)
    short = [
        [(w.window.start.strftime("%H:%M"), w.is_complete, w["count"]) for w in row.windows]
        for row in rows
    ]
    assert short == [
        [("09:00", False, 2)],
        [("09:00", False, 2), ("09:01", False, 1)],
        [("09:00", True, 2), ("09:01", False, 1)],
    ]
    assert asked.answers.schema["windows"].dataType.simpleString() == (
        "array<struct<window:struct<start:timestamp,end:timestamp>,first_offset:bigint,"
        "last_offset:bigint,is_complete:boolean,count:bigint>>"
    )


def test_windows_on_positions(both: Both) -> None:
    """Windows on positions are returned with positions as bounds."""
    both.add(([order("09:00:00", amount=n) for n in range(5)], [order("09:00:30", amount=1)]))
    stream = wr.stream(both.messages.stream(), key="product").retain(messages=100)
    asked = stream.window(wr.Count(2)).keepRows().getWindows(both.asks(), "amount", "amount")
    (row,) = both.run(asked.answers)
    assert [(w.window.first, w.window.last) for w in row.windows] == [(0, 1)]


def test_random_streams(both: Both) -> None:
    """For random streams, each answer contains all rows so far that retention has kept."""
    steps = disordered(seed=71, batches=6)
    asks = disordered(seed=72, batches=6, size=10)
    numbered = [
        [{**ask, "amount": 10 * i + j} for j, ask in enumerate(of)] for i, of in enumerate(asks)
    ]
    both.add(*zip(steps, numbered, strict=True))
    output = both.kept(wr.Session("5 minutes"), retain="3 hours", watermark="2 hours")
    asked = output.getMessages(both.lookups.stream(), None, "time", key={"product": "product"})
    rows = both.run(asked.answers)
    assert len(rows) == 60
    taken = [
        [m for step in steps[: row.amount // 10 + 1] for m in step if m["product"] == row.product]
        for row in rows
    ]
    assert [[m.amount for m in row.messages] for row in rows if len(row.messages) > 20]
    for row, possible in zip(rows, taken, strict=True):
        at = row.time.strftime("%Y-%m-%d %H:%M:%S")
        wanted = sorted((m["time"], m["amount"]) for m in possible if m["time"] <= at)
        got = [(m.time.strftime("%Y-%m-%d %H:%M:%S"), m.amount) for m in row.messages]
        assert sorted(got) == wanted
        assert [time for time, _ in got] == sorted(time for time, _ in got)


@pytest.mark.anywhere
@pytest.mark.full
def test_one_query_after_a_restart(both: Both, tmp_path: Path) -> None:
    """One query writes answers, panes and rejected rows; its state survives a restart."""
    got: dict[str, list[Any]] = {"answers": [], "panes": [], "rejected": []}

    def into(kind: str) -> Any:
        return lambda frame, _: got[kind].extend(frame.collect())

    def go() -> None:
        asked = both.kept().getMessages(both.asks(), "since", "time")
        sinks = {kind: into(kind) for kind in got}
        checkpoint = str(tmp_path / "checkpoint")
        query = asked.start(**sinks, checkpoint=checkpoint, availableNow=True)
        query.awaitTermination()
        assert wr.status(query).unaccounted == 0

    both.add(
        ([order("09:00:00", amount=1), order(None, amount=2)], [order("09:00:30", amount=101)])
    )
    go()
    both.add(([order("09:00:10", amount=3)], [order("09:00:30", amount=102)]))
    go()
    assert found(got["answers"]) == [(101, [1]), (102, [1, 3])]
    assert [[m.amount for m in pane.messages] for pane in got["panes"]] == [[1], [3]]
    assert [row.reason for row in got["rejected"]] == ["INVALID_TIME"]
    kept = wr.state(str(tmp_path / "checkpoint")).getMessages(
        "2025-01-01 08:59:30", "2025-01-01 09:00:30", key={"product": "a"}
    )
    assert [row.amount for row in kept.collect()] == [1, 3]


def test_mistakes(both: Both) -> None:
    """All mistakes of a lookup are reported at once, in plain errors."""
    output = both.kept(by=["gap"])
    lookups = both.asks().withColumn("Messages", F.lit(1))
    with pytest.raises(wr.SpecError) as refused:
        output.getMessages(lookups, "product", "time", by={"price": "price"})
    codes = [problem.code for problem in refused.value.problems]
    assert codes == ["NAME_TAKEN", "KEYS_NOT_THOSE", "BOUND_NOT_UNDERSTOOD"]
    with pytest.raises(wr.SpecError, match=r"COLUMN_NOT_FOUND.*nope") as unknown:
        output.getMessages(both.asks(), "nope", 7, key={"product": "no"})  # type: ignore[arg-type]
    assert [p.code for p in unknown.value.problems] == ["NOT_A_COLUMN", *["COLUMN_NOT_FOUND"] * 2]
    with pytest.raises(wr.SpecError, match=r"KEYS_NOT_THOSE.*product"):
        output.getMessages(both.asks().drop("product"), "since", "time")
    with pytest.raises(wr.SpecError, match=r"KEY_TYPES_DIFFER.*'gap' is BIGINT"):
        output.getMessages(both.asks(), None, None, by={"gap": "product"})
    with pytest.raises(wr.SpecError, match="KEYS_TWICE"):
        both.kept().getMessages(
            both.asks(),
            None,
            None,
            by={"product": "product"},
            key={"product": "product"},
        )
    with pytest.raises(wr.SpecError, match=r"NOT_STREAMING.*lookups"):
        output.getMessages(both.lookups.batch(), "time", "time")
    with pytest.raises(wr.SpecError, match=r"BOUND_NOT_UNDERSTOOD.*a time of type TIMESTAMP"):
        output.getWindows(both.asks(), "gap", None)
    with pytest.raises(TypeError, match="not str"):
        output.getMessages("lookups", None, None)  # type: ignore[arg-type]
    hours = wr.stream(both.messages.stream(), time="time", key="product", watermark="0 seconds")
    sums = hours.lateness("0 seconds").window(wr.Tumbling("1 hour")).aggregate(F.sum("amount"))
    with pytest.raises(wr.OperatorError, match="NO_MESSAGE_STORE"):
        sums.getMessages(both.asks(), None, None)
