"""Deduplication that keeps the last row of a key, in real queries (SEMANTICS R108 to R110)."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pytest
from pyspark.sql import functions as F

import windrow as wr
from counts import streams
from feed import NOTHING, Feed, Order, disordered, order

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = [pytest.mark.spark]

WITHIN = timedelta(minutes=3)
LATENESS = timedelta(minutes=20)
DELAY = timedelta(minutes=1)
RETRACTING: dict[str, Any] = {"accumulationMode": wr.ACCUMULATING_AND_RETRACTING}

#: The values of a row: time, key, amount, number. The number is unique.
Row = tuple[datetime, str | None, int, int]

#: The rows that no accepted row follows, and the time from which no row can follow each.
LAST = """
    SELECT time, product, amount, number FROM accepted AS one WHERE NOT EXISTS (
        SELECT 1 FROM accepted AS other
        WHERE other.product IS NOT DISTINCT FROM one.product
            AND abs(epoch_us(other.time) - epoch_us(one.time)) <= {within}
            AND ({other}, other.time, other.number) > ({one}, one.time, one.number))
"""


def numbered(batches: Sequence[Sequence[Order]], first: int = 0) -> list[list[Order]]:
    """Give each row a number, which also makes its event time unique."""
    number = first
    result: list[list[Order]] = []
    for batch in batches:
        rows: list[Order] = []
        for row in batch:
            rows.append({**row, "time": f"{row['time']}.{number:06}", "gap": number})
            number += 1
        result.append(rows)
    return result


def last(df: DataFrame, within: str = "3 minutes", **more: Any) -> wr.DedupOutput:
    """Keep the last orders by product."""
    watermark = "1 minute" if df.isStreaming else None
    stream = wr.stream(df, time="time", key="product", watermark=watermark, name="orders")
    return stream.lateness("20 minutes").dedup(within, keep="last", **more)


def values_of(row: Order) -> Row:
    """Return the values of a row of the input."""
    return datetime.fromisoformat(row["time"]), row["product"], row["amount"], row["gap"]


def last_of(accepted: Sequence[Row], by: str) -> set[Row]:
    """Ask DuckDB for the rows that no accepted row follows."""
    with duckdb.connect() as db:
        db.execute("CREATE TABLE accepted (time TIMESTAMP, product TEXT, amount INT, number INT)")
        if accepted:
            db.executemany("INSERT INTO accepted VALUES (?, ?, ?, ?)", [list(r) for r in accepted])
        order = {alias: f"{alias}.{by}" for alias in ("one", "other")}
        return set(
            db.execute(LAST.format(within=WITHIN // timedelta(microseconds=1), **order)).fetchall()
        )


def steps(
    batches: Sequence[Sequence[Order]], by: str
) -> Iterator[tuple[set[Row], set[Row], set[Row], set[Row]]]:
    """Return the last rows, the final ones, the duplicates, and the late rows, after each batch.

    A micro-batch without rows follows each batch, after which the watermark includes all rows.
    """
    accepted: list[Row] = []
    late: set[Row] = set()
    mark = datetime.min  # noqa: DTZ901  all times are UTC
    for batch in batches:
        rows = [values_of(row) for row in batch]
        late |= {row for row in rows if mark > row[0] + LATENESS}
        accepted += [row for row in rows if row not in late]
        mark = max([mark, *(time - DELAY for time, *_ in rows)])
        found = last_of(accepted, by)
        final = {row for row in found if mark > row[0] + WITHIN + LATENESS}
        yield found, final, set(accepted) - found, set(late)


def values(df: DataFrame) -> list[Row]:
    """Return the values of rows."""
    return [tuple(row) for row in df.select("time", "product", "amount", "gap").collect()]


class Run:
    """A query that is started again after each batch."""

    def __init__(self, feed: Feed, folder: Path, **more: Any) -> None:
        """Start nothing yet."""
        self.feed = feed
        self.folder = folder
        self.more = more
        self.spark = feed.spark
        self.counts: Counter[str] = Counter()

    def add(self, *batches: Sequence[Order], **changed: Any) -> None:
        """Run the query to the end of the files."""
        self.feed.add(*batches)
        query = last(self.feed.stream(), **{**self.more, **changed}).start(
            rows=wr.Files(str(self.folder / "rows")),
            rejected=wr.Files(str(self.folder / "rejected")),
            checkpoint=self.folder / "checkpoint",
            availableNow=True,
        )
        query.awaitTermination()
        status = wr.status(query)
        assert status.unaccounted == 0
        for name in ("accepted", "duplicates", "replaced"):
            self.counts[name] += getattr(status, name)

    def rows(self) -> tuple[list[Row], list[Row]]:
        """Return the emitted rows and the retractions of all micro-batches."""
        rows = self.spark.read.parquet(str(self.folder / "rows"))
        if "is_retraction" not in rows.columns:
            return values(rows), []
        return values(rows.where("NOT is_retraction")), values(rows.where("is_retraction"))

    def rejected(self, reason: str) -> list[Row]:
        """Return the rejected rows of all micro-batches."""
        rejected = self.spark.read.parquet(str(self.folder / "rejected"))
        return values(rejected.where(F.col("reason") == reason).select("message.*"))


def check(run: Run, batches: Sequence[Sequence[Order]], by: str, cut: int = 1) -> None:
    """Compare the output of a query with DuckDB after each batch, or after several."""
    for at, (found, final, gone, late) in enumerate(steps(batches, by), 1):
        run.add(batches[at - 1])
        if at % cut:
            continue
        rows, retracted = run.rows()
        kept = Counter(rows)
        kept.subtract(retracted)
        expected = found if "accumulationMode" in run.more else final
        assert {row: n for row, n in kept.items() if n} == dict.fromkeys(expected, 1)
        assert max(Counter(rows).values(), default=1) == 1  # emitted once, and retracted once
        assert max(Counter(retracted).values(), default=1) == 1
        assert Counter(run.rejected("DUPLICATE")) == Counter(gone)
        assert Counter(run.rejected("TOO_LATE")) == Counter(late)
        assert run.counts["accepted"] - run.counts["replaced"] == len(found)
        assert run.counts["duplicates"] + run.counts["replaced"] == len(gone)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("by", "more"),
    [
        pytest.param("time", {}, marks=pytest.mark.full),
        pytest.param("amount", {"orderBy": ["amount"]}, marks=pytest.mark.full),
        ("time", RETRACTING),
    ],
    ids=["final", "ordered", "retracting"],
)
def test_against_duckdb(feed: Feed, tmp_path: Path, by: str, more: dict[str, Any]) -> None:
    """A query that restarts after each batch has the rows of DuckDB, and counts each row."""
    batches = numbered(disordered(seed=9, batches=2, size=50))
    batches[-1].append(order("12:00:00", "late", gap=998))
    batches.append([order("10:00:00", "late", gap=999)])
    *_, (found, final, gone, late) = steps(batches, by)
    assert min(map(len, (found, final, gone, late))) > 0
    check(Run(feed, tmp_path / "out", **more), batches, by)


@pytest.mark.slow
@pytest.mark.anywhere
def test_a_batch_query_and_sql(feed: Feed, spark: SparkSession) -> None:
    """A batch query keeps the rows that no other row follows, in Python and in SQL."""
    batches = numbered(disordered(seed=10, batches=2, size=50))
    feed.add(*batches).batch().createOrReplaceTempView("orders")
    every = [values_of(row) for batch in batches for row in batch]
    for by, more, sql in (
        ("time", {}, ""),
        ("amount", {"orderBy": "amount"}, ", order_by => 'amount'"),
        ("time", RETRACTING, ", accumulation_mode => 'accumulating_and_retracting'"),
    ):
        found = values(last(feed.batch(), **more).rows)
        same = spark.sql(
            "SELECT * FROM windrow_dedup(TABLE(orders), key => 'product', time => 'time', "  # noqa: S608
            f"within => '3 minutes', lateness => '20 minutes', keep => 'last'{sql})"
        )
        assert Counter(values(same)) == Counter(found) == Counter(last_of(every, by))
        if more is RETRACTING:
            assert {row.is_retraction for row in same.collect()} == {False}
    rejected = last(feed.batch()).rejected
    assert rejected.count() == len(every) - len(last_of(every, "time"))


@pytest.mark.full
def test_windows_over_last_rows(feed: Feed, spark: SparkSession, tmp_path: Path) -> None:
    """Windows over last rows wait for them, and lose none; with retractions they correct theirs."""
    feed.add(
        [order("09:00:10", "a", 1), order("09:00:40", "a", 2), order("09:01:50", "b", 4)],
        [order("09:30:00", "c", 8)],
        [order("09:20:30", "a", 16)],
        [order("09:20:50", "a", 32), order("11:00:00", "d")],
        NOTHING,
    )

    def totals(of: DataFrame, amount: Any, lateness: str) -> wr.Output:
        stream = wr.stream(of, time="time", name="minutes").lateness(lateness)
        windows = stream.window(wr.Tumbling("1 minute")).accumulationMode(wr.ACCUMULATING)
        return windows.aggregate(F.sum(amount).alias("total"))

    once = last(feed.stream())
    again = last(feed.stream(), **RETRACTING)
    signed = F.when(F.col("is_retraction"), -F.col("amount")).otherwise(F.col("amount"))
    for name, output in (
        ("once", totals(once.rows, "amount", "0 seconds")),
        ("again", totals(again.rows, signed, "25 minutes")),
    ):
        output.start(
            panes=wr.Files(str(tmp_path / name)),
            rejected=wr.Files(str(tmp_path / f"{name}-rejected")),
            checkpoint=tmp_path / f"{name}-checkpoint",
            availableNow=True,
        ).awaitTermination()
        panes = spark.read.parquet(str(tmp_path / name))
        newest = panes.groupBy(F.date_format("window.start", "HH:mm")).agg(
            F.max_by("total", "pane.index")
        )
        found = {row[0]: row[1] for row in newest.collect() if row[0] != "11:00"}
        assert found == {"09:00": 2, "09:01": 4, "09:30": 8, "09:20": 32}
        rejected = spark.read.parquet(str(tmp_path / f"{name}-rejected"))
        assert {row.reason for row in rejected.collect()} == {"DUPLICATE"}


@pytest.mark.anywhere
def test_operators_over_retractions(feed: Feed) -> None:
    """An operator that would count a row and its retraction is rejected."""
    rows = last(feed.add(NOTHING).stream(), **RETRACTING).rows
    stream = wr.stream(rows, time="time", key="product", name="more").lateness("1 hour")
    windows = stream.window(wr.Tumbling("1 minute")).accumulationMode(wr.ACCUMULATING)
    signed = F.sum(F.when(F.col("is_retraction"), -1).otherwise(1))
    assert windows.aggregate(signed).panes.isStreaming
    some = wr.stream(rows.where("NOT is_retraction"), time="time", name="some").lateness("1 hour")
    partly = some.window(wr.Tumbling("1 minute")).accumulationMode(wr.ACCUMULATING)
    kept = stream.retain(time="2 hours").window(wr.Tumbling("1 minute"))
    recent = rows.where("time > current_timestamp() - INTERVAL 10 MINUTES")
    young = wr.stream(recent, time="time", name="young").lateness("1 hour")
    soon = young.window(wr.Tumbling("1 minute")).accumulationMode(wr.ACCUMULATING)
    plain = wr.stream(rows, key="product", name="plain")
    counted = stream.window(wr.Over(rows=2)).accumulationMode(wr.ACCUMULATING)
    makes: list[Callable[[], DataFrame]] = [
        lambda: windows.aggregate(signed, F.count("*")).panes,
        lambda: partly.aggregate(signed).panes,
        lambda: stream.dedup("1 minute").rows,
        lambda: soon.aggregate(signed).panes,
        lambda: counted.aggregate(signed).panes,
        lambda: plain.window(wr.Policy.tumbling(wr.ByCount(2))).aggregate(signed).panes,
        lambda: kept.keepRows().panes,
    ]
    for make in makes:
        with pytest.raises(wr.SpecError, match=r"ROWS_COME_AGAIN.*'orders' retracts rows"):
            make()


def test_problems(feed: Feed) -> None:
    """The error names the setting that does not fit."""
    df = feed.add(NOTHING).stream()
    stream = wr.stream(df, time="time", key="product", watermark="1 minute").lateness("1 minute")
    with pytest.raises(wr.SpecError, match=r"VALUE_NOT_SUPPORTED.*keep='first'"):
        stream.dedup("1 minute", **RETRACTING)
    with pytest.raises(wr.SpecError, match=r"VALUE_NOT_SUPPORTED.*DISCARDING.*Leave"):
        stream.dedup("1 minute", keep="last", accumulationMode=wr.DISCARDING)
    with pytest.raises(wr.SpecError, match=r"VALUE_UNKNOWN.*newest.*first, last"):
        stream.dedup("1 minute", keep="newest")  # type: ignore[arg-type]
    marked = df.withColumn("IS_RETRACTION", F.lit(False))
    named = wr.stream(marked, time="time", key="product", watermark="1 minute").lateness("1 minute")
    named.dedup("1 minute", keep="last")
    with pytest.raises(wr.SpecError, match="NAME_TAKEN"):
        _ = named.dedup("1 minute", keep="last", **RETRACTING).rows


@pytest.mark.slow
def test_changes_at_a_restart(feed: Feed, tmp_path: Path) -> None:
    """A query continues with a longer lateness, and with nothing else that differs (R110)."""
    run = Run(feed, tmp_path / "out")
    first, second = numbered(disordered(seed=12, batches=2, size=30))
    run.add(first)
    for changed, words in (
        ({"within": "4 minutes"}, "within='3 minutes'.*within='4 minutes'"),
        ({"orderBy": "amount"}, r"orderBy=\(\).*orderBy=\(amount\)"),
        (RETRACTING, "accumulationMode=ACCUMULATING_AND_RETRACTING"),
    ):
        with pytest.raises(wr.CheckpointError, match=f"(?s)deduplication.*{words}"):
            run.add(**changed)
    keyed = wr.stream(
        feed.stream(), time="time", key="product", watermark="1 minute", name="orders"
    )

    def start(output: wr.DedupOutput) -> None:
        output.start(
            rows=wr.Files(str(tmp_path / "out/rows")),
            rejected=wr.Files(str(tmp_path / "out/rejected")),
            checkpoint=tmp_path / "out/checkpoint",
            availableNow=True,
        ).awaitTermination()

    with pytest.raises(wr.CheckpointError, match=r"(?s)keep='last'.*keep='first'"):
        start(keyed.lateness("20 minutes").dedup("3 minutes"))
    with pytest.raises(wr.CheckpointError, match="lateness"):
        start(keyed.lateness("19 minutes").dedup("3 minutes", keep="last"))
    run.add(second)
    rows, _ = run.rows()
    longer = keyed.lateness("1 hour").dedup("3 minutes", keep="last")
    feed.add([order("15:00:00", "d", gap=777)])
    start(longer)
    all_rows, _ = run.rows()
    assert set(rows) < set(all_rows)
    *_, (found, _, _, _) = steps([first, second], "time")
    assert set(all_rows) == found


@pytest.mark.full
@pytest.mark.parametrize("seed", range(streams(1_000) // 50))
def test_many_random_streams(feed: Feed, spark: SparkSession, tmp_path: Path, seed: int) -> None:
    """Fifty streams in one query, cut in other ways and on other shards, follow the rules."""
    rng = random.Random(seed)  # noqa: S311  no secret
    size = rng.randrange(200, 1000)
    drawn = [
        [
            {**row, "product": f"{row['product']}-{at % 50}"}
            for at, row in enumerate(batch)
            if not row["time"].startswith("-")  # the day before
        ]
        for batch in disordered(seed=seed, batches=6, size=size)
    ]
    by, more = rng.choice(
        [
            ("time", {}),
            ("amount", {"orderBy": "amount"}),
            ("time", RETRACTING),
            ("amount", {"orderBy": "amount", **RETRACTING}),
        ]
    )
    shards = spark.conf.get("spark.windrow.shards", None)
    spark.conf.set("spark.windrow.shards", str(rng.choice([1, 3, 8])))
    try:
        check(Run(feed, tmp_path / "out", **more), numbered(drawn), by, cut=rng.choice([1, 2, 3]))
    finally:
        if shards is None:
            spark.conf.unset("spark.windrow.shards")
        else:
            spark.conf.set("spark.windrow.shards", shards)
