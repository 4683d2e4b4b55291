"""``count(DISTINCT …)`` in windows equals Spark's own, for each type of values."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F

import windrow as wr
from feed import Feed, disordered

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

pytestmark = pytest.mark.spark

#: Values of which some are equal but not identical, or null.
VALUES = {
    "number": "nullif(amount % 7, 3)",
    "zeros": "CASE amount % 4 WHEN 0 THEN 0.0D WHEN 1 THEN -0.0D WHEN 2 THEN double('NaN') END",
    "floats": "CASE amount % 3 WHEN 0 THEN float('NaN') ELSE float(amount % 2) * -0.0F END",
    "decimal": "cast(amount / 3 AS decimal(20, 1))",
    "text": "nullif(concat('t', amount % 5), 't2')",
    "case": "element_at(array('tea', 'TEA', 'sea'), int(abs(amount % 3)) + 1) COLLATE UTF8_LCASE",
    "bytes": "cast(cast(amount % 5 AS string) AS binary)",
    "struct": "named_struct('a', amount % 3, 'b', CASE amount % 2 WHEN 0 THEN -0.0D ELSE 0.0D END)",
    "array": "array(amount % 3, CASE amount % 2 WHEN 0 THEN -0.0D ELSE double('NaN') END)",
    "time": "time",
}
KINDS: dict[str, tuple[Callable[[], wr.WindowKind], Callable[[], Column]]] = {
    "tumbling": (lambda: wr.Tumbling("5 minutes"), lambda: F.window("time", "5 minutes")),
    "hopping": (
        lambda: wr.Hopping("10 minutes", step="2 minutes"),
        lambda: F.window("time", "10 minutes", "2 minutes"),
    ),
    "session": (
        lambda: wr.Session("40 seconds"),
        lambda: F.session_window("time", "40 seconds"),
    ),
}


def aggregates() -> list[Column]:
    """Return the counts of each kind of values, and other functions of different values."""
    counts = [F.expr(f"count(DISTINCT {value})").alias(name) for name, value in VALUES.items()]
    return [
        *counts,
        F.expr("count(DISTINCT nullif(amount % 3, 1), product, price > 2)").alias("several"),
        F.expr("count(DISTINCT amount % 9) FILTER (WHERE amount > 0)").alias("filtered"),
        F.expr("count(DISTINCT amount % 5) / count(amount)").alias("share"),
        F.expr("max(DISTINCT amount)").alias("most"),
        F.expr("sort_array(collect_set(DISTINCT amount % 4))").alias("set"),
        F.sum("amount").alias("total"),
    ]


def of_spark(df: DataFrame, window: Column) -> list[tuple[Any, ...]]:
    """Return Spark's rows, computed in two steps.

    Spark 4.3.0 counts values of a ``session_window`` more than once if their rows had different
    sessions before these were merged. Therefore this finds the windows first.
    """
    rows = df.groupBy("product", window.alias("window")).agg(
        F.collect_list(F.struct("*")).alias("r")
    )
    each = rows.select("window", F.inline("r"))
    return sorted(
        (tuple(r) for r in each.groupBy("product", "window").agg(*aggregates()).collect()), key=repr
    )


def shown(df: DataFrame, rows: list[Any]) -> list[tuple[Any, ...]]:
    """Return the keys, windows and values of panes."""
    columns = [name for name in df.columns if name != "pane"]
    return sorted((tuple(row[name] for name in columns) for row in rows), key=repr)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.full) if name == "hopping" else name for name in KINDS],
)
def test_equal_to_spark(feed: Feed, name: str) -> None:
    """The last pane of each window of a stream, and each pane of a batch, have Spark's counts."""
    kind, window = KINDS[name]
    feed.add(*disordered(seed=11, size=25))
    theirs = of_spark(feed.batch(), window())
    assert len(theirs) > 20
    late = wr.AccumulationMode.ACCUMULATING

    def panes(df: DataFrame, watermark: str | None = None) -> DataFrame:
        stream = wr.stream(df, time="time", key="product", watermark=watermark)
        windows = stream.lateness("2 hours").window(kind()).accumulationMode(late)
        return windows.aggregate(*aggregates()).panes

    batch = panes(feed.batch())
    assert shown(batch, batch.collect()) == theirs
    at_once = feed.batch().groupBy("product", window()).agg(*aggregates()).collect()
    assert (sorted((tuple(row) for row in at_once), key=repr) == theirs) == (name != "session")
    if name != "session":  # corrections of a session can replace several others
        stream = panes(feed.stream(), watermark="0 seconds")
        last: dict[Any, Any] = {}
        for row in feed.run(stream):
            last[row.product, row.window] = row
        complete = [row for row in theirs if row[:2] in last]
        assert len(complete) == len(last) > len(theirs) * 0.8
        assert shown(stream, list(last.values())) == complete


def test_values_that_cannot_be_stored(feed: Feed) -> None:
    """Functions and values without a mergeable result are refused, all in one message."""
    stream = wr.stream(feed.batch(), time="time").lateness("0 seconds")
    with pytest.raises(wr.SpecError) as refused:
        stream.window(wr.Tumbling("1 minute")).aggregate(
            F.expr("sum(DISTINCT amount)").alias("a"),
            F.expr("count(DISTINCT struct(product COLLATE UTF8_LCASE))").alias("b"),
            F.expr("count(DISTINCT map(product, amount))").alias("c"),
        ).panes.collect()
    assert [problem.code for problem in refused.value.problems] == ["AGGREGATE_NOT_MERGEABLE"] * 3
