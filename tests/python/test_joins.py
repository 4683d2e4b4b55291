"""Joins and co-groups of streams: what matches, what stays alone, what is refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F

import windrow as wr
from feed import NOTHING, Feed, Order, order

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.slow]

#: Within five minutes after.
SOON = ("0 minutes", "5 minutes")
ORDERS = [
    [order("09:00:00", "x", 1), order("09:01:00", "y", 2), order("09:01:30", None, 3)],
    [order("09:30:00", "x", 4)],
    [order("10:30:00", "x", 5), order(None, "x", 6)],
    NOTHING,
]
SHIPMENTS = [
    [order("09:04:00", "x", 10)],
    [order("09:31:00", "x", 20), order("09:35:00", "x", 30)],
    [order("10:31:00", "x", 40), order("09:00:00", "x", 50)],
    NOTHING,
]
MATCHED = [("x", 1, 10), ("x", 4, 20), ("x", 4, 30), ("x", 5, 40)]
ROWS: dict[str, Sequence[tuple[Any, ...]]] = {
    "inner": MATCHED,
    "left": [*MATCHED, ("y", 2, None), (None, 3, None)],
    "right": MATCHED,
    "full": [*MATCHED, ("y", 2, None), (None, 3, None)],
    "semi": [("x", 1), ("x", 4), ("x", 5)],
    "anti": [("y", 2), (None, 3)],
}


class Both:
    """Two streams of orders, fed side by side."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        """Begin with no files."""
        self.orders, self.shipments = Feed(spark, folder / "o"), Feed(spark, folder / "s")
        self.feeds = (self.orders, self.shipments)
        self.run = self.orders.run

    def add(self, orders: Sequence[Sequence[Order]], shipments: Sequence[Sequence[Order]]) -> Both:
        """Add a micro-batch for each pair."""
        self.orders.add(*orders)
        self.shipments.add(*shipments)
        return self

    def streams(
        self, *, batch: bool = False, lateness: str | None = "0 seconds", **more: Any
    ) -> tuple[wr.Stream, wr.Stream]:
        """Describe both, with a watermark of a minute."""
        said = {"time": "time", "watermark": None if batch else "1 minute", **more}
        made = [
            wr.stream(feed.batch() if batch else feed.stream(), name=name, **said)
            for name, feed in (("o", self.orders), ("s", self.shipments))
        ]
        o, s = made if lateness is None else [one.lateness(lateness) for one in made]
        return o, s


@pytest.fixture
def both(spark: SparkSession, tmp_path: Path) -> Both:
    """Give two empty streams."""
    return Both(spark, tmp_path)


def amounts(rows: Sequence[Row | tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Give key and amounts of the rows, sorted."""
    found = [(row[0], *(one and one.amount for one in row[1:])) for row in rows]
    return sorted(found, key=str)


@pytest.mark.parametrize("how", ROWS)
def test_kinds(both: Both, how: Any) -> None:
    """Rows of every kind; a null key matches nothing; later unmatched ones come once decided."""
    joined = wr.join(*both.add(ORDERS, SHIPMENTS).streams(), on="product", within=SOON, how=how)
    assert amounts(both.run(joined.rows)) == sorted(ROWS[how], key=str)


def test_small_ranges(both: Both) -> None:
    """Messages of all keys in one run: the same rows."""
    streams = both.add(ORDERS, SHIPMENTS).streams()
    joined = wr.join(*streams, on="product", within=SOON, how="left", expect="small")
    assert joined.spec.expect == "small"
    assert amounts(both.run(joined.rows)) == sorted(ROWS["left"], key=str)
    with pytest.raises(wr.SpecError, match="EXPECT_UNKNOWN"):
        wr.join(*streams, on="product", within=SOON, expect="tiny")  # type: ignore[arg-type]


def test_columns(both: Both) -> None:
    """The equal columns once, then a struct for each stream, null where it may lack."""
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
    assert wr.JoinSpec.fromJson(joined.spec.toJson()) == joined.spec


def test_rejected(both: Both) -> None:
    """What is too late or has no time comes out with its stream and its whole message."""
    joined = wr.join(*both.add(ORDERS, SHIPMENTS).streams(), on="product", within=SOON)
    rejected = both.run(joined.rejected)
    found = sorted((row.stream, row.reason, row.message[row.stream].amount) for row in rejected)
    assert found == [("o", "INVALID_TIME", 6), ("s", "TOO_LATE", 50)]
    assert all(row.message["s" if row.stream == "o" else "o"] is None for row in rejected)


def test_batch(both: Both) -> None:
    """A batch gives all rows at once; nothing is late."""
    streams = both.add(ORDERS, SHIPMENTS).streams(batch=True)
    joined = wr.join(*streams, on="product", within=SOON, how="full")
    whole = [*ROWS["full"], ("x", 1, 50)]
    assert amounts(joined.rows.collect()) == sorted(whole, key=str)
    assert [row.reason for row in joined.rejected.collect()] == ["INVALID_TIME"]


def test_own_windows(both: Both) -> None:
    """Without a range a pair matches if one lies in the other side's window at its partner."""
    o, s = both.add(ORDERS, SHIPMENTS).streams()
    last = wr.Over(range="2 minutes")
    joined = wr.join(o.window(last), s.window(last), on="product")
    assert amounts(both.run(joined.rows)) == [("x", 4, 20), ("x", 5, 40)]


def test_same_window(both: Both) -> None:
    """A window that both must be in."""
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
    """A pair comes once, with the first window that holds both."""
    streams = both.add(ORDERS[:1], SHIPMENTS[:1]).streams(batch=True)
    joined = wr.join(*streams, on="product", within=wr.Hopping("5 minutes", step="2 minutes"))
    (row,) = joined.rows.collect()
    assert (row.window.start.minute, row.window.end.minute) == (0, 5)
    named = (streams[0], replace(streams[1], _name="window"))
    with pytest.raises(wr.SpecError, match="NAME_TAKEN"):
        wr.join(*named, on="product", within=wr.Tumbling("5 minutes")).rows  # noqa: B018


def test_without_equal_columns(both: Both) -> None:
    """Messages of all keys meet."""
    joined = wr.join(*both.add(ORDERS[:1], SHIPMENTS[:1]).streams(), within=SOON)
    found = sorted((row.o.amount, row.s.amount) for row in both.run(joined.rows))
    assert found == [(1, 10), (2, 10), (3, 10)]


def test_retention(both: Both) -> None:
    """Everything that retention still holds."""
    streams = [one.retain(messages=1) for one in both.add(ORDERS, SHIPMENTS).streams()]
    joined = wr.join(*streams, on="product", within=wr.Global())
    found = amounts(both.run(joined.rows))
    assert {("x", 1, 10), ("x", 5, 40)} <= set(found)


def test_three(both: Both) -> None:
    """One message of each, every one within reach of the first."""
    o, s = both.add(ORDERS, SHIPMENTS).streams()
    third = wr.stream(both.orders.stream(), time="time", watermark="1 minute", name="again")
    within = {"s": SOON, "again": ("0 seconds", "0 seconds")}
    joined = wr.join(o, s, third.lateness("0 seconds"), on="product", within=within)
    assert amounts(both.run(joined.rows)) == [(key, a, b, a) for key, a, b in MATCHED]


def test_open_bounds(both: Both) -> None:
    """A pair exactly at an open end does not match."""
    joined = wr.join(*both.add(ORDERS, SHIPMENTS).streams(), on="product", within=SOON, bounds="[)")
    assert ("x", 4, 30) not in amounts(both.run(joined.rows))


def test_restart(both: Both, tmp_path: Path) -> None:
    """What waits for a match goes on waiting over a restart, in one query with both sinks."""
    rows, lost = wr.Files(str(tmp_path / "rows")), wr.Files(str(tmp_path / "lost"))
    counts: list[wr.Metrics] = []
    for batch in range(len(ORDERS)):
        both.add(ORDERS[batch : batch + 1], SHIPMENTS[batch : batch + 1])
        joined = wr.join(*both.streams(), on="product", within=SOON, how="left")
        query = joined.start(
            checkpoint=str(tmp_path / "checkpoint"),
            rows=rows,
            rejected=lost,
            queryTrigger={"availableNow": True},
        )
        query.awaitTermination()
        counts.append(wr.metrics(query))
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
    """The same offset of the same stream again has no effect; that of another stream has."""
    offset = wr.Offset(source="product", partition="gap", offset="amount")
    first = order("09:00:00", "x", 1, gap=0)
    both.add([[first, first], [first]], [[order("09:01:00", "x", 1, gap=0)], NOTHING])
    joined = wr.join(*both.streams(offset=offset), on="product", within=SOON)
    assert amounts(both.run(joined.rows)) == [("x", 1, 1)]


def test_explain(both: Both, capsys: pytest.CaptureFixture[str]) -> None:
    """What matches, and how long it waits."""
    o, s = both.streams()
    wr.join(o, s, on="product", within=SOON, how="left", bounds="[)").explain()
    text = capsys.readouterr().out
    assert "event time of 's' less that of 'o' in [0 seconds, 5 minutes)" in text
    assert "least of greatest event time of 'o' less 1 minute" in text


def test_unbounded(both: Both) -> None:
    """A join that keeps everything is refused with the remedies."""
    with pytest.raises(wr.UnboundedJoinError) as refused:
        wr.join(*both.streams(), on="product")
    assert str(refused.value) == (
        "[UNBOUNDED_JOIN] 'o' and 's' would be kept for ever. Bound the join: within=('0 minutes',"
        " '5 minutes'), or a window on each, or retain(...) with within=Global()."
    )


def codes(error: wr.SpecError) -> list[str]:
    """Give the codes of all problems."""
    return [problem.code for problem in error.problems]


def test_all_problems_at_once(both: Both) -> None:
    """Names, lateness and range."""
    o, s = both.streams(lateness=None)
    with pytest.raises(wr.SpecError) as refused:
        wr.join(o, s, on="colour", within=("5 minutes", "0 minutes"), how="inner")
    assert sorted(codes(refused.value)) == [
        *("COLUMN_NOT_FOUND", "COLUMN_NOT_FOUND", "LATENESS_NOT_STATED", "RANGE_REVERSED")
    ]


def test_contradictions(both: Both) -> None:
    """A join has one lateness and its windows do not fire."""
    o, s = both.streams()
    fires = s.lateness("1 minute").window(wr.Over(range="1 minute")).accumulate(wr.ACCUMULATING)
    with pytest.raises(wr.SpecError) as refused:
        wr.join(o, fires, within=SOON)
    assert sorted(codes(refused.value)) == ["LATENESS_DIFFERS", "VALUE_NOT_SUPPORTED"]


def test_found_by_the_jvm(both: Both) -> None:
    """No watermark; a stream with a batch; keys of different types."""
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


@pytest.mark.parametrize("batch", [False, True])
def test_cogroup(both: Both, *, batch: bool) -> None:
    """Streams as one: any window, any aggregate, the least watermark."""
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
    """Different keys, one stream, one name."""
    o = both.streams(key="product")[0]
    keyless = both.streams()[1]
    with pytest.raises(wr.SpecError, match="KEYS_DIFFER"):
        wr.cogroup(o, keyless)
    with pytest.raises(wr.SpecError, match="STREAMS_TOO_FEW"):
        wr.cogroup(o)
    with pytest.raises(wr.SpecError, match="STREAM_TWICE"):
        wr.cogroup(o, o)


RANGE = "s.time BETWEEN o.time AND o.time + INTERVAL 5 MINUTES"
SQL: dict[str, Sequence[tuple[Any, ...]]] = {
    f"o LEFT JOIN s ON o.product = s.product AND {RANGE}": ROWS["left"],
    f"o FULL JOIN s ON {RANGE} AND s.product = o.product": ROWS["full"],
    f"o LEFT ANTI JOIN s ON o.product = s.product AND {RANGE}": ROWS["anti"],
    f"o JOIN s ON o.product = s.product AND {RANGE} AND s.amount + o.amount > 24": [
        *(("x", 4, 30), ("x", 5, 40))
    ],
    "o LEFT SEMI JOIN s ON o.product = s.product AND s.time >= o.time"
    " AND o.time > s.time - INTERVAL '4' MINUTE": [("x", 4), ("x", 5)],
}


def views(both: Both) -> None:
    """Make both known to SQL."""
    for name, feed in (("o", both.orders), ("s", both.shipments)):
        stream = feed.stream().withWatermark("time", "1 minute")
        stream.withColumn("note", F.upper("product")).createOrReplaceTempView(name)


def said(both: Both, join: str, more: str = "") -> DataFrame:
    """Join in SQL."""
    text = f"windrow_join(TABLE(SELECT * FROM {join}), lateness => '0 seconds'{more})"  # noqa: S608
    return both.orders.spark.sql(f"SELECT * FROM {text}")  # noqa: S608


@pytest.mark.parametrize("join", SQL)
def test_sql(both: Both, join: str) -> None:
    """Spark's own join is the specification."""
    views(both.add(ORDERS, SHIPMENTS))
    assert amounts(both.run(said(both, join))) == sorted(SQL[join], key=str)


def test_sql_rejected(both: Both) -> None:
    """The rejected rows, by the argument."""
    views(both.add(ORDERS, SHIPMENTS))
    join = f"o LEFT JOIN s ON o.product = s.product AND {RANGE}"
    rejected = both.run(said(both, join, ", output => 'rejected'"))
    assert sorted(row.reason for row in rejected) == ["INVALID_TIME", "TOO_LATE"]


SQL_REFUSED = {
    f"o LEFT JOIN s ON o.product = s.product AND {RANGE} AND o.amount > 1": "CONDITION_NOT",
    "o JOIN s ON o.product = s.product": "UNBOUNDED_JOIN",
    "o JOIN s ON o.product = s.product AND s.time >= o.time": "RANGE_NOT_UNDERSTOOD",
    "o": "TABLE_NOT_JOINED",
    f"o JOIN s ON {RANGE} LEFT JOIN s AS r ON r.product = o.product": "JOIN_OF_MANY",
    f"o JOIN s ON {RANGE} JOIN s AS r ON r.product = o.product": "RANGE_NOT_UNDERSTOOD",
    "o JOIN s ON o.product = s.product AND o.product = s.note": "NAME_TWICE",
}


@pytest.mark.parametrize("join", SQL_REFUSED)
def test_sql_refuses(both: Both, join: str) -> None:
    """What a join cannot do as the condition says it."""
    from pyspark.errors import IllegalArgumentException

    views(both)
    with pytest.raises(IllegalArgumentException, match=SQL_REFUSED[join]):
        said(both, join)


CHAINS = {
    f"o JOIN s ON o.product = s.product AND {RANGE} JOIN s AS r ON r.product = o.product"
    " AND r.time BETWEEN o.time AND o.time + INTERVAL 5 MINUTES": [
        *(("x", 1, 10, 10), ("x", 5, 40, 40)),
        *(("x", 4, n, m) for n in (20, 30) for m in (20, 30)),
    ],
    f"o JOIN s ON o.product = s.product AND {RANGE} JOIN s AS r ON r.product = s.product"
    " AND r.time > s.time AND r.time <= s.time + INTERVAL 4 MINUTES"
    " AND r.amount + o.amount > 33": [("x", 4, 20, 30)],
}


@pytest.mark.parametrize("join", CHAINS)
@pytest.mark.parametrize("batch", [False, True])
def test_sql_chains(both: Both, join: str, *, batch: bool) -> None:
    """Three streams; times of the second and the third bound each other, too."""
    views(both.add(ORDERS, SHIPMENTS))
    if batch:
        both.orders.batch().createOrReplaceTempView("o")
        late = order("09:00:00", "x", 50)  # a stream has it too late
        shipments = both.shipments.batch()
        shipments.where(f"amount <> {late['amount']}").createOrReplaceTempView("s")
    joined = said(both, join)
    assert joined.columns == ["product", "o", "s", "r"]
    found = joined.collect() if batch else both.run(joined)
    assert amounts(found) == sorted(CHAINS[join], key=str)
