# ruff: noqa: S608  the SQL contains only strings of this file
"""Operators over partitions in order lose no row, however they are interleaved (R107)."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

import duckdb
import pytest
from pyspark.sql import functions as F

import windrow as wr
from counts import streams
from feed import SCHEMA, Order
from query.test_functions import in_order
from watermarks.test_partitions import by_partition, interleaved

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import DataFrame, SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.slow]


class Operator(NamedTuple):
    """An operator over inputs in partitions, and its output in SQL, which knows no order."""

    made: Callable[..., Any]
    sql: str
    #: The columns of its output that SQL has, too.
    columns: tuple[str, ...]
    inputs: tuple[str, ...] = ("l",)


def totals_of(window: wr.WindowKind) -> Callable[..., wr.Output]:
    """Return the aggregation of windows."""
    return lambda stream: stream.window(window).aggregate(
        F.sum("amount").alias("total"), F.count("*").alias("n")
    )


OPERATORS = {
    "tumbling": Operator(
        totals_of(wr.Tumbling("1 minute")),
        "SELECT sum(amount), count(*) FROM l GROUP BY key, floor(sec / 60)",
        ("total", "n"),
    ),
    "session": Operator(
        totals_of(wr.Session("30 seconds", endsWith="amount % 7 = 0")),
        """SELECT sum(amount), count(*) FROM (
            SELECT *, sum(begins) OVER (PARTITION BY key ORDER BY sec) AS number FROM (
                SELECT *, (sec - lag(sec, 1, -99) OVER k > 30
                    OR lag(amount, 1, 1) OVER k % 7 = 0)::int AS begins
                FROM l WINDOW k AS (PARTITION BY key ORDER BY sec)))
            GROUP BY key, number""",
        ("total", "n"),
    ),
    "dedup": Operator(
        lambda stream: stream.dedup("1 minute", keep="last"),
        """SELECT id FROM l WHERE NOT EXISTS (SELECT 1 FROM l AS other
            WHERE other.key = l.key AND other.sec > l.sec AND other.sec <= l.sec + 60)""",
        ("id",),
    ),
    "match": Operator(
        lambda stream: stream.match(
            "A B",
            define={"B": "amount > PREV(amount)"},
            measures={"former": "A.id", "id": "B.id"},
            within="1 minute",
            after="next_row",
        ),
        """SELECT former, id FROM (SELECT *, lag(id) OVER k AS former,
                amount > lag(amount) OVER k AND sec - lag(sec) OVER k <= 60 AS rises
            FROM l WINDOW k AS (PARTITION BY key ORDER BY sec)) WHERE rises""",
        ("former", "id"),
    ),
    "join": Operator(
        lambda *streams: wr.join(*streams, on="key", within=("0 s", "30 s"), how="left"),
        """SELECT l.id, r.id FROM l LEFT JOIN r
            ON l.key = r.key AND r.sec - l.sec BETWEEN 0 AND 30""",
        ("l", "r"),
        ("l", "r"),
    ),
    "asofJoin": Operator(
        lambda *streams: wr.asofJoin(*streams, on="key", tolerance="30 seconds", early=wr.Never()),
        """SELECT l.id, if(l.sec - r.sec <= 30, r.id, NULL) FROM l ASOF LEFT JOIN r
            ON l.key = r.key AND l.sec >= r.sec""",
        ("l", "r"),
        ("l", "r"),
    ),
}


@pytest.mark.parametrize("name", OPERATORS)
def test_operators_lose_no_row(spark: SparkSession, name: str) -> None:
    """The output of interleaved partitions is that of SQL, and no row is rejected."""
    operator = OPERATORS[name]
    early = 0
    for seed, (inputs, found, before, late) in enumerate(
        emitted(spark, operator, by_partition(), streams(10))
    ):
        assert (found, late) == (in_sql(operator, inputs), 0), seed
        early += before
    assert early > 0, "the watermark moves before the end"
    one = emitted(spark, operator, "0 seconds", 5)
    assert sum(late for *_, late in one) > 0, "one watermark for all partitions loses rows"


def emitted(
    spark: SparkSession, operator: Operator, watermark: str | wr.EventTimeWatermark, count: int
) -> Iterator[tuple[dict[str, list[list[Order]]], list[Any], int, int]]:
    """Run interleavings in the core, one a day.

    Yields the rows of each, its output, how much of it precedes the end, and the late rows.
    """

    def pipeline(**frames: DataFrame) -> Any:
        keyed: dict[str, Any] = {"key": "key"} if len(frames) == 1 else {}
        made = [
            wr.stream(df, time="time", watermark=watermark, name=name, **keyed)
            for name, df in frames.items()
        ]
        return operator.made(*(stream.lateness("0 seconds") for stream in made))

    schemas = dict.fromkeys(operator.inputs, f"{SCHEMA}, id int, key int")
    with wr.testing.harness(pipeline, spark, schema=schemas) as h:
        for seed in range(count):
            rng = random.Random(seed)  # noqa: S311  no secret
            day = datetime(2025, 1, 1, tzinfo=UTC) + timedelta(days=seed)
            inputs = {name: interleaved(rng.randrange(10**9)) for name in operator.inputs}
            waiting = {name: list(batches) for name, batches in inputs.items()}
            while any(waiting.values()):
                name = rng.choice([name for name, batches in waiting.items() if batches])
                rows = waiting[name].pop(0)
                moved = [{**row, "time": f"{day:%Y-%m-%d}{row['time'][10:]}"} for row in rows]
                h.add(moved, to=name)
                if rng.random() < 0.02:
                    h.restart()
            found = h.panes() + h.rows()
            before = len(found)
            h.advanceWatermark(day + timedelta(days=1)).restart()
            found += h.panes() + h.rows()
            late = sum(row["reason"] == "TOO_LATE" for row in h.rejected())
            values = [[row[column] for column in operator.columns] for row in found]
            plain = [[one["id"] if isinstance(one, dict) else one for one in v] for v in values]
            yield inputs, in_order(plain), before, late


def in_sql(operator: Operator, inputs: dict[str, list[list[Order]]]) -> list[Any]:
    """Return the output of DuckDB."""
    base = duckdb.connect()
    for name, batches in inputs.items():
        base.execute(f"CREATE TABLE {name} (sec decimal(9, 1), amount int, id int, key int)")
        sec = "epoch(?::timestamp - '2025-01-01 09:00:00'::timestamp)"
        base.executemany(
            f"INSERT INTO {name} VALUES ({sec}, ?, ?, ?)",
            [[row[c] for c in ("time", "amount", "id", "key")] for b in batches for row in b],
        )
    return in_order(base.execute(operator.sql).fetchall())
