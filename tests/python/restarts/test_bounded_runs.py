"""Bounded runs on a busy machine, interrupted anywhere, emit every row in one pane (R71)."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import functions as F

import windrow as wr
from feed import Feed, order

pytestmark = [pytest.mark.spark, pytest.mark.slow]

FULL = os.environ.get("WINDROW_MODE") == "full"
RUNS = 500 if FULL else 2


@contextmanager
def busy() -> Iterator[None]:
    """Keep every core busy with other work."""
    hot = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]
    try:
        yield
    finally:
        for one in hot:
            one.kill()
            one.wait()


@pytest.mark.full
def test_every_row_is_in_a_pane(feed: Feed, tmp_path: Path) -> None:
    """Every row is in exactly one pane.

    Panes are stored by batch, so that a repeated batch counts once.
    """
    seed = int(os.environ.get("WINDROW_SEED", random.SystemRandom().randrange(2**32)))
    drawn = random.Random(seed)  # noqa: S311  no secrets
    minutes = drawn.randrange(2, 6)
    feed.add(*([order(f"09:0{minute}:{second:02}") for second in range(9)] for minute in range(5)))
    with busy() if FULL else nullcontext():  # other tests keep the cores busy, too
        for number in range(RUNS):
            cuts = [drawn.randrange(minutes) for _ in range(drawn.randrange(3))]
            kept, query = _run(feed, tmp_path / f"run{number}", cuts)
            total = sum(row.n for rows in kept.values() for row in rows)
            counts = [(one["batchId"], one["numInputRows"]) for one in query.recentProgress]
            assert total == 45, f"WINDROW_SEED={seed}, run {number}: {kept}, {counts}"
            shutil.rmtree(tmp_path / f"run{number}")


def _run(feed: Feed, checkpoint: Path, cuts: list[int]) -> tuple[dict[int, Any], Any]:
    """Run to the end with a sink that fails once in each of the given batches."""
    kept: dict[int, Any] = {}

    def sink(rows: Any, batch: int) -> None:
        kept[batch] = rows.collect()
        if batch in cuts:
            cuts.remove(batch)
            raise RuntimeError(batch)

    while True:
        stream = wr.stream(feed.stream(), time="time", watermark="0 seconds").lateness("0 seconds")
        counted = stream.window(wr.Tumbling("1 minute")).aggregate(F.count("*").alias("n"))
        try:
            query = counted.start(
                checkpoint=checkpoint,
                panes=sink,
                availableNow=True,
                drain=True,
            )
            query.awaitTermination()
        except StreamingQueryException:
            continue
        return kept, query
