"""The number of open windows: in the status of a query, and counted here (SEMANTICS S16)."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F

import windrow as wr
from feed import Feed, Order, order

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

DELAY, LATENESS, SIZE, GAP = 10, 120, 60, 30
Key = str
Batch = Sequence[tuple[Key, int]]
"""Keys and seconds."""


def nowhere(*_: object) -> None:
    """Discard the rows."""


def batches(messages: int, keys: int, number: int = 4) -> list[Batch]:
    """Draw batches of a stream with some late rows and some that are too late."""
    rng = random.Random(7)  # noqa: S311  no secret
    each = messages // number
    return [
        [
            (
                f"k{rng.randrange(keys)}",
                3600 + batch * 200 + rng.randrange(200) - rng.choice([0, 0, 0, 150, 600]),
            )
            for _ in range(each)
        ]
        for batch in range(number)
    ]


def orders(batch: Batch) -> list[Order]:
    """Return the rows of a batch."""
    return [
        order(datetime.fromtimestamp(t, UTC).strftime("1970-01-01 %H:%M:%S"), k) for k, t in batch
    ]


def merged(times: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Merge the ranges that touch."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(times):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found


def counted(kind: str, all_: Sequence[Batch]) -> list[int]:
    """Return the number of open windows after each batch and the watermark that follows it."""
    windows: dict[Key, list[tuple[int, int]]] = defaultdict(list)
    watermark, sizes = 0, []
    for batch in all_:
        for key, time in batch:
            start = time if kind == "session" else time - time % SIZE
            end = time + GAP if kind == "session" else start + SIZE
            if watermark < end + LATENESS:
                windows[key].append((start, end))
        watermark = max([watermark, *(time - DELAY for _, time in batch)])
        for key, own in windows.items():
            each = merged(own) if kind == "session" else sorted(set(own))
            windows[key] = [one for one in each if watermark < one[1] + LATENESS]
        sizes.append(sum(map(len, windows.values())))
    return sizes


KINDS: Mapping[str, Any] = {
    "tumbling": wr.Tumbling(f"{SIZE} seconds"),
    "session": wr.Session(f"{GAP} seconds"),
}


def run(kind: str, feed: Feed, folder: Path, all_: Sequence[Batch]) -> list[int]:
    """Return the reported number after each batch of a query that restarts in the middle."""
    told = []
    for part in (all_[: len(all_) // 2], all_[len(all_) // 2 :]):
        stream = wr.stream(feed.stream(), time="time", key="product", watermark=f"{DELAY} seconds")
        windows = stream.lateness(f"{LATENESS} seconds").window(KINDS[kind])
        counts = windows.accumulationMode(wr.ACCUMULATING).aggregate(F.count("*").alias("n"))
        query = None
        try:
            for batch in part:
                feed.add(orders(batch))
                query = query or counts.start(panes=nowhere, checkpoint=folder)
                query.processAllAvailable()
                told.append(wr.status(query).openWindows)
        finally:
            if query is not None:
                query.stop()
    return [sum(one.values()) for one in told]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "messages", "keys", "shards"),
    [
        ("session", 400, 30, 2),
        pytest.param("tumbling", 400, 30, 3, marks=pytest.mark.full),
        pytest.param("tumbling", 40_000, 3000, 7, marks=pytest.mark.full),
        pytest.param("session", 40_000, 3000, 16, marks=pytest.mark.full),
    ],
)
def test_against_a_count(
    spark: SparkSession,
    feed: Feed,
    tmp_path: Path,
    kind: str,
    messages: int,
    keys: int,
    shards: int,
) -> None:
    """The reported number is right with late rows, removed windows and a restart (S16)."""
    all_ = batches(messages, keys)
    spark.conf.set("spark.windrow.shards", str(shards))
    try:
        assert run(kind, feed, tmp_path / "c", all_) == counted(kind, all_)
    finally:
        spark.conf.unset("spark.windrow.shards")
