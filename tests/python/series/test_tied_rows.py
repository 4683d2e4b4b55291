"""Rows of one time that have no identity have one order for windows and for values (T3, R106)."""

from __future__ import annotations

import random
from collections import Counter
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import pytest
from pyspark.sql import functions as F

import windrow as wr
from counts import streams

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame, SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.slow]

START = datetime(2026, 1, 1, tzinfo=UTC)
KEYS = 20

Row = dict[str, Any]


def previous(df: DataFrame) -> wr.Output:
    """Return the last two rows of each key with their last and their previous number."""
    stream = wr.stream(df, time="time", key="key", watermark="3 seconds").lateness("1 minute")
    return (
        stream.window(wr.Over(rows=2))
        .accumulationMode(wr.ACCUMULATING_AND_RETRACTING)
        .aggregate(F.last("n").alias("last"), wr.lag("n").alias("before"))
    )


def fed(rng: random.Random) -> Iterator[list[Row]]:
    """Draw the rows of each micro-batch: few times, which rows of several micro-batches share."""
    numbers = iter(rng.sample(range(10**6), 10**4))
    for step in range(6):
        yield [
            {
                "time": START + timedelta(seconds=max(0, step * 2 + rng.randrange(-4, 3))),
                "key": f"k{rng.randrange(KEYS)}",
                "n": next(numbers),
            }
            for _ in range(KEYS * 6)
        ]


def check(panes: list[Row]) -> int:
    """Compare the panes of a key: previous rows are a chain of all its rows, ordered by time.

    Return the number of rows that follow a row of the same time.
    """
    rows = {pane["message"]["n"]: pane for pane in panes}
    assert len(rows) == len(panes)
    assert all(pane["last"] == n for n, pane in rows.items())
    following = {pane["before"]: n for n, pane in rows.items()}
    times, n = [], following.get(None)
    while n is not None:
        times.append(rows[n]["message"]["time"])
        n = following.get(n)
    assert len(times) == len(rows)
    assert times == sorted(times)
    return sum(one == two for one, two in pairwise(times))


@pytest.mark.anywhere
@pytest.mark.parametrize("engine", ["core", "query"])
def test_windows_end_with_their_row(spark: SparkSession, engine: Literal["core", "query"]) -> None:
    """The last row of a window is that of its pane, and each row is previous to one at most."""
    tied = 0
    count = streams(KEYS, full=1000 if engine == "core" else 100) // KEYS
    for seed in range(max(1, count)):
        rng = random.Random(seed)  # noqa: S311  no secret
        schema = "time timestamp, key string, n int"
        with wr.testing.harness(previous, spark, schema=schema, engine=engine) as h:
            valid = Counter[tuple[datetime, str, int, int, int | None]]()
            for rows in fed(rng):
                if rng.randrange(2):
                    h.restart()
                h.add(rows)
                for pane in h.panes():
                    row = pane["message"]
                    value = (row["time"], pane["key"], row["n"], pane["last"], pane["before"])
                    valid[value] += -1 if pane["pane"]["is_retraction"] else 1
                assert set(valid.values()) <= {0, 1}
                for key in {value[1] for value in valid}:
                    tied += check(
                        [
                            {"message": {"time": time, "n": n}, "last": last, "before": before}
                            for (time, of, n, last, before), is_valid in valid.items()
                            if of == key and is_valid
                        ]
                    )
    assert tied > 0
