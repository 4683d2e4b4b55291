"""Conditions that read earlier rows of a match, against brute force and by hand (R158)."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import windrow as wr
from counts import streams
from feed import NOTHING, Feed, disordered, order
from patterns import matching
from patterns.test_match import accepted, distinct, keyed, on_shards, prices, run

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.slow]

WITHIN = timedelta(minutes=6)

#: Key, time of the first row, names, the amounts, and two measures without aggregates.
Found = tuple[str | None, datetime, tuple[str, ...], tuple[int, ...], int | None, int]


def conditions(names: set[str], begins: str) -> dict[str, str]:
    """Return conditions of the names of a pattern that begins with a row of a name."""
    every = {
        "UP": "amount >= FIRST(amount)",
        "DOWN": "DOWN.amount <= FIRST(down.amount)",
        "SAME": f"amount <> {begins}.amount",
        "ANY": "" if begins == "ANY" else f"abs(amount - LAST({begins}.amount)) <= 1",
    }
    return {name: text for name, text in every.items() if name in names and text}


def search(df: DataFrame, pattern: matching.Pattern, **more: Any) -> wr.MatchOutput:
    """Search a drawn pattern, which begins with a name."""
    text, begins = matching.text(pattern), pattern[1][0]
    names = {name for name in ("UP", "DOWN", "SAME", "ANY") if name in text}
    return keyed(df).match(
        text,
        define=conditions(names, begins),
        measures={
            "names": "collect_list(classifier())",
            "amounts": "collect_list(amount)",
            "begin": f"{begins}.amount",
            "change": f"last(amount) - {begins}.amount",
        },
        within="6 minutes",
        **more,
    )


def expected(rows: list[Any], pattern: matching.Pattern, *, overlapping: bool) -> Counter[Found]:
    """Search by brute force."""
    begins = pattern[1][0]
    keys: dict[str | None, list[tuple[datetime, int]]] = defaultdict(list)
    for row in rows:
        keys[row["product"]].append((datetime.fromisoformat(row["time"]), row["amount"]))
    result: Counter[Found] = Counter()
    for key, some in keys.items():
        some.sort()
        times, amounts = [time for time, _ in some], [amount for _, amount in some]

        def allows(
            name: str, at: int, before: tuple[str, ...], amounts: list[int] = amounts
        ) -> bool:
            now, start = amounts[at], at - len(before)
            of = [amounts[start + i] for i, one in enumerate(before) if one == begins]
            downs = [amounts[start + i] for i, one in enumerate(before) if one == "DOWN"]
            if name == "UP":
                return now >= amounts[start]
            if name == "DOWN":
                return now <= [*downs, now][0]
            if name == "SAME":
                return bool(of) and now != of[-1]
            return begins == "ANY" or (bool(of) and abs(now - of[-1]) <= 1)

        found = matching.found(
            pattern,
            times,
            WITHIN,
            lambda _row, _before: {"UP", "DOWN", "SAME", "ANY"},
            overlapping=overlapping,
            allows=allows,
        )
        for start, of in found:
            there = amounts[start : start + len(of)]
            last = [amount for amount, name in zip(there, of, strict=True) if name == begins][-1]
            result[(key, times[start], of, tuple(there), last, there[-1] - last)] += 1
    return result


def shown(df: DataFrame) -> Counter[Found]:
    """Return matches less retractions."""
    result: Counter[Found] = Counter()
    for row in df.collect():
        names, amounts = tuple(row.names), tuple(row.amounts)
        found = (row["product"], row.match.start, names, amounts, row.begin, row.change)
        result[found] += -1 if row.match.is_retraction else 1
    assert min(result.values(), default=0) >= 0
    return +result


def test_a_few_streams(feed: Feed, tmp_path: Path) -> None:
    """A query of a few streams ends with the matches of brute force."""
    assert compare(feed, tmp_path / "out", seed=2, keys=2, size=60, cut=4) > 0


@pytest.mark.full
@pytest.mark.parametrize("seed", range(streams(1_000) // 50))
def test_many_streams(feed: Feed, tmp_path: Path, seed: int) -> None:
    """Fifty streams in each query, restarted after each batch, have the matches of brute force."""
    compare(feed, tmp_path / "out", seed, keys=17, size=300 + seed % 20 * 20, cut=1)


def compare(feed: Feed, folder: Path, seed: int, *, keys: int, size: int, cut: int) -> int:
    """Compare a random pattern with brute force, and return the number of matches.

    The query is restarted after each ``cut`` micro-batches.
    """
    rng = random.Random(seed)  # noqa: S311  no secret
    pattern, overlapping = matching.drawn(rng), rng.random() < 0.3
    more = {"after": "next_row"} if overlapping else {}
    rows = distinct(disordered(seed, batches=4, size=size), keys)
    judged = accepted(rows, cut)
    with on_shards(feed.spark, 1 + seed % 8):
        for at in range(0, len(rows), cut):
            feed.add(*rows[at : at + cut])
            if at + cut >= len(rows):
                feed.add([order("2025-01-03 00:00:00", "the end")])
            out = run(feed, folder, search(feed.stream(), pattern, **more))
    want = expected(judged, pattern, overlapping=overlapping)
    assert shown(out) == want, (seed, matching.text(pattern))
    rejected = feed.spark.read.parquet(str(folder / "rejected")).count()
    assert rejected == sum(map(len, rows)) - len(judged)
    if not rejected:
        whole = feed.batch().where("product <> 'the end' OR product IS NULL")
        assert shown(search(whole, pattern, **more).rows) == want
    return want.total()


def test_by_hand(feed: Feed, spark: SparkSession) -> None:
    """Rows of earlier names, of the own name, and the first row, in Python and in SQL."""
    feed.add(prices(5, 3, 4, 6, 5, 7, 2))
    found = keyed(feed.batch()).match(
        "A LOW+ HIGH",
        define={"LOW": "amount <= A.amount", "HIGH": "high.amount > LAST(a.amount)"},
        measures={"low": "min(LOW.amount)", "rise": "HIGH.amount - A.amount", "rows": "count(*)"},
        after="next_row",
    )
    assert [list(row)[2:] for row in found.rows.collect()] == [[3, 1, 4], [5, 1, 3]]
    fields = keyed(feed.batch().selectExpr("*", "named_struct('amount', amount) AS s")).match(
        "A S", define={"S": "amount > A.s.amount"}, measures={"low": "A.s.amount"}
    )
    assert [row.low for row in fields.rows.collect()] == [3, 5]
    feed.batch().createOrReplaceTempView("prices")
    rows = spark.sql(
        "SELECT match.start AS start, up, size(rows) AS n FROM (SELECT match, up, rows "
        "FROM windrow_match(TABLE(prices), key => 'product', time => 'time', "
        "pattern => 'A UP{2,}', "
        "define => map('UP', 'amount > FIRST(amount) AND amount >= first(up.amount)'), "
        "measures => map('up', 'UP.amount', 'rows', 'collect_list(amount)'), "
        "within => '10 minutes', lateness => '0 seconds'))"
    ).collect()
    assert [(row.start.minute, row.up, row.n) for row in rows] == [(1, 7, 5)]


def test_a_late_row_becomes_an_earlier_row(feed: Feed, tmp_path: Path) -> None:
    """A late row replaces the last row of a name, after a restart on other shards."""

    def query() -> wr.MatchOutput:
        return keyed(feed.stream()).match(
            "BUY+ SELL",
            define={"BUY": "amount < 10", "SELL": "amount > 2 * BUY.amount"},
            measures={"bought": "BUY.amount", "sold": "SELL.amount"},
            within="10 minutes",
        )

    folder = tmp_path / "out"
    feed.add([order("09:00:00", "tea", 5), order("09:03:00", "tea", 12)])
    feed.add([order("09:15:00", "salt", 9)])
    first = run(feed, folder, query()).select("match.is_retraction", "bought", "sold").collect()
    assert [tuple(row) for row in first] == [(False, 5, 12)]
    feed.add([order("09:02:00", "tea", 7)], [order("09:30:00", "salt", 9)])
    rows = run(feed, folder, query()).select("match.is_retraction", "bought", "sold").collect()
    assert sorted(map(tuple, rows)) == [(False, 5, 12), (True, 5, 12)]


def test_problems(feed: Feed) -> None:
    """All problems of conditions are in one message, also if the pattern is wrong."""
    df = feed.add(NOTHING).batch()
    stream = keyed(df.selectExpr("*", "named_struct('amount', amount) AS s"))
    with pytest.raises(wr.SpecError) as refused:
        stream.match(
            "A B s",
            define={
                "A": "B.amount > 1 AND C.amount > 1",
                "B": "FIRST(A.amount + B.amount) > 1",
                "s": "s.amount > PREV(A.amount)",
            },
            measures={"x": "Z.amount", "y": "sum(s.amount)"},
        )
    texts = [problem.text for problem in refused.value.problems]
    assert {problem.code for problem in refused.value.problems} == {"MATCH_EXPRESSION"}
    for words in (
        "define['A'] reads a row of 'B', but no row of 'B' can precede a row of 'A'",
        "define['A'] reads 'C', which is neither a name in the pattern (A, B, s)",
        "FIRST or LAST in define['B']",
        "'s.' in define['s'] can be the rows of the name 's' or a field of the column 's'",
        "measures['x'] reads 'Z'",
        "'s.' in measures['y']",
    ):
        assert sum(words in text for text in texts) == 1, (words, texts)
    assert len(texts) == 6
    with pytest.raises(wr.SpecError) as refused:
        stream.match("A (B", define={"A": "amount", "B": "B.amount > A.nothing"})
    codes = [problem.code for problem in refused.value.problems]
    assert codes == ["PATTERN_NOT_UNDERSTOOD", "MATCH_EXPRESSION", "MATCH_EXPRESSION"]
    with pytest.raises(wr.SpecError) as refused:
        stream.match("A A", define={"A": "amount > PREV(FIRST(amount))"}, within="-1 minutes")
    codes = [problem.code for problem in refused.value.problems]
    assert codes == ["SIZE_NEGATIVE", "MATCH_EXPRESSION"]
