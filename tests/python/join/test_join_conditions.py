"""Further conditions of joins, chains of outer joins, and names of columns that need quotes."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F

import windrow as wr
from chain.windows import at
from feed import Feed, order
from join.joins import ORDERS, SHIPMENTS, Both, amounts
from join.random_joins import SCHEMA, Case, quoted

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.slow]

IS_FULL = os.environ.get("WINDROW_MODE") == "full"
SOON = ("0 minutes", "5 minutes")
CONDITION = "s.amount + o.amount > 24"


@pytest.mark.parametrize("as_column", [False, pytest.param(True, marks=pytest.mark.full)])
def test_a_condition(both: Both, *, as_column: bool, capsys: pytest.CaptureFixture[str]) -> None:
    """A row is unmatched if no row in its range fulfills the condition."""
    streams = both.add(ORDERS, SHIPMENTS).streams(batch=True)
    condition = F.expr(CONDITION) if as_column else CONDITION
    joined = wr.join(*streams, on="product", within=SOON, how="left", condition=condition)
    rows = [("x", 1, 50), ("x", 4, 30), ("x", 5, 40), ("y", 2, None), (None, 3, None)]
    assert amounts(joined.rows.collect()) == sorted(rows, key=str)
    joined.explain()
    assert "amount" in capsys.readouterr().out


def test_refused_conditions(both: Both) -> None:
    """Conditions that Windrow or Spark does not support are refused when the join is described."""
    streams = both.streams(batch=True)
    texts = {
        "s.amount > rand()": "DETERMINISTIC",
        "s.time < now()": "CONDITION_NOT_SUPPORTED",
        "s.colour = 'red'": "UNRESOLVED_COLUMN",
        "amount > 1": "AMBIGUOUS_REFERENCE",
        "o.__windrow_time > s.time": "NAME_TAKEN",
    }
    for text, code in texts.items():
        with pytest.raises(wr.SpecError, match=code):
            wr.join(*streams, on="product", within=SOON, how="left", condition=text).rows  # noqa: B018
    with pytest.raises(wr.SpecError) as refused:
        wr.join(*streams, on="colour", within=SOON, condition={"o": "true", "z": "true"})
    assert sorted(problem.code for problem in refused.value.problems) == [
        *("COLUMN_NOT_FOUND", "COLUMN_NOT_FOUND", "CONDITION_OF_STREAM", "STREAM_UNKNOWN")
    ]
    third = wr.stream(both.orders.batch(), time="time", name="r").lateness("0 seconds")
    windows: dict[str, Any] = {"within": wr.Tumbling("1 hour"), "condition": "r.amount > 1"}
    with pytest.raises(wr.SpecError) as refused:
        wr.join(*streams, third, on="product", how="left", **windows)
    assert sorted(problem.code for problem in refused.value.problems) == [
        *("CONDITION_OF_STREAM", "OUTER_JOIN_OF_MANY")
    ]


#: Rows of the last stream. The second one matches no order, and the last one is too late.
PAYMENTS = [
    [order("09:05:00", "x", 100)],
    [order("09:33:00", "x", 200), order("09:33:00", "q", 300)],
    [order("10:31:00", "x", 400), order("08:50:00", "x", 500)],
]
#: Rows that move the watermark past all others.
END = [order("12:00:00", "z", 0)]


@pytest.mark.full
def test_a_chain(both: Both, tmp_path: Path) -> None:
    """A left join of three streams survives restarts; rejected rows have a field for each stream.

    The order of 10:30 has a shipment of 10:31, but no payment of more than 400.
    """
    paid = Feed(both.orders.spark, tmp_path / "p")
    rows, lost = wr.Files(str(tmp_path / "rows")), wr.Files(str(tmp_path / "lost"))
    each = ([*some[:3], END, []] for some in (ORDERS, SHIPMENTS, PAYMENTS))
    orders, shipments, payments = each
    for first, last in ((0, 1), (1, 5)):
        both.add(orders[first:last], shipments[first:last])
        paid.add(*payments[first:last])
        p = wr.stream(paid.stream(), time="time", watermark="1 minute", name="p")
        joined = wr.join(
            *both.streams(),
            p.lateness("0 seconds"),
            on="product",
            within=SOON,
            how="left",
            # A condition may change while the state exists.
            condition={"p": f"p.amount < 400 AND s.amount < {30 if last == 5 else 29}"},
        )
        assert joined.rows.columns == ["product", "o", "s", "p"]
        query = joined.start(
            checkpoint=str(tmp_path / "checkpoint"),
            rows=rows,
            rejected=lost,
            availableNow=True,
        )
        query.awaitTermination()
    found = paid.spark.read.parquet(rows.path).select("product", "o", "s", "p").collect()
    expected = [
        *(("x", 1, 10, 100), ("x", 4, 20, 200), ("x", 4, 30, None), ("x", 5, 40, None)),
        *(("y", 2, None, None), (None, 3, None, None), ("z", 0, 0, 0)),
    ]
    assert amounts(found) == sorted(expected, key=str)
    rejected = [
        (
            row.stream,
            row.reason,
            {name: row.message[name].amount for name in "osp" if row.message[name]},
        )
        for row in paid.spark.read.parquet(lost.path).collect()
    ]
    assert sorted(rejected, key=str) == [
        *(("o", "INVALID_TIME", {"o": 6}), ("p", "TOO_LATE", {"p": 500})),
        ("s", "TOO_LATE", {"s": 50}),
    ]


CHAINS = 300 if IS_FULL else 1


def test_chains_in_sql(spark: SparkSession) -> None:
    """A chain of any joins in SQL has the rows of Spark's own chain, which is the same text."""
    for seed in range(CHAINS):
        rng = random.Random(f"sql {seed}")  # noqa: S311  the seed repeats it
        case = Case.drawn(rng)
        for name, rows in case.streams.items():
            made = [(at(time), *more) for time, *more in rows]
            spark.createDataFrame(made, SCHEMA).createOrReplaceTempView(name)
        time = (
            "{name}.[the time] BETWEEN l.[the time] + INTERVAL {low} SECONDS"
            " AND l.[the time] + INTERVAL {high} SECONDS"
        )
        text = case.sql(time, "`")
        numbers = quoted(", ".join(f"{name}.[Select]" for name in case.shown), "`")
        ours = f"windrow_join(TABLE(SELECT * FROM {text}), lateness => '0 seconds')"  # noqa: S608
        found = spark.sql(f"SELECT {numbers} FROM {ours}").collect()  # noqa: S608
        expected = spark.sql(f"SELECT {numbers} FROM {text}").collect()  # noqa: S608
        assert sorted(found, key=str) == sorted(expected, key=str), f"seed {seed}, {text}"


MIXED = (
    "l LEFT JOIN r ON r.[k.ey] = l.[k.ey] AND {r} JOIN z ON z.[k.ey] = r.[k.ey] AND {z}",
    "l JOIN r ON r.[k.ey] = l.[k.ey] AND {r} FULL JOIN z ON z.[k.ey] = r.[k.ey] AND {z}",
    "l SEMI JOIN r ON r.[k.ey] = l.[k.ey] AND {r} ANTI JOIN z ON z.[k.ey] = l.[k.ey] AND {z}",
    "l RIGHT JOIN r ON r.[k.ey] = l.[k.ey] AND {r} ANTI JOIN z ON z.[x`y] = l.[x`y] AND {z}",
)


@pytest.mark.parametrize("text", MIXED if IS_FULL else MIXED[2:])
def test_mixed_chains_in_sql(spark: SparkSession, text: str) -> None:
    """The joins of a chain can differ, and a range can start at any earlier stream."""
    rng = random.Random("mixed")  # noqa: S311  no secret
    for name in "lrz":
        rows = [
            (at(rng.randrange(60)), rng.choice((1, 2, None)), n, rng.choice((0, 1, None)))
            for n in range(12)
        ]
        spark.createDataFrame(rows, SCHEMA).createOrReplaceTempView(name)
    before = "l" if "SEMI" in text else "r"
    near = "{}.[the time] BETWEEN {}.[the time] AND {}.[the time] + INTERVAL 15 SECONDS"
    filled = quoted(
        text.format(r=near.format("r", "l", "l"), z=near.format("z", before, before)), "`"
    )
    sides = "l" if "SEMI" in text else "lr" if "ANTI" in text else "lrz"
    shown = ", ".join(f"{side}.`Select`" for side in sides)
    found = spark.sql(_windrow(filled)).selectExpr(*shown.split(", ")).collect()
    expected = spark.sql(f"SELECT {shown} FROM {filled}").collect()  # noqa: S608
    assert expected
    assert sorted(map(tuple, found), key=str) == sorted(map(tuple, expected), key=str)


def _windrow(text: str) -> str:
    return f"SELECT * FROM windrow_join(TABLE(SELECT * FROM {text}), lateness => '0 seconds')"  # noqa: S608


NAMES = ["a.b", "a b", "select", "x`y", "MiXed", "`q`", "it's", "*", "a.*", "Äö", "\\", "1st"]


@pytest.mark.parametrize("name", NAMES if IS_FULL else ["`a.b` From"])
def test_names(spark: SparkSession, name: str) -> None:
    """Columns of joins may have any name, in all arguments, conditions, and SQL."""
    names = [name, f"{name}k", f"v{name}"]
    rows = [("2025-01-01 09:00:00", 1, 5), ("2025-01-01 09:01:00", 2, 7)]
    df = spark.createDataFrame(rows, "t string, k int, v int")
    df = df.select(F.to_timestamp("t").alias(names[0]), F.col("k").alias(names[1]), "v")
    df = df.withColumnRenamed("v", names[2])
    t, k, v = ("`" + one.replace("`", "``") + "`" for one in names)
    streams = [wr.stream(df, time=t, name=side).lateness("0 seconds") for side in ("p", "q")]
    condition = f"p.{v} + q.{v} > 12"
    joined = wr.join(*streams, on=k, within=SOON, how="left", condition=condition).rows
    df.createOrReplaceTempView("named")
    near = f"q.{t} BETWEEN p.{t} AND p.{t} + INTERVAL 5 MINUTES"
    text = f"named p LEFT JOIN named q ON p.{k} = q.{k} AND {near} AND {condition}"
    for made in (joined, spark.sql(_windrow(text))):
        assert made.columns == [names[1], "p", "q"]
        found = [(row[0], row["p"][2], row["q"] and row["q"][2]) for row in made.collect()]
        assert sorted(found) == [(1, 5, None), (2, 7, 7)]
