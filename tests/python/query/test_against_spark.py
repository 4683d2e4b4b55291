"""With lateness 0 the panes equal the rows of Spark's own ``window`` and ``session_window``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F

import windrow as wr
from feed import Feed, disordered

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, Row

pytestmark = pytest.mark.spark

Case = tuple[Callable[[], wr.WindowKind], Callable[[], "Column"]]


def _sparks_gap() -> Column:
    """Return the gap of each row in the type that Spark's ``session_window`` expects."""
    return F.make_interval(secs=F.col("gap") / 1_000_000)


CASES: dict[str, Case] = {
    "tumbling": (
        lambda: wr.Tumbling("5 minutes"),
        lambda: F.window("time", "5 minutes"),
    ),
    "tumbling with an offset": (
        lambda: wr.Tumbling("7 minutes", startTime="90 seconds"),
        lambda: F.window("time", "7 minutes", startTime="90 seconds"),
    ),
    "hopping": (
        lambda: wr.Hopping("10 minutes", step="2 minutes"),
        lambda: F.window("time", "10 minutes", "2 minutes"),
    ),
    "hopping, uneven": (
        lambda: wr.Hopping("10 minutes", step="3 minutes"),
        lambda: F.window("time", "10 minutes", "3 minutes"),
    ),
    "session": (
        lambda: wr.Session("40 seconds"),
        lambda: F.session_window("time", "40 seconds"),
    ),
    "session, gap of each row": (
        lambda: wr.Session(F.make_dt_interval(secs=F.col("gap") / 1_000_000)),
        lambda: F.session_window("time", _sparks_gap()),
    ),
    "session, gap of each row in microseconds": (
        lambda: wr.Session(F.col("gap")),
        lambda: F.session_window("time", _sparks_gap()),
    ),
}
KEYS: dict[str, Sequence[str]] = {"keyed": ["product"], "unkeyed": []}

#: Streams that every run compares; the JVM tests compare all of them.
ALWAYS = {("hopping", "keyed"), ("session, gap of each row", "keyed")}

STREAMED = [
    pytest.param(
        case,
        keys,
        id=f"{name}, {keyed}",
        marks=pytest.mark.slow if (name, keyed) in ALWAYS else pytest.mark.full,
    )
    for name, case in CASES.items()
    for keyed, keys in KEYS.items()
]


def aggregates() -> list[Column]:
    """Return sums, typed and imperative aggregates, and an expression over two aggregates."""
    return [
        F.count("*").alias("n"),
        F.sum("amount").alias("total"),
        F.avg("amount").alias("mean"),
        F.max_by("amount", F.struct("time", "amount")).alias("latest"),  # without ties
        F.sort_array(F.collect_list("amount")).alias("all"),
        F.approx_count_distinct("amount").alias("kinds"),
        (F.sum("price") / F.count("amount")).alias("ratio"),
    ]


def rows(found: Sequence[Row], *without: str) -> list[tuple[Any, ...]]:
    """Return sorted rows without some columns; floating point is rounded to 9 digits."""
    return sorted(
        (
            tuple(
                round(value, 9) if isinstance(value, float) else value
                for name, value in row.asDict().items()
                if name not in without
            )
            for row in found
        ),
        key=repr,
    )


def expected(df: DataFrame, keys: Sequence[str], window: Column) -> DataFrame:
    """Return Spark's own result with its columns in Windrow's order.

    A constant column replaces an empty key, which Spark's sessions do not support.
    """
    constant = (F.col("gap") * 0).alias("constant")
    grouped = df.groupBy(constant, *keys, window.alias("window"))
    return grouped.agg(*aggregates()).drop("constant")


@pytest.mark.parametrize(("case", "keys"), STREAMED)
def test_streaming(feed: Feed, case: Case, keys: Sequence[str]) -> None:
    """A stream returns Spark's windows and values, each in one pane that is the last."""
    kind, window = case
    feed.add(*disordered(seed=7))
    ours = wr.stream(feed.stream(), time="time", key=keys, watermark="10 minutes")
    panes = feed.run(ours.lateness("0 seconds").window(kind()).aggregate(*aggregates()).panes)
    theirs = feed.stream().withWatermark("time", "10 minutes")
    assert rows(panes, "pane") == rows(feed.run(expected(theirs, keys, window())))
    assert len(panes) > 5
    assert {tuple(row.pane) for row in panes} == {("ON_TIME", 0, True, False)}


def in_batches() -> Iterator[Any]:
    """Yield each case keyed and unkeyed; half of them run only in `full`."""
    for i, (name, case) in enumerate(CASES.items()):
        for j, (keyed, keys) in enumerate(KEYS.items()):
            marks = pytest.mark.full if (i + j) % 2 else pytest.mark.slow
            yield pytest.param(case, keys, id=f"{name}-{keyed}", marks=marks)


@pytest.mark.parametrize(("case", "keys"), list(in_batches()))
def test_batch(feed: Feed, case: Case, keys: Sequence[str]) -> None:
    """The same call on a batch returns the final panes without a watermark (SEMANTICS B1)."""
    kind, window = case
    feed.add(*disordered(seed=8))
    ours = wr.stream(feed.batch(), time="time", key=keys).lateness("0 seconds")
    panes = ours.window(kind()).aggregate(*aggregates()).panes.collect()
    assert rows(panes, "pane") == rows(expected(feed.batch(), keys, window()).collect())
    assert {row.pane.is_last for row in panes} == {True}


@pytest.mark.slow
def test_watermark_of_the_dataframe(feed: Feed) -> None:
    """A watermark on the DataFrame works like one set by the builder (SEMANTICS T5)."""
    feed.add(*disordered(seed=9))
    marked = feed.stream().withWatermark("time", "10 minutes")
    before = wr.stream(marked, time="time", key="product")
    here = wr.stream(feed.stream(), time="time", key="product", watermark="10 minutes")
    both = [
        rows(feed.run(s.lateness("0 s").window(wr.Tumbling("5 minutes")).aggregate(count).panes))
        for s, count in ((before, F.count("*")), (here, F.count("*")))
    ]
    assert both[0] == both[1]
    assert both[0]


@pytest.mark.full
def test_keys_may_be_expressions(feed: Feed) -> None:
    """Keys and event time may be expressions."""
    feed.add(*disordered(seed=10))
    keys = [F.upper("product").alias("upper"), (F.col("amount") % 3).alias("third")]
    later = F.col("time") + F.expr("INTERVAL 1 HOUR")
    ours = wr.stream(feed.batch(), time=later, key=keys).lateness("0 seconds")
    panes = ours.window(wr.Tumbling("5 minutes")).aggregate(*aggregates()).panes.collect()
    moved = feed.batch().withColumn("time", later)
    theirs = moved.groupBy(*keys, F.window("time", "5 minutes").alias("window"))
    assert rows(panes, "pane") == rows(theirs.agg(*aggregates()).collect())
