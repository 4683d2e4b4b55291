"""Many keys, or many rows of one key, in a small heap; the cost per row does not grow."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

import windrow as wr
from load.gauge import Batch
from load.kinds import Operator
from load.messages import NOBODY, Bounds, Messages
from load.running import AFTER, out_of, run

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: The allowed ratio of store operations per row, last quarter to second quarter.
GROWTH = 1.25


@dataclass(frozen=True)
class Case:
    """A case: ``total`` aggregates the output, ``wanted`` returns its expected value."""

    make: Callable[[Messages], Operator]
    total: str
    wanted: Callable[[Messages, int], int]


def _windows(window: wr.WindowKind) -> Callable[[Messages], Operator]:
    def of(m: Messages) -> Operator:
        return (
            m.timed()
            .window(window)
            .accumulationMode(wr.ACCUMULATING)
            .aggregate(F.count("*").alias("n"))
        )

    return of


def _messages(window: wr.WindowKind) -> Callable[[Messages], Operator]:
    return lambda m: m.timed().retain(time="2 days").window(window).keepRows()


def _join(m: Messages) -> Operator:
    return wr.join(m.timed("a"), m.timed("b"), on="key", within=("-1 hour", "1 hour"), how="left")


def _side(m: Messages) -> Operator:
    few = m.timed("few", holes=0)
    few = replace(few, _df=few._df.where("v = 0"))
    return wr.join(m.timed("many"), few, on="key", within=("0 seconds", "0 seconds"), how="left")


def _each(times: int) -> Callable[[Messages, int], int]:
    return lambda _, messages: messages * times


def _pairs(m: Messages, messages: int) -> int:
    """Count the pairs of each key, and the rows without a partner."""
    del messages
    m = replace(m, whole=True)
    a, b = (m.table(name, "passing").groupBy("key").agg(F.count("*").alias(name)) for name in "ab")
    [found] = a.join(b, "key", "left").agg(F.sum(F.expr("a * coalesce(b, 1)"))).collect()
    return int(found[0])


_N = "sum(n)"
_ALL = "sum(size(messages))"

KEYS: Mapping[str, Case] = {
    "tumbling": Case(_windows(wr.Tumbling("1 minute")), _N, _each(1)),
    "hopping, 60 s every 10 s": Case(_windows(wr.Hopping("60 s", step="10 s")), _N, _each(6)),
    "hopping, 60 s every second": Case(_windows(wr.Hopping("60 s", step="1 s")), _N, _each(60)),
    "session": Case(_windows(wr.Session("10 seconds")), _N, _each(1)),
    "over a range": Case(_windows(wr.Over(range="1 second")), "count(*)", _each(1)),
    "full state": Case(_messages(wr.Tumbling("1 minute")), _ALL, _each(1)),
    "join": Case(_join, "count(*)", _pairs),
}
GIANT: Mapping[str, Case] = {
    "tumbling": Case(_windows(wr.Tumbling("1 day")), _N, _each(1)),
    "session": Case(_windows(wr.Session("1 minute")), _N, _each(1)),
    "over a range": Case(_windows(wr.Over(range="1 ms")), "count(*)", _each(1)),
    "count": Case(
        lambda m: m.placed("passing").window(wr.Count(1000)).aggregate(F.count("*").alias("n")),
        _N,
        lambda _, messages: messages // 1000 * 1000,
    ),
    "full state": Case(_messages(wr.Tumbling("1 day")), _ALL, _each(1)),
    "join": Case(_side, "count(*)", _each(1)),
}
ENDLESS = {"session": GIANT["session"]}


@dataclass(frozen=True)
class Done:
    """The result of a case."""

    kind: str
    messages: int
    found: int
    wanted: int
    seconds: float
    peak: int
    #: Calls of the store per thousand rows, and bytes per thousand rows, early and late.
    calls: tuple[float, float]
    moved: tuple[float, float]

    @property
    def grows(self) -> bool:
        """Return whether the cost per row has grown."""
        return any(late > early * GROWTH for early, late in (self.calls, self.moved))


def done(folder: Path, cases: Mapping[str, Case], messages: Messages) -> Iterator[Done]:
    """Run each case to its end."""
    bounds = messages.bounds
    assert bounds is not None
    count = messages.rows * bounds.batches
    for number, (kind, case) in enumerate(cases.items()):
        rows = out_of(case.make(messages)).where(F.col("key") != NOBODY)
        ran = run(rows, [F.expr(case.total)], folder / str(number), bounds.batches + 1 + AFTER)
        quarter = max(1, bounds.batches // 4)
        early = ran.batches[1 + quarter : 1 + 2 * quarter]
        late = ran.batches[1 + bounds.batches - quarter : 1 + bounds.batches]
        yield Done(
            kind,
            count,
            ran.totals[0],
            case.wanted(messages, count),
            ran.seconds,
            ran.peak,
            (1000 * _of(early, "asked"), 1000 * _of(late, "asked")),
            (_of(early, "moved"), _of(late, "moved")),
        )


def _of(batches: Sequence[Batch], what: str) -> float:
    total: int = sum(getattr(one, what) for one in batches)
    return total / max(1, sum(one.rows for one in batches))


def keys(spark: SparkSession, many: int) -> Messages:
    """Return twice as many rows as keys, within a few seconds of event time."""
    return Messages(spark, many // 2, 0.01, many, Bounds(4, 2 * 24 * 60), "1 day", behind=0)


def giant(spark: SparkSession, many: int) -> Messages:
    """Return the rows of one key, in twenty batches of a few seconds."""
    return Messages(spark, many // 20, 0.05, 1, Bounds(20, 2 * 24 * 60), "1 hour", behind=0)
