# ruff: noqa: S608  the SQL contains only strings of this file
"""Aggregates over time equal plain Python and DuckDB after every step (SEMANTICS R111 to R114)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyspark.sql import functions as F

import windrow as wr
from feed import NOTHING, Feed, order
from query.test_functions import KINDS, SEEDS, Kind, in_order, run, seconds

if TYPE_CHECKING:
    from pyspark.sql import Column, SparkSession

pytestmark = pytest.mark.spark

#: Windows whose last value holds until their end.
FIXED = ("tumbling", "hopping")
OVER = Kind(
    wr.Over(range="1 minute"),
    300,
    """SELECT b.*, a.sec - 60 AS first, a.sec + 1 AS last, a.id AS of, a.mark AS mark_of FROM fed a
        JOIN fed b ON a.key = b.key AND b.sec BETWEEN a.sec - 60 AND a.sec""",
)

#: What the oracles know of a row: second, price, id.
Row = tuple[int, float | None, int]
#: The average, the seconds in each state, and the increases of the id and of the price.
Values = tuple[float | None, Mapping[str, float], int | None, float | None]


def columns() -> list[Column]:
    """Return all aggregates. The parity of an id is a state, and its last digit a counter."""
    return [
        F.round(wr.timeWeightedAverage("price"), 9).alias("mean"),
        wr.timeInState(F.expr("IF(id % 2 = 0, 'even', 'odd')")).alias("states"),
        wr.increase(F.expr("id % 10")).alias("count"),
        F.round(wr.increase("price", "time"), 9).alias("growth"),
    ]


def greatest(rows: Iterable[tuple[int, Any]]) -> list[tuple[int, Any]]:
    """Return the greatest value of each time that has one, in order of time."""
    found: dict[int, Any] = {}
    for second, value in rows:
        if value is not None:
            found[second] = max(value, found.get(second, value))
    return sorted(found.items())


def spans(steps: list[tuple[int, Any]], end: int | None) -> list[tuple[Any, int]]:
    """Return each value with the time until the next one or the end."""
    last = steps[-1:] if end is None else [(end, None)]
    untils = [second for second, _ in steps[1:] + last]
    return [(value, until - second) for (second, value), until in zip(steps, untils, strict=False)]


def increased(steps: Sequence[tuple[int, Any]]) -> Any:
    """Return the sum of the increases."""
    values = [value for _, value in steps]
    return (
        sum(now if now < before else now - before for before, now in pairwise(values))
        if values
        else None
    )


def by_hand(rows: Sequence[Row], end: int | None) -> Values:
    """Compute the values from the definition."""
    prices = spans(greatest((second, price) for second, price, _ in rows), end)
    length = sum(held for _, held in prices)
    mean = sum(price * held for price, held in prices) / length if length else None
    if prices and not length:
        mean = prices[-1][0]
    states: dict[str, float] = defaultdict(float)
    parities = greatest((second, "odd" if one % 2 else "even") for second, _, one in rows)
    for state, held in spans(parities, end):
        states[state] += float(held)
    growth = increased(greatest((second, price) for second, price, _ in rows))
    return (
        None if mean is None else round(mean, 9),
        dict(sorted(states.items())),
        increased(greatest((second, one % 10) for second, _, one in rows)),
        None if growth is None else round(float(growth), 9),
    )


def in_duckdb(kind: Kind, end: str) -> str:
    """Return the average and the increase of the price, from window functions."""
    return f"""SELECT key, first, round(CASE WHEN sum(held) > 0 THEN sum(price * held) / sum(held)
            ELSE arg_max(price, sec) END, 9), round(coalesce(sum(grown), 0), 9) FROM (
        SELECT *, coalesce(lead(sec) OVER one, {end}) - sec AS held,
            price - if(price < lag(price) OVER one, 0, lag(price) OVER one) AS grown
        FROM (SELECT key, first, last, sec, max(price) AS price FROM ({kind.rows})
            WHERE price IS NOT NULL AND mark < last + {kind.lateness} AND last <= ?
            GROUP BY key, first, last, sec)
        WINDOW one AS (PARTITION BY key, first ORDER BY sec)) GROUP BY key, first"""


def shown(pane: Mapping[str, Any]) -> Values:
    """Return the values of a pane."""
    return pane["mean"], dict(pane["states"]), pane["count"], pane["growth"]


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
def test_windows(spark: SparkSession, name: str) -> None:
    """Each complete window has the values of both oracles, after late rows and restarts."""
    kind = KINDS[name]
    accepted = f"""SELECT key, first, last, list((sec, price, id)) FROM ({kind.rows})
        WHERE mark < last + {kind.lateness} AND last <= ? GROUP BY key, first, last"""
    for seed in range(SEEDS):
        for base, mark, panes in run(spark, seed, kind, *columns()):
            found = [(p["key"], seconds(p["window"]["start"]), *shown(p)) for p in panes]
            windows = base.execute(accepted, [mark]).fetchall()
            assert in_order(found) == in_order(
                (key, first, *by_hand(rows, last if name in FIXED else None))
                for key, first, last, rows in windows
            )
            text = in_duckdb(
                kind, "last" if name in FIXED else "max(sec) OVER (PARTITION BY key, first)"
            )
            ours = [(*one[:2], one[2], one[5]) for one in found if one[2] is not None]
            assert close(ours, base.execute(text, [mark]).fetchall())


def close(ours: Iterable[tuple[Any, ...]], others: Iterable[tuple[Any, ...]]) -> bool:
    """Compare numbers up to their rounding."""
    return all(
        list(one[:2]) == list(other[:2])
        and list(one[2:]) == pytest.approx(list(other[2:]), abs=1e-8)
        for one, other in zip(sorted(ours), sorted(others), strict=True)
    )


@pytest.mark.slow
def test_the_window_of_each_row(spark: SparkSession) -> None:
    """A window that ends at its row has no time after it. A late row corrects those after it."""
    accepted = f"""SELECT of, list((sec, price, id)) FROM ({OVER.rows})
        WHERE mark <= sec + 300 AND mark_of <= last + 299 AND last <= ? GROUP BY of"""
    for seed in range(SEEDS):
        for base, mark, panes in run(spark, seed, OVER, *columns()):
            found = [(p["message"]["id"], *shown(p)) for p in panes]
            windows = base.execute(accepted, [mark]).fetchall()
            assert in_order(found) == in_order((one, *by_hand(rows, None)) for one, rows in windows)


EVENTS = [
    order("09:00:00", "tea", price=10.0, amount=100),
    order("09:00:45", "tea", price=20.0, amount=130),
    order("09:01:10", "tea", price=30.0, amount=20),
    order("09:01:10", "tea", price=15.0, amount=10),
    order("09:01:30", "tea", price=40.0, amount=50),
]
STATUS = "IF(price < 20, 'low', 'high')"


@pytest.mark.anywhere
def test_the_same_in_sql(feed: Feed, spark: SparkSession) -> None:
    """SQL has the panes of Python, and the functions work in Spark's own grouping."""
    df = feed.add(EVENTS).batch()
    df.createOrReplaceTempView("orders")
    all_of = [
        wr.timeWeightedAverage("price").alias("mean"),
        wr.timeInState(F.expr(STATUS)).alias("seconds"),
        wr.increase("amount").alias("more"),
    ]
    stream = wr.stream(df, time="time", key="product").lateness("0 seconds")
    minutes = stream.window(wr.Tumbling("1 minute")).aggregate(*all_of).panes
    text = f"""windrow_time_weighted_average(price) AS mean,
        windrow_time_in_state({STATUS}) AS seconds, windrow_increase(amount) AS more"""
    table = f"TABLE(SELECT product, {text} FROM orders GROUP BY product), time => 'time'"
    found = spark.sql(
        f"SELECT * FROM windrow_tumble({table}, size => '1 minute', lateness => '0 seconds')"
    )
    assert found.collect() == minutes.collect()
    assert found.schema == minutes.schema
    assert [
        (row.mean, row.seconds, row.more) for row in minutes.sort("window.start").collect()
    ] == [
        (12.5, {"low": 45.0, "high": 15.0}, 30),
        ((30.0 * 20 + 40.0 * 30) / 50, {"low": 20.0, "high": 30.0}, 30),
    ]
    plain = df.groupBy("product").agg(
        wr.timeWeightedAverage("price", "time").alias("mean"),
        wr.timeInState(F.expr(STATUS), "time").alias("seconds"),
        wr.increase("amount", F.col("time")).alias("more"),
    )
    values = (450 + 500 + 600) / 90, {"low": 65.0, "high": 25.0}, 30 + 20 + 30
    assert [tuple(row)[1:] for row in plain.collect()] == [values]
    assert [tuple(row)[1:] for row in plain.where("product = 'salt'").collect()] == []
    empty = df.where("false").agg(wr.increase("amount", "time"), wr.timeInState("product", "time"))
    assert [tuple(row) for row in empty.collect()] == [(None, {})]


def test_early_panes_and_gaps(spark: SparkSession) -> None:
    """An early pane ends at its last row, because its window has not ended. A gap has no values."""

    def built(df: Any) -> wr.Output:
        windows = wr.stream(df, time="time", key="key", watermark="0 seconds").lateness("0 seconds")
        return (
            windows.window(wr.Tumbling("1 minute"), fillGaps=True)
            .trigger(early=wr.EachBatch())
            .accumulationMode(wr.ACCUMULATING_AND_RETRACTING)
            .aggregate(wr.timeInState("status").alias("s"), wr.timeWeightedAverage("x").alias("x"))
        )

    with wr.testing.harness(
        built, spark, schema="time timestamp, key string, status string, x int"
    ) as h:

        def added(*rows: tuple[str, str, int]) -> list[Any]:
            h.add(
                [
                    {"time": f"2025-01-01T{time}Z", "key": "a", "status": status, "x": x}
                    for time, status, x in rows
                ]
            )
            return in_order(
                (p["pane"]["timing"], p["pane"]["is_retraction"], dict(p["s"]), p["x"])
                for p in h.panes()
            )

        first = ("EARLY", False, {"on": 20.0, "off": 0.0}, 1.0)
        assert added(("09:00:10", "on", 1), ("09:00:30", "off", 4)) == [first]
        assert added(("09:02:00", "on", 5)) == in_order(
            [
                ("EARLY", True, *first[2:]),
                ("ON_TIME", False, {"on": 20.0, "off": 30.0}, (20 + 4 * 30) / 50),
                ("ON_TIME", False, {}, None),
                ("EARLY", False, {"on": 0.0}, 5.0),
            ]
        )


@pytest.mark.usefixtures("spark")
def test_operators_and_state(feed: Feed, tmp_path: Path) -> None:
    """An operator knows the event time. A stored window ends once it is complete."""
    texts = ["windrow_time_in_state(amount)[1] AS s", "windrow_time_weighted_average(amount) AS m"]
    operator = wr.AggregatedWindowOperator(
        wr.WindowOperatorSpec(
            schema="time timestamp, amount int",
            time="time",
            window=wr.Tumbling("1 minute"),
            lateness="0 seconds",
            aggregates=texts,
        )
    )
    times = [datetime(2025, 1, 1, 9, 0, second, tzinfo=UTC) for second in (30, 10)]
    operator.addMessages(pa.table({"time": times, "amount": pa.array([4, 1], pa.int32())}))
    operator.advanceWatermark("2025-01-01 09:01:00")
    [made] = operator.getResult().to_pylist()
    assert (made["s"], made["m"]) == (20.0, (20 + 4 * 30) / 50)
    operator.close()
    feed.add([order("09:00:10"), order("09:00:30", amount=4), order("09:01:30")], NOTHING)
    stream = wr.stream(feed.stream(), time="time", key="product", watermark="0 seconds")
    minutes = (
        stream.lateness("1 hour")
        .window(wr.Tumbling("1 minute"))
        .accumulationMode(wr.ACCUMULATING)
        .aggregate(*map(F.expr, texts))
    )
    state = wr.state(finished(minutes, tmp_path / "checkpoint"))
    shown = [(row.is_complete, row.s, row.m) for row in state.getWindows().sort("window").collect()]
    assert shown == [(True, 20.0, (20 + 4 * 30) / 50), (False, 0.0, 1.0)]


def finished(output: wr.Output, checkpoint: Path) -> str:
    """Run a query to its end, and return its checkpoint."""
    query = output.start(
        panes=wr.Files(str(checkpoint.parent / "panes")),
        rejected=wr.Files(str(checkpoint.parent / "rejected")),
        checkpoint=str(checkpoint),
        availableNow=True,
    )
    query.awaitTermination()
    return str(checkpoint)


def test_mistakes(feed: Feed, spark: SparkSession) -> None:
    """A missing time, a discarding mode, or a wrong type is refused before the query starts."""
    df = spark.sql("SELECT TIMESTAMP'2025-01-01 09:00:00' AS time, 'tea' AS key, 1 AS id")
    stream = wr.stream(df, time="time", key="key").lateness("1 minute")
    minutes = stream.window(wr.Tumbling("1 minute"))
    both = (wr.increase("id"), wr.timeInState("key"))
    with pytest.raises(wr.SpecError, match="since the last one") as refused:
        _ = minutes.accumulationMode(wr.DISCARDING).aggregate(*both).panes
    assert [problem.code for problem in refused.value.problems] == ["OVER_TIME"] * 2
    three = F.expr("windrow_increase(id, time, key)")
    with pytest.raises(wr.SpecError, match="OVER_TIME"):
        _ = minutes.accumulationMode(wr.ACCUMULATING).aggregate(three).panes
    timeless = wr.stream(df, key="key").window(wr.Policy.tumbling(wr.ByCount(2)))
    with pytest.raises(wr.SpecError, match="OVER_TIME"):
        _ = timeless.aggregate(*both).panes
    with pytest.raises(Exception, match="OVER_TIME"):
        df.groupBy("key").agg(wr.increase("id")).collect()
    rows = feed.stream().withWatermark("time", "1 minute")
    unchanged = rows.groupBy(F.window("time", "1 minute")).agg(wr.increase("amount", "time"))
    assert [one.code for one in wr.explainAcceleration(unchanged).operators] == ["OVER_TIME"]
    for wrong in (
        wr.increase("key", "time"),
        wr.increase("id", "id"),
        wr.timeInState(F.lit(0.5), "time"),
    ):
        with pytest.raises(Exception, match="UNEXPECTED_INPUT_TYPE"):
            df.groupBy("key").agg(wrong)
