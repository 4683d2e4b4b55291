"""Random joins with conditions, of two and three streams, have the rows of DuckDB."""

from __future__ import annotations

import os
import random
from collections import Counter
from typing import TYPE_CHECKING

import pytest

import windrow as wr
from chain.windows import at
from join.random_joins import SCHEMA, Case

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.slow]

CASES = 1_000 if os.environ.get("WINDROW_MODE") == "full" else 4
FIRST = int(os.environ.get("WINDROW_SEED", "0"))


def test_random_joins(spark: SparkSession) -> None:
    """No row is rejected, whatever the micro-batches and restarts, and the rows are DuckDB's."""
    for seed in range(FIRST, FIRST + CASES):
        rng = random.Random(f"conditions {seed}")  # noqa: S311  the seed repeats it
        case = Case.drawn(rng)
        restart = rng.randint(0, 20)
        schemas = dict.fromkeys(case.streams, SCHEMA)
        with wr.testing.harness(case.pipeline, spark, schema=schemas) as h:
            for turn, (name, some) in enumerate(case.cut(rng)):
                if turn == restart:
                    h.restart()
                h.add([(at(time), *more) for time, *more in some], to=name)
            h.finish()
            found = h.rows()
            rejected = h.rejected()
        came = [
            (row["k.ey"], *(row[name] and row[name]["Select"] for name in case.shown))
            for row in found
        ]
        assert not rejected, f"seed {seed}, {case}: {rejected[0]}"
        assert Counter(came) == Counter(case.rows()), f"seed {seed}, {case}"
