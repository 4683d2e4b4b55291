"""Windows on positions in queries: source offsets (R72), row numbers of a key; without time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F

import windrow as wr

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.slow]

SCHEMA = "k string, v bigint, topic string, p int, o bigint"
ORIGIN = wr.RowId(source="topic", partition="p", offset="o")


class Log:
    """A folder that is read as a log, one file per batch."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        """Start empty."""
        self.spark, self.folder = spark, folder
        (folder / "in").mkdir()

    def stream(self) -> wr.streams.Stream:
        """Return the stream, without time."""
        df = self.spark.readStream.schema(SCHEMA).json(str(self.folder / "in"))
        return wr.stream(df, key="k", rowId=ORIGIN)

    def step(self, out: wr.Output, *rows: tuple[str, int, int, int]) -> list[tuple[Any, ...]]:
        """Add (key, value, partition, offset), run from the checkpoint, and return the panes."""
        messages = [(key, value, "t", partition, offset) for key, value, partition, offset in rows]
        self.spark.createDataFrame(messages, SCHEMA).coalesce(1).write.mode("append").json(
            str(self.folder / "in")
        )
        found: list[Row] = []

        def take(batch: DataFrame, _: int) -> None:
            found.extend(batch.collect())

        out.start(
            checkpoint=str(self.folder / "checkpoint"),
            panes=take,
            rejected=take,
            availableNow=True,
        ).awaitTermination()
        return sorted(tuple(row) for row in found)


@pytest.fixture
def log(spark: SparkSession, tmp_path: Path) -> Log:
    """Return an empty log."""
    return Log(spark, tmp_path)


def on_time(last: bool = True) -> tuple[Any, ...]:  # noqa: FBT001, FBT002
    """Return the pane fields of a window that fires once."""
    return ("ON_TIME", 0, last, False)


def test_offsets_complete_windows_of_keys_that_are_silent(log: Log) -> None:
    """A window ends with the last offset of its partition, regardless of that row's key."""
    windows = log.stream().lateness(0).window(wr.OffsetRange(3))
    out = windows.aggregate(F.sum("v").alias("total"))
    assert log.step(out, ("a", 1, 0, 0), ("b", 2, 0, 1), ("a", 5, 1, 0)) == []
    assert log.step(out, ("c", 4, 0, 2), ("c", 8, 0, 3)) == [
        ("a", ("t", 0, 0, 2), 1, on_time()),
        ("b", ("t", 0, 0, 2), 2, on_time()),
        ("c", ("t", 0, 0, 2), 4, on_time()),
    ]
    assert log.step(out, ("b", 9, 1, 7)) == [("a", ("t", 1, 0, 2), 5, on_time())]


def test_rows_after_their_window_are_rejected(log: Log) -> None:
    """An offset below those of complete windows is too late."""
    out = log.stream().lateness(0).window(wr.OffsetRange(2)).aggregate(F.count("v").alias("n"))
    log.step(out, ("a", 1, 0, 0), ("a", 2, 0, 5))
    assert [row[1] for row in log.step(out, ("a", 3, 0, 1))] == ["TOO_LATE"]


def test_tuple_sessions(log: Log) -> None:
    """A session ends when more than n offsets of its partition lack the key."""
    out = log.stream().window(wr.OffsetSession(gap=1)).aggregate(F.sum("v").alias("total"))
    assert log.step(out, ("a", 1, 0, 0), ("b", 2, 0, 1), ("a", 4, 0, 2)) == []
    assert log.step(out, ("c", 8, 0, 3), ("c", 16, 0, 4)) == [
        ("a", ("t", 0, 0, 2), 5, on_time()),
        ("b", ("t", 0, 1, 1), 2, on_time()),
    ]


def test_counts_without_time(log: Log) -> None:
    """Rows of a key are counted in the order of source, partition and offset."""
    out = log.stream().window(wr.Count(2)).aggregate(F.collect_list("v").alias("all"))
    assert log.step(out, ("a", 3, 1, 0), ("a", 1, 0, 0), ("a", 2, 0, 1)) == [
        ("a", (0, 1), [1, 2], on_time())
    ]


def test_a_global_window_without_time(log: Log) -> None:
    """A running value for each row needs no watermark."""
    windows = log.stream().lateness("0 seconds").window(wr.Global())
    running = windows.trigger(early=wr.EachMessage()).accumulationMode(wr.ACCUMULATING)
    out = running.aggregate(F.sum("v").alias("total"))
    found = log.step(out, ("a", 1, 0, 0), ("a", 2, 0, 1))
    assert [(row[2], row[3][0], row[3][1]) for row in found] == [(1, "EARLY", 0), (3, "EARLY", 1)]


def test_offsets_must_be_stated(spark: SparkSession) -> None:
    """Windows on offsets need the offset columns."""
    df = spark.createDataFrame([("a", 1, "t", 0, 0)], SCHEMA)
    with pytest.raises(wr.SpecError, match="OFFSET_NOT_STATED"):
        wr.stream(df, key="k").lateness(0).window(wr.OffsetRange(3)).aggregate(F.sum("v")).panes  # noqa: B018


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(wr.Count(2), marks=pytest.mark.full),
        wr.OffsetRange(2),
        pytest.param(wr.Global(), marks=pytest.mark.full),
    ],
    ids=repr,
)
def test_cogroups_without_time(log: Log, kind: wr.WindowKind) -> None:
    """A co-group of streams without time supports windows that need none (API, example 5)."""
    df = log.stream()._df
    a, b = (
        wr.stream(df.where(F.col("p") == part), key="k", rowId=ORIGIN, name=name)
        for name, part in (("a", 0), ("b", 1))
    )
    windows = wr.cogroup(a, b).window(kind)
    if not isinstance(kind, wr.Count):
        windows = windows.lateness(0) if isinstance(kind, wr.OffsetRange) else windows
    if isinstance(kind, wr.Global):
        windows = windows.trigger(early=wr.Every(messages=2)).accumulationMode(wr.ACCUMULATING)
    output = windows.aggregate(F.count("a.v").alias("a"), F.sum("b.v").alias("b"))
    first = log.step(output, ("x", 1, 0, 0), ("x", 2, 1, 0))
    second = log.step(output, ("x", 3, 0, 1), ("x", 4, 1, 1))
    assert [(row[0], *row[2:4]) for row in first + second] == WITHOUT_TIME[type(kind)]


WITHOUT_TIME = {
    wr.Count: [("x", 1, 2), ("x", 1, 4)],
    wr.OffsetRange: [("x", 2, None), ("x", 0, 6)],
    wr.Global: [("x", 1, 2), ("x", 2, 6)],
}


def test_a_cogroup_that_needs_time(log: Log) -> None:
    """Windows of time refuse a co-group of streams without time, or with time in some only."""
    df = log.stream()._df
    bare = [wr.stream(df, key="k", name=name) for name in ("a", "b")]
    with pytest.raises(wr.SpecError, match="TIME_NOT_STATED"):
        wr.cogroup(*bare).lateness("0 seconds").window(wr.Tumbling("1 minute")).aggregate(
            F.count("*")
        )
    timed = [
        wr.stream(df.withColumn("t", F.timestamp_seconds("v")), time="t", key="k", name=name)
        for name in ("c", "d")
    ]
    with pytest.raises(wr.SpecError, match=r"TIME_NOT_STATED.*'a'"):
        wr.cogroup(bare[0], timed[0])
    windows = wr.cogroup(*timed).lateness("0 seconds").window(wr.Tumbling("1 minute"))
    with pytest.raises(wr.SpecError, match=r"NO_WATERMARK.* 'time' does not have a watermark"):
        windows.aggregate(F.count("*")).panes  # noqa: B018
    wr.cogroup(*timed).window(wr.Count(2)).aggregate(F.count("*")).panes  # noqa: B018
