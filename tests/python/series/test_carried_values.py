# ruff: noqa: S608  the SQL contains only strings of this file
"""Windows carry the last value before them (SEMANTICS R123): plain Python, DuckDB, closed forms."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F

import windrow as wr
from calendars import zones
from feed import Feed, order
from query.test_functions import KINDS, SEEDS, Kind, in_order, run, seconds
from series.test_over_time import Row, close, greatest, increased, spans

if TYPE_CHECKING:
    from pyspark.sql import Column, SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.slow]

PARITY = "IF(id % 2 = 0, 'even', 'odd')"
LIMIT = 90


def at_a_change() -> Kind:
    """Return windows of four minutes around a change of clocks by 44 minutes and a half."""
    zone = zones.clocks("Africa/Monrovia")
    (change,) = zone.changes
    start = datetime.fromtimestamp(change // 1_000_000, UTC) - timedelta(minutes=5)
    first = zones.micros(start)
    windows = ", ".join(
        f"({(one - first) // 1_000_000}, {(end - first) // 1_000_000})"
        for one, end in zones.Steps("minutes", 4).windows(zone, change).items()
    )
    rows = f"""SELECT fed.*, first, last FROM fed
        JOIN (VALUES {windows}) w(first, last) ON sec >= first AND sec < last"""
    return Kind(wr.Tumbling("4 minutes", zone="Africa/Monrovia"), 300, rows, start=start)


#: Windows, and the rows with the end of the last window that contains each of them.
CARRIED = {
    "tumbling": (KINDS["tumbling"], "SELECT *, sec // 60 * 60 + 60 AS until FROM fed"),
    "hopping": (KINDS["hopping"], "SELECT *, sec // 60 * 60 + 180 AS until FROM fed"),
    "of a place": (at_a_change(), f"SELECT *, last AS until FROM ({at_a_change().rows})"),
}


def columns() -> list[Column]:
    """Return carried aggregates, one that is not carried, and one that depends on the order."""
    return [
        F.round(wr.timeWeightedAverage("price", carry=True), 9).alias("mean"),
        wr.timeInState(F.expr(PARITY), carry=f"{LIMIT} seconds").alias("states"),
        wr.timeInState(F.expr(PARITY)).alias("own"),
        wr.increase(F.expr("id % 7"), carry=True).alias("more"),
        F.round(wr.increase("price", carry=f"{LIMIT} seconds"), 9).alias("near"),
    ]


def by_hand(rows: Sequence[Row], earlier: Sequence[Row], first: int, last: int) -> tuple[Any, ...]:
    """Compute the values of a window from its rows and those before it."""
    prices = carried([row[:2] for row in rows], [row[:2] for row in earlier], first)
    held = spans(prices, last)
    mean = sum(price * on for price, on in held) / sum(on for _, on in held) if held else None
    ours, others = (
        [(second, "odd" if one % 2 else "even") for second, _, one in some]
        for some in (rows, earlier)
    )
    near = [(second, state) for second, state in others if first - second <= LIMIT]
    more = since([(row[0], row[2] % 7) for row in rows], [(row[0], row[2] % 7) for row in earlier])
    recent = greatest([row[:2] for row in earlier])[-1:]
    since_recent = since(
        [row[:2] for row in rows], [row for row in recent if first - row[0] <= LIMIT]
    )
    late = greatest(others)[-1:]
    return (
        None if mean is None else round(mean, 9),
        lasted(carried(ours, near if late and late[0] in near else [], first), last),
        lasted(greatest(ours), last),
        more,
        None if since_recent is None else round(since_recent, 9),
    )


def since(rows: Sequence[tuple[int, Any]], earlier: Sequence[tuple[int, Any]]) -> Any:
    """Return the increase from the last value before a window (R166)."""
    return increased(greatest(earlier)[-1:] + greatest(rows))


def carried(
    rows: Sequence[tuple[int, Any]], earlier: Sequence[tuple[int, Any]], first: int
) -> list[tuple[int, Any]]:
    """Return the values of a window by time, beginning with the last one before it."""
    steps = greatest(rows)
    before = [(first, value) for _, value in greatest(earlier)[-1:]]
    return steps if steps and steps[0][0] == first else before + steps


def lasted(steps: list[tuple[int, Any]], last: int) -> dict[str, float]:
    """Return the seconds of each state."""
    found: dict[str, float] = defaultdict(float)
    for state, held in spans(steps, last):
        found[state] += float(held)
    return dict(sorted(found.items()))


def in_duckdb(kind: Kind, fed: str) -> str:
    """Return the mean of the price of a key, a step function, over each window."""
    return f"""SELECT key, first, round(sum(price * held) / sum(held), 9) FROM (
        SELECT key, first, price, greatest(0, coalesce(lead(sec) OVER one, last)
            - greatest(sec, first)) AS held FROM (
            SELECT w.key, w.first, w.last, t.sec, max(t.price) AS price FROM (
                SELECT DISTINCT key, first, last FROM ({kind.rows})
                WHERE mark < last + {kind.lateness} AND last <= ?) w
            JOIN ({fed}) t ON t.key = w.key AND t.sec < w.last AND t.mark < w.last + {kind.lateness}
                AND t.price IS NOT NULL AND t.mark < t.until + {kind.lateness}
            GROUP BY ALL)
        WINDOW one AS (PARTITION BY key, first ORDER BY sec)) GROUP BY key, first"""


def check(spark: SparkSession, name: str, seed: int, **more: Any) -> None:
    """Compare each complete window with both oracles after every step."""
    kind, fed = CARRIED[name]
    windows = f"""SELECT w.key, w.first, w.last, w.rows, coalesce(list((e.sec, e.price, e.id))
            FILTER (WHERE e.sec < w.first), []) FROM (
        SELECT key, first, last, list((sec, price, id)) AS rows FROM ({kind.rows})
        WHERE mark < last + {kind.lateness} AND last <= ? GROUP BY key, first, last) w
        LEFT JOIN ({fed}) e ON e.key = w.key AND e.mark < w.last + {kind.lateness}
            AND e.mark < e.until + {kind.lateness} GROUP BY ALL"""
    for base, mark, panes in run(spark, seed, kind, *columns(), **more):
        found = [
            (
                *(p["key"], seconds(p["window"]["start"], kind.start), p["mean"]),
                *(dict(p["states"]), dict(p["own"]), p["more"], p["near"]),
            )
            for p in panes
        ]
        assert in_order(found) == in_order(
            (key, first, *by_hand(rows, earlier, first, last))
            for key, first, last, rows, earlier in base.execute(windows, [mark]).fetchall()
        )
        means = base.execute(in_duckdb(kind, fed), [mark]).fetchall()
        assert close([one[:3] for one in found if one[2] is not None], means)


@pytest.mark.parametrize("name", CARRIED)
def test_windows(spark: SparkSession, name: str) -> None:
    """Each complete window has the values of both oracles, after late rows and restarts."""
    check(spark, name, 1)


@pytest.mark.full
@pytest.mark.parametrize("name", CARRIED)
def test_many_windows(spark: SparkSession, name: str) -> None:
    """The same for many streams, and in real queries that restart."""
    for seed in range(2, 2 + SEEDS):
        check(spark, name, seed)
    check(spark, name, 99, engine="query")


EVENTS = [
    order("09:00:00", "tea", price=10.0),
    order("09:00:45", "tea", price=20.0),
    order("09:01:30", "tea", price=40.0),
    order("09:04:00", "tea", price=50.0),
    order("09:00:30", "salt", price=1.0),
]


@pytest.mark.anywhere
def test_the_same_in_sql(feed: Feed, spark: SparkSession) -> None:
    """SQL has the panes of Python. A row at the start of a window replaces the carried value."""
    df = feed.add(EVENTS).batch()
    df.createOrReplaceTempView("orders")
    stream = wr.stream(df, time="time", key="product").lateness("0 seconds")
    minutes = stream.window(wr.Tumbling("1 minute")).aggregate(
        wr.timeWeightedAverage("price", carry=True).alias("mean"),
        wr.timeWeightedAverage("price", carry="1 minute").alias("near"),
        wr.timeInState(F.expr("int(price)"), carry=True).alias("seconds"),
        wr.increase("price", carry=True).alias("more"),
        F.collect_list("price").alias("prices"),
    )
    text = """SELECT product, windrow_time_weighted_average(price, true) AS mean,
        windrow_time_weighted_average(price, '1 minute') AS near,
        windrow_time_in_state(int(price), true) AS seconds,
        windrow_increase(price, true) AS more, collect_list(price) AS prices
        FROM orders GROUP BY product"""
    found = spark.sql(
        f"SELECT * FROM windrow_tumble(TABLE({text}), time => 'time', size => '1 minute', "
        "lateness => '0 seconds')"
    )
    panes = minutes.panes.sort("product", "window.start").collect()
    assert found.sort("product", "window.start").collect() == panes
    assert found.schema == minutes.panes.schema
    assert [(row["mean"], row.near, row.seconds, row.more, row.prices) for row in panes] == [
        (1.0, 1.0, {1: 30.0}, 0.0, [1.0]),
        (12.5, 12.5, {10: 45.0, 20: 15.0}, 10.0, [10.0, 20.0]),
        (30.0, 30.0, {20: 30.0, 40: 30.0}, 20.0, [40.0]),
        (50.0, 50.0, {50: 60.0}, 10.0, [50.0]),
    ]


def test_late_rows_and_silence(spark: SparkSession) -> None:
    """A late row corrects the windows that carry it, with and without rows, and no others."""

    def built(df: Any) -> wr.Output:
        stream = wr.stream(df, time="time", key="key", watermark="0 seconds").lateness("1 hour")
        windows = stream.window(wr.Tumbling("1 minute"), fillGaps="5 minutes")
        return windows.accumulationMode(wr.ACCUMULATING_AND_RETRACTING).aggregate(
            wr.timeWeightedAverage("x", carry=True).alias("mean"),
            F.last("x").alias("last"),
        )

    with wr.testing.harness(built, spark, schema="time timestamp, key string, x double") as h:

        def added(*rows: tuple[str, str, float | None]) -> list[Any]:
            h.add([{"time": f"2025-01-01T{at}Z", "key": key, "x": x} for at, key, x in rows])
            return in_order(shown(pane) for pane in h.panes())

        on_time = added(("09:00:00", "a", 10.0), ("09:03:30", "a", 20.0), ("09:05:00", "b", 0.0))
        assert on_time == in_order(
            [
                (0, "ON_TIME", False, 10.0, 10.0),
                (1, "ON_TIME", False, 10.0, None),
                (2, "ON_TIME", False, 10.0, None),
                (3, "ON_TIME", False, 15.0, 20.0),
                (4, "ON_TIME", False, 20.0, None),
            ]
        )
        h.restart()
        late = added(("09:01:30", "a", 30.0), ("09:01:40", "a", None))
        assert late == in_order(
            [
                (1, "ON_TIME", True, 10.0, None),
                (1, "LATE", False, 20.0, None),
                (2, "ON_TIME", True, 10.0, None),
                (2, "LATE", False, 30.0, None),
                (3, "ON_TIME", True, 15.0, 20.0),
                (3, "LATE", False, 25.0, 20.0),
            ]
        )
        h.restart()
        assert added(("09:01:20", "a", 10.0)) == in_order(
            [(1, "LATE", True, 20.0, None), (1, "LATE", False, 20.0, None)]
        )


def shown(pane: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the minute, timing, and values of a pane."""
    info = pane["pane"]
    minute = seconds(pane["window"]["start"]) // 60
    return minute, info["timing"], info["is_retraction"], pane["mean"], pane["last"]


def test_mistakes(spark: SparkSession) -> None:
    """Windows without a start or with gaps, another time, and a wrong limit are refused."""
    df = spark.sql("SELECT TIMESTAMP'2025-01-01 09:00:00' AS time, 'tea' AS key, 1 AS id")
    stream = wr.stream(df, time="time", key="key").lateness("1 minute")
    mean = wr.timeWeightedAverage("id", carry=True)
    for window in (
        wr.Session("1 minute"),
        wr.Hopping("1 minute", step="2 minutes"),
        wr.Over(rows=2),
        wr.Global(),
        wr.Count(2),
    ):
        windows = stream.window(window).trigger(early=wr.EachBatch())
        with pytest.raises(wr.SpecError, match="carries a value from the start of a window"):
            _ = windows.accumulationMode(wr.ACCUMULATING).aggregate(mean).panes
    minutes = stream.window(wr.Tumbling("1 minute")).accumulationMode(wr.ACCUMULATING)
    with pytest.raises(wr.SpecError, match=r"fillGaps\(\.\.\.\) sets values"):
        _ = minutes.fillGaps("previous", atMost="1 hour").aggregate(mean).panes
    keyed = stream.window(wr.Tumbling("1 minute"), closeOn="next_row")
    with pytest.raises(wr.SpecError, match="closeOn"):
        _ = keyed.accumulationMode(wr.ACCUMULATING).aggregate(mean).panes
    with pytest.raises(wr.SpecError, match="accepts no other time"):
        wr.timeInState("id", "time", carry=True)
    for text in ("(id, time, true)", "(id, time, '1 hour')"):
        with pytest.raises(wr.SpecError, match="accepts no other time"):
            _ = minutes.aggregate(F.expr(f"windrow_time_in_state{text}")).panes
    for limit in ("INTERVAL 1 HOUR", "INTERVAL '90' MINUTE"):
        assert minutes.aggregate(F.expr(f"windrow_time_in_state(id, {limit})")).panes.columns
    assert minutes.aggregate(wr.timeInState("id", carry=timedelta(hours=1))).panes.columns
    for limit in ("INTERVAL '0' HOUR", "INTERVAL 1 MONTH"):
        with pytest.raises(wr.SpecError, match=f"cannot carry a value for {limit[:8]}"):
            _ = minutes.aggregate(F.expr(f"windrow_time_in_state(id, {limit})")).panes
    for wrong in ("soon", "0 seconds"):
        with pytest.raises(wr.SpecError, match="cannot carry a value for"):
            _ = minutes.aggregate(wr.timeInState("id", carry=wrong)).panes
    with pytest.raises(Exception, match="OVER_TIME"):
        df.groupBy("key").agg(wr.timeInState("id", carry=True)).collect()
