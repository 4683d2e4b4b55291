"""Random joins with conditions, of two and three streams, have the rows of DuckDB."""

from __future__ import annotations

import math
import os
import random
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

import windrow as wr
from chain.windows import at
from counts import streams
from join.random_joins import SCHEMA, Case, Oracle

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.slow]

#: Groups of keys, each a stream by itself, and joins that have as many.
GROUPS = 10 if streams(10) > 100 else 1
CASES = math.ceil(streams(10) / GROUPS)
FIRST = int(os.environ.get("WINDROW_SEED", "0"))


def test_random_joins(spark: SparkSession) -> None:
    """After each micro-batch and restart, pairs, unmatched rows, and late rows are DuckDB's."""
    late = 0
    for seed in range(FIRST, FIRST + CASES):
        rng = random.Random(f"conditions {seed}")  # noqa: S311  the seed repeats it
        case = Case.drawn(rng, GROUPS)
        oracle = Oracle(case)
        found: Counter[Any] = Counter()
        rejected: Counter[Any] = Counter()
        schemas = dict.fromkeys(case.streams, SCHEMA)
        with wr.testing.harness(case.pipeline, spark, schema=schemas) as h:
            for name, some in case.cut(rng):
                if rng.random() < 0.02:
                    h.restart()
                    oracle.restart()
                h.add([(at(time), *more) for time, *more in some], to=name)
                oracle.add(name, some)
                found.update(
                    (row["k.ey"], *(row[one] and row[one]["Select"] for one in case.shown))
                    for row in h.rows()
                )
                rejected.update(_of(row["message"]) for row in h.rejected())
                assert found == Counter(oracle.rows()), f"seed {seed}, {case}"
                assert rejected == Counter(oracle.rejected), f"seed {seed}, {case}"
        late += rejected.total()
    assert late > 0


def _of(message: dict[str, Any]) -> tuple[str, int]:
    ((name, number),) = ((name, row["Select"]) for name, row in message.items() if row)
    return name, number
