"""Chains over retracted panes give the values of an independent recomputation (R55, R90)."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F

import windrow as wr
from chain.identities import AGGREGATES, KINDS, SCHEMA, Case
from chain.running import ran
from programs import printed

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.slow]

FULL = os.environ.get("WINDROW_MODE") == "full"
FIRST_SEED = int(os.environ.get("WINDROW_SEED", random.randrange(10**9)))  # noqa: S311
ALL = len(KINDS) * len(AGGREGATES)
#: Every eighth seed is of the next kind and the next class of aggregates, so the short run has each
#: kind and each class twice.
SEEDS = range(FIRST_SEED, FIRST_SEED + (10_000 if FULL else 8 * 2 * len(KINDS)), 1 if FULL else 8)
QUERIES = 10 * ALL if FULL else 1
#: The most rows of a case whose tasks run twice: each run of a task starts a Python worker.
ROWS = 90 if FULL else 30


@pytest.fixture(autouse=True)
def shards(spark: SparkSession) -> Iterator[None]:
    """Reset the number of shards after the test."""
    yield
    spark.conf.unset("spark.windrow.shards")


def stepped(spark: SparkSession, case: Case, way: int) -> list[dict[str, Any]]:
    """Run a case step by step with cuts, shards and restarts of this way, and return its panes."""
    spark.conf.set("spark.windrow.shards", str(way + 1))
    batches = case.cut(way)
    with wr.testing.harness(case.pipeline, spark, schema=SCHEMA) as h:
        for number, batch in enumerate(batches):
            h.add([dict(row) for row in batch])
            if number % 3 == way:
                h.restart()
        h.finish()
        assert h.rejected() == []
        return list(h.panes())


def test_chains_on_the_core(spark: SparkSession) -> None:
    """With any cuts, shards and restarts, the final values are those of the rows."""
    corrections = 0
    for seed in SEEDS:
        case = Case.drawn(seed)
        panes = stepped(spark, case, seed // ALL % 2)
        corrections += sum(pane["pane"]["timing"] == "LATE" for pane in panes)
        assert not (wrong := case.wrong(panes)), (case.words, wrong)
    assert corrections > len(SEEDS)


@pytest.mark.full
def test_chains_in_queries(spark: SparkSession, tmp_path: Path) -> None:
    """In real queries too, with two ways to cut the rows, two numbers of shards and a restart."""
    for seed in range(FIRST_SEED, FIRST_SEED + QUERIES):
        case = Case.drawn(seed)
        for way in range(2):
            panes = ran(spark, case, way, tmp_path / f"{seed}-{way}")
            assert not (wrong := case.wrong(panes)), (case.words, wrong)


@pytest.mark.full
def test_tasks_that_are_recomputed(tmp_path: Path) -> None:
    """If Spark runs each task twice, no operator keeps a pane of the first attempt."""
    count = 2 * ALL
    lines = printed("identities.py", str(tmp_path), str(FIRST_SEED), str(count), str(ROWS))
    assert lines == ["no difference"] * count
    stages = {file.name.split()[1] for file in tmp_path.glob("failed *")}
    assert stages == {"row", "pane", "result"}


@pytest.mark.full
def test_a_fault_is_found(spark: SparkSession, tmp_path: Path) -> None:
    """A pane whose retraction differs in its last bits is found, and a lost retraction too."""
    nudge = F.udf(lambda x: x + 1e-9 * random.random(), "double")  # noqa: S311

    def changed(rows: DataFrame, name: str) -> DataFrame:
        return rows.withColumn("v0", nudge("v0")) if name == "pane" else rows

    case = Case.drawn(list(AGGREGATES).index("double") * len(KINDS))
    assert "contains the panes" in case.wrong(ran(spark, case, 0, tmp_path, changed))
    case = next(
        one
        for one in map(Case.drawn, range(ALL))
        if one.modes[-1] == wr.ACCUMULATING_AND_RETRACTING
    )
    panes = stepped(spark, case, 0)
    assert case.wrong(panes) == ""
    assert "beside" in case.wrong([one for one in panes if not one["pane"]["is_retraction"]])
