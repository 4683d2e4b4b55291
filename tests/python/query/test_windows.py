"""Windows that Spark's ``window`` does not support, compared with Spark's result for a table."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from pyspark.sql import Window
from pyspark.sql import functions as F

import windrow as wr
from feed import Feed, Order, order
from query.test_against_spark import rows

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, WindowSpec

pytestmark = [pytest.mark.spark, pytest.mark.slow]


def shuffled(seed: int, batches: int = 4, size: int = 30) -> list[list[Order]]:
    """Draw disordered orders with distinct times."""
    rng = random.Random(seed)  # noqa: S311  no secret
    seconds = rng.sample(range(7200), batches * size)
    moving = sorted(seconds, key=lambda second: second + rng.randrange(1200))
    made = [
        order(
            f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}",
            rng.choice(["a", "b", None]),
            rng.randrange(100),
        )
        for second in moving
    ]
    return [made[n * size : (n + 1) * size] for n in range(batches)]


def last_panes(panes: list[Row], *identity: str) -> list[Row]:
    """Return the last pane of each window."""
    newest: dict[str, Row] = {}
    for row in panes:
        newest[repr([row[name] for name in identity])] = row
    return list(newest.values())


OVER: dict[str, tuple[wr.Over, Callable[[WindowSpec], WindowSpec]]] = {
    "range": (wr.Over(range="10 minutes"), lambda spec: spec.rangeBetween(-600, 0)),
    "rows": (wr.Over(rows=7), lambda spec: spec.rowsBetween(-6, 0)),
    "everything": (
        wr.Over(),
        lambda spec: spec.rangeBetween(Window.unboundedPreceding, Window.currentRow),
    ),
}


def _over(df: DataFrame, bounds: Callable[[WindowSpec], WindowSpec]) -> list[Row]:
    """Return each order with the sum and number of orders in its window."""
    window = bounds(Window.partitionBy("product").orderBy(F.col("time").cast("long")))
    return df.select(
        "product",
        "time",
        F.sum("amount").over(window).alias("total"),
        F.count("*").over(window).alias("n"),
    ).collect()


@pytest.mark.anywhere
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.full) if name == "everything" else name for name in OVER],
)
@pytest.mark.parametrize("source", ["batch", "stream"])
def test_over(feed: Feed, name: str, source: str) -> None:
    """Each row has the value that Spark's window functions compute over the complete table."""
    kind, bounds = OVER[name]
    batch = source == "batch"
    feed.add(*shuffled(seed=3))
    watermark = None if batch else "0 seconds"
    stream = wr.stream(
        feed.batch() if batch else feed.stream(), time="time", key="product", watermark=watermark
    )
    windows = stream.lateness("3 hours").window(kind).accumulationMode(wr.ACCUMULATING)
    panes = windows.aggregate(F.sum("amount").alias("total"), F.count("*").alias("n")).panes
    assert panes.columns == ["product", "window", "total", "n", "message", "pane"]
    assert (
        panes.schema["window"].dataType.simpleString() == "struct<start:timestamp,last:timestamp>"
    )
    found = panes.collect() if batch else last_panes(feed.run(panes), "product", "message")
    final = [row for row in found if row.window.last == row.message.time]
    assert len(final) == len(found)
    ours = {(row.product, row.message.time): (row.total, row.n) for row in final}
    theirs = {(r.product, r.time): (r.total, r.n) for r in _over(feed.batch(), bounds)}
    if not batch:  # a window is on time once the watermark has passed it
        greatest = max(time for _, time in theirs)
        assert set(theirs) - set(ours) <= {(key, time) for key, time in theirs if time == greatest}
        theirs = {message: value for message, value in theirs.items() if message in ours}
    assert ours == theirs
    assert len(ours) > 100


@pytest.mark.anywhere
@pytest.mark.full
def test_months_of_a_zone(feed: Feed) -> None:
    """Calendar months follow Berlin's time zone, including the clock change in March."""
    days = [f"2026-{month:02}-{day:02} 22:30:00" for month in range(1, 7) for day in (28, 1, 15)]
    feed.add(*([order(day, amount=n)] for n, day in enumerate(sorted(days))))
    stream = wr.stream(feed.stream(), time="time", key="product", watermark="0 seconds")
    windows = stream.lateness("0 seconds").window(wr.Tumbling("1 month", zone="Europe/Berlin"))
    panes = feed.run(windows.aggregate(F.sum("amount").alias("total")).panes)
    local = F.from_utc_timestamp("time", "Europe/Berlin")
    start = F.to_utc_timestamp(F.date_trunc("month", local), "Europe/Berlin").alias("start")
    months = feed.batch().groupBy("product", start).agg(F.sum("amount").alias("total"))
    whole = {(row.start, row.total) for row in months.collect()}
    assert {(row.window.start, row.total) for row in panes} < whole
    assert len(whole) - len(panes) == 1  # the last month is not complete
    assert {row.window.start.hour for row in panes} == {22, 23}


@pytest.mark.anywhere
def test_sliding(feed: Feed) -> None:
    """There is a window for each distinct set of rows at most 10 seconds apart (KIP-450)."""
    feed.add(
        [order("09:00:01", amount=1), order("09:00:06", amount=2)],
        [order("09:00:13", amount=4)],
        [order("09:01:00", amount=8)],
    )
    stream = wr.stream(feed.stream(), time="time", key="product", watermark="0 seconds")
    windows = stream.lateness("0 seconds").window(wr.Sliding("10 seconds"))
    panes = feed.run(windows.aggregate(F.sum("amount").alias("total")).panes)
    found = [
        (f"{row.window.start:%M:%S.%f}", f"{row.window.last:%M:%S.%f}", row.total) for row in panes
    ]
    assert found == [
        ("59:51.000000", "00:01.000000", 1),
        ("59:56.000000", "00:06.000000", 3),
        ("00:01.001000", "00:11.001000", 2),
        ("00:03.000000", "00:13.000000", 6),
        ("00:06.001000", "00:16.001000", 4),
    ]


@pytest.mark.anywhere
def test_global(feed: Feed) -> None:
    """A global window fires only by its trigger, and its bounds are null."""
    feed.add(
        [order("09:00:00", amount=1)], [order("08:00:00", amount=2)], [order("07:00", amount=4)]
    )
    stream = wr.stream(feed.stream(), time="time", key="product", watermark="0 seconds")
    windows = (
        stream.window(wr.Global()).trigger(early=wr.EachBatch()).accumulationMode(wr.ACCUMULATING)
    )
    panes = feed.run(windows.aggregate(F.sum("amount").alias("total")).panes)
    assert [(row.total, row.pane.timing, row.pane["index"]) for row in panes] == [
        (1, "EARLY", 0),
        (3, "EARLY", 1),
        (7, "EARLY", 2),
    ]
    assert {tuple(row.window) for row in panes} == {(None, None)}


@pytest.mark.slow
def test_global_with_retention(feed: Feed) -> None:
    """A global window rejects only rows before the watermark minus the retention (R10)."""
    feed.add([order("09:00:00", amount=1)], [order("08:00", amount=2)], [order("07:59", amount=4)])
    stream = wr.stream(feed.stream(), time="time", key="product", watermark="0 seconds")
    windows = stream.retain(time="1 hour").window(wr.Global()).trigger(early=wr.EachBatch())
    output = (
        windows.accumulationMode(wr.ACCUMULATING).aggregate(F.sum("amount").alias("total")).output
    )
    rows = feed.run(output)
    assert [row.panes.total for row in rows if row.kind == "panes"] == [1, 3]
    lost = [row.rejected for row in rows if row.kind == "rejected"]
    assert [(row.reason, row.message.amount) for row in lost] == [("OUT_OF_RETENTION", 4)]


@pytest.mark.anywhere
def test_count(feed: Feed) -> None:
    """Count windows contain every seven rows of a key, in the order of arrival."""
    batches = shuffled(seed=6)
    feed.add(*batches)
    stream = wr.stream(feed.stream(), time="time", key="product", watermark="0 seconds")
    output = stream.window(wr.Count(7, step=3)).aggregate(F.collect_list("amount").alias("all"))
    panes = feed.run(output.panes)
    assert (
        output.panes.schema["window"].dataType.simpleString() == "struct<first:bigint,last:bigint>"
    )
    came: dict[str | None, list[int]] = {}
    for batch in batches:
        for message in sorted(batch, key=lambda message: str(message["time"])):
            came.setdefault(message["product"], []).append(message["amount"])
    expected = {
        (product, first): amounts[first : first + 7]
        for product, amounts in came.items()
        for first in range(0, len(amounts) - 6, 3)
    }
    assert {(row.product, row.window["first"]): row["all"] for row in panes} == expected
    assert {row.pane.timing for row in panes} == {"ON_TIME"}


def test_filled_gaps(feed: Feed) -> None:
    """With ``fillGaps``, minutes without rows fire too, with the aggregate of no rows."""
    feed.add([order("09:00:10"), order("09:00:50")], [order("09:04:00")], [order("09:05:30")])
    stream = wr.stream(feed.stream(), time="time", key="product", watermark="0 seconds")
    windows = stream.lateness("0 seconds").window(wr.Tumbling("1 minute"), fillGaps=True)
    panes = feed.run(windows.aggregate(F.count("*").alias("n"), F.max("amount").alias("top")).panes)
    assert [(row.window.start.minute, row.n, row.top) for row in panes] == [
        (0, 2, 1),
        (1, 0, None),
        (2, 0, None),
        (3, 0, None),
        (4, 1, 1),
    ]


def test_first_message_beyond(feed: Feed) -> None:
    """A key's next row completes its previous window, regardless of the watermark."""
    feed.add([order("09:00:10", "a"), order("09:00:20", "b"), order("09:01:05", "a")])
    stream = wr.stream(feed.stream(), time="time", key="product", watermark="1 day")
    windows = stream.lateness("0 seconds").window(wr.Tumbling("1 minute"), closeOn="next_row")
    panes = feed.run(windows.aggregate(F.count("*").alias("n")).panes)
    assert [(row.product, row.window.start.minute, row.n) for row in panes] == [("a", 0, 1)]


def test_batch_has_no_early_panes(feed: Feed) -> None:
    """A batch emits only its final panes, regardless of the triggers."""
    feed.add(*shuffled(seed=4))
    stream = wr.stream(feed.batch(), time="time", key="product").lateness("1 hour")
    plain = stream.window(wr.Tumbling("5 minutes")).accumulationMode(wr.ACCUMULATING)
    eager = plain.trigger(early=wr.EachMessage(), late=wr.EachMessage())
    total = F.sum("amount").alias("total")
    panes = eager.aggregate(total).panes.collect()
    assert rows(panes) == rows(plain.aggregate(total).panes.collect())
    assert {row.pane.timing for row in panes} == {"ON_TIME"}
