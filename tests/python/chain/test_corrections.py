"""Corrections as input of another operator of the same query."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F

import windrow as wr
from feed import NOTHING, Feed, Order, order

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row

pytestmark = [pytest.mark.spark, pytest.mark.slow]

ONE_OF_EACH = "pane.timing = 'ON_TIME' AND NOT pane.is_retraction"
MODES = [wr.DISCARDING, wr.ACCUMULATING, wr.ACCUMULATING_AND_RETRACTING]
Window = tuple[datetime, datetime]


@pytest.fixture(autouse=True)
def few_shards(feed: Feed) -> Iterator[None]:
    """Use few shards, because two operators with many shards are slow for a few rows."""
    feed.spark.conf.set("spark.windrow.shards", "3")
    yield
    feed.spark.conf.unset("spark.windrow.shards")


def minutes(
    df: DataFrame,
    mode: Any = wr.ACCUMULATING,
    kind: Any = None,
    lateness: str = "2 hours",
    early: Any = None,
) -> wr.Output:
    """Return the sales of each product by the minute, whose windows may be corrected."""
    stream = wr.stream(
        df,
        time="time",
        key="product",
        watermark="0 seconds" if df.isStreaming else None,
        name="orders",
    )
    windows = (
        stream.lateness(lateness).window(kind or wr.Tumbling("1 minute")).accumulationMode(mode)
    )
    if early is not None:
        windows = windows.trigger(early=early)
    return windows.aggregate(F.sum("amount").alias("sold"), F.max("amount").alias("most"))


def overall(panes: DataFrame, lateness: str = "2 hours") -> wr.Output:
    """Return the mean and greatest sales of the products in each window."""
    windows = wr.stream(panes, name="minutes").lateness(lateness).window(wr.Inherit())
    return windows.accumulationMode(wr.ACCUMULATING).aggregate(
        F.avg("sold").alias("mean"), F.max("sold").alias("best"), F.count("*").alias("products")
    )


def hours(panes: DataFrame, *aggregates: Any) -> wr.Output:
    """Aggregate minutes to hours, by the time of their panes."""
    windows = wr.stream(panes, name="minutes").lateness("2 hours").window(wr.Tumbling("1 hour"))
    return windows.accumulationMode(wr.ACCUMULATING).aggregate(*(aggregates or (F.sum("sold"),)))


def signed(column: str) -> Any:
    """Return a sum that subtracts retractions."""
    return F.sum(F.expr(f"IF(pane.is_retraction, -{column}, {column})")).alias("sold")


def disordered(seed: int, batches: int, size: int) -> list[list[Order]]:
    """Draw orders that are up to an hour late; the last one is far ahead of all."""
    rng = random.Random(seed)  # noqa: S311  no secret
    return [
        *(
            [
                order(
                    _at(3600 + batch * 60 + rng.randrange(600) - int(rng.expovariate(1 / 200))),
                    rng.choice("abcde"),
                    rng.randrange(-50, 50),
                )
                for _ in range(size)
            ]
            for batch in range(batches)
        ),
        [order("09:00:00", "z")],
        list(NOTHING),
    ]


def _at(seconds: int) -> str:
    return str(timedelta(seconds=seconds)).zfill(8)


def by_minute(times: list[datetime]) -> Iterable[Window]:
    """Return each minute that contains a row."""
    starts = {time.replace(second=0) for time in times}
    return [(start, start + timedelta(minutes=1)) for start in starts]


def by_gaps(times: list[datetime]) -> Iterable[Window]:
    """Return the sessions of rows at most 20 seconds apart."""
    gap, sessions = timedelta(seconds=20), list[list[datetime]]()
    for time in sorted(times):
        if sessions and time <= sessions[-1][-1] + gap:
            sessions[-1].append(time)
        else:
            sessions.append([time])
    return [(session[0], session[-1] + gap) for session in sessions]


def computed(
    orders: Iterable[Order], windows: Callable[[list[datetime]], Iterable[Window]]
) -> dict[Window, tuple[float, int, int]]:
    """Return the mean, maximum and number of products of each window, from the orders alone."""
    of_product: dict[str, list[tuple[datetime, int]]] = defaultdict(list)
    for one in orders:
        of_product[one["product"]].append((datetime.fromisoformat(one["time"]), one["amount"]))
    sold: dict[Window, list[int]] = defaultdict(list)
    for all_of in of_product.values():
        for start, end in windows([time for time, _ in all_of]):
            sold[start, end].append(sum(n for time, n in all_of if start <= time < end))
    return {
        window: (sum(all_of) / len(all_of), max(all_of), len(all_of))
        for window, all_of in sold.items()
    }


def shown(rows: Iterable[Row]) -> dict[Window, tuple[float, int, int]]:
    """Return the last pane of each window that was not withdrawn."""
    last: dict[Window, tuple[float, int, int]] = {}
    for row in rows:
        window = (row.window.start, row.window.end)
        if row.pane.is_retraction:
            del last[window]
        else:
            last[window] = (row.mean, row.best, row.products)
    return last


def in_order(rows: Iterable[Row]) -> list[Row]:
    """Return the rows of a batch in the order in which their panes fired."""
    return sorted(rows, key=lambda row: (row.pane["index"], row.pane.is_retraction))


@pytest.mark.parametrize("kind", ["minutes", pytest.param("sessions", marks=pytest.mark.full)])
def test_the_last_values_are_those_of_the_messages(feed: Feed, tmp_path: Path, kind: str) -> None:
    """Final values equal those of the rows, despite late and merged panes (SEMANTICS B4, R55)."""
    check_last_values(feed, tmp_path, kind, wr.ACCUMULATING, seed=5, batches=3, size=60)


@pytest.mark.full
@pytest.mark.parametrize("mode", MODES[1:])
@pytest.mark.parametrize("kind", ["minutes", "sessions"])
def test_the_last_values_of_many_messages(feed: Feed, tmp_path: Path, kind: str, mode: Any) -> None:
    """The final values are right for thousands of rows, early panes and restarts."""
    check_last_values(feed, tmp_path, kind, mode, seed=6, batches=8, size=800, restarts=True)


def check_last_values(
    feed: Feed,
    folder: Path,
    kind: str,
    mode: Any,
    *,
    seed: int,
    batches: int,
    size: int,
    restarts: bool = False,
) -> None:
    """Compare the final panes of panes with the values computed from the orders."""
    windows, alone = {
        "minutes": (wr.Tumbling("1 minute"), by_minute),
        "sessions": (wr.Session("20 seconds"), by_gaps),
    }[kind]
    rows: list[Row] = []
    refused: list[Row] = []

    def run() -> None:
        early = wr.EachBatch() if restarts else None
        panes = minutes(feed.stream(), mode, windows, early=early).panes
        query = overall(panes).start(
            panes=lambda batch, _: rows.extend(in_order(batch.collect())),
            rejected=lambda batch, _: refused.extend(batch.collect()),
            checkpoint=folder / "checkpoint",
            availableNow=True,
        )
        query.awaitTermination()

    told = disordered(seed, batches, size)
    for batch in told:
        feed.add(batch)
        if restarts:
            run()
    run()
    expected = computed([one for batch in told for one in batch if one["product"] != "z"], alone)
    assert refused == []
    assert shown(rows) == expected
    assert any(row.pane.timing == "LATE" for row in rows)


def late(feed: Feed) -> Feed:
    """Return orders in which a product sells 4 instead of 1 in a minute that is complete."""
    return feed.add(
        [order("09:00:10", "a", 1), order("09:00:20", "b", 3)],
        [order("09:02:00", "z", 0)],
        [order("09:02:01", "z", 0)],
        [order("09:00:30", "a", 3)],
        [order("10:30:00", "z", 0)],
        NOTHING,
    )


def test_a_value_that_was_replaced_does_not_count(feed: Feed) -> None:
    """A replaced value does not count in ``Inherit`` (SEMANTICS R55)."""
    rows = late(feed).run(overall(minutes(feed.stream()).panes).panes)
    of_minute = [row for row in rows if f"{row.window.start:%H:%M}" == "09:00"]
    assert [(row.mean, row.pane.timing) for row in of_minute] == [(2.0, "ON_TIME"), (3.5, "LATE")]


@pytest.mark.full
def test_hours_of_minutes(feed: Feed) -> None:
    """Hours are right over signed panes, on-time panes and partial values (SEMANTICS B2, B4)."""
    late(feed)
    last = {}
    for name, panes, aggregate in [
        ("taken back", minutes(feed.stream()).panes, signed("sold")),
        ("on time", minutes(feed.stream()).panes.where(ONE_OF_EACH), F.sum("sold").alias("sold")),
        ("parts", minutes(feed.stream(), wr.DISCARDING).panes, F.sum("sold").alias("sold")),
    ]:
        rows = feed.run(hours(panes, aggregate).panes)
        last[name] = [row.sold for row in rows if f"{row.window.start:%H}" == "09"][-1]
    assert last == {"taken back": 7, "on time": 4, "parts": 7}


@pytest.mark.parametrize("way", ["explode", pytest.param("unpivot", marks=pytest.mark.full)])
def test_nor_do_the_rows_that_were_made_of_it(feed: Feed, way: str) -> None:
    """A replaced pane does not count, in any of the rows derived from it (SEMANTICS B4)."""
    panes = minutes(feed.stream()).panes
    rows = {
        "explode": parts(panes),
        "unpivot": panes.unpivot(BOTH, ["sold", "most"], "name", "sold"),
    }[way]
    found = late(feed).run(overall(rows).panes)
    of_minute = [row for row in found if f"{row.window.start:%H:%M}" == "09:00"]
    told = [(row.products, row.best) for row in of_minute]
    assert told == [(4, 3), (4, 4)]


def parts(panes: DataFrame) -> DataFrame:
    """Return two rows of each pane."""
    return panes.withColumn("part", F.explode(F.sequence(F.lit(1), F.lit(2))))


def known(panes: DataFrame) -> DataFrame:
    """Return a table of two products."""
    return panes.sparkSession.createDataFrame([("a",), ("b",)], "name string")


BOTH = ("window", "pane", "product")
ON, TAKEN = "product = name", " AND NOT pane.is_retraction"
AGAIN, LEFT_OUT = ["PANES_COME_AGAIN"], ["RETRACTIONS_LEFT_OUT"]


#: Operators over panes, and the problems of each.
TAKES: list[tuple[Callable[[DataFrame], wr.Output], list[str]]] = [
    (hours, AGAIN),
    (lambda panes: hours(panes.where("pane.timing = 'LATE'")), AGAIN),
    (lambda panes: hours(panes.where("sold > 3 OR pane.timing = 'ON_TIME'")), AGAIN),
    (lambda panes: hours(panes, signed("sold"), F.count("*")), AGAIN),
    (lambda panes: hours(panes.where("NOT pane.is_retraction"), signed("sold")), LEFT_OUT),
    (lambda panes: overall(panes.where("NOT pane.is_retraction")), LEFT_OUT),
    (
        lambda panes: (
            wr.stream(panes, name="minutes")
            .lateness("2 hours")
            .window(wr.Inherit())
            .accumulationMode(wr.ACCUMULATING)
            .aggregate(signed("sold"))
        ),
        ["RETRACTION_READ"],
    ),
    (
        lambda panes: (
            wr.stream(panes, name="minutes")
            .lateness("2 hours")
            .retain(time="1 day")
            .window(wr.Tumbling("1 hour"))
            .keepRows()
        ),
        AGAIN,
    ),
    (
        lambda panes: (
            wr.stream(panes, name="minutes", time="window.start")
            .window(wr.Policy.tumbling(wr.ByCount(3)))
            .aggregate(F.sum("sold"))
        ),
        AGAIN,
    ),
    (lambda panes: hours(panes.where("pane.is_last")), []),
    (lambda panes: hours(panes.where("pane.timing IN ('ON_TIME')").where(ONE_OF_EACH)), []),
    (lambda panes: overall(panes.where("sold > 3 AND pane.timing <> 'EARLY'")), []),
    (lambda panes: hours(panes.select("window", "sold", "pane.*", "pane")), AGAIN),
    (
        lambda panes: hours(
            panes.selectExpr("pane AS p", "sold", "window", "pane").where("p.is_last")
        ),
        [],
    ),
    (lambda panes: hours(panes.union(panes.where(ONE_OF_EACH))), AGAIN),
    (lambda panes: hours(parts(panes)), AGAIN),
    (lambda panes: hours(parts(panes).where(ONE_OF_EACH)), []),
    (lambda panes: hours(panes.unpivot(BOTH, ["sold", "most"], "name", "sold")), AGAIN),
    (
        lambda panes: overall(panes.join(known(panes), F.expr(ON + TAKEN), "left_semi")),
        LEFT_OUT,
    ),
    (
        lambda panes: overall(panes.join(known(panes), F.expr(ON + TAKEN), "left_anti")),
        LEFT_OUT,
    ),
    (lambda panes: overall(panes.join(known(panes), F.expr(ON), "left_semi")), []),
]


@pytest.mark.parametrize(
    "mode",
    [
        pytest.param(mode, marks=pytest.mark.full) if mode in MODES[:2] else mode
        for mode in (*MODES, None)
    ],
    ids=lambda mode: mode.name if mode else "batch",
)
def test_who_cannot_take_panes_back(feed: Feed, mode: Any) -> None:
    """Operators that cannot handle corrections are refused before the query starts (SEMANTICS B4).

    Filters determine which panes they receive.
    """
    late(feed)
    allowed = {wr.DISCARDING, None}
    panes = minutes(feed.stream() if mode else feed.batch(), mode or wr.ACCUMULATING).panes
    expected = [
        [] if mode in allowed and codes != ["RETRACTION_READ"] else codes for _, codes in TAKES
    ]
    assert [found(take, panes) for take, _ in TAKES] == expected


def found(take: Callable[[DataFrame], wr.Output], panes: DataFrame) -> list[str]:
    """Return the problems of an operator over panes."""
    try:
        take(panes).panes  # noqa: B018
    except wr.SpecError as refused:
        return [problem.code for problem in refused.problems]
    return []
