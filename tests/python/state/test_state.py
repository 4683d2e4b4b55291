"""Reading the state of a query from outside: while it runs, when it is stopped, after a restart."""

from __future__ import annotations

import shutil
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import functions as F

import windrow as wr
from feed import NOTHING, Feed, disordered, order

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

pytestmark = [pytest.mark.spark, pytest.mark.slow]


def at(clock: str) -> datetime:
    """Return a time on the day of all tests."""
    return datetime.fromisoformat(f"2025-01-01 {clock}")


def stream(feed: Feed, **more: Any) -> wr.Stream:
    """Return rows by product, with one hour of lateness."""
    described = wr.stream(
        feed.stream(), time="time", key="product", watermark="0 seconds", name="orders", **more
    )
    return described.lateness("1 hour")


def keeping(feed: Feed, **more: Any) -> wr.Output:
    """Return full state in minutes."""
    return stream(feed, **more).retain(time="2 hours").window(wr.Tumbling("1 minute")).keepRows()


def run(output: DataFrame, checkpoint: Path) -> str:
    """Run a query over all files until it stops."""
    writer = output.writeStream.format("noop").option("checkpointLocation", str(checkpoint))
    writer.trigger(availableNow=True).start().awaitTermination()
    return str(checkpoint)


def amounts(messages: DataFrame) -> list[int]:
    """Return the amounts in the order of the rows."""
    return [row.amount for row in messages.collect()]


def test_messages(feed: Feed, tmp_path: Path) -> None:
    """Rows in a closed range are returned ordered by time, for all keys or one (R24)."""
    feed.add(
        [order("09:00:10", amount=1), order("09:00:05", amount=2), order("09:00:07", None)],
        [order("09:01:30", "b", amount=3), order("09:02:00", amount=4)],
    )
    state = wr.state(Path(run(keeping(feed).panes, tmp_path / "cp")))
    assert state.getMessages().schema == feed.stream().schema
    assert amounts(state.getMessages(at("09:00:05"), "2025-01-01 09:01:30")) == [2, 1, 1, 3]
    assert amounts(state.getMessages(None, at("09:00:06"))) == [2]
    assert amounts(state.getMessages(None, None, by={"product": "a"})) == [2, 1, 4]
    assert amounts(state.getMessages(None, None, key={"product": None})) == [1]
    assert amounts(state.getMessages(None, None, key={"product": "c"})) == []


def test_a_lookup_reads_the_description_once(feed: Feed, tmp_path: Path) -> None:
    """A question takes two Spark jobs before it reads rows: one lists operators, one reads one."""
    feed.add([order("09:00:10", amount=1)], [order("09:01:30", amount=2)])
    state = wr.state(run(keeping(feed).panes, tmp_path / "cp"))
    context = feed.spark.sparkContext
    context.setJobGroup("lookup", "", interruptOnCancel=False)
    try:
        found = state.getMessages()
    finally:
        context._jsc.clearJobGroup()
    assert len(context.statusTracker().getJobIdsForGroup("lookup")) == 2
    assert amounts(found) == [1, 2]


@pytest.mark.full
def test_messages_by_offset(feed: Feed, tmp_path: Path) -> None:
    """Integer bounds are offsets; the restart offset is the least one in the state (R24, R27)."""
    feed.add([order(f"09:00:{n:02}", "ab"[n % 2], amount=n, gap=9 - n) for n in range(6)])
    offset = wr.RowId(source=F.lit("topic"), partition=F.lit(3), offset="gap")
    state = wr.state(run(keeping(feed, rowId=offset).panes, tmp_path / "cp"))
    assert amounts(state.getMessages(5, 8)) == [4, 3, 2, 1]
    assert amounts(state.getMessages(None, 6, by={"product": "b"})) == [5, 3]
    assert [tuple(row) for row in state.restartOffsets().collect()] == [("topic", 3, 4)]
    windows = state.getWindows().collect()
    shown = [(r.product, r.first_offset, r.last_offset, r["count"]) for r in windows]
    assert sorted(shown) == [("a", 5, 9, 3), ("b", 4, 8, 3)]


@pytest.mark.full
def test_replay_offsets_of_an_empty_store(feed: Feed, tmp_path: Path) -> None:
    """The restart offset of an empty state is the next offset."""
    feed.add([order("09:00:00", gap=1)], [order("23:00:00", "b", gap=2)], NOTHING)
    offset = wr.RowId(source=F.lit("topic"), partition=F.lit(0), offset="gap")
    state = wr.state(run(keeping(feed, rowId=offset).panes, tmp_path / "cp"))
    assert [tuple(row) for row in state.restartOffsets().collect()] == [("topic", 0, 2)]


@pytest.mark.full
def test_windows_of_messages(feed: Feed, tmp_path: Path) -> None:
    """Windows that overlap the range are returned, complete or not, by start and end (R22, R23)."""
    feed.add([order("09:00:10"), order("09:00:20"), order("09:01:30")], NOTHING)
    state = wr.state(run(keeping(feed).panes, tmp_path / "cp"))
    windows = state.getWindows(at("09:00:59"), at("09:05:00"))
    names = ["product", "window", "first_offset", "last_offset", "is_complete", "count"]
    assert windows.columns == names
    shown = [(r.window.start, r.is_complete, r["count"]) for r in windows.collect()]
    assert shown == [(at("09:00:00"), True, 2), (at("09:01:00"), False, 1)]
    assert state.getWindows(at("09:01:00"), at("09:01:00")).count() == 1


@pytest.mark.parametrize(
    "kind",
    [
        wr.Tumbling("5 minutes"),
        pytest.param(wr.Hopping("10 minutes", step="3 minutes"), marks=pytest.mark.full),
        pytest.param(wr.Session("90 seconds"), marks=pytest.mark.full),
        pytest.param(wr.Sliding("90 seconds"), marks=pytest.mark.full),
    ],
    ids=repr,
)
def test_windows_of_aggregates(feed: Feed, tmp_path: Path, kind: wr.WindowKind) -> None:
    """The value of an open window equals that of a batch over the same rows."""
    feed.add(*disordered(seed=41))
    functions = (
        F.sum("amount").alias("total"),
        (F.max("price") / F.count("*")).alias("ratio"),
        F.sort_array(F.collect_list("amount")).alias("all"),
        F.approx_count_distinct("amount", 0.02).alias("distinct"),
        F.count_if(F.col("amount") > 0).alias("positive"),
    )

    def described(df: DataFrame, **more: Any) -> wr.Output:
        input_ = wr.stream(df, time="time", key="product", **more).lateness("1 day")
        return input_.window(kind).accumulationMode(wr.ACCUMULATING).aggregate(*functions)

    feed.spark.conf.set("spark.windrow.shards", "1")  # one shard for all keys
    try:
        checkpoint = run(described(feed.stream(), watermark="1 minute").panes, tmp_path / "cp")
    finally:
        feed.spark.conf.unset("spark.windrow.shards")
    ours = wr.state(checkpoint).getWindows(None, None)
    columns = ["product", "window", "total", "ratio", "all", "distinct", "positive"]
    assert ours.drop("first_offset", "last_offset", "is_complete").columns == columns
    batch = described(feed.batch()).panes
    expected = [row for row in batch.select(columns).collect() if row.total is not None]
    assert sorted(map(repr, ours.select(columns).collect())) == sorted(map(repr, expected))
    assert expected
    of_a = wr.state(checkpoint).getWindows(None, None, key={"product": "a"})
    assert of_a.count() == sum(row.product == "a" for row in expected) > 0


def test_pending(feed: Feed, tmp_path: Path) -> None:
    """An incomplete window is pending until its end; a period, until a processing time."""
    feed.add([order("09:00:10", amount=1), order("09:01:30", amount=2)], NOTHING)
    windows = stream(feed).window(wr.Tumbling("1 minute")).accumulationMode(wr.ACCUMULATING)
    state = wr.state(run(windows.aggregate(F.sum("amount")).panes, tmp_path / "cp"))
    coming = [(r.product, r.window.start, r.timing, r.watermark) for r in state.pending().collect()]
    assert coming == [("a", at("09:01:00"), "ON_TIME", at("09:02:00"))]


def test_while_it_runs_and_after(feed: Feed, tmp_path: Path) -> None:
    """A committed batch is visible at once, and a restart continues with the same state."""
    output, checkpoint = keeping(feed).panes, tmp_path / "cp"
    feed.add([order("09:00:10", amount=1)])

    def started() -> Any:
        writer = output.writeStream.format("noop")
        return writer.option("checkpointLocation", str(checkpoint)).start()

    query = started()
    try:
        query.processAllAvailable()
        state = wr.state(str(checkpoint), operator="orders")
        assert amounts(state.getMessages(None, None)) == [1]
        feed.add([order("09:00:20", amount=2)])
        query.processAllAvailable()
        assert query.isActive
        assert amounts(state.getMessages(None, None)) == [1, 2]
        assert query.exception() is None
    finally:
        query.stop()
    assert amounts(state.getMessages(None, None)) == [1, 2]
    feed.add([order("09:00:30", amount=3)])
    query = started()
    try:
        query.processAllAvailable()
    finally:
        query.stop()
    assert amounts(state.getMessages(None, None)) == [1, 2, 3]


def test_a_frame_is_of_its_batch(feed: Feed, tmp_path: Path) -> None:
    """One read sees one batch, even if another batch is committed before it ends (SEMANTICS S6)."""
    output = keeping(feed).panes
    feed.add([order("09:00:10", amount=1)])
    asked = wr.state(run(output, tmp_path / "cp")).getMessages(None, None)
    feed.add([order("09:00:20", amount=2)])
    run(output, tmp_path / "cp")
    assert amounts(asked) == [1]


@pytest.mark.full
def test_longer_lateness_is_known(feed: Feed, tmp_path: Path) -> None:
    """After an allowed change of the spec, the state is read with the new spec."""
    feed.add([order("09:00:10", amount=1)])
    run(keeping(feed).panes, tmp_path / "cp")
    feed.add([order("09:00:20", amount=2)])
    longer = stream(feed).index(by="amount").lateness("2 hours").retain(time="3 hours")
    run(longer.window(wr.Tumbling("1 minute")).keepRows().panes, tmp_path / "cp")
    state = wr.state(str(tmp_path / "cp"))
    assert state.getMessages(None, None).count() == 2
    assert amounts(state.getMessages(None, None, by={"amount": 2})) == [2]


def test_index(feed: Feed, tmp_path: Path) -> None:
    """The declared columns select rows, and all of them are needed."""
    feed.add([order("09:00:10", amount=1), order("09:00:20", "b", amount=2), order("09:00:30")])
    windows = stream(feed).index(by=("amount",)).retain(time="2 hours")
    output = windows.window(wr.Tumbling("1 minute")).keepRows()
    state = wr.state(run(output.panes, tmp_path / "cp"))
    found = state.getMessages(None, None, by={"amount": 1}).collect()
    assert [row.time for row in found] == [at("09:00:10"), at("09:00:30")]
    both = state.getMessages(None, None, by={"amount": 1}, key={"product": "b"})
    assert both.count() == 0
    with pytest.raises(wr.SpecError, match="KEYS_NOT_THOSE"):
        state.getMessages(None, None, by={"product": "a"})


@pytest.mark.full
def test_keys_are_not_rounded(feed: Feed, tmp_path: Path) -> None:
    """A key value that its type cannot represent is refused; another suitable type is converted."""
    feed.add([order("09:00:10", amount=1, price=1.25)])
    columns = {"n": "int", "cost": "decimal(10, 1)", "near": "float", "day": "date"}
    values = {"n": "amount", "cost": "price - 0.05", "near": "price - 0.15", "day": "time"}
    key = [F.expr(values[name]).cast(to).alias(name) for name, to in columns.items()]
    described = wr.stream(feed.stream(), time="time", key=key, watermark="0 seconds")
    kept = described.lateness("1 hour").retain(time="2 hours").window(wr.Tumbling("1 minute"))
    state = wr.state(run(kept.keepRows().panes, tmp_path / "cp"))

    def found(**said: object) -> int:
        one = {"n": 1, "cost": Decimal("1.2"), "near": 1.1, "day": "2025-01-01", **said}
        return state.getMessages(None, None, key=one).count()

    assert found(n=1.0, cost=1.2) == found(n="1", cost="1.200", day=at("00:00:00")) == found() == 1
    for said in (
        {"n": 1.7}, {"n": Decimal("1.01")}, {"cost": 1.24}, {"cost": Decimal("1.24")},
        {"cost": "1.24"}, {"day": at("00:00:01")},
    ):  # fmt: skip
        with pytest.raises(wr.SpecError, match="VALUE_NOT_UNDERSTOOD"):
            found(**said)


def test_sql(feed: Feed, tmp_path: Path) -> None:
    """SQL functions return the same rows."""
    feed.add([order("09:00:10", amount=1), order("09:00:20", "b", amount=2)])
    checkpoint = run(keeping(feed).panes, tmp_path / "cp")
    found = feed.spark.sql(
        "SELECT amount FROM windrow_get_messages(:path, start => TIMESTAMP '2025-01-01 09:00:00', "
        "end => '2025-01-01 09:00:59', by => named_struct('product', 'b'))",
        {"path": checkpoint},
    )
    assert [row.amount for row in found.collect()] == [2]
    windows = feed.spark.sql(
        "SELECT product, count FROM windrow_get_windows(checkpoint => :path)", {"path": checkpoint}
    )
    assert sorted(tuple(row) for row in windows.collect()) == [("a", 1), ("b", 1)]
    with pytest.raises(AnalysisException, match=r"KEYS_NOT_UNDERSTOOD.*key => 9"):
        feed.spark.sql("SELECT * FROM windrow_get_keys(:path, key => 9)", {"path": checkpoint})


def test_wrong_paths(feed: Feed, tmp_path: Path) -> None:
    """Each error names the path and its problem, and no folder is created."""
    with pytest.raises(wr.CheckpointError, match=r"CHECKPOINT_NOT_FOUND.*nowhere"):
        wr.state(str(tmp_path / "nowhere"))
    assert not (tmp_path / "nowhere").exists()
    for ask in (wr.state, wr.verify):
        with pytest.raises(
            wr.CheckpointError, match=r"STORAGE_NOT_ACCESSIBLE\] 's3a://…@bucket/c'"
        ):
            ask("s3a://key:hush@bucket/c")
    feed.add([order("09:00:10")])
    plain = run(feed.stream(), tmp_path / "plain")
    with pytest.raises(wr.CheckpointError, match=r"NO_WINDROW_STATE.*plain"):
        wr.state(plain)
    counts = feed.stream().withWatermark("time", "1 minute").groupBy(F.window("time", "1 day"))
    other = run(counts.count(), tmp_path / "other")
    with pytest.raises(wr.CheckpointError, match=r"NO_WINDROW_STATE.*other"):
        wr.state(other)
    (tmp_path / "plain" / "commits").rename(tmp_path / "away")
    with pytest.raises(wr.CheckpointError, match=r"CHECKPOINT_EMPTY.*plain"):
        wr.state(plain)


@pytest.mark.full
def test_wrong_questions(feed: Feed, tmp_path: Path) -> None:
    """Reads of the wrong kind, columns or operator are refused."""
    feed.add([order("09:00:10")])
    windows = stream(feed).window(wr.Tumbling("1 minute")).accumulationMode(wr.ACCUMULATING)
    state = wr.state(run(windows.aggregate(F.sum("amount")).panes, tmp_path / "cp"))
    with pytest.raises(wr.OperatorError, match="NO_MESSAGE_STORE"):
        state.getMessages(None, None)
    with pytest.raises(wr.OperatorError, match="NO_MESSAGE_STORE"):
        state.restartOffsets()
    with pytest.raises(wr.SpecError, match="VALUE_NOT_UNDERSTOOD"):
        state.getWindows(1, 2)
    with pytest.raises(wr.SpecError, match="VALUE_NOT_UNDERSTOOD"):
        state.getWindows("noon", None)
    with pytest.raises(wr.SpecError, match="KEYS_NOT_THOSE"):
        state.getWindows(None, None, key={"amount": 1})
    with pytest.raises(wr.CheckpointError, match=r"OPERATOR_NOT_CLEAR.*orders"):
        wr.state(str(tmp_path / "cp"), operator="shipments")
    assert wr.state(str(tmp_path / "cp"), operator="0").getWindows(None, None).count() == 1


def test_damage(feed: Feed, tmp_path: Path) -> None:
    """Missing state is an error that names the checkpoint."""
    feed.add([order("09:00:10")])
    checkpoint = run(keeping(feed).panes, tmp_path / "cp")
    shutil.rmtree(tmp_path / "cp" / "state" / "0" / "_metadata")
    with pytest.raises(wr.CheckpointError, match=r"(STATE_DAMAGED|NO_WINDROW_STATE).*cp"):
        wr.state(checkpoint)


@pytest.mark.full
def test_a_path_with_a_blank(feed: Feed, tmp_path: Path) -> None:
    """A path with a blank cannot be read as state, but a query can start, with a warning (S12)."""
    feed.add([order("09:00:10", amount=1)])
    output, path = keeping(feed), tmp_path / "a check point"

    def go_on() -> None:
        output.start(
            panes=wr.Files(str(tmp_path / "out")), checkpoint=path, availableNow=True
        ).awaitTermination()

    go_on()
    with pytest.warns(UserWarning, match=r"\[CHECKPOINT_NOT_CHECKED\].*\[CHECKPOINT_PATH"):
        go_on()
    with pytest.raises(wr.CheckpointError, match=r"^\[CHECKPOINT_PATH_NOT_READABLE\]"):
        wr.state(path)
