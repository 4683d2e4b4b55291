"""Matches of patterns in real queries (SEMANTICS R140, R141, R148 to R151)."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F

import windrow as wr
from counts import streams
from feed import NOTHING, Feed, Order, disordered, order
from patterns import matching

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.slow]

WITHIN = timedelta(minutes=6)
LATENESS = timedelta(minutes=20)
DELAY = timedelta(minutes=1)

#: The conditions that ``names`` computes.
DEFINE = {
    "UP": "amount > PREV(amount)",
    "DOWN": "DOWN.amount < PREV(DOWN.amount)",
    "SAME": "coalesce(amount = PREV(amount), true)",
}

#: Key, time of the first row, time of the last row, names of the rows, their sum, that of UP rows.
Found = tuple[str | None, datetime, datetime, tuple[str, ...], int, int | None]


def keyed(df: DataFrame, lateness: str = "20 minutes") -> wr.Stream:
    """Return orders by product."""
    watermark = "1 minute" if df.isStreaming else None
    return wr.stream(df, time="time", key="product", watermark=watermark).lateness(lateness)


def random_match(df: DataFrame, pattern: str, **more: Any) -> wr.MatchOutput:
    """Search a drawn pattern."""
    measures = {
        "names": "collect_list(classifier())",
        "total": "sum(amount)",
        "ups": "sum(UP.amount)" if "UP" in pattern else "CAST(sum(0) AS BIGINT)",
    }
    stream = keyed(df, more.pop("lateness", "20 minutes"))
    names = {name: text for name, text in DEFINE.items() if name in pattern}
    return stream.match(pattern, define=names, measures=measures, within="6 minutes", **more)


def expected(
    accepted: Sequence[Order], pattern: matching.Pattern, *, overlapping: bool = False
) -> Counter[Found]:
    """Search by brute force."""
    keys: dict[str | None, list[tuple[datetime, int]]] = defaultdict(list)
    for row in accepted:
        keys[row["product"]].append((datetime.fromisoformat(row["time"]), row["amount"]))
    result: Counter[Found] = Counter()
    for key, rows in keys.items():
        rows.sort()
        times = [time for time, _ in rows]

        def names(i: int, before: int | None, rows: list[tuple[datetime, int]] = rows) -> set[str]:
            if before is None:
                return {"ANY", "SAME"}
            now, then = rows[i][1], rows[before][1]
            return {"ANY", "UP" if now > then else "DOWN" if now < then else "SAME"}

        found = matching.found(pattern, times, WITHIN, names, overlapping=overlapping)
        for start, of in found:
            amounts = [amount for _, amount in rows[start : start + len(of)]]
            ups = [amount for amount, name in zip(amounts, of, strict=True) if name == "UP"]
            up = (sum(ups) if ups else None) if "UP" in matching.text(pattern) else 0
            end = times[start + len(of) - 1]
            result[(key, times[start], end, of, sum(amounts), up)] += 1
    return result


def shown(df: DataFrame) -> Counter[Found]:
    """Return matches less retractions."""
    result: Counter[Found] = Counter()
    for row in df.collect():
        match = row.match
        found = (row["product"], match.start, match.end, tuple(row.names), row.total, row.ups)
        result[found] += -1 if match.is_retraction else 1
    assert min(result.values(), default=0) >= 0
    return +result


def accepted(batches: Sequence[Sequence[Order]], cut: int) -> list[Order]:
    """Return the accepted rows of a query that is restarted after each ``cut`` micro-batches.

    A micro-batch without rows ends each run. The rows of a micro-batch are judged by the watermark
    of the one before, which includes the rows before that one.
    """
    rows: list[Order] = []
    judge = mark = datetime.min  # noqa: DTZ901  all times are UTC
    for at in range(0, len(batches), cut):
        for batch in (*batches[at : at + cut], NOTHING):
            times = [datetime.fromisoformat(row["time"]) for row in batch]
            rows += [
                row for row, time in zip(batch, times, strict=True) if judge <= time + LATENESS
            ]
            judge = mark
            mark = max([mark, *(time - DELAY for time in times)])
    return rows


def distinct(batches: Sequence[Sequence[Order]], keys: int) -> list[list[Order]]:
    """Give each row a time of its own and one of several keys, without rows of the day before."""
    number = 0
    result: list[list[Order]] = []
    for batch in batches:
        rows: list[Order] = []
        for row in batch:
            number += 1
            if not row["time"].startswith("-"):
                more = {"time": f"{row['time']}.{number:06}", "amount": row["amount"] % 4}
                product = f"{row['product']}-{number % keys}"
                rows.append({**row, "product": product, **more})
        result.append(rows)
    return result


@contextmanager
def on_shards(spark: SparkSession, number: int) -> Iterator[None]:
    """Run queries on another number of shards."""
    before = spark.conf.get("spark.windrow.shards", None)
    spark.conf.set("spark.windrow.shards", str(number))
    try:
        yield
    finally:
        if before is None:
            spark.conf.unset("spark.windrow.shards")
        else:
            spark.conf.set("spark.windrow.shards", before)


def run(feed: Feed, folder: Path, found: wr.MatchOutput, **more: Any) -> DataFrame:
    """Run a query to the end of the files and return all its matches."""
    query = found.start(
        rows=wr.Files(str(folder / "rows")),
        rejected=wr.Files(str(folder / "rejected")),
        checkpoint=folder / "checkpoint",
        availableNow=True,
        **more,
    )
    query.awaitTermination()
    assert wr.status(query).unaccounted == 0
    return feed.spark.read.parquet(str(folder / "rows"))


def compare(
    feed: Feed,
    folder: Path,
    seed: int,
    *,
    keys: int,
    size: int,
    batches: int = 4,
    cut: int = 1,
    shards: int = 3,
) -> tuple[int, int, int]:
    """Compare a random pattern in many random streams with brute force.

    The query is restarted after each ``cut`` micro-batches. Returns the numbers of matches, of
    retractions, and of rejected rows.
    """
    rng = random.Random(seed)  # noqa: S311  no secret
    pattern, overlapping = matching.drawn(rng), rng.random() < 0.3
    more = {"after": "next_row"} if overlapping else {}
    rows = distinct(disordered(seed, batches=batches, size=size), keys)
    judged = accepted(rows, cut)
    with on_shards(feed.spark, shards):
        for at in range(0, batches, cut):
            feed.add(*rows[at : at + cut])
            if at + cut >= batches:
                feed.add([order("2025-01-03 00:00:00", "the end")])
            out = run(feed, folder, random_match(feed.stream(), matching.text(pattern), **more))
    want = expected(judged, pattern, overlapping=overlapping)
    assert shown(out) == want, (seed, matching.text(pattern))
    rejected = feed.spark.read.parquet(str(folder / "rejected")).count()
    assert rejected == sum(map(len, rows)) - len(judged)
    if not rejected:
        batch = feed.batch().where("product <> 'the end' OR product IS NULL")
        assert shown(random_match(batch, matching.text(pattern), **more).rows) == want
    return sum(want.values()), out.where("match.is_retraction").count(), rejected


def test_a_random_stream_against_brute_force(feed: Feed, tmp_path: Path) -> None:
    """A query ends with the matches of brute force, after retractions."""
    counts = compare(feed, tmp_path / "out", seed=2, keys=2, size=60, batches=4, cut=4, shards=2)
    assert min(counts) > 0


@pytest.mark.full
@pytest.mark.parametrize("seed", range(streams(1_000) // 50))
def test_many_random_streams(feed: Feed, tmp_path: Path, seed: int) -> None:
    """Fifty streams in each query have the matches of brute force, on other shards."""
    keys, size = 17, 300 + seed % 20 * 20  # three products, and rows without one
    compare(feed, tmp_path / "out", seed, keys=keys, size=size, shards=1 + seed % 8)


# Derived by hand


def prices(*values: float, start: str = "09") -> list[Order]:
    """Return one price a minute."""
    return [order(f"{start}:{i:02}:00", "tea", int(value)) for i, value in enumerate(values)]


@pytest.mark.anywhere
def test_shapes_by_hand(feed: Feed, spark: SparkSession) -> None:
    """The V shape of SQL's example, a funnel, and failed logins, in Python and in SQL."""
    feed.add(prices(12, 10, 8, 9, 11, 11, 7, 8, 6))
    v: dict[str, Any] = {
        "define": {"DOWN": "amount < PREV(amount)", "UP": F.col("amount") > 8},
        "measures": {
            "first": "first(A.amount)",
            "lowest": "last(DOWN.amount)",
            "last": "last(UP.amount)",
            "n": "count(*)",
            "ups": "count(UP.*)",
            "spread": "max(amount) - min(amount)",
        },
    }
    shape: list[Any] = [
        [row.match.start.minute, row.match.end.minute, *list(row)[2:]]
        for row in keyed(feed.batch()).match("A DOWN+ UP+", **v).rows.collect()
    ]
    assert shape == [[0, 5, 12, 8, 11, 6, 3, 4]]
    feed.batch().createOrReplaceTempView("prices")
    rows = spark.sql(
        "SELECT match.start AS start, low, rows FROM windrow_match(TABLE(prices), "
        "key => 'product', time => 'time', pattern => 'a down+ up+?', "
        "define => map('DOWN', 'amount < PREV(amount)', 'UP', 'up.amount > PREV(amount)'), "
        "measures => map('low', 'min(down.amount)', 'rows', 'count(*)'), "
        "within => '10 minutes', lateness => '0 seconds')"
    ).collect()
    assert [(row.start.minute, row.low, row.rows) for row in rows] == [(0, 8, 4), (5, 7, 3)]
    whole = keyed(feed.batch()).match("A DOWN{2} UP", define={"DOWN": "amount < PREV(amount)"})
    (match,) = whole.rows.collect()
    assert [(one.name, one.row.amount) for one in match.rows] == [
        ("A", 12),
        ("DOWN", 10),
        ("DOWN", 8),
        ("UP", 9),
    ]


# Steps, retractions, and restarts


@pytest.mark.slow
@pytest.mark.anywhere
def test_late_rows_and_a_restart(feed: Feed, tmp_path: Path) -> None:
    """A match waits for what decides it; a late row retracts it, also after a restart."""
    define = {"FAIL": "amount = 0", "OK": "amount = 1"}
    measures = {"fails": "count(FAIL.*)", "minutes": "collect_list(minute(time))"}

    def search(**more: Any) -> wr.MatchOutput:
        pattern = more.pop("pattern", "FAIL{3,} OK")
        within = more.pop("within", "10 minutes")
        stream = keyed(feed.stream(), more.pop("lateness", "20 minutes"))
        return stream.match(pattern, define=define, measures=measures, within=within, **more)

    folder = tmp_path / "out"
    feed.add(
        [order(f"09:0{m}:00", "ann", int(m == 4)) for m in range(5)],
        [order("09:03:30", "bob", 0), order("09:05:00", "bob", 0), order("09:06:00", "ann", 0)],
        [order("09:08:00", "cat", 1)],
    )

    def values(rows: DataFrame) -> list[tuple[Any, ...]]:
        return sorted(
            (r["product"], r.match.is_retraction, r.fails, r.minutes) for r in rows.collect()
        )

    first = values(run(feed, folder, search()))
    assert first == [("ann", False, 4, [0, 1, 2, 3, 4])]
    feed.add(
        [order("09:02:30", "ann", 1)], [order("09:30:00", "cat", 1)], [order("08:00:00", "ann")]
    )
    assert values(run(feed, folder, search())) == [
        ("ann", False, 3, [0, 1, 2, 2]),
        *first,
        ("ann", True, 4, [0, 1, 2, 3, 4]),
    ]
    (late,) = feed.spark.read.parquet(str(folder / "rejected")).collect()
    assert (late.reason, late.message.time.hour) == ("TOO_LATE", 8)
    for changed, words in (
        ({"pattern": "FAIL+ OK"}, r"FAIL\{3,\} OK.*FAIL\+ OK"),
        ({"within": "11 minutes"}, "within='10 minutes'.*within='11 minutes'"),
        ({"after": "next_row"}, "past_last_row.*next_row"),
        ({"lateness": "19 minutes"}, "lateness"),
    ):
        with pytest.raises(wr.CheckpointError, match=f"(?s){words}"):
            run(feed, folder, search(**changed))
    define["OK"] = "amount >= 1"
    with pytest.raises(wr.CheckpointError, match=r"(?s)conditions.*`?amount`? >= "):
        run(feed, folder, search())


def test_problems(feed: Feed) -> None:
    """One error has all problems."""
    df = feed.add(NOTHING).stream()
    stream = keyed(df)
    with pytest.raises(wr.SpecError) as refused:
        stream.match("A* (B", define={"A": "true"}, within="-1 minutes")
    codes = [problem.code for problem in refused.value.problems]
    assert codes == ["PATTERN_NOT_UNDERSTOOD", "SIZE_NEGATIVE"]
    with pytest.raises(wr.SpecError) as refused:
        stream.match(
            "A B",
            define={"A": "amount", "B": "B.amount > C.amount"},
            measures={
                "one": "sum(nothing)",
                "two": "sum(A.amount + B.amount)",
                "three": "sum(PREV(amount))",
                "four": "count(CASE WHEN rand() > 1 THEN 1 END)",
                "product": "count(*)",
            },
        )
    texts = {problem.code: problem.text for problem in refused.value.problems}
    assert set(texts) == {"WITHIN_NOT_STATED", "MATCH_EXPRESSION", "NAME_TWICE"}
    assert len(refused.value.problems) == 8
    for words in ("BIGINT", "'C', which is neither", "`nothing`", "A, B", "PREV in", "rand"):
        some = [p.text for p in refused.value.problems]
        assert words == "rand" or any(words in text for text in some), words
    with pytest.raises(wr.SpecError, match="LATENESS_NOT_STATED"):
        wr.stream(df, time="time", watermark="1 minute").match("A", within="1 minute")
    with pytest.raises(wr.SpecError, match=r"VALUE_UNKNOWN.*past_last_row, next_row"):
        stream.match("A", within="1 minute", after="here")  # type: ignore[arg-type]
    with pytest.raises(wr.SpecError, match=r"VALUE_NOT_SUPPORTED.*retain"):
        stream.retain(time="1 hour").match("A", within="1 minute")
    with pytest.raises(wr.SpecError) as refused:
        stream.match(
            "A B",
            measures={
                "lag": "windrow_lag(amount)",
                "more": "windrow_increase(amount, true)",
                "n": F.count("*"),  # type: ignore[dict-item]
            },
            within="1 hour",
        )
    texts = {problem.code: problem.text for problem in refused.value.problems}
    assert set(texts) == {"MEASURE_NOT_SQL", "MATCH_EXPRESSION"}
    assert len(refused.value.problems) == 3


@pytest.mark.anywhere
def test_measures_over_time(feed: Feed) -> None:
    """An aggregate over time in a measure reads the event time of the stream (SEMANTICS R111)."""
    rows = [("09:00:00", 1), ("09:01:00", 5), ("09:02:00", 7), ("09:20:00", 0)]
    feed.add([order(time, "a", amount) for time, amount in rows])
    found = keyed(feed.stream()).match(
        "A B+",
        define={"B": "amount > PREV(amount)"},
        measures={"more": "windrow_increase(amount)", "of": "windrow_increase(B.amount, B.time)"},
        within="10 minutes",
    )
    assert [(row.more, row.of) for row in feed.run(found.rows)] == [(6, 2)]


def test_operators_over_matches(feed: Feed) -> None:
    """A window reads matches if its aggregates distinguish retractions (R151)."""
    rows = keyed(feed.add(NOTHING).stream()).match("A B", within="1 minute").rows
    above = wr.stream(rows, time="match.end", key="product", name="above").lateness("1 hour")
    windows = above.window(wr.Tumbling("1 hour")).accumulationMode(wr.ACCUMULATING)
    signed = F.sum(F.when(F.col("match.is_retraction"), -1).otherwise(1)).alias("n")
    assert windows.aggregate(signed).panes.isStreaming
    with pytest.raises(wr.SpecError, match="ROWS_COME_AGAIN"):
        _ = windows.aggregate(F.count("*").alias("n")).panes
    never = keyed(feed.stream(), "0 seconds").match("A B", within="1 minute")
    assert "matches" in never._explained()
    once = wr.stream(never.rows, time="match.end", name="once").lateness("0 seconds")
    assert once.window(wr.Tumbling("1 hour")).aggregate(F.count("*").alias("n")).panes.isStreaming
