"""Several windows in one pass have the panes of separate queries (SEMANTICS R152, R153)."""

from __future__ import annotations

import math
import random
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F

import windrow as wr
from counts import streams
from feed import Feed, Order, disordered, order
from windrow._running._settings import having

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame, Row

pytestmark = [pytest.mark.spark, pytest.mark.slow]

ZONE = "Europe/Berlin"
KINDS = (
    wr.Tumbling("1 minute"),
    wr.Tumbling("7 minutes", startTime="2 minutes"),
    wr.Tumbling("1 hour"),
    wr.Tumbling("1 day", zone=ZONE),
    wr.Hopping("10 minutes", step="4 minutes"),
    wr.Hopping("1 minute", step="3 minutes"),
    wr.Hopping("1 hour", step="15 minutes", zone=ZONE),
    wr.Session("30 seconds"),
    wr.Session("5 minutes"),
)
MODES = (wr.ACCUMULATING, wr.DISCARDING, wr.ACCUMULATING_AND_RETRACTING)
EARLY = (wr.Never(), wr.Never(), wr.EachBatch(), wr.Every(messages=3))


@dataclass(frozen=True)
class Case:
    """A set of windows with settings, and how its query runs."""

    seed: int
    windows: dict[str, wr.WindowKind]
    lateness: str
    mode: wr.AccumulationMode
    early: wr.PaneTrigger
    combine: str
    ordered: bool

    @classmethod
    def drawn(cls, seed: int) -> Case:
        """Draw a case."""
        draw = random.Random(seed)  # noqa: S311  no secret
        names = draw.sample("abcdefg", draw.randint(1, 5))
        return cls(
            seed,
            {name: draw.choice(KINDS) for name in names},
            draw.choice(("0 seconds", "5 minutes", "40 minutes")),
            draw.choice(MODES),
            draw.choice(EARLY),
            draw.choice(("always", "never")),
            ordered=draw.random() < 0.3,
        )

    def stream(self, df: DataFrame) -> wr.Stream:
        """Describe the rows."""
        late = wr.stream(df, time="time", key="product", watermark="1 minute", maxFuture="9 days")
        return late.lateness(self.lateness)

    def aggregated(self, windows: wr.Windowed) -> DataFrame:
        """Return all output; a clock is not comparable."""
        more = [F.collect_list("amount").alias("all")] if self.ordered else []
        output = (
            windows.accumulationMode(self.mode)
            .trigger(early=self.early)
            .aggregate(
                F.count("*").alias("n"),
                F.sum("amount").alias("s"),
                F.max("product").alias("m"),
                *more,
            )
        )
        timeless = F.col("rejected").dropFields("processing_time").alias("rejected")
        return output.output.select("kind", "panes", timeless)

    def rows(self) -> list[list[Order]]:
        """Draw five micro-batches, with rows without a time and rows that are far too late.

        The products of 40 keys are streams by themselves.
        """
        unusable = [order(None), order("2024-12-30 01:00:00", "b"), order("08:00:00", "c", 7)]
        return [
            [
                *({**row, "product": f"{row['product']}{at % 10}"} for at, row in enumerate(rows)),
                *unusable,
            ]
            for rows in disordered(self.seed, size=200)
        ]


def named(rows: list[Row], name: str) -> Counter[str]:
    """Return the output of one of several windows, without its name."""
    found: list[dict[str, Any]] = []
    for row in rows:
        one = fields(row)
        of = {value.pop("window_name") for value in one.values() if value}
        if name in of or None in of:
            found.append(one)
    return Counter(map(repr, found))


def plain(rows: list[Row]) -> Counter[str]:
    """Return the output of a query with one window, in the same form."""
    return Counter(repr(fields(row)) for row in rows)


def fields(row: Row) -> dict[str, Any]:
    """Return the panes and the rejected rows of a row of the output."""
    return {k: v and v.asDict() for k, v in row.asDict().items() if k != "kind"}


def cases(by_default: int, most: int) -> Iterator[Any]:
    """Yield cases, most of them only in `full`."""
    for seed in range(most):
        yield pytest.param(seed, marks=() if seed < by_default else (pytest.mark.full,))


@pytest.mark.parametrize("seed", list(cases(0, math.ceil(streams(1_000) / 40))))
def test_streams(feed: Feed, seed: int) -> None:
    """Values, timing, numbers, retractions, and rejected rows equal those of separate queries."""
    case = Case.drawn(seed)
    feed.add(*case.rows())
    said = {"spark.windrow.combine": case.combine, "spark.windrow.shards": "2"}
    with having(feed.spark, said):
        stream = case.stream(feed.stream())
        together = feed.run(case.aggregated(stream.windows(**case.windows)))
        for name, kind in case.windows.items():
            alone = plain(feed.run(case.aggregated(stream.window(kind))))
            assert alone
            assert named(together, name) == alone, (case, name)


@pytest.mark.parametrize("seed", list(cases(2, 200)))
def test_batches(feed: Feed, seed: int) -> None:
    """A batch query has the panes of separate batch queries."""
    case = Case.drawn(1000 + seed)
    feed.add(*case.rows())
    with having(feed.spark, {"spark.windrow.shards": "2"}):
        stream = case.stream(feed.batch())
        together = case.aggregated(stream.windows(**case.windows)).collect()
        for name, kind in case.windows.items():
            alone = plain(case.aggregated(stream.window(kind)).collect())
            assert alone
            assert named(together, name) == alone, (case, name)
