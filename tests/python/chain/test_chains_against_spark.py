"""Chains have the panes of Spark's own chains, each in the same micro-batch (R95)."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F

import windrow as wr
from chain.chains import SCHEMA, Streams
from chain.windows import Message, at, span

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.slow]

ROUNDS = 25 if os.environ.get("WINDROW_MODE") == "full" else 1
SIZE = 10
#: Batch, window start in seconds, key, sum.
Panes = list[tuple[int, int, int, int]]


class Files:
    """Streams as files: a micro-batch reads the next file of each stream."""

    def __init__(self, spark: SparkSession, folder: Path, streams: Streams, cuts: int) -> None:
        """Write the files; the last file of each stream contains one row far ahead."""
        self.spark, self.folder, self.delay = spark, folder, streams.delay
        for name, messages in (("l", streams.left), ("r", streams.right)):
            size = -(-len(messages) // cuts)
            for cut in range(cuts):
                self._write(name, cut, messages[cut * size : (cut + 1) * size])
            self._write(name, cuts, [(100_000, -1, 0)])

    def _write(self, name: str, number: int, messages: list[Message]) -> None:
        rows = [(at(time), key, x) for time, key, x in messages]
        file = self.folder / name / f"{number:03}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        lines = [f'{{"t":"{t.isoformat()}","k":{k},"x":{x}}}' for t, k, x in rows]
        file.write_text("\n".join(lines))
        os.utime(file, (1_700_000_000 + number,) * 2)

    def read(self, name: str) -> DataFrame:
        """Read a stream."""
        reader = self.spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1)
        return reader.json(str(self.folder / name))

    def marked(self, name: str) -> DataFrame:
        """Read a stream with Spark's watermark."""
        return self.read(name).withWatermark("t", span(self.delay)).alias(name)

    def ours(self, name: str, **more: Any) -> wr.Stream:
        """Read a stream for Windrow."""
        said = {"time": "t", "watermark": span(self.delay), "name": name, **more}
        return wr.stream(self.read(name), **said).lateness("0 seconds")

    def run(self, panes: DataFrame, what: str) -> Panes:
        """Run a query with columns ``start``, ``k`` and ``total`` to its end."""
        came: Panes = []

        def take(rows: DataFrame, batch: int) -> None:
            seconds = F.unix_timestamp("start") - int(at(0).timestamp())
            shown = rows.select(seconds.alias("start"), "k", "total").where("k >= 0").collect()
            came.extend((batch, row.start, row.k, row.total) for row in shown)

        writer = panes.writeStream.foreachBatch(take).trigger(availableNow=True)
        writer.option("checkpointLocation", str(self.folder / what)).start().awaitTermination()
        return sorted(came)


def _ours(rows: DataFrame, time: str | None) -> DataFrame:
    said: dict[str, Any] = {} if time is None else {"time": time}
    panes = (
        wr.stream(rows, key="k", name="upper", **said)
        .lateness("0 seconds")
        .window(wr.Tumbling(span(SIZE)))
        .aggregate(F.sum("n").alias("total"))
        .panes
    )
    return panes.select(F.col("window.start").alias("start"), "k", "total")


def _theirs(rows: DataFrame, time: str) -> DataFrame:
    groups = rows.groupBy(F.window(time, span(SIZE)), "k").agg(F.sum("n").alias("total"))
    return groups.select(F.col("window.start").alias("start"), "k", "total")


def _join(how: str, reach: int) -> Callable[[Files], tuple[DataFrame, DataFrame]]:
    """Return a join by a symmetric range."""
    side = "r" if how == "right" else "l"

    def both(files: Files) -> tuple[DataFrame, DataFrame]:
        within = (span(-reach), span(reach))
        joined = wr.join(files.ours("l"), files.ours("r"), on="k", within=within, how=how)  # type: ignore[arg-type]
        rows = joined.rows.where(f"{side} IS NOT NULL")
        rows = rows.select("k", F.col(f"{side}.t").alias("at"), F.col(f"{side}.x").alias("n"))
        condition = (
            f"l.k = r.k AND r.t >= l.t - INTERVAL {reach} SECONDS "
            f"AND r.t <= l.t + INTERVAL {reach} SECONDS"
        )
        kinds = {"inner": "inner", "left": "leftOuter", "right": "rightOuter", "full": "fullOuter"}
        theirs = files.marked("l").join(files.marked("r"), F.expr(condition), kinds[how])
        theirs = theirs.where(f"{side}.t IS NOT NULL").select(
            F.col(f"{side}.k").alias("k"),
            F.col(f"{side}.t").alias("at"),
            F.col(f"{side}.x").alias("n"),
        )
        return _ours(rows, "at"), _theirs(theirs, "at")

    return both


def _windows(files: Files) -> tuple[DataFrame, DataFrame]:
    """Return windows of windows."""
    ours = files.ours("l", key="k").window(wr.Tumbling("5 seconds"))
    theirs = files.marked("l").groupBy(F.window("t", "5 seconds"), "k").agg(F.sum("x").alias("n"))
    timed = theirs.select(F.window_time("window").alias("at"), "k", "n")
    return _ours(ours.aggregate(F.sum("x").alias("n")).panes, None), _theirs(timed, "at")


def _sessions(files: Files) -> tuple[DataFrame, DataFrame]:
    """Return windows of sessions."""
    ours = files.ours("l", key="k").window(wr.Session("4 seconds"))
    theirs = files.marked("l").groupBy(F.session_window("t", "4 seconds"), "k")
    summed = theirs.agg(F.sum("x").alias("n"))
    timed = summed.select(F.window_time("session_window").alias("at"), "k", "n")
    return _ours(ours.aggregate(F.sum("x").alias("n")).panes, None), _theirs(timed, "at")


CHAINS = {
    "inner join": _join("inner", 12),
    "left join": _join("left", 12),
    "right join": _join("right", 12),
    "full join": _join("full", 12),
    "windows": _windows,
    "sessions": _sessions,
}


#: Joins that the full join covers with its rows of one side or of both.
REST = ("inner join", "left join", "right join", "windows", "sessions")


@pytest.mark.parametrize(
    "words",
    [pytest.param(words, marks=[pytest.mark.full] if words in REST else []) for words in CHAINS],
)
@pytest.mark.parametrize("seed", range(ROUNDS))
def test_batch_by_batch(spark: SparkSession, tmp_path: Path, words: str, seed: int) -> None:
    """The chain has Spark's panes in the same micro-batches, and no others."""
    assert differs(spark, tmp_path, words, seed) == ""


def differs(spark: SparkSession, folder: Path, words: str, seed: int) -> str:
    """Run a chain and Spark's own; return the difference, or an empty text."""
    rng = random.Random(f"{words} {seed}")  # noqa: S311  the seed repeats it
    files = Files(spark, folder, Streams.drawn(rng), rng.randint(2, 6))
    ours, theirs = CHAINS[words](files)
    mine, spark_s = files.run(ours, "ours"), files.run(theirs, "theirs")
    if not spark_s:
        return "Spark gave nothing"
    missing, more = set(spark_s) - set(mine), set(mine) - set(spark_s)
    return f"missing {sorted(missing)[:5]}, more {sorted(more)[:5]}" if missing or more else ""
