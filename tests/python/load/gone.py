"""Once the watermark has passed everything, nothing of it is left; wherever it jumped from."""

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
#: Of what a stream brought so much may stay, and of offsets with holes a last page of each source
#: partition (SEMANTICS R13).
LEFT = 0.01
#: So many bytes more a header of a shard may have: how late messages came is kept for good.
HEADER = 1024

#: What stays by its rule: the keys of these are remembered for good (limits.md), or go by a clock.
STAYS = (
    *("tumbling, gaps filled", "over rows", "over all", "count", "global", "join, by retention"),
    *("policy, tumbling by count", "policy, sliding by time", "policy, sliding by delta"),
)
#: Where batch input gives other panes: parts, early ones alone, or by the clock.
UNTOLD = (
    *("hopping, early, discarding", "tumbling, by the clock", "tumbling, by the first beyond"),
    *("global", "policy, sliding by time", "join, by range and clock", "join, by retention"),
    *("count", "tuple session", "offsets", "policy, tumbling by count", "policy, sliding by delta"),
    "inherit",  # its windows are of all keys, and so of who only begins the stream
)


@dataclass(frozen=True)
class Left:
    """Values and bytes of state: with one message, with all, and when all are gone."""

    kind: str
    empty: tuple[int, int]
    full: tuple[int, int]
    end: tuple[int, int]

    @property
    def is_gone(self) -> bool:
        """Whether what stays is within its bound; values are large, and some have a last page."""
        values, size = (
            end - empty - LEFT * full
            for empty, full, end in zip(self.empty, self.full, self.end, strict=True)
        )
        return values <= PARTITIONS and size <= HEADER


def left(spark: SparkSession, folder: Path, names: tuple[str, ...], rows: int) -> Iterator[Left]:
    """Run each kind over ten batches and past them by a hundred days.

    What a shard keeps for good (its header, how late messages came) does not grow with keys, so all
    keys are in one: spread over 128 it would be more than many a kind has of a few thousand keys.
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
    """What came out, and what batch input gives: how many rows, and a sum of their hashes."""

    kind: str
    found: tuple[int, ...]
    wanted: tuple[int, ...]
    seconds: float
    peak: int


def jumped(
    spark: SparkSession, folder: Path, names: tuple[str, ...], rows: int, keys: int
) -> Iterator[Jumped]:
    """Leave everything open until the watermark jumps a year."""
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
    """Give what must come out: what batch input gives, or where that goes by other rules these."""
    if name == "tumbling, gaps filled":
        return filled(messages)
    return _somebodys(out_of(KINDS[name].of(messages)))


def _somebodys(rows: DataFrame) -> DataFrame:
    """Leave out what comes early, what is taken back, and who only begins and ends the stream."""
    if "key" in rows.columns:
        rows = rows.where(F.col("key") != NOBODY)
    if "messages" in rows.columns:
        return rows.select(F.explode("messages").alias("message"))
    if "pane" in rows.columns:
        rows = rows.where("pane.timing <> 'EARLY' AND NOT pane.is_retraction").drop("pane")
    return rows


def _sums(rows: DataFrame) -> list[Column]:
    """Count rows and sum up their hashes."""
    columns = map(_named, rows.columns)
    return [F.count("*"), F.sum(F.pmod(F.xxhash64(*columns), F.lit(1 << 30)))]


def _named(column: str) -> Column:
    """Give a column by its name, which may have dots."""
    return F.col(f"`{column}`")
