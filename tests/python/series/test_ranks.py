# ruff: noqa: S608  the SQL contains only strings of this file
"""A row for each rank of ``topN`` equals DuckDB's ``row_number`` after every step (R90, R105)."""

from __future__ import annotations

import random
import re
from collections import Counter
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

import duckdb
import pytest
from pyspark.sql import functions as F

import windrow as wr
from programs import ROOT
from query.test_functions import DELAY, KEYS, KINDS, SCHEMA, SEEDS, Kind, output, seconds, steps

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import Column, DataFrame, SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.slow]

#: Product, window, and rank: what identifies a row of the consumer's table.
Place = tuple[str, int, int, int]


class Case(NamedTuple):
    """A query with lists of products, and DuckDB's rows of them with ``number`` and ``price``."""

    made: Callable[[DataFrame], wr.Output]
    kind: Kind
    rows: str
    order: str
    #: Whether lists become shorter or disappear, so that ranks are removed.
    shrinks: bool


def of_rows(name: str, *, shrinks: bool) -> Case:
    """Return the first rows of windows."""

    def made(df: DataFrame) -> wr.Output:
        orders: list[str | Column] = ["price", F.asc("part"), F.asc("id")]
        return output(df, kind, wr.topN(3, orderBy=orders, of=F.struct("id", "price")).alias("top"))

    kind = KINDS[name]
    rows = f"SELECT * FROM ({kind.rows}) WHERE mark < last + {kind.lateness} AND last <= ?"
    return Case(made, kind, rows, "price DESC NULLS LAST, part, id", shrinks)


def of_totals(df: DataFrame) -> wr.Output:
    """Return the greatest totals above 0; a correction can lower one to 0 or less."""
    slots = df.withColumn("slot", F.expr("id % 7"))
    of = wr.RowId(source=F.lit("s"), partition="part", offset="id")
    mark = f"{DELAY} seconds"
    stream = wr.stream(slots, time="time", key=["key", "slot"], watermark=mark, rowId=of)
    totals = (
        stream.lateness("300 seconds")
        .window(wr.Tumbling("1 minute"))
        .accumulationMode(wr.ACCUMULATING)
        .aggregate(F.sum(F.expr("id * 37 % 41 - 20")).alias("total"))
    )
    found = F.struct(F.col("slot").alias("id"), F.col("total").alias("price"))
    return (
        wr.stream(totals.panes.where("total > 0"), key="key", name="ranking")
        .lateness("300 seconds")
        .window(wr.Inherit())
        .accumulationMode(wr.ACCUMULATING_AND_RETRACTING)
        .aggregate(wr.topN(3, orderBy=["total", F.asc("slot")], of=found).alias("top"))
    )


CASES = {
    "tumbling": of_rows("tumbling", shrinks=False),
    "session": of_rows("session", shrinks=True),
    "totals": Case(
        of_totals,
        KINDS["tumbling"],
        f"""SELECT key, first, last, id % 7 AS id, sum(id * 37 % 41 - 20) AS price
            FROM ({KINDS["tumbling"].rows}) WHERE mark < last + 300 AND last <= ?
            GROUP BY key, first, last, id % 7 HAVING price > 0""",
        "price DESC, id",
        shrinks=True,
    ),
}


def of_page() -> Callable[[DataFrame], DataFrame]:
    """Return the function ``ranks`` of the recipe."""
    page = (ROOT / "docs/cookbook/top-n.md").read_text(encoding="utf-8")
    found = re.search(r"^```python\n(def ranks\(.*?)^```", page, re.DOTALL | re.MULTILINE)
    assert found is not None
    names: dict[str, Any] = {"F": F, "corrected": SimpleNamespace(panes=None)}
    exec(found[1].partition("\nranked = ")[0], names)  # noqa: S102  our own page
    ranks: Callable[[DataFrame], DataFrame] = names["ranks"]
    return ranks


def emitted(
    spark: SparkSession, seed: int, case: Case
) -> Iterator[tuple[duckdb.DuckDBPyConnection, int, DataFrame]]:
    """Yield DuckDB's table of all rows, the watermark, and the panes of each step."""
    rng = random.Random(seed)  # noqa: S311  no secret
    base = duckdb.connect()
    base.execute("CREATE TABLE fed (sec int, key text, part int, id int, price double, mark int)")
    mark = -(10**6)
    made: list[wr.Output] = []

    def pipeline(df: DataFrame) -> wr.Output:
        made.append(case.made(df))
        return made[0]

    with wr.testing.harness(pipeline, spark, schema=SCHEMA) as h:
        for rows in steps(rng, KEYS, case.kind.start):
            if rng.randrange(2):
                h.restart()
            h.add(rows)
            fed = [(seconds(r["time"]), r["key"], r["part"], r["id"], r["price"]) for r in rows]
            base.executemany("INSERT INTO fed VALUES (?, ?, ?, ?, ?, ?)", [(*r, mark) for r in fed])
            mark = max(mark, *(row[0] - DELAY for row in fed))
            panes = spark.createDataFrame([dict(pane) for pane in h.panes()], made[0].panes.schema)
            yield base, mark, panes.withColumnRenamed("key", "product")


def place(row: Any) -> Place:
    """Return the place of a rank."""
    return row.product, *(seconds(at.astimezone()) for at in row.window), row["rank"]


@pytest.mark.parametrize("name", CASES)
def test_ranks_of_panes(spark: SparkSession, name: str) -> None:
    """A consumer of retractions, and a table by window and rank, have DuckDB's ranks.

    Spark must not merge the overlapping sessions of a micro-batch when it groups them.
    """
    case = CASES[name]
    ranks = of_page()
    order = F.struct("pane.index", "pane.is_retraction")
    last = F.max_by(F.struct("id", "price", "pane"), order).alias("newest")
    expected = f"""SELECT key, first, last, rank, id, price FROM (SELECT *, row_number() OVER (
        PARTITION BY key, first, last ORDER BY {case.order}) AS rank FROM ({case.rows}))
        WHERE rank <= 3"""
    removed = 0
    for seed in range(SEEDS):
        bag: Counter[tuple[Any, ...]] = Counter()
        table: dict[Place, tuple[Any, ...]] = {}
        for base, mark, panes in emitted(spark, seed, case):
            right = {tuple(row[:4]): tuple(row[4:]) for row in _asked(base, expected, mark)}
            for row in ranks(panes).collect():
                bag[*place(row), row.id, row.price] += -1 if row.pane.is_retraction else 1
            assert +bag == Counter((*at, *value) for at, value in right.items()), seed
            assert min(bag.values(), default=0) >= 0, seed
            for row in ranks(panes).groupBy("product", "window", "rank").agg(last).collect():
                if row.newest.pane.is_retraction:
                    removed += table.pop(place(row), None) is not None
                else:
                    table[place(row)] = (row.newest.id, row.newest.price)
            assert table == right, seed
    assert (removed > 0) == case.shrinks


def _asked(base: duckdb.DuckDBPyConnection, sql: str, mark: int) -> list[tuple[Any, ...]]:
    rows: list[tuple[Any, ...]] = base.execute(sql, [mark]).fetchall()
    return rows
