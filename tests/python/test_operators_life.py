"""The life of operators without a query: contexts, back-pressure, checkpoints, freeing, errors."""

from __future__ import annotations

import gc
import logging
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

import windrow as wr
from operators import NINE, aggregated, at, panes, prices, table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]

COUNTS = prices(window=wr.Tumbling("1 minute"), aggregates="count(*) AS n")


def _spec(**more: Any) -> wr.WindowOperatorSpec:
    return wr.WindowOperatorSpec(**{**COUNTS, **more})


def _minute(number: int) -> pa.Table:
    return table("symbol time price", ("a", 60 * number + 1, 1.0))


def _selects(op: wr.AggregatedWindowOperator) -> bool:
    return op.selectorEnabled


def test_a_downstream_that_refuses() -> None:
    """What is refused stays in order; no message is taken until a timeout gets rid of it."""
    room: list[bool] = [True]
    taken: list[tuple[Any, ...]] = []

    def send(outputs: pa.Table) -> bool:
        taken.extend(panes(outputs) if room[0] else ())
        return room[0]

    with wr.AggregatedWindowOperator(_spec(), send=send) as op:
        op.addMessages(_minute(0))
        op.advanceWatermark(at(60))
        assert taken == [("a", 1, (0.0, 60.0), "ON_TIME 0")]
        assert op.getResult().num_rows == 0
        op.addMessages(_minute(1))
        room[0] = False
        op.advanceWatermark(at(120))
        assert not _selects(op)
        with pytest.raises(wr.SelectorDisabledError, match=r"\[SELECTOR_DISABLED\].*1 outputs"):
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
    """The message that comes too early leaves a warning."""
    with wr.AggregatedWindowOperator(_spec(), send=lambda _: False) as op:
        op.addMessages(_minute(0))
        op.advanceWatermark(at(60))
        with caplog.at_level(logging.WARNING, "windrow"), pytest.raises(wr.SelectorDisabledError):
            op.addMessages(_minute(1))
    assert "downstream is full" in caplog.text


class _Halved(wr.AggregatedWindowOperator):
    """Withholds what is cheap, and shows no symbol."""

    def beforeProcess(  # noqa: N802  the public name
        self, batch: pa.Table
    ) -> pa.Table:
        return batch.filter(pa.compute.greater(batch.column("price"), 1.0))

    def beforeSend(  # noqa: N802  the public name
        self, outputs: pa.Table
    ) -> pa.Table:
        return outputs.drop_columns("symbol")


def test_hooks() -> None:
    """Messages before any check, outputs before they are handed out, once each."""
    with _Halved(_spec()) as op:
        op.addMessages(table("symbol time price", ("a", 1, 1.0), ("a", 2, 2.0), ("a", None, 0.5)))
        op.finish()
        assert panes(op.getResult()) == panes(op.getResult()) == [(1, (0.0, 60.0), "ON_TIME 0")]
        assert op.filteredCount == 2
        assert op.getRejected().num_rows == 0


def test_processing_time() -> None:
    """Periodic panes come with the clock that is told, not with another one."""
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
    """What is usual without a query, as the source has it."""
    more = {"lateness": "1 hour", "accumulation": wr.ACCUMULATING}
    assert _spec(**more).late == wr.Every("10 seconds")
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
    """State, watermark, clock and waiting outputs go into bytes, and on in another operator."""
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
    """What was flushed is there when the folder is opened again, and nothing else."""
    folder = str(tmp_path / "operator")
    offset = {
        "schema": "symbol string, time timestamp, price double, topic string, partition int, "
        "offset bigint",
        "offset": wr.KAFKA,
    }
    rows = [("a", second, 1.0, "t", 0, second) for second in range(1, 5)]
    columns = "symbol time price topic partition offset"
    with wr.AggregatedWindowOperator(_spec(**offset), store=folder) as op:
        op.addMessages(table(columns, *rows[:2]))
        op.advanceWatermark(at(3))
        op.flush()
        op.addMessages(table(columns, rows[2]))
        with pytest.raises(wr.OperatorError, match=r"\[STORE_NOT_OPENED\]"):
            wr.AggregatedWindowOperator(_spec(**offset), store=folder).init()
    with wr.AggregatedWindowOperator(_spec(**offset), store=folder) as op:
        op.addMessages(table(columns, *rows))  # those that were flushed are replays
        op.addMessage(
            {"symbol": "a", "time": at(-60), "price": 1.0}
            | {"topic": "t", "partition": 0, "offset": 9}
        )
        assert op.getRejected().column("watermark").to_pylist() == [at(3)]
        op.finish()
        assert panes(op.getResult()) == [("a", 4, (0.0, 60.0), "ON_TIME 0")]
    with pytest.raises(wr.CheckpointError, match=r"\[SPEC_CHANGED\]"):
        wr.AggregatedWindowOperator(_spec(), store=folder).init()


def test_checkpoints_that_do_not_fit() -> None:
    """Damage and another spec are told by name."""
    with aggregated(**COUNTS) as op:
        kept = op.checkpoint()
        for broken in (b"", kept[:-1], kept[:20] + bytes([kept[20] ^ 1]) + kept[21:]):
            with pytest.raises(wr.CheckpointError, match=r"STATE_DAMAGED"):
                op.reset(broken)
    for more in ({"window": wr.Tumbling("2 minutes")}, {"aggregates": "sum(price) AS n"}):
        with (
            aggregated(**{**COUNTS, **more}) as other,
            pytest.raises(wr.CheckpointError, match=r"\[SPEC_CHANGED\] the checkpoint has"),
        ):
            other.reset(kept)


def test_closing_frees_the_operator(spark: SparkSession) -> None:
    """Nothing in the JVM holds it any more, whatever Python still holds."""
    jvm: Any = spark._jvm
    ops = [wr.AggregatedWindowOperator(_spec()) for _ in range(4)]
    for op in ops:
        op.addMessages(_minute(0))
    held = [jvm.java.lang.ref.WeakReference(op._java._operator) for op in ops if op._java]
    assert len(held) == 4
    for op in ops[:3]:
        op.close()
        op.close()
    assert _alive(jvm, held, until=1) == [False, False, False, True]
    ops[3].close()
    with pytest.raises(wr.OperatorError, match=r"\[NOT_OPEN\] .*is closed"):
        ops[3].addMessages(_minute(0))


def test_an_operator_that_is_dropped_is_freed(spark: SparkSession) -> None:
    """Without close(), once Python has let go of it."""
    jvm: Any = spark._jvm
    op = wr.AggregatedWindowOperator(_spec())
    op.init()
    assert op._java is not None
    held = [jvm.java.lang.ref.WeakReference(op._java._operator)]
    assert _alive(jvm, held, until=1) == [True]
    del op
    assert _alive(jvm, held, until=0) == [False]


def _alive(jvm: Any, held: list[Any], *, until: int) -> list[bool]:
    """Say which are still there, once at most so many are, or the JVM has had its chances."""
    alive = [True] * len(held)
    for _ in range(100):
        gc.collect()
        jvm.java.lang.System.gc()
        alive = [reference.get() is not None for reference in held]
        if sum(alive) <= until:
            break
        time.sleep(0.05)  # Py4J lets go of objects on a thread of its own
    return alive


@pytest.mark.parametrize(
    ("more", "text"),
    [
        ({"aggregates": "max(prize)"}, r"AGGREGATE_NOT_UNDERSTOOD\].*max\(prize\).*prize"),
        ({"aggregates": "max(price"}, r"AGGREGATE_NOT_UNDERSTOOD"),
        ({"aggregates": "price"}, r"AGGREGATE_NOT_UNDERSTOOD"),
        ({"aggregates": "count(DISTINCT price)"}, r"AGGREGATE_NOT_MERGEABLE"),
        ({"aggregates": "max(rand())"}, r"AGGREGATE_NOT_UNDERSTOOD.*Non-deterministic"),
        ({"aggregates": "max(price + unix_micros(now()))"}, r"AGGREGATE_NOT_SUPPORTED"),
        ({"aggregates": "max(current_timestamp())"}, r"AGGREGATE_NOT_SUPPORTED"),
        ({"aggregates": "count(*) AS pane"}, r"NAME_TAKEN"),
        ({"aggregates": ["count(*) AS n", "sum(price) AS n"]}, r"NAME_TWICE"),
        ({"aggregates": ["max(a)", "max(b)"]}, r"2 problems in Tumbling"),
        ({"key": "symbl"}, r"COLUMN_NOT_FOUND\].*key='symbl'.*symbol, time, price"),
        ({"time": "price"}, r"TIME_NOT_TIMESTAMP\].*DOUBLE"),
        ({"schema": "time timestmp"}, r"SCHEMA_NOT_UNDERSTOOD"),
        ({"schema": "time timestamp, Time double, symbol string"}, r"NAME_TWICE"),
        ({"offset": wr.KAFKA}, r"3 problems.*offset\.source='topic' is no column"),
    ],
)
def test_what_only_the_session_can_tell(more: dict[str, Any], text: str) -> None:
    """Names, types and aggregates are looked up as the operator opens."""
    with pytest.raises(wr.SpecError, match=text) as refused:
        wr.AggregatedWindowOperator(_spec(**more)).init()
    assert "JVM" not in str(refused.value)
    assert "\tat " not in str(refused.value)


def test_keys_of_a_join_are_of_one_type() -> None:
    """An int is not equal to a bigint, by its bytes."""
    streams = [
        wr.JoinStream(name="a", schema="id bigint, time timestamp", time="time"),
        wr.JoinStream(name="b", schema="id int, time timestamp", time="time"),
    ]
    within = ("0 s", "1 s")
    spec = wr.JoinSpec(streams=streams, on="id", within=within, lateness="0 seconds")
    with pytest.raises(wr.SpecError, match=r"KEY_TYPES_DIFFER.*BIGINT in 'a', INT in 'b'"):
        wr.StreamStreamJoinOperator(spec).init()


@pytest.mark.parametrize(
    ("columns", "texts"),
    [
        (
            {"symbol": ["a"], "price": [1.0]},
            ["COLUMN_MISSING] messages of stream 'messages': there is no column time"],
        ),
        (
            {"symbol": ["a"], "time": [NINE], "price": [1.0], "qty": [1]},
            ["COLUMN_UNKNOWN]", "qty is no column; allowed are symbol string, time"],
        ),
        (
            {"symbol": [1], "time": ["9:00"], "price": [1.0]},
            [
                "2 problems",
                "symbol is of type int64; it must be string.",
                "time is of type string; it must be timestamp[us, UTC].",
            ],
        ),
        (
            {"symbol": ["a"], "time": [NINE], "price": [1]},
            ["price is of type int64; it must be double."],
        ),
    ],
)
def test_messages_that_do_not_fit(columns: dict[str, list[Any]], texts: list[str]) -> None:
    """One error names every column, its type and what is allowed; nothing has changed."""
    with aggregated(**COUNTS) as op:
        with pytest.raises(wr.MessageError) as refused:
            op.addMessages(pa.table(columns))
        for text in texts:
            assert text in str(refused.value)
        op.finish()
        assert op.getResult().num_rows == 0


def test_one_message_that_does_not_fit() -> None:
    """A dict is checked like a table."""
    with aggregated(**COUNTS) as op:
        with pytest.raises(wr.MessageError, match=r"time is 'nine'; it must be timestamp"):
            op.addMessage({"symbol": "a", "time": "nine", "price": 1.0})
        with pytest.raises(wr.MessageError, match=r"COLUMN_MISSING.*price"):
            op.addMessage({"symbol": "a", "time": NINE})
        with pytest.raises(TypeError, match="must be a pyarrow Table"):
            op.addMessages([{"symbol": "a"}])


def test_not_null_is_checked() -> None:
    """A null where the schema forbids it is refused before it comes in."""
    schema = "symbol string NOT NULL, time timestamp, price double"
    with (
        aggregated(**{**COUNTS, "schema": schema}) as op,
        pytest.raises(wr.MessageError, match=r"NULL_NOT_ALLOWED.*symbol is null"),
    ):
        op.addMessages(table("symbol time price", ("a", 1, 1.0), (None, 1, 1.0)))


def test_what_loses_nothing_is_converted() -> None:
    """Naive times are of the session's zone; widths, units and encodings do not matter."""
    spec = {
        "schema": "symbol string, time timestamp, n int, at timestamp_ntz",
        "time": "time",
        "key": "symbol",
        "window": wr.Tumbling("1 minute"),
        "lateness": "0 seconds",
        "aggregates": ["max(n) AS n", "max(at) AS at"],
    }
    naive = datetime(2025, 1, 1, 9, 0, 1)  # noqa: DTZ001
    rows = pa.table(
        {
            "at": pa.array([naive], pa.timestamp("ms")),
            "n": pa.array([5], pa.int64()),
            "time": pa.array([naive], pa.timestamp("ns")),
            "symbol": pa.array(["a"]).dictionary_encode(),
        }
    )
    with aggregated(**spec) as op:
        op.addMessages(rows)
        op.addMessages(rows.to_batches()[0])
        too_wide = rows.set_column(1, "n", pa.array([2**40], pa.int64()))
        with pytest.raises(wr.MessageError, match=r"n is of type int64.*a value does not fit"):
            op.addMessages(too_wide)
        op.finish()
        assert panes(op.getResult()) == [("a", 5, naive, (0.0, 60.0), "ON_TIME 0")]


def test_times_that_are_none() -> None:
    """Whole numbers are offsets, and a text must be a time."""
    with aggregated(**COUNTS) as op:
        with pytest.raises(TypeError, match=r"to is 5; it must be a datetime"):
            op.advanceWatermark(5)
        with pytest.raises(ValueError, match=r"now is 'soon'; it must be a time"):
            op.timeout("soon")


def test_the_zone_of_naive_times(spark: SparkSession) -> None:
    """Naive texts, datetimes and columns are of the session's zone."""
    spark.conf.set("spark.sql.session.timeZone", "Europe/Berlin")
    try:
        with aggregated(**COUNTS) as op:
            op.addMessage({"symbol": "a", "time": datetime(2025, 1, 1, 10), "price": 1.0})  # noqa: DTZ001
            op.addMessage(
                {"symbol": "a", "time": datetime(2025, 1, 1, 9, tzinfo=UTC), "price": 1.0}
            )
            op.advanceWatermark("2025-01-01 10:01:00")
            assert panes(op.getResult()) == [("a", 2, (0.0, 60.0), "ON_TIME 0")]
    finally:
        spark.conf.set("spark.sql.session.timeZone", "UTC")


def test_what_is_not_there() -> None:
    """Told as such, in words."""
    with pytest.raises(wr.SpecError, match=r"SCHEMA_NOT_STATED"):
        wr.AggregatedWindowOperator(
            wr.WindowOperatorSpec(window=wr.Tumbling("1 minute"), lateness="0 seconds")
        )
    with pytest.raises(wr.SpecError, match=r"it is for AggregatedWindowOperator"):
        wr.FullStateWindowOperator(_spec())
    with pytest.raises(TypeError, match=r"takes WindowOperatorSpec"):
        wr.AggregatedWindowOperator("spec")  # type: ignore[arg-type]
