# ruff: noqa: S608  the SQL contains only strings of this file
"""``topN``, ``lag``, and ``count(DISTINCT …)`` equal DuckDB after every step."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import duckdb
import pytest
from pyspark.sql import functions as F

import windrow as wr
from chain.identities import bits
from counts import streams
from feed import Feed, order

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

pytestmark = pytest.mark.spark

SCHEMA = "time timestamp, key string, part int, id bigint, price double"
START = datetime(2025, 1, 1, 9, tzinfo=UTC)
DELAY = 10
#: Streams are the keys of a run.
KEYS = min(50, streams(12))
SEEDS = math.ceil(streams(12) / KEYS)


class Kind(NamedTuple):
    """Windows, their lateness in seconds, and DuckDB's rows of them with ``first`` and ``last``."""

    window: wr.WindowKind
    lateness: int
    rows: str
    #: Whether late rows change windows that have emitted panes.
    is_corrected: bool = True
    #: The second 0 of the rows.
    start: datetime = START


KINDS = {
    "tumbling": Kind(
        wr.Tumbling("1 minute"),
        300,
        "SELECT *, sec // 60 * 60 AS first, first + 60 AS last FROM fed",
    ),
    "hopping": Kind(
        wr.Hopping("3 minutes", step="1 minute"),
        300,
        "SELECT *, sec // 60 * 60 - 60 * unnest(range(3)) AS first, first + 180 AS last FROM fed",
    ),
    "session": Kind(
        wr.Session("4 seconds"),
        3600,  # a session that was removed would not be found by a late row
        """SELECT *, min(sec) OVER one AS first, max(sec) OVER one + 4 AS last FROM (
            SELECT *, sum(begins) OVER (PARTITION BY key ORDER BY sec, id) AS number FROM (
                SELECT *, (sec - lag(sec, 1, -99) OVER (PARTITION BY key ORDER BY sec, id) > 4)::int
                AS begins FROM fed)) WINDOW one AS (PARTITION BY key, number)""",
    ),
}
ROWS = Kind(
    wr.Over(rows=4),
    300,
    """SELECT *, lag(price) OVER k AS before, lag(price, 3) OVER k AS third,
        lag(id) OVER k AS earlier, lag(id::text, 2) OVER k AS text FROM fed WHERE mark <= sec + 300
        WINDOW k AS (PARTITION BY key ORDER BY sec, part, id)""",
)
ACCEPTED = """(SELECT *, row_number() OVER (PARTITION BY key ORDER BY sec, part, id) AS number
    FROM fed WHERE mark <= sec + 300)"""


def frame(window: wr.WindowKind, condition: str) -> Kind:
    """Return the windows of rows ``b`` that end at each row ``a``."""
    rows = f"""SELECT b.*, a.id AS first, a.sec + 1 AS last FROM {ACCEPTED} a JOIN {ACCEPTED} b
        ON a.key = b.key AND b.sec <= a.sec AND {condition}"""
    return Kind(window, 300, rows)


#: The windows that are not in KINDS. `first` identifies a window of a key.
OTHERS = {
    "calendar": Kind(
        wr.Tumbling("1 minute", startTime="20 seconds", zone="Asia/Kolkata"),
        300,
        "SELECT *, (sec + 40) // 60 * 60 - 40 AS first, first + 60 AS last FROM fed",
    ),
    "ended session": Kind(
        wr.Session("4 seconds", endsWith="id % 3 = 0"),
        3600,
        """SELECT fed.*, min(sec) OVER one AS first,
            max(sec) OVER one + if(bool_or(ends) OVER one, 1, 4) AS last FROM fed JOIN (
            SELECT *, sum(begins) OVER (PARTITION BY key ORDER BY sec) AS number FROM (
                SELECT *, (sec - lag(sec, 1, -99) OVER k > 4 OR lag(ends) OVER k)::int AS begins
                FROM (SELECT key, sec, bool_or(id % 3 = 0) AS ends FROM fed GROUP BY key, sec)
                WINDOW k AS (PARTITION BY key ORDER BY sec))) USING (key, sec)
            WINDOW one AS (PARTITION BY key, number)""",
    ),
    "sliding": Kind(
        wr.Sliding("30 seconds"),
        3600,
        """SELECT b.*, a.sec - 30 AS first, a.sec + 1 AS last
            FROM (SELECT DISTINCT key, sec FROM fed) a JOIN fed b
            ON a.key = b.key AND b.sec BETWEEN a.sec - 30 AND a.sec
            UNION ALL SELECT b.*, a.sec + 0.001 AS first, a.sec + 31 AS last
            FROM (SELECT DISTINCT key, sec FROM fed) a JOIN fed b
            ON a.key = b.key AND b.sec > a.sec AND b.sec <= a.sec + 30""",
    ),
    "count": Kind(
        wr.Count(4),
        10**9,
        """SELECT *, number // 4 * 4 AS first,
            if(count(*) OVER (PARTITION BY key, first) = 4, -1000000, 1000000) AS last FROM (
            SELECT *, row_number() OVER (PARTITION BY key ORDER BY step, part, id) - 1 AS number
            FROM fed)""",
        is_corrected=False,
    ),
    "offset range": Kind(
        wr.OffsetRange(20),
        10**9,
        """SELECT *, id // 20 * 20 + part / 2 AS first, if(max(id) OVER (PARTITION BY part)
            >= id // 20 * 20 + 19, -1000000, 1000000) AS last FROM fed""",
        is_corrected=False,
    ),
    "global": Kind(wr.Global(), 10**9, "SELECT *, 0 AS first, -1000000 AS last FROM fed"),
    "over a range": frame(wr.Over(range="1 minute"), "b.sec >= a.sec - 60"),
    "over rows": frame(wr.Over(rows=4), "b.number BETWEEN a.number - 3 AND a.number"),
    "over all": frame(wr.Over(), "true"),
}


def steps(rng: random.Random, keys: int, start: datetime) -> Iterator[list[dict[str, Any]]]:
    """Draw the rows of each step: disordered, with equal times and prices, some of them null."""
    ids = iter(range(10**9))
    for step in range(6):
        yield [
            {
                "time": start + timedelta(seconds=_second(rng, step)),
                "key": f"k{rng.randrange(keys)}",
                "part": rng.randrange(2),
                "id": next(ids),
                "price": rng.choice([None, 1.0, 2.0, 2.0, 3.5, round(rng.random() * 9, 1)]),
            }
            for _ in range(keys * 4)
        ]


def _second(rng: random.Random, step: int) -> int:
    late = rng.expovariate(1 / 300) if rng.random() < 0.4 else 0
    return max(0, step * 100 + rng.randrange(120) - int(late))


def seconds(time: datetime, start: datetime = START) -> int:
    """Return the seconds since the start."""
    return round((time - start).total_seconds())


def output(df: DataFrame, kind: Kind, *columns: Column) -> wr.Output:
    """Return windows that correct themselves for late rows."""
    stream = wr.stream(
        df,
        time="time",
        key="key",
        watermark=f"{DELAY} seconds",
        rowId=wr.RowId(source=F.lit("s"), partition="part", offset="id"),
    )
    if isinstance(kind.window, wr.OffsetRange):
        stream = stream.lateness(0)
    elif not isinstance(kind.window, (wr.Count, wr.Global)):
        stream = stream.lateness(f"{kind.lateness} seconds")
    windows = stream.window(kind.window).accumulationMode(wr.ACCUMULATING_AND_RETRACTING)
    if isinstance(kind.window, wr.Global):
        windows = windows.trigger(early=wr.EachBatch())
    return windows.aggregate(*columns)


def run(
    spark: SparkSession,
    seed: int,
    kind: Kind,
    *columns: Column,
    engine: Literal["core", "query"] = "core",
    keys: int = KEYS,
) -> Iterator[tuple[duckdb.DuckDBPyConnection, int, list[dict[str, Any]]]]:
    """Yield DuckDB's table of all rows, the watermark, and the valid panes after each step.

    ``mark`` of a row is the watermark before its step.
    """
    rng = random.Random(seed)  # noqa: S311  no secret
    base = duckdb.connect()
    columns_of_fed = "sec int, key text, part int, id int, price double, mark int, step int"
    base.execute(f"CREATE TABLE fed ({columns_of_fed})")
    mark, corrected = -(10**6), 0
    valid: dict[str, tuple[int, dict[str, Any]]] = {}
    with wr.testing.harness(
        lambda df: output(df, kind, *columns), spark, schema=SCHEMA, engine=engine
    ) as h:
        for step, rows in enumerate(steps(rng, keys, kind.start)):
            if rng.randrange(2):
                h.restart()
            h.add(rows)
            fed = [
                (seconds(r["time"], kind.start), r["key"], r["part"], r["id"], r["price"])
                for r in rows
            ]
            values = [(*row, mark, step) for row in fed]
            base.executemany("INSERT INTO fed VALUES (?, ?, ?, ?, ?, ?, ?)", values)
            mark = max(mark, *(row[0] - DELAY for row in fed))
            for pane in h.panes():
                value = repr(bits({name: one for name, one in pane.items() if name != "pane"}))
                count = valid.get(value, (0, pane))[0]
                count += -1 if pane["pane"]["is_retraction"] else 1
                corrected += pane["pane"]["is_retraction"]
                assert count >= 0
                valid[value] = (count, pane)
            yield base, mark, [pane for count, pane in valid.values() for _ in range(count)]
    assert (corrected > 0) == kind.is_corrected


def in_order(rows: Any) -> list[Any]:
    """Return rows in an order that does not depend on their source."""
    return sorted(map(tuple, rows), key=repr)


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
def test_top_n_of_windows(spark: SparkSession, name: str) -> None:
    """Each complete window has the first rows of DuckDB's ``row_number``, in its order (R105)."""
    kind = KINDS[name]
    expected = f"""SELECT key, first, list({{'id': id, 'price': price}} ORDER BY rank) FROM (
        SELECT *, row_number() OVER (
            PARTITION BY key, first ORDER BY price DESC NULLS LAST, part, id) AS rank
        FROM ({kind.rows}) WHERE mark < last + {kind.lateness} AND last <= ?)
        WHERE rank <= 3 GROUP BY key, first"""
    top = wr.topN(3, orderBy=["price", F.asc("part"), F.asc("id")], of=F.struct("id", "price"))
    for seed in range(SEEDS):
        for base, mark, panes in run(spark, seed, kind, top.alias("top")):
            found = [(p["key"], seconds(p["window"]["start"]), p["top"]) for p in panes]
            assert in_order(found) == in_order(base.execute(expected, [mark]).fetchall())


@pytest.mark.slow
@pytest.mark.parametrize("width", ["fixed", "variable"])
def test_previous_rows(spark: SparkSession, width: str) -> None:
    """Each complete row has the values of DuckDB's ``lag``; a late row corrects others (R106).

    The next row is the one whose previous row it is, so its value is DuckDB's ``lead`` (R157).
    """
    lags = {"before": wr.lag("price"), "third": wr.lag("price", 3), "earlier": wr.lag("id")}
    if width == "variable":
        lags["text"] = wr.lag(F.col("id").cast("string"), 2)
    columns = [lag.alias(name) for name, lag in lags.items()]
    before = f"SELECT key, id, {', '.join(lags)} FROM ({ROWS.rows}) WHERE sec < ?"
    lead = f"""SELECT id, after FROM (
        SELECT *, lead(price) OVER k AS after, lead(sec) OVER k AS until
        FROM fed WHERE mark <= sec + {ROWS.lateness}
        WINDOW k AS (PARTITION BY key ORDER BY sec, part, id)) WHERE until < ?"""
    for seed in range(SEEDS):
        for base, mark, panes in run(spark, seed, ROWS, *columns):
            found = [(p["key"], p["message"]["id"], *(p[name] for name in lags)) for p in panes]
            assert in_order(found) == in_order(base.execute(before, [mark]).fetchall())
            nexts = [
                (p["earlier"], p["message"]["price"]) for p in panes if p["earlier"] is not None
            ]
            assert in_order(nexts) == in_order(base.execute(lead, [mark]).fetchall())


@pytest.mark.slow
def test_running_values(spark: SparkSession) -> None:
    """``Over()`` has the running values of DuckDB's default frame, equal times included."""
    everything = Kind(wr.Over(), 300, "")
    columns = [F.count("*").alias("n"), F.max("price").alias("most"), F.sum("id").alias("ids")]
    expected = """SELECT id, n, most, ids FROM (SELECT *, count(*) OVER k AS n,
        max(price) OVER k AS most, sum(id) OVER k AS ids FROM fed WHERE mark <= sec + 300
        WINDOW k AS (PARTITION BY key ORDER BY sec)) WHERE sec < ?"""
    for seed in range(SEEDS):
        for base, mark, panes in run(spark, seed, everything, *columns):
            found = [(p["message"]["id"], p["n"], p["most"], p["ids"]) for p in panes]
            assert in_order(found) == in_order(base.execute(expected, [mark]).fetchall())


@pytest.mark.slow
@pytest.mark.parametrize("name", [*KINDS, *OTHERS])
def test_different_values(spark: SparkSession, name: str) -> None:
    """Each complete window of each kind has DuckDB's ``count(DISTINCT …)`` (R1)."""
    kind = (KINDS | OTHERS)[name]
    columns = [
        F.count_distinct("price").alias("n"),
        F.expr("count(DISTINCT price, part) FILTER (WHERE id % 4 > 0)").alias("pairs"),
    ]
    expected = f"""SELECT key, first::double, count(DISTINCT price),
        count(DISTINCT (price, part)) FILTER (WHERE id % 4 > 0 AND price IS NOT NULL)
        FROM ({kind.rows}) WHERE mark < last + {kind.lateness} AND last <= ?
        GROUP BY key, first, last"""
    for seed in range(SEEDS):
        for base, mark, panes in run(spark, seed, kind, *columns):
            found = [(p["key"], place(p), p["n"], p["pairs"]) for p in panes]
            assert in_order(found) == in_order(base.execute(expected, [mark]).fetchall())


def place(pane: dict[str, Any]) -> float:
    """Return the id of the row at which a window ends, or its start."""
    if "message" in pane:
        return float(pane["message"]["id"])
    window = pane["window"]
    start: Any = window.get("first", window.get("start")) or 0
    if isinstance(start, datetime):
        return float((start - START).total_seconds())
    return float(start + window.get("partition", 0) / 2)


@pytest.mark.anywhere
def test_the_same_in_sql(feed: Feed, spark: SparkSession) -> None:
    """SQL has the same panes as Python, and the functions work in Spark's own grouping."""
    orders = [order(f"09:00:{second:02}", "tea", amount=second % 7) for second in range(20)]
    df = feed.add(orders).batch()
    df.createOrReplaceTempView("orders")
    stream = wr.stream(df, time="time", key="product").lateness("0 seconds")
    top = wr.topN(4, orderBy=["amount", "time"], of="time").alias("top")
    minutes = stream.window(wr.Tumbling("1 minute")).aggregate(top).panes
    text = "windrow_top_n(4, time) WITHIN GROUP (ORDER BY amount DESC, time DESC) AS top"
    table = f"TABLE(SELECT product, {text} FROM orders GROUP BY product), time => 'time'"
    found = spark.sql(
        f"SELECT * FROM windrow_tumble({table}, size => '1 minute', lateness => '0 seconds')"
    )
    assert found.collect() == minutes.collect()
    assert found.schema == minutes.schema
    plain = df.groupBy("product").agg(top).collect()
    in_sql = spark.sql(f"SELECT product, {text} FROM orders GROUP BY product").collect()
    assert plain == in_sql == [(row.product, row.top) for row in minutes.collect()]
    assert spark.sql(f"SELECT {text} FROM orders WHERE false").collect() == [([],)]
    assert spark.sql("SELECT windrow_top_n(4, time, amount, time) FROM orders").collect() == [
        (plain[0].top,)
    ]
    table = "TABLE(SELECT product, windrow_lag(amount, 2) AS v FROM orders GROUP BY product)"
    rows = spark.sql(
        f"SELECT v FROM windrow_over({table}, time => 'time', rows => 3, lateness => '0 seconds')"
    )
    ours = stream.window(wr.Over(rows=3)).aggregate(wr.lag("amount", 2).alias("v")).panes
    assert [row.v for row in rows.collect()] == [row.v for row in ours.collect()]


def test_columns_and_orders(spark: SparkSession) -> None:
    """Without ``of``, the array has the whole rows. Equal rows are sorted by their values."""
    df = spark.sql(
        "SELECT * FROM VALUES (1, 2.0, 'b'), (2, 2.0, 'a'), (3, null, 'c') AS t(i, p, s)"
    )

    def top(**more: Any) -> list[Any]:
        [(found,)] = df.agg(wr.topN(2, **more)).collect()
        return [tuple(one) if isinstance(one, tuple) else one for one in found]

    assert top(orderBy="p") == [(1, 2.0, "b"), (2, 2.0, "a")]
    assert top(orderBy="p", of="s") == ["a", "b"]
    assert top(orderBy=F.asc("p"), of="i") == [3, 1]
    assert top(orderBy=F.asc_nulls_last("p"), of="i") == [1, 2]
    assert top(orderBy=["p", F.desc("s")], of="i") == [1, 2]
    [(pairs,)] = df.agg(wr.topN(2, orderBy="p", of=F.create_map("s", "i"))).collect()
    assert sorted(map(str, pairs)) == ["{'a': 2}", "{'b': 1}"]


def test_mistakes(spark: SparkSession) -> None:
    """A wrong number, order, or window is refused before the query starts, all in one message."""
    df = spark.sql("SELECT TIMESTAMP'2025-01-01 09:00:00' AS time, 'tea' AS key, 1 AS id")
    stream = wr.stream(df, time="time", key="key").lateness("0 seconds")

    def codes(kind: wr.WindowKind, *columns: Column) -> list[str]:
        with pytest.raises(wr.SpecError) as refused:
            _ = stream.window(kind).aggregate(*columns).panes
        return [problem.code for problem in refused.value.problems]

    assert codes(wr.Tumbling("1 minute"), wr.topN(10_001, orderBy="id")) == ["TOP_N"]
    assert codes(wr.Over(rows=2), wr.lag("id", 0)) == ["LAG"]
    two = (wr.lag("id"), F.expr("windrow_lag(key, 2)"))
    assert codes(wr.Over(rows=1), *two) == ["LAG"] * 2
    assert codes(wr.Over(), wr.lag("id")) == ["LAG"]
    assert codes(wr.Session("1 minute"), wr.lag("id")) == ["LAG"]
    chosen = F.expr("windrow_lag(id) FILTER (WHERE id > 1)")
    assert codes(wr.Over(rows=2), chosen) == ["LAG"]
    policy = wr.Policy.tumbling(wr.ByCount(2))
    with pytest.raises(wr.SpecError, match="LAG"):
        _ = wr.stream(df, time="time", key="key").window(policy).aggregate(two[0]).panes
    with pytest.raises(wr.SpecError, match="COUNT_NOT_UNDERSTOOD"):
        wr.topN("3", orderBy="id")  # type: ignore[arg-type]
    with pytest.raises(wr.SpecError, match="TOP_N"):
        wr.topN(3, orderBy=[])
    with pytest.raises(wr.SpecError, match="COUNT_NOT_UNDERSTOOD"):
        wr.lag("id", True)
