"""Joins and co-groups of streams: matched rows, unmatched rows, and refused queries."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import functions as F

import windrow as wr
from feed import NOTHING, order
from join.joins import MATCHED, ORDERS, ROWS, SHIPMENTS, Both, amounts
from replays import reading

pytestmark = [pytest.mark.spark, pytest.mark.slow]

#: Within five minutes after the order.
SOON = ("0 minutes", "5 minutes")


#: Kinds of every run; tests against Spark's own join cover the others too.
ALWAYS = {"left"}


@pytest.mark.parametrize(
    "how", [pytest.param(how, marks=() if how in ALWAYS else pytest.mark.full) for how in ROWS]
)
def test_kinds(both: Both, how: Any) -> None:
    """Each kind of join emits its rows, and unmatched rows as soon as no match can arrive.

    A null key never matches.
    """
    joined = wr.join(*both.add(ORDERS, SHIPMENTS).streams(), on="product", within=SOON, how=how)
    assert amounts(both.run(joined.rows)) == sorted(ROWS[how], key=str)


@pytest.mark.full
def test_small_ranges(both: Both) -> None:
    """``expect="small"``, which stores all keys together, returns the same rows."""
    streams = both.add(ORDERS, SHIPMENTS).streams()
    joined = wr.join(*streams, on="product", within=SOON, how="left", expect="small")
    assert joined.spec.expect == "small"
    assert amounts(both.run(joined.rows)) == sorted(ROWS["left"], key=str)
    with pytest.raises(wr.SpecError, match="VALUE_UNKNOWN"):
        wr.join(*streams, on="product", within=SOON, expect="tiny")  # type: ignore[arg-type]


def test_columns(both: Both) -> None:
    """The equal columns are first, then a struct for each stream, nullable if it may be missing."""
    joined = wr.join(*both.streams(), on="product", within=SOON, how="left")
    assert joined.rows.columns == ["product", "o", "s"]
    assert [joined.rows.schema[name].nullable for name in ("o", "s")] == [False, True]
    picked = joined.rows.select("product", "o.amount", "s.price")
    assert picked.columns == ["product", "amount", "price"]
    assert joined.rejected.columns == [
        *("stream", "reason", "watermark", "processing_time", "message")
    ]
    assert joined.output.columns == ["kind", "rows", "rejected"]
    assert joined.spec.how == "left"
    assert reading.join(joined.spec.toJson()) == joined.spec


def test_rejected(both: Both) -> None:
    """Late rows and rows without a time are rejected completely, with their stream."""
    joined = wr.join(*both.add(ORDERS, SHIPMENTS).streams(), on="product", within=SOON)
    rejected = both.run(joined.rejected)
    found = sorted((row.stream, row.reason, row.message[row.stream].amount) for row in rejected)
    assert found == [("o", "INVALID_TIME", 6), ("s", "TOO_LATE", 50)]
    assert all(row.message["s" if row.stream == "o" else "o"] is None for row in rejected)


@pytest.mark.anywhere
def test_batch(both: Both) -> None:
    """A batch emits all rows at once, and none is late."""
    streams = both.add(ORDERS, SHIPMENTS).streams(batch=True)
    joined = wr.join(*streams, on="product", within=SOON, how="full")
    whole = [*ROWS["full"], ("x", 1, 50)]
    assert amounts(joined.rows.collect()) == sorted(whole, key=str)
    assert [row.reason for row in joined.rejected.collect()] == ["INVALID_TIME"]


def test_own_windows(both: Both) -> None:
    """Without a range, a pair matches if one row is in the other side's window at its partner."""
    o, s = both.add(ORDERS, SHIPMENTS).streams()
    last = wr.Over(range="2 minutes")
    joined = wr.join(o.window(last), s.window(last), on="product")
    assert amounts(both.run(joined.rows)) == [("x", 4, 20), ("x", 5, 40)]


@pytest.mark.full
def test_same_window(both: Both) -> None:
    """Both rows of a pair must be in the same window."""
    joined = wr.join(
        *both.add(ORDERS, SHIPMENTS).streams(),
        on="product",
        within=wr.Tumbling("5 minutes"),
        how="left",
    )
    assert joined.rows.columns == ["product", "o", "s", "window"]
    assert not joined.rows.schema["window"].nullable
    found = both.run(joined.rows)
    pairs = [("x", 1, 10), ("x", 1, 50), ("x", 4, 20), ("x", 5, 40)]
    alone = [("y", 2, None), (None, 3, None)]
    assert amounts([row[:3] for row in found]) == sorted([*pairs, *alone], key=str)
    ends = {(row.o.amount, f"{row.window.start:%H:%M}-{row.window.end:%H:%M}") for row in found}
    assert ends == {
        *((n, "09:00-09:05") for n in (1, 2, 3)),
        *((4, "09:30-09:35"), (5, "10:30-10:35")),
    }


def test_same_hopping_window(both: Both) -> None:
    """A pair is emitted once, with the first window that contains both rows."""
    streams = both.add(ORDERS[:1], SHIPMENTS[:1]).streams(batch=True)
    joined = wr.join(*streams, on="product", within=wr.Hopping("5 minutes", step="2 minutes"))
    (row,) = joined.rows.collect()
    assert (row.window.start.minute, row.window.end.minute) == (0, 5)
    named = (streams[0], replace(streams[1], _name="window"))
    with pytest.raises(wr.SpecError, match="NAME_TAKEN"):
        wr.join(*named, on="product", within=wr.Tumbling("5 minutes")).rows  # noqa: B018


def test_without_equal_columns(both: Both) -> None:
    """Without equal columns, rows of all keys are paired."""
    joined = wr.join(*both.add(ORDERS[:1], SHIPMENTS[:1]).streams(), within=SOON)
    found = sorted((row.o.amount, row.s.amount) for row in both.run(joined.rows))
    assert found == [(1, 10), (2, 10), (3, 10)]


def test_retention(both: Both) -> None:
    """Within ``Global``, a row is paired with every row that the retention still keeps."""
    streams = [one.retain(messages=1) for one in both.add(ORDERS, SHIPMENTS).streams()]
    joined = wr.join(*streams, on="product", within=wr.Global())
    found = amounts(both.run(joined.rows))
    assert {("x", 1, 10), ("x", 5, 40)} <= set(found)


def test_retention_of_one_stream(both: Both) -> None:
    """A retention set on one stream only is refused, since a join has one retention (R42)."""
    o, s = both.streams()
    for sides in ((o.retain(time="1 hour"), s), (o, s.retain(time="1 hour"))):
        with pytest.raises(wr.SpecError, match=r"OPTION_DIFFERS\].*Set it to one value"):
            wr.join(*sides, on="product", within=SOON)


def test_three(both: Both) -> None:
    """A join of three streams emits one row of each, all within reach of the first."""
    o, s = both.add(ORDERS, SHIPMENTS).streams()
    third = wr.stream(both.orders.stream(), time="time", watermark="1 minute", name="again")
    within = {"s": SOON, "again": ("0 seconds", "0 seconds")}
    joined = wr.join(o, s, third.lateness("0 seconds"), on="product", within=within)
    assert amounts(both.run(joined.rows)) == [(key, a, b, a) for key, a, b in MATCHED]


def test_open_bounds(both: Both) -> None:
    """A pair exactly at an open bound does not match."""
    joined = wr.join(*both.add(ORDERS, SHIPMENTS).streams(), on="product", within=SOON, bounds="[)")
    assert ("x", 4, 30) not in amounts(both.run(joined.rows))


@pytest.mark.anywhere
def test_restart(both: Both, tmp_path: Path) -> None:
    """Rows that wait for a match survive a restart, in one query with both sinks."""
    rows, lost = wr.Files(str(tmp_path / "rows")), wr.Files(str(tmp_path / "lost"))
    counts: list[wr.Status] = []
    for first, last in ((0, 1), (1, 2), (2, 4)):
        both.add(ORDERS[first:last], SHIPMENTS[first:last])
        joined = wr.join(*both.streams(), on="product", within=SOON, how="left")
        query = joined.start(
            checkpoint=str(tmp_path / "checkpoint"),
            rows=rows,
            rejected=lost,
            availableNow=True,
        )
        query.awaitTermination()
        counts.append(wr.status(query))
    spark = both.orders.spark
    found = spark.read.parquet(rows.path).select("product", "o", "s").collect()
    assert amounts(found) == sorted(ROWS["left"], key=str)
    assert spark.read.parquet(lost.path).count() == 2
    assert sum(one.read for one in counts) == 11
    assert sum(one.rejected for one in counts) == 2
    assert sum((Counter(one.reasons) for one in counts), Counter()) == {
        "INVALID_TIME": 1,
        "TOO_LATE": 1,
    }
    assert sum(one.rows for one in counts) == len(ROWS["left"])
    assert not any(one.unaccounted for one in counts)


def test_replays(both: Both) -> None:
    """A repeated offset of a stream is ignored; the same offset of another stream is not."""
    offset = wr.RowId(source="product", partition="gap", offset="amount")
    first = order("09:00:00", "x", 1, gap=0)
    both.add([[first, first], [first]], [[order("09:01:00", "x", 1, gap=0)], NOTHING])
    joined = wr.join(*both.streams(rowId=offset), on="product", within=SOON)
    assert amounts(both.run(joined.rows)) == [("x", 1, 1)]


def test_sources_of_a_stream(both: Both) -> None:
    """The same offset of another source of a stream is another row (SEMANTICS R13, R42)."""
    offset = wr.RowId(source="product", partition="gap", offset="amount")
    first, other = (order("09:00:00", source, 1, gap=0) for source in ("eu", "us"))
    end = order("11:30:00", "eu", 2, gap=1)
    shipped = order("09:01:00", "x", 1, gap=0)
    both.add([[first], [other, first], [end], []], [[shipped], NOTHING, [end], []])
    o, s = both.streams(rowId=offset)
    joined = wr.join(o, s, on="gap", within=SOON)
    assert sorted(row.o.product for row in both.run(joined.rows)) == ["eu", "eu", "us"]
    beside = wr.cogroup(o, s).window(wr.Tumbling("1 hour")).accumulationMode(wr.ACCUMULATING)
    counted = beside.aggregate(F.count("o.amount").alias("n"))
    assert [row.n for row in both.run(counted.panes)] == [2]


def test_messages_without_an_offset_are_no_replays(both: Both) -> None:
    """Rows without an offset are never replays, whatever their source (SEMANTICS A1)."""
    offset = wr.RowId(source="product", partition="gap", offset="amount")
    times = ("09:00:00", "09:00:10")
    twice: list[Any] = [{**order(time, "x", gap=0), "amount": None} for time in times]
    both.add([twice, []], [[order("09:01:00", "x", 1, gap=0)], NOTHING])
    joined = wr.join(*both.streams(rowId=offset), on="product", within=SOON)
    assert amounts(both.run(joined.rows)) == [("x", None, 1)] * 2
    stream = wr.stream(both.orders.batch(), time="time", rowId=offset).lateness("0 seconds")
    counted = stream.window(wr.Tumbling("1 minute")).aggregate(F.count("*").alias("n")).panes
    assert [row.n for row in counted.collect()] == [2]


def test_explain(both: Both, capsys: pytest.CaptureFixture[str]) -> None:
    """``explain`` shows the condition of a match and the wait for it."""
    o, s = both.streams()
    wr.join(o, s, on="product", within=SOON, how="left", bounds="[)").explain()
    text = capsys.readouterr().out
    assert "event time of 's' minus event time of 'o' in [0 seconds, 5 minutes)" in text
    assert "minimum of greatest event time of 'o' minus 1 minute" in text


def test_unbounded(both: Both) -> None:
    """A join that would keep all rows is refused with the remedies."""
    with pytest.raises(wr.UnboundedJoinError) as refused:
        wr.join(*both.streams(), on="product")
    assert str(refused.value) == (
        "[UNBOUNDED_JOIN] a join: The rows of 'o' and 's' would be kept forever. Bound the join "
        "with within=('0 minutes', '5 minutes'), with a window on each stream, or with "
        "retain(...) and within=Global(). See docs/errors.md#unbounded_join."
    )


def codes(error: wr.SpecError) -> list[str]:
    """Return the codes of all problems."""
    return [problem.code for problem in error.problems]


def test_all_problems_at_once(both: Both) -> None:
    """Problems of names, lateness and range are reported at once."""
    o, s = both.streams(lateness=None)
    with pytest.raises(wr.SpecError) as refused:
        wr.join(o, s, on="colour", within=("5 minutes", "0 minutes"), how="inner")
    assert sorted(codes(refused.value)) == [
        *("COLUMN_NOT_FOUND", "COLUMN_NOT_FOUND", "LATENESS_NOT_STATED", "RANGE_REVERSED")
    ]


def test_contradictions(both: Both) -> None:
    """Different latenesses, and windows that fire, are refused in a join."""
    o, s = both.streams()
    fires = (
        s.lateness("1 minute").window(wr.Over(range="1 minute")).accumulationMode(wr.ACCUMULATING)
    )
    with pytest.raises(wr.SpecError) as refused:
        wr.join(o, fires, within=SOON)
    assert sorted(codes(refused.value)) == ["OPTION_DIFFERS", "VALUE_NOT_SUPPORTED"]


def test_found_by_the_jvm(both: Both) -> None:
    """The JVM refuses a missing watermark, a stream with a batch, and keys of different types."""
    o = both.streams()[0]
    plain = wr.stream(both.shipments.stream(), time="time", name="s").lateness("0 seconds")
    with pytest.raises(wr.SpecError, match=r"\[NO_WATERMARK\].*stream 's'"):
        wr.join(o, plain, on="product", within=SOON).rows  # noqa: B018
    batch = both.streams(batch=True)[1]
    with pytest.raises(wr.SpecError, match="STREAM_WITH_BATCH"):
        wr.join(o, batch, on="product", within=SOON).rows  # noqa: B018
    cast = wr.stream(
        both.shipments.stream().withColumn("product", F.length("product")),
        time="time",
        name="s",
        watermark="1 minute",
    )
    with pytest.raises(wr.SpecError, match="KEY_TYPES_DIFFER"):
        wr.join(o, cast, on="product", within=SOON).rows  # noqa: B018
    marked = both.shipments.stream().withWatermark("time", "1 minute")
    twice = wr.stream(marked, time="time", watermark="1 second", name="s")
    with pytest.raises(wr.SpecError, match=r"\[WATERMARK_TWICE\].*stream 's'"):
        wr.join(o, twice, on="product", within=SOON).rows  # noqa: B018
    guarded = wr.stream(marked, time="time", maxFuture="1 hour", name="s")
    with pytest.raises(wr.SpecError, match=r"\[GUARD_TOO_LATE\].*stream 's'"):
        wr.join(o, guarded, on="product", within=SOON).rows  # noqa: B018


@pytest.mark.parametrize("batch", [pytest.param(False, marks=pytest.mark.full), True])
def test_cogroup(both: Both, *, batch: bool) -> None:
    """A co-group supports any window and aggregate, and uses the least watermark."""
    streams = both.add(ORDERS, SHIPMENTS).streams(batch=batch, key="product")
    grouped = wr.cogroup(*streams).window(wr.Tumbling("1 hour"))
    counted = grouped.aggregate(F.count("o.amount").alias("o"), F.sum("s.amount").alias("s"))
    panes = counted.panes.collect() if batch else both.run(counted.panes)
    found = {(row["product"], row.window.start.hour, row.o, row.s) for row in panes}
    nine = ("x", 9, 2, 110)
    assert found >= {nine, ("y", 9, 1, None), (None, 9, 1, None)}
    lost = counted.rejected.collect() if batch else both.run(counted.rejected)
    assert {row.message.o.amount for row in lost if row.message.o} == {6}
    assert lost[0].message.__fields__ == ["o", "s"]


def test_cogroup_refuses(both: Both) -> None:
    """A co-group refuses different keys, a single stream, and equal names."""
    o = both.streams(key="product")[0]
    keyless = both.streams()[1]
    with pytest.raises(wr.SpecError, match="KEYS_DIFFER"):
        wr.cogroup(o, keyless)
    with pytest.raises(wr.SpecError, match="STREAMS_TOO_FEW"):
        wr.cogroup(o)
    with pytest.raises(wr.SpecError, match="STREAM_TWICE"):
        wr.cogroup(o, o)
    orders = both.orders.stream()
    guarded = wr.stream(orders, time="time", watermark="0 seconds", maxFuture="1 hour")
    with pytest.raises(wr.SpecError) as several:
        wr.cogroup(guarded)
    codes = {problem.code for problem in several.value.problems}
    assert codes == {"STREAMS_TOO_FEW", "VALUE_NOT_SUPPORTED"}
