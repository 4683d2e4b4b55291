"""Once the watermark has passed all rows, no state is left, also after a jump."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from load.gaps import filled
from load.gauge import kept
from load.kinds import KINDS, Kind
from load.messages import NOBODY, PARTITIONS, Bounds, Messages
from load.running import AFTER, out_of, run

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

DAY = 24 * 60
#: The fraction of the state that may stay; of offsets with holes, also a last page for each source
#: partition (SEMANTICS R13).
LEFT = 0.01
#: The bytes by which a shard's header may grow, because it permanently counts how late rows were.
HEADER = 1024

#: Kinds whose state stays by design: they remember their keys permanently (limits.md), or remove
#: rows by the clock.
STAYS = (
    *("tumbling, gaps filled", "over rows", "over all", "count", "global", "join, by retention"),
    *("policy, tumbling by count", "policy, sliding by time", "policy, sliding by delta"),
)
#: Kinds whose batch output differs: partial values, early panes only, or by the clock.
UNTOLD = (
    *("hopping, early, discarding", "tumbling, by the clock", "tumbling, by the first beyond"),
    *("global", "policy, sliding by time", "join, by range and clock", "join, by retention"),
    *("count", "tuple session", "offsets", "policy, tumbling by count", "policy, sliding by delta"),
    "inherit",  # windows cover all keys, including the key that only begins the stream
)


@dataclass(frozen=True)
class Left:
    """The number and bytes of state values: with one row, with all, and after all have left."""

    kind: str
    empty: tuple[int, int]
    full: tuple[int, int]
    end: tuple[int, int]

    @property
    def is_gone(self) -> bool:
        """Return whether the remaining state is within its bound.

        Values are large, and some kinds keep a last page.
        """
        values, size = (
            end - empty - LEFT * full
            for empty, full, end in zip(self.empty, self.full, self.end, strict=True)
        )
        return values <= PARTITIONS and size <= HEADER


def left(spark: SparkSession, folder: Path, names: tuple[str, ...], rows: int) -> Iterator[Left]:
    """Run each kind over ten batches, and then past them by a hundred days.

    The permanent part of a shard (its header, the counts of late rows) does not grow with keys. All
    keys are in one shard, because 128 permanent parts would exceed the state of a few thousand
    keys.
    """
    spark.conf.set("spark.windrow.shards", "1")
    for name in names:
        kind = KINDS[name]
        messages = Messages(spark, rows, kind.minutes, rows, _bounds(kind, 10, DAY))
        checkpoint = folder / str(names.index(name))
        batches = 11 + AFTER
        ran = run(out_of(kind.of(messages)), [F.count("*")], checkpoint, batches, kind.period)
        last = ran.batches[-1].number
        yield Left(name, *(kept(spark, checkpoint, batch) for batch in (0, 10, last)))


def _bounds(kind: Kind, batches: int, minutes: int) -> Bounds:
    return Bounds(batches, batches * kind.minutes + 100 * minutes)


@dataclass(frozen=True)
class Jumped:
    """The row count and sum of hashes of the actual output and of batch output."""

    kind: str
    found: tuple[int, ...]
    wanted: tuple[int, ...]
    seconds: float
    peak: int


def jumped(
    spark: SparkSession, folder: Path, names: tuple[str, ...], rows: int, keys: int
) -> Iterator[Jumped]:
    """Keep all windows open until the watermark jumps by a year."""
    for name in names:
        kind = KINDS[name]
        bounds = _bounds(kind, 4, 4 * DAY)
        messages = Messages(spark, rows, kind.minutes, keys, bounds, delay="2 days")
        panes = _somebodys(out_of(kind.of(messages)))
        ran = run(panes, _sums(panes), folder / f"jump-{names.index(name)}", 5 + AFTER)
        whole = _whole(name, replace(messages, whole=True)).select(*map(_named, panes.columns))
        [wanted] = whole.agg(*_sums(whole)).collect()
        yield Jumped(name, ran.totals, tuple(one or 0 for one in wanted), ran.seconds, ran.peak)


def _whole(name: str, messages: Messages) -> DataFrame:
    """Return the expected output: that of a batch, or of ``filled`` if gaps are filled."""
    if name == "tumbling, gaps filled":
        return filled(messages)
    return _somebodys(out_of(KINDS[name].of(messages)))


def _somebodys(rows: DataFrame) -> DataFrame:
    """Leave out early panes, retractions, and rows of the key that begins and ends the stream."""
    if "key" in rows.columns:
        rows = rows.where(F.col("key") != NOBODY)
    if "messages" in rows.columns:
        return rows.select(F.explode("messages").alias("message"))
    if "pane" in rows.columns:
        rows = rows.where("pane.timing <> 'EARLY' AND NOT pane.is_retraction").drop("pane")
    return rows


def _sums(rows: DataFrame) -> list[Column]:
    """Return the row count and the sum of the hashes."""
    columns = map(_named, rows.columns)
    return [F.count("*"), F.sum(F.pmod(F.xxhash64(*columns), F.lit(1 << 30)))]


def _named(column: str) -> Column:
    """Return a column by its name, which may contain dots."""
    return F.col(f"`{column}`")
