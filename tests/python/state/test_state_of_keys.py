"""Reading the state of deduplications and patterns: the stored keys, rows, and deadlines (R165)."""

from __future__ import annotations

import random
from collections import defaultdict
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F

import windrow as wr
from feed import NOTHING, Feed, order
from windrow.testing import Harness, harness

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

SCHEMA = "time timestamp, product string, n int"
WITHIN, LATENESS = timedelta(minutes=3), timedelta(minutes=20)
INSTANT = timedelta(microseconds=1)
NINE = datetime(2025, 1, 1, 9)  # noqa: DTZ001  the session's zone is UTC

Row = tuple[datetime, str, int]


def keyed(df: DataFrame, lateness: str = "20 minutes") -> wr.Stream:
    """Return rows by product."""
    return wr.stream(df, time="time", key="product", watermark="1 minute").lateness(lateness)


def first(df: DataFrame) -> wr.DedupOutput:
    """Keep first rows."""
    return keyed(df).dedup("3 minutes")


def last(df: DataFrame) -> wr.DedupOutput:
    """Keep last rows, and emit them once."""
    return keyed(df).dedup("3 minutes", keep="last")


def retracting(df: DataFrame) -> wr.DedupOutput:
    """Keep last rows, and emit them at once."""
    mode = wr.ACCUMULATING_AND_RETRACTING
    return keyed(df).dedup("3 minutes", keep="last", orderBy="n", accumulationMode=mode)


def rising(df: DataFrame) -> wr.MatchOutput:
    """Find a row with a greater successor."""
    return keyed(df, "2 minutes").match("A B", define={"B": "n > A.n"}, within="3 minutes")


def at(minutes: float, n: int, product: str = "a") -> dict[str, Any]:
    """Return a row."""
    return {"time": NINE + timedelta(minutes=minutes), "product": product, "n": n}


def plain(value: Any) -> Any:
    """Remove the time zones of a value and its fields."""
    if isinstance(value, datetime):
        return value.replace(tzinfo=None)
    if isinstance(value, dict):
        return {name: plain(one) for name, one in value.items()}
    return [plain(one) for one in value] if isinstance(value, list) else value


def stored(h: Harness, what: Any = "keys") -> list[dict[str, Any]]:
    """Return the state."""
    return [plain(dict(row)) for row in h.state(what)]


def steps(seed: int) -> tuple[list[list[Row]], list[datetime]]:
    """Draw micro-batches, with the watermark before and after each."""
    rng = random.Random(seed)  # noqa: S311  no secret
    batches, marks = [], [datetime.min]  # noqa: DTZ901  all times are UTC
    for batch in range(6):
        rows = [
            (
                NINE + timedelta(seconds=batch * 500 + rng.randrange(-1500, 500), microseconds=i),
                rng.choice("abc"),
                batch * 100 + i,
            )
            for i in range(12)
        ]
        batches.append(rows)
        marks.append(max([marks[-1], *(time - timedelta(minutes=1) for time, *_ in rows)]))
    return batches, marks


@pytest.mark.parametrize("seed", [1, 2])
def test_keys_of_first_rows(spark: SparkSession, seed: int) -> None:
    """A key is stored with the times of its kept rows until no row can be their duplicate."""
    batches, marks = steps(seed)
    kept: dict[str, list[datetime]] = defaultdict(list)
    with harness(first, spark, schema=SCHEMA) as h:
        for rows, before in zip(batches, marks, strict=False):
            for time, key, _ in sorted(rows):
                is_known = any(abs(time - other) <= WITHIN for other in kept[key])
                if before <= time + LATENESS and not is_known:
                    kept[key].append(time)
            h.add(rows)
        found = stored(h)
        assert stored(h, "pending") == []
        with pytest.raises(wr.OperatorError, match=r"NO_MESSAGE_STORE.*getKeys"):
            h.state("messages")
    expected: list[dict[str, Any]] = []
    for key, every in sorted(kept.items()):
        times = sorted(time for time in every if marks[-1] <= time + WITHIN + LATENESS)
        if times:
            until = times[-1] + WITHIN + LATENESS + INSTANT
            span = {"first_time": times[0], "last_time": times[-1], "times": len(times)}
            expected.append({"product": key, **span, "rows": 0, "bytes": 0, "watermark": until})
    assert found == expected
    assert len(expected) > 1
    assert any(row["times"] < len(kept[row["product"]]) for row in expected)


@pytest.mark.parametrize("seed", [3, 4])
def test_rows_of_last_rows(spark: SparkSession, seed: int) -> None:
    """The rows that no row follows are stored and pending until no row can follow them."""
    batches, marks = steps(seed)
    accepted = [
        row
        for rows, before in zip(batches, marks, strict=False)
        for row in rows
        if before <= row[0] + LATENESS
    ]
    live = [row for row in accepted if marks[-1] <= row[0] + WITHIN + LATENESS]
    left = sorted(
        (time, key, n)
        for time, key, n in live
        if not any(one == key and timedelta(0) < at - time <= WITHIN for at, one, _ in accepted)
    )
    with harness(last, spark, schema=SCHEMA) as h:
        for rows in batches:
            h.add(rows)
        keys, messages, pending = stored(h), stored(h, "messages"), stored(h, "pending")
    assert [tuple(row.values()) for row in messages] == left
    assert [(one["watermark"], *one["message"].values()) for one in pending] == [
        (time + WITHIN + LATENESS + INSTANT, time, key, n) for time, key, n in left
    ]
    assert [(one["product"], one["rows"], one["last_time"]) for one in keys] == [
        (
            key,
            sum(one[1] == key for one in left),
            max(time for time, one, _ in live if one == key),
        )
        for key in sorted({key for _, key, _ in live})
    ]
    assert all(one["bytes"] >= 16 * one["rows"] for one in keys)


def test_rows_that_are_followed(spark: SparkSession) -> None:
    """With an order, followed rows are stored too; with retractions no row waits."""
    with harness(retracting, spark, schema=SCHEMA) as h:
        h.add([at(0, 5), at(1, 3), at(9, 1)])
        assert [row["n"] for row in stored(h, "messages")] == [5, 3, 1]
        assert stored(h, "pending") == []


def test_matches(spark: SparkSession) -> None:
    """Rows of a pattern, its matches, and deadlines are those that the rules name."""
    with harness(rising, spark, schema=SCHEMA) as h:
        h.add([at(0, 1), at(1, 2), at(2, 9), at(2.5, 7, "b"), at(3, 0)])  # watermark 09:02
        # Rows before 09:02 are known. The match of 09:00 can be retracted until 09:00 + 2 minutes.
        assert stored(h) == [
            {
                "product": "a",
                "first_time": NINE,
                "last_time": NINE + timedelta(minutes=3),
                "rows": 4,
                "bytes": 4 * 40,
                "matches": [
                    {"start": NINE, "end": NINE + timedelta(minutes=1), "names": ["A", "B"]}
                ],
                # the row of 09:02 becomes known, and that of 09:00 final
                "watermark": NINE + timedelta(minutes=2) + INSTANT,
            },
            {
                "product": "b",
                "first_time": NINE + timedelta(minutes=2.5),
                "last_time": NINE + timedelta(minutes=2.5),
                "rows": 1,
                "bytes": 40,
                "matches": [],
                "watermark": NINE + timedelta(minutes=2.5) + INSTANT,
            },
        ]
        assert [row["n"] for row in stored(h, "messages")] == [1, 2, 9, 7, 0]
        assert [(row["product"], row["watermark"]) for row in stored(h, "pending")] == [
            ("a", NINE + timedelta(minutes=2) + INSTANT),
            ("b", NINE + timedelta(minutes=2.5) + INSTANT),
        ]
        h.advanceWatermark(str(NINE + timedelta(hours=1)))
        assert stored(h) == []


@pytest.mark.slow
def test_of_a_checkpoint(spark: SparkSession, tmp_path: Path) -> None:
    """Python and SQL read the keys of a query, one key or all, and reject other questions."""
    feed = Feed(spark, tmp_path / "in")
    feed.add([order("09:00:00", "a"), order("09:00:30", "b"), order("09:01:00", "b")], NOTHING)
    checkpoint = str(tmp_path / "checkpoint")
    once = keyed(feed.stream()).dedup("3 minutes")
    nowhere = lambda df, _: df.count()  # noqa: E731  a sink
    once.start(rows=nowhere, checkpoint=checkpoint, availableNow=True).awaitTermination()
    state = wr.state(checkpoint)
    assert [row["product"] for row in state.getKeys().collect()] == ["a", "b"]
    (row,) = state.getKeys(key={"product": "b"}).collect()
    assert (row["times"], row["rows"], row["last_time"].minute) == (1, 0, 0)
    sql = f"SELECT * FROM windrow_get_keys('{checkpoint}', key => named_struct('product', 'b'))"  # noqa: S608
    assert spark.sql(sql).collect() == [row]
    with pytest.raises(wr.OperatorError, match=r"NO_WINDOWS.*getKeys"):
        state.getWindows()
    with pytest.raises(wr.OperatorError, match="NO_MESSAGE_STORE"):
        state.restartOffsets()
    assert wr.advise(checkpoint).messages == 3
    kept = wr.stream(once.rows, time="time", key="product", name="kept").lateness("20 minutes")
    windows = kept.window(wr.Tumbling("1 minute")).accumulationMode(wr.ACCUMULATING)
    counted = windows.aggregate(F.count("*").alias("n"))
    other = str(tmp_path / "other")
    counted.start(panes=nowhere, checkpoint=other, availableNow=True).awaitTermination()
    with pytest.raises(wr.CheckpointError, match="KEYS_NOT_LISTED"):
        wr.state(other).getKeys()
    open_windows = wr.state(other).getWindows().where("product <> ''").orderBy("product")
    assert [(row["product"], row["n"]) for row in open_windows.collect()] == [("a", 1), ("b", 1)]
    assert wr.state(other, operator="messages").getKeys().collect() == state.getKeys().collect()
    assert wr.advise(other).messages == 2
