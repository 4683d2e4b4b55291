# ruff: noqa: S608  the SQL contains only strings of this file
"""``topN`` and ``lag`` equal DuckDB's window functions after every step."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import duckdb
import pytest
from pyspark.sql import functions as F

import windrow as wr
from chain.identities import bits
from feed import Feed, order

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

pytestmark = pytest.mark.spark

SCHEMA = "time timestamp, key string, part int, id bigint, price double"
START = datetime(2025, 1, 1, 9, tzinfo=UTC)
DELAY = 10
#: Streams are the keys of a run. In `full`, each kind of windows has 1,000 of them.
SEEDS, KEYS = (20, 50) if os.environ.get("WINDROW_MODE") == "full" else (1, 12)


class Kind(NamedTuple):
    """Windows, their lateness in seconds, and DuckDB's rows of them with ``first`` and ``last``."""

    window: wr.WindowKind
    lateness: int
    rows: str


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
        lag(id) OVER k AS earlier FROM fed WHERE mark <= sec + 300
        WINDOW k AS (PARTITION BY key ORDER BY sec, part, id)""",
)


def steps(rng: random.Random, keys: int) -> Iterator[list[dict[str, Any]]]:
    """Draw the rows of each step: disordered, with equal times and prices, some of them null."""
    ids = iter(range(10**9))
    for step in range(6):
        yield [
            {
                "time": START + timedelta(seconds=_second(rng, step)),
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


def seconds(time: datetime) -> int:
    """Return the seconds since the start."""
    return round((time - START).total_seconds())


def output(df: DataFrame, kind: Kind, *columns: Column) -> wr.Output:
    """Return windows that correct themselves for late rows."""
    stream = wr.stream(
        df,
        time="time",
        key="key",
        watermark=f"{DELAY} seconds",
        rowId=wr.RowId(source=F.lit("s"), partition="part", offset="id"),
    ).lateness(f"{kind.lateness} seconds")
    windows = stream.window(kind.window).accumulationMode(wr.ACCUMULATING_AND_RETRACTING)
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
    base.execute("CREATE TABLE fed (sec int, key text, part int, id int, price double, mark int)")
    mark, corrected = -(10**6), 0
    valid: dict[str, tuple[int, dict[str, Any]]] = {}
    with wr.testing.harness(
        lambda df: output(df, kind, *columns), spark, schema=SCHEMA, engine=engine
    ) as h:
        for rows in steps(rng, keys):
            if rng.randrange(2):
                h.restart()
            h.add(rows)
            fed = [(seconds(r["time"]), r["key"], r["part"], r["id"], r["price"]) for r in rows]
            base.executemany("INSERT INTO fed VALUES (?, ?, ?, ?, ?, ?)", [(*r, mark) for r in fed])
            mark = max(mark, *(row[0] - DELAY for row in fed))
            for pane in h.panes():
                value = repr(bits({name: one for name, one in pane.items() if name != "pane"}))
                count = valid.get(value, (0, pane))[0]
                count += -1 if pane["pane"]["is_retraction"] else 1
                corrected += pane["pane"]["is_retraction"]
                assert count >= 0
                valid[value] = (count, pane)
            yield base, mark, [pane for count, pane in valid.values() for _ in range(count)]
    assert corrected > 0


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
def test_previous_rows(spark: SparkSession) -> None:
    """Each complete row has the values of DuckDB's ``lag``; a late row corrects others (R106).

    The next row is the one whose previous row it is, so its value is DuckDB's ``lead`` (R157).
    """
    columns = [
        wr.lag("price").alias("before"),
        wr.lag("price", 3).alias("third"),
        wr.lag("id").alias("earlier"),
    ]
    lag = f"SELECT key, id, before, third, earlier FROM ({ROWS.rows}) WHERE sec < ?"
    lead = f"""SELECT id, after FROM (
        SELECT *, lead(price) OVER k AS after, lead(sec) OVER k AS until
        FROM fed WHERE mark <= sec + {ROWS.lateness}
        WINDOW k AS (PARTITION BY key ORDER BY sec, part, id)) WHERE until < ?"""
    for seed in range(SEEDS):
        for base, mark, panes in run(spark, seed, ROWS, *columns):
            found = [
                (p["key"], p["message"]["id"], p["before"], p["third"], p["earlier"]) for p in panes
            ]
            assert in_order(found) == in_order(base.execute(lag, [mark]).fetchall())
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
