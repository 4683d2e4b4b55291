"""Windows with more keys than one step receives: new values are stored apart (SEMANTICS S18)."""

from __future__ import annotations

import os
import random
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F

import windrow as wr
from feed import NOTHING, Feed, Order, order
from windrow._running._settings import having

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import Column

pytestmark = [pytest.mark.spark, pytest.mark.slow]

BEGIN = datetime(2025, 1, 1, tzinfo=UTC)
FULL = os.environ.get("WINDROW_MODE") == "full"
KEYS, BATCHES, SIZE = (12_000, 12, 4_000) if FULL else (6_000, 12, 2_000)
SHARDS = "4"

#: Settings of each start; a start runs a few batches.
SETTINGS = (
    {"spark.sql.shuffle.partitions": "1", "spark.windrow.combine": "always"},
    {"spark.sql.shuffle.partitions": "3", "spark.windrow.combine": "never"},
    {"spark.sql.shuffle.partitions": "2", "spark.windrow.combine": "auto"},
)


def at(second: int) -> str:
    """Return the time this many seconds after the beginning."""
    return f"{BEGIN + timedelta(seconds=second):%Y-%m-%d %H:%M:%S}"


def messages() -> list[list[Order]]:
    """Draw two days of orders, a quarter of them three hours late, some batches with few keys."""
    rng = random.Random(18)  # noqa: S311  no secret
    return [
        [
            order(
                at(batch * 14_400 + rng.randrange(14_400) - rng.choice([0, 0, 0, 10_800])),
                f"k{rng.randrange(KEYS if batch % 4 else 50)}",
                rng.randrange(1000),
            )
            for _ in range(SIZE)
        ]
        for batch in range(BATCHES)
    ]


def aggregates() -> list[Column]:
    """Return aggregates of fixed width, of variable width, and one that depends on the order."""
    return [
        F.count("*").alias("n"),
        F.sum("amount").alias("total"),
        F.max(F.concat("product", F.lit("-"), "amount")).alias("top"),
        F.collect_list("amount").alias("all"),
    ]


def row(values: Any) -> tuple[Any, ...]:
    """Return a comparable row; the order of equal times is unspecified, so values are sorted."""
    return (
        values.product,
        values.window.start,
        values.window.end,
        values.n,
        values.total,
        values.top,
        tuple(sorted(values.all)),
    )


DAYS = (wr.Tumbling("1 day"), ("1 day",))
HOPS = (wr.Hopping("12 hours", step="6 hours"), ("12 hours", "6 hours"))


@pytest.mark.parametrize(
    ("windows", "plain", "ordered"),
    [
        pytest.param(*DAYS, False, id="days-plain"),
        pytest.param(*HOPS, True, id="hops-ordered", marks=pytest.mark.full),
        pytest.param(*DAYS, True, id="days-ordered", marks=pytest.mark.full),
        pytest.param(*HOPS, False, id="hops-plain", marks=pytest.mark.full),
    ],
)
def test_against_plain_groups(
    feed: Feed, tmp_path: Path, windows: wr.WindowKind, plain: tuple[str, ...], *, ordered: bool
) -> None:
    """The panes equal Spark's groups, with restarts and new settings after every four steps."""
    chosen = aggregates() if ordered else aggregates()[:3]
    checkpoint, panes = tmp_path / "checkpoint", tmp_path / "panes"
    told: list[int | None] = []
    all_ = messages()
    for part, settings in enumerate(SETTINGS):
        feed.add(*all_[part * 4 : part * 4 + 4])
        if part == len(SETTINGS) - 1:
            feed.add([order(at(10**7), "last")], NOTHING)
        with having(feed.spark, {"spark.windrow.shards": SHARDS, **settings}):
            stream = wr.stream(
                feed.stream(), time="time", key="product", watermark="3 hours", name="many"
            )
            output = stream.lateness("0 seconds").window(windows).aggregate(*chosen)
            query = output.start(
                checkpoint=checkpoint,
                panes=wr.Files(str(panes)),
                availableNow=True,
            )
            query.awaitTermination()
            told += [p.observedMetrics["windrow_many"].open_windows for p in query.recentProgress]
    rows = feed.spark.read.parquet(str(panes)).where("product != 'last'")
    every = F.col("all") if ordered else F.array()
    found = Counter(map(row, rows.withColumn("all", every).collect()))
    groups = (
        feed.batch()
        .where("product != 'last'")
        .groupBy("product", F.window("time", *plain).alias("window"))
    )
    wanted = groups.agg(*chosen)
    expected = Counter(map(row, wanted.withColumn("all", every).collect()))
    assert sum((found - expected).values()) == sum((expected - found).values()) == 0
    assert len(found) > 1.2 * KEYS
    if isinstance(windows, wr.Tumbling):
        assert None in told, "no slice had additions"
        assert told[-1] == 1, f"all but the last window have left: {told}"
