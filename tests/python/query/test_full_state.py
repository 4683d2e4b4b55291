"""Full state in queries: panes contain the new rows, each row once."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import functions as F

import windrow as wr
from feed import NOTHING, Feed, disordered, order

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

pytestmark = [pytest.mark.spark, pytest.mark.slow]

PANE = "struct<timing:string,index:bigint,is_last:boolean,is_retraction:boolean>"


def kept(df: DataFrame, kind: wr.WindowKind, **more: Any) -> wr.Windowed:
    """Return windows by product with one hour of lateness and two hours of retention."""
    stream = wr.stream(df, time="time", key="product", **more)
    return stream.lateness("1 hour").retain(time="2 hours").window(kind)


def short(rows: list[Any]) -> list[tuple[Any, ...]]:
    """Return the product, window start, amounts of the rows, timing and index of each pane."""
    return [
        (
            r.product,
            r.window.start.strftime("%H:%M"),
            [message.amount for message in r.messages],
            r.pane.timing,
            r.pane["index"],
        )
        for r in rows
    ]


def test_each_message_once(feed: Feed) -> None:
    """A row is emitted with the first window that accepts it (R6), also if it is late (R15)."""
    feed.add(
        [order("09:00:10", amount=1), order("09:00:05", amount=2)],
        [order("09:01:30", amount=3)],
        NOTHING,
        [order("09:00:30", amount=4), order("09:02:00", amount=5)],
    )
    windows = kept(feed.stream(), wr.Hopping("2 minutes", step="1 minute"), watermark="0 seconds")
    assert short(feed.run(windows.keepRows().panes)) == [
        ("a", "08:59", [2, 1], "EARLY", 0),
        ("a", "09:00", [3], "EARLY", 0),
        ("a", "08:59", [4], "LATE", 1),
        ("a", "09:01", [5], "EARLY", 0),
    ]


def test_only_when_complete(feed: Feed) -> None:
    """Without an early trigger the rows are emitted when their window completes (R16)."""
    feed.add([order("09:00:10", amount=1), order("09:00:05", amount=2)], [order("09:02:00")])
    windows = kept(feed.stream(), wr.Tumbling("1 minute"), watermark="0 seconds")
    panes = feed.run(windows.trigger(early=wr.Never()).keepRows().panes)
    assert short(panes) == [("a", "09:00", [2, 1], "ON_TIME", 0)]


def test_columns(feed: Feed) -> None:
    """The columns have the documented names and types; the rows are those of the input."""
    feed.add([order("09:00:10", amount=7, gap=3)])
    panes = kept(feed.stream(), wr.Tumbling("1 minute"), watermark="0 seconds").keepRows().panes
    window = "struct<start:timestamp,end:timestamp>"
    row = feed.run(panes)[0]
    assert panes.columns == ["product", "window", "messages", "pane"]
    assert panes.schema["window"].dataType.simpleString() == window
    assert panes.schema["pane"].dataType.simpleString() == PANE
    messages = panes.selectExpr("inline(messages)")
    assert messages.schema.simpleString() == feed.stream().schema.simpleString()
    assert not panes.schema["messages"].nullable
    assert tuple(row.messages[0]) == (datetime(2025, 1, 1, 9, 0, 10), "a", 1.75, 7, 3)  # noqa: DTZ001


def test_nothing_is_lost(feed: Feed) -> None:
    """Every row is in exactly one pane, or rejected with a reason."""
    batches = disordered(seed=31)
    feed.add(*batches)
    output = kept(feed.stream(), wr.Session("5 minutes"), watermark="1 minute").keepRows()
    rows = feed.run(output.output)
    panes = [m for r in rows if r.kind == "panes" for m in r.panes.messages]
    rejected = [r.rejected.message for r in rows if r.kind == "rejected"]
    assert rejected
    assert sorted(map(repr, panes + rejected)) == sorted(map(repr, feed.batch().collect()))


def test_replays_have_no_effect(feed: Feed) -> None:
    """A row whose offset was already processed is not emitted again (R13)."""
    feed.add([order("09:00:10", amount=1, gap=0)], [order("09:00:20", amount=2, gap=0)])
    offset = wr.RowId(source=F.lit("s"), partition=F.lit(0), offset="gap")
    windows = kept(feed.stream(), wr.Tumbling("1 minute"), watermark="0 seconds", rowId=offset)
    assert [row[2] for row in short(feed.run(windows.keepRows().panes))] == [[1]]


def test_batch(feed: Feed) -> None:
    """On a batch every window has one pane with all its rows, ordered by time."""
    feed.add(*disordered(seed=32))
    panes = kept(feed.batch(), wr.Tumbling("5 minutes")).keepRows().panes.collect()
    grouped = feed.batch().groupBy("product", F.window("time", "5 minutes").alias("window"))
    expected = grouped.agg(F.sort_array(F.collect_list("time")).alias("times")).collect()
    ours = {(r.product, r.window): [m.time for m in r.messages] for r in panes}
    assert ours == {(r.product, r.window): r.times for r in expected}
    assert {(r.pane.timing, r.pane["index"], r.pane.is_last) for r in panes} == {
        ("ON_TIME", 0, True)
    }


def test_mistakes(feed: Feed) -> None:
    """All mistakes are reported at once, before the query runs."""
    stream = wr.stream(feed.stream(), time="time", watermark="0 seconds")
    windows = stream.window(wr.Tumbling("1 minute"), fillGaps=True)
    with pytest.raises(wr.SpecError) as refused:
        windows.accumulationMode(wr.ACCUMULATING).keepRows()
    assert sorted(problem.code for problem in refused.value.problems) == [
        "LATENESS_NOT_STATED",
        "RETENTION_NOT_STATED",
        "VALUE_NOT_SUPPORTED",
        "VALUE_NOT_SUPPORTED",
    ]


def test_aggregates_keep_no_messages(feed: Feed) -> None:
    """Aggregates keep no rows, so ``index`` is refused, and that is the only problem reported."""
    stream = wr.stream(feed.stream(), time="time", watermark="0 seconds").index(by="product")
    with pytest.raises(wr.SpecError) as refused:
        stream.lateness("0 seconds").window(wr.Tumbling("1 minute")).aggregate()
    assert [problem.code for problem in refused.value.problems] == ["STORE_WITHOUT_MESSAGES"]


def test_names_taken(feed: Feed) -> None:
    """A key may not have the name of a pane column."""
    renamed = feed.stream().withColumnRenamed("product", "messages")
    stream = wr.stream(renamed, time="time", key="messages", watermark="0 seconds")
    with pytest.raises(wr.SpecError, match="NAME_TAKEN"):
        stream.lateness("0 seconds").retain(messages=5).window(wr.Count(3)).keepRows().panes  # noqa: B018


@pytest.mark.full
def test_sql_gives_the_same_result(feed: Feed) -> None:
    """SQL's full state, a plain table with ``key``, returns the same panes as the builder."""
    feed.add(*disordered(seed=33))
    feed.stream().createOrReplaceTempView("orders")
    said = feed.spark.sql(
        "SELECT * FROM windrow_tumble(TABLE(SELECT * FROM orders), key => 'product', "
        "time => 'time', size => '5 minutes', watermark => '1 minute', lateness => '1 hour', "
        "retain_time => '2 hours')"
    )
    built = kept(feed.stream(), wr.Tumbling("5 minutes"), watermark="1 minute").keepRows().panes
    ours, theirs = (sorted(map(repr, feed.run(df))) for df in (built, said))
    assert ours == theirs
    assert ours


@pytest.mark.parametrize("key", ["array()", "array('product', 'amount')"])
def test_sql_keys(feed: Feed, key: str) -> None:
    """SQL accepts an empty key and several keys."""
    feed.add([order("09:00:10"), order("09:00:20", "b")])
    feed.batch().createOrReplaceTempView("orders")
    table = "TABLE(SELECT * FROM orders)"
    call = f"windrow_count({table}, key => {key}, time => 'time', n => 2, retain_messages => 5)"
    panes = feed.spark.sql(f"SELECT * FROM {call}").collect()  # noqa: S608
    assert [len(row.messages) for row in panes] == ([2] if key == "array()" else [1, 1])


@pytest.mark.parametrize(
    ("more", "code"),
    [
        (", key => 'products', retain_messages => 5", "COLUMN_NOT_FOUND"),
        ("", "TABLE_NOT_AGGREGATED"),
    ],
)
def test_sql_mistakes(feed: Feed, more: str, code: str) -> None:
    """SQL refuses a key that is not a column, and a plain table without a key."""
    feed.batch().createOrReplaceTempView("orders")
    call = "windrow_count(TABLE(SELECT * FROM orders), time => 'time', n => 2"
    with pytest.raises(AnalysisException, match=code):
        feed.spark.sql(f"SELECT * FROM {call}{more})")  # noqa: S608
