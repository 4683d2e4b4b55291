"""Joins of random streams have the rows of Spark's own stream-stream join."""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F

import windrow as wr
from feed import NOTHING, Order, order
from join.joins import Both

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.slow]

KINDS = {"inner": "inner", "left": "left", "right": "right", "full": "full", "semi": "left_semi"}
ROUNDS = 20 if os.environ.get("WINDROW_MODE") == "full" else 1
FIELDS = ("time", "product", "amount")


def _batches(rng: random.Random, keys: Sequence[str | None]) -> list[list[Order]]:
    """Draw an hour of orders in batches of five minutes, and a last row that completes all."""
    batches = [
        [
            order(
                f"09:{5 * batch + rng.randrange(5):02}:{rng.randrange(60):02}",
                rng.choice(keys),
                rng.randrange(1000),
            )
            for _ in range(rng.randrange(1, 12))
        ]
        for batch in range(4)
    ]
    return [*batches, [order("23:00:00", "z", 0)], list(NOTHING), list(NOTHING)]


@pytest.mark.parametrize(
    "how",
    [pytest.param(how, marks=[] if how == "full" else pytest.mark.full) for how in KINDS],
)
@pytest.mark.parametrize("seed", range(ROUNDS))
def test_same_rows(spark: SparkSession, tmp_path: Path, how: Any, seed: int) -> None:
    """Each kind of join has Spark's pairs and unmatched rows."""
    rng = random.Random(f"{how} {seed}")  # noqa: S311  the seed repeats it
    # Spark's full join matches null keys in a stream and not in a batch; Windrow never does.
    keys = ["a", "b"] if how == "full" else ["a", "b", None]
    sides = [_batches(rng, keys), _batches(rng, keys)]
    low = rng.randrange(-240, 120)
    high = low + rng.randrange(240)
    for side, second in zip(sides, (600, 600 + low), strict=True):  # so that some rows match
        side[0].append(order(f"09:{second // 60:02}:{second % 60:02}", "a", 0))
    both = Both(spark, tmp_path).add(*sides)
    # No row is late, because Spark drops late rows by another watermark than Windrow.
    o, s = both.streams(watermark="10 minutes")
    within = (f"{low} seconds", f"{high} seconds")
    ours = both.run(wr.join(o, s, on="product", within=within, how=how).rows)
    left, right = (feed.stream().withWatermark("time", "10 minutes") for feed in both.feeds)
    theirs = both.run(_by_spark(left, right, how, low, high))
    expected = sorted(map(str, (tuple(row) for row in theirs)))
    assert sorted(map(_flat, ours)) == expected, f"seed {seed}"
    assert expected


def test_null_keys_of_a_batch(spark: SparkSession, tmp_path: Path) -> None:
    """A full join of batches equals Spark's: a null key equals nothing."""
    rng = random.Random("nulls")  # noqa: S311  no secret
    both = Both(spark, tmp_path).add(_batches(rng, ["a", None]), _batches(rng, ["a", None]))
    within = ("-60 seconds", "90 seconds")
    joined = wr.join(*both.streams(batch=True), on="product", within=within, how="full")
    left, right = (feed.batch() for feed in both.feeds)
    theirs = _by_spark(left, right, "full", -60, 90).collect()
    assert sorted(map(_flat, joined.rows.collect())) == sorted(str(tuple(row)) for row in theirs)


def _by_spark(left: DataFrame, right: DataFrame, how: str, low: int, high: int) -> DataFrame:
    condition = (
        f"o.product = s.product AND s.time >= o.time + INTERVAL '{low}' SECOND "
        f"AND s.time <= o.time + INTERVAL '{high}' SECOND"
    )
    joined = left.alias("o").join(right.alias("s"), F.expr(condition), KINDS[how])
    columns = [(side, name) for side in ("o", "s") for name in FIELDS]
    shown = columns[: len(FIELDS)] if how == "semi" else columns
    return joined.select(*(F.col(f"{side}.{name}").alias(f"{side}_{name}") for side, name in shown))


def _flat(row: Row) -> str:
    sides = [row[name] for name in ("o", "s") if name in row]
    values = [None if side is None else side[name] for side in sides for name in FIELDS]
    return str(tuple(values))
