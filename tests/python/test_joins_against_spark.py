"""Random streams joined give the rows of Spark's own stream-stream join."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import windrow as wr
from feed import NOTHING, Order, order
from test_joins import Both

if TYPE_CHECKING:
    from pyspark.sql import Row, SparkSession

pytestmark = pytest.mark.spark

KINDS = {"inner": "inner", "left": "left", "right": "right", "full": "full", "semi": "left_semi"}
ROUNDS = {"quick": 1, "full": 20}.get(os.environ.get("WINDROW_MODE", ""), 1)
FIELDS = ("time", "product", "amount")


def _batches(rng: random.Random) -> list[list[Order]]:
    """An hour that moves on by five minutes a batch, and a last message that closes all."""
    batches = [
        [
            order(
                f"09:{5 * batch + rng.randrange(5):02}:{rng.randrange(60):02}",
                rng.choice(["a", "b", None]),
                rng.randrange(1000),
            )
            for _ in range(rng.randrange(1, 12))
        ]
        for batch in range(4)
    ]
    return [*batches, [order("23:00:00", "z", 0)], list(NOTHING), list(NOTHING)]


@pytest.mark.parametrize("how", KINDS)
@pytest.mark.parametrize("seed", range(ROUNDS))
def test_same_rows(spark: SparkSession, tmp_path: Path, how: Any, seed: int) -> None:
    """Whatever the kind: the same pairs, the same that stay alone."""
    rng = random.Random(f"{how} {seed}")  # noqa: S311  the seed repeats it
    both = Both(spark, tmp_path).add(_batches(rng), _batches(rng))
    low = rng.randrange(-240, 120)
    high = low + rng.randrange(240)
    # Nothing is too late, for Spark drops late rows by another watermark than its state.
    o, s = (
        wr.stream(one._df, time="time", watermark="10 minutes", name=one._name).lateness("0 s")
        for one in both.streams()
    )
    within = (f"{low} seconds", f"{high} seconds")
    ours = both.run(wr.join(o, s, on="product", within=within, how=how).rows)
    left, right = (
        feed.stream().withWatermark("time", "10 minutes").alias(name)
        for name, feed in (("o", both.orders), ("s", both.shipments))
    )
    condition = f"""o.product = s.product AND s.time >= o.time + make_interval(0,0,0,0,0,0,{low})
        AND s.time <= o.time + make_interval(0,0,0,0,0,0,{high})"""
    from pyspark.sql import functions as F

    joined = left.join(right, F.expr(condition), KINDS[how])
    shown = ["o"] if how == "semi" else ["o", "s"]
    theirs = both.run(
        joined.select(
            *(F.col(f"{side}.{name}").alias(f"{side}_{name}") for side in shown for name in FIELDS)
        )
    )
    expected = sorted(map(str, (tuple(row) for row in theirs)))
    assert sorted(_flat(row, shown) for row in ours) == expected, f"seed {seed}"
    assert expected


def _flat(row: Row, shown: list[str]) -> str:
    values = [None if row[side] is None else row[side][name] for side in shown for name in FIELDS]
    return str(tuple(values))
