"""No row of any operator is lost or doubled, counted from the outputs alone (R74, B14)."""

from __future__ import annotations

import os
import random
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import windrow as wr
from chain.recounting import FIRST, NOW, SCHEMA, Chain
from chain.recounting_pairs import SIDES, Pair
from feed import add_files
from windrow._running._query import progress
from windrow.figures import operators

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.slow]

FULL = os.environ.get("WINDROW_MODE") == "full"
FIRST_SEED = int(os.environ.get("WINDROW_SEED", random.randrange(10**9)))  # noqa: S311
CHAINS = 10_000 if FULL else len(FIRST)
QUERIES = 60 if FULL else 1


def stepped(spark: SparkSession, chain: Chain) -> tuple[list[Any], list[Any]]:
    """Run a chain step by step, and return its panes and rejected rows."""
    with wr.testing.harness(chain.output, spark, schema=SCHEMA, now=NOW) as h:
        for rows in chain.batches:
            h.add(list(rows))
        if chain.hasTime:
            h.finish()
        return list(h.panes()), list(h.rejected())


def test_chains_on_the_core(spark: SparkSession) -> None:
    """Every row and every upstream pane is in windows, rejected, a replay or in a gap."""
    for seed in range(FIRST_SEED, FIRST_SEED + CHAINS):
        chain = Chain.drawn(seed)
        wrong = chain.wrong(*stepped(spark, chain))
        assert not wrong, (f"WINDROW_SEED={seed}", chain.words, wrong)


def test_a_loss_is_found(spark: SparkSession) -> None:
    """A row that is missing in all panes is found for every kind, with and without full state."""
    seen = set()
    for seed in range(FIRST_SEED, FIRST_SEED + 3 * len(FIRST)):
        chain = Chain.drawn(seed)
        if len(chain.kinds) > 1 or (chain.kinds[0], chain.full) in seen:
            continue
        panes, rejected = stepped(spark, chain)
        column = "messages" if chain.full else "rows1"
        lost = next(row for pane in panes for row in pane[column])
        less = [{**pane, column: [row for row in pane[column] if row != lost]} for pane in panes]
        assert chain.wrong(panes, rejected) == []
        assert chain.wrong(less, rejected), (f"WINDROW_SEED={seed}", chain.words)
        seen.add((chain.kinds[0], chain.full))
    assert {"count", "tuples", "offsets"} <= {kind for kind, _ in seen}


@pytest.mark.full
def test_two_streams_on_the_core(spark: SparkSession) -> None:
    """The rows of both streams of joins and co-groups, and of windows above, have one fate."""
    for seed in range(FIRST_SEED, FIRST_SEED + CHAINS):
        pair = Pair.drawn(seed)
        schemas = dict.fromkeys(SIDES, SCHEMA)
        with wr.testing.harness(pair.output, spark, schema=schemas, now=NOW) as h:
            for side, rows in pair.batches:
                h.add(list(rows), to=side)
            h.finish()
            wrong = pair.wrong(h.rows() if pair.isJoin else h.panes(), h.rejected())
        assert not wrong, (f"WINDROW_SEED={seed}", pair.kind, pair.lateness, pair.above, wrong)


class Written:
    """Stores the rows of a kind by batch, so that a repeated batch counts once."""

    def __init__(self) -> None:
        """Start without rows."""
        self.by_batch: dict[int, list[Any]] = {}

    def __call__(self, rows: Any, batch: int) -> None:
        """Store a batch."""
        self.by_batch[batch] = [row.asDict(recursive=True) for row in rows.collect()]

    @property
    def rows(self) -> list[Any]:
        """Return all rows."""
        return [row for batch in sorted(self.by_batch) for row in self.by_batch[batch]]


@pytest.mark.full
def test_chains_in_queries(spark: SparkSession, tmp_path: Path) -> None:
    """In real queries too, each row has one fate, and the counts match the outputs."""
    for seed in range(FIRST_SEED, FIRST_SEED + QUERIES):
        chain = Chain.drawn(seed)
        folder = tmp_path / str(seed)
        add_files(folder / "in", *chain.batches)
        reader = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1)
        panes, rejected = Written(), Written()
        query = chain.output(reader.json(str(folder / "in"))).start(
            checkpoint=folder / "checkpoint",
            panes=panes,
            rejected=rejected,
            availableNow=True,
            drain=True,
        )
        query.awaitTermination()
        counted: dict[str, Counter[str]] = {}
        for batch in {one["batchId"]: one for one in progress(query)}.values():
            for name, counts in operators(batch).items():
                counted.setdefault(name, Counter()).update(counts)
        wrong = chain.wrong(panes.rows, rejected.rows, behind=2)
        wrong += chain.miscounted(counted, panes.rows, rejected.rows, behind=2)
        assert not wrong, (f"WINDROW_SEED={seed}", chain.words, wrong)
