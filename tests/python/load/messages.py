"""Rows computed from their number alone: no input files, and the same rows in a batch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pyspark.sql import functions as F

import windrow as wr

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

#: 2024-03-01, in milliseconds.
BEGIN = 1_709_251_200_000
PARTITIONS = 2
MINUTE = 60_000
#: The key of the rows that only begin and end the stream.
NOBODY = -1

_DRAWN = 1 << 40

Keys = Literal["passing", "lasting"]


@dataclass(frozen=True)
class Bounds:
    """A bounded stream: a first row, ``batches`` of rows, and a last row ``minutes`` later."""

    batches: int
    minutes: int


@dataclass(frozen=True)
class Messages:
    """A stream of ``rows`` per batch; a batch moves event time forward by ``minutes``.

    ``keys`` is the number of keys at a time. ``passing`` keys change every 20 batches, starting
    with the second batch, and ``lasting`` keys stay. ``delay`` is the watermark delay. ``behind``
    is the greatest lateness in minutes; few rows are late. With ``whole``, the stream is a batch of
    all rows between the bounds.
    """

    spark: SparkSession
    rows: int
    minutes: float
    keys: int = 100
    bounds: Bounds | None = None
    delay: str = "1 minute"
    behind: int = 60
    whole: bool = False

    def table(self, name: str, keys: Keys, holes: int = 0) -> DataFrame:
        """Return the rows of a stream; ``holes`` leaves out every so many-th one but the first."""
        number = F.col("value")
        drawn = F.pmod(F.xxhash64(number, F.lit(name)), F.lit(_DRAWN))
        late = F.pow(drawn / _DRAWN, 6) * self.behind * MINUTE
        millis = number / self.rows * self.minutes * MINUTE - late
        key = drawn % self.keys
        if keys == "passing":
            key += F.floor((number + 19 * self.rows) / (20 * self.rows)) * self.keys
        time, at = (millis * 1000).cast("bigint"), F.floor(number / PARTITIONS)
        if self.bounds is not None:
            far = self.bounds.minutes * MINUTE * 1000
            time = F.when(self._ends, far).when(self._opens, 0).otherwise(time)
            key = F.when(self._opens | self._ends, NOBODY).otherwise(key)
            at += F.when(self._ends, 1 << 40).otherwise(0)
        table = self._numbers().select(
            F.timestamp_micros(BEGIN * 1000 + time).alias("time"),
            key.alias("key"),
            (number % 1000).alias("v"),
            (number % PARTITIONS).cast("int").alias("part"),
            at.alias("at"),
        )
        return table.where(F.pmod("at", F.lit(holes)) != holes - 1) if holes else table

    def _numbers(self) -> DataFrame:
        if self.bounds is None:
            return self._rate()
        first, after = self.rows, (self.bounds.batches + 1) * self.rows
        if self.whole:
            return self.spark.range(first, after).toDF("value")
        comes = (F.col("value") >= first) & (F.col("value") < after)
        return self._rate().where(self._opens | comes | self._ends)

    def _rate(self) -> DataFrame:
        source = self.spark.readStream.format("rate-micro-batch")
        return source.options(rowsPerBatch=self.rows, numPartitions=PARTITIONS).load()

    @property
    def _opens(self) -> Column:
        return F.col("value") < PARTITIONS

    @property
    def _ends(self) -> Column:
        assert self.bounds is not None
        number = F.col("value") - (self.bounds.batches + 1) * self.rows
        return (number >= 0) & (number < PARTITIONS)

    def timed(
        self,
        name: str = "messages",
        *,
        keys: Keys = "passing",
        identity: bool = False,
        holes: int = 0,
    ) -> wr.Stream:
        """Return a stream with event time."""
        return wr.stream(
            self.table(name, keys, holes),
            time="time",
            key="key",
            rowId=_places() if identity else None,
            watermark=self.delay,
            name=name,
        ).lateness("10 minutes")

    def placed(self, keys: Keys = "lasting") -> wr.Stream:
        """Return a stream with identities and without event time."""
        return wr.stream(self.table("messages", keys), key="key", rowId=_places())


def _places() -> wr.RowId:
    return wr.RowId(source=F.lit("rate"), partition="part", offset="at")
