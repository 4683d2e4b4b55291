"""The status of a query names the stream that holds back the watermark (SEMANTICS R87)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import functions as F

import windrow as wr
from feed import Feed, order
from windrow._watching import _words

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


def nowhere(*_: object) -> None:
    """Discard the rows."""


def at(time: str) -> datetime:
    """Return a time on the day of the orders."""
    return datetime.fromisoformat(f"2025-01-01 {time}").replace(tzinfo=UTC)


def of_join(orders: wr.Stream, ships: wr.Stream, checkpoint: Path) -> Any:
    """Start a join by a column that is quoted with backticks."""
    joined = wr.join(orders, ships, on="`product`", within=("0 minutes", "5 minutes"), how="left")
    return joined.start(rows=nowhere, checkpoint=checkpoint)


def of_cogroup(orders: wr.Stream, ships: wr.Stream, checkpoint: Path) -> Any:
    """Start a co-group that counts both streams in the same minutes."""
    minutes = wr.cogroup(orders, ships).window(wr.Tumbling("1 minute"))
    return minutes.aggregate(F.count("orders.price").alias("n")).start(
        panes=nowhere, checkpoint=checkpoint
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "begun", [of_join, pytest.param(of_cogroup, marks=pytest.mark.full)], ids=["join", "cogroup"]
)
def test_of_two_streams(spark: SparkSession, tmp_path: Path, begun: Any) -> None:
    """The status names the stream without any row, then a stream that has become silent (R87).

    Spark's own watermark is the least.
    """
    feeds = [Feed(spark, tmp_path / name) for name in ("orders", "ships")]
    feeds[0].add([order("09:00:10"), order("09:00:40")])
    orders, ships = (
        wr.stream(feed.stream(), time="time", key="product", watermark=delay, name=name)
        for feed, name, delay in zip(
            feeds, ("orders", "ships"), ("10 seconds", "1 minute"), strict=True
        )
    )
    query = begun(orders.lateness("0 seconds"), ships.lateness("0 seconds"), tmp_path / "cp")

    def seen() -> tuple[wr.Status, str]:
        query.processAllAvailable()
        of = wr.status(query)
        return of, dict(_words.rows(of))["watermark"]

    try:
        of, said = seen()
        assert of.inputs == {"orders": at("09:00:30"), "ships": None}
        assert said == "none yet, held back by ships, which has received no rows"
        feeds[1].add([order("09:01:00")])
        of, said = seen()
        assert of.inputs == {"orders": at("09:00:30"), "ships": at("09:00:00")}
        assert of.heldBackBy is None
        for time in ("09:01:00", "09:01:20", "09:01:40"):
            feeds[0].add([order(time)])
            of, said = seen()
        assert of.heldBackBy == "ships"
        assert said.endswith(", held back by ships, 1 min 30 s behind the most advanced input")
        assert of.last is not None
        assert of.last.watermark == at("09:00:00")
        feeds[1].add([order("09:11:00"), order("09:05:00")])
        of, said = seen()
        assert of.heldBackBy is None
        assert of.last is not None
        assert of.last.watermark == min(time for time in of.inputs.values() if time)
        assert of.inputs["ships"] == at("09:00:30") + timedelta(minutes=9, seconds=30)
        _clock_is_refused(spark, query.id)
    finally:
        query.stop()
    if begun is of_join:
        kept = wr.state(tmp_path / "cp", operator="orders").getMessages(
            None, None, by={"product": "a"}
        )
        assert kept.count() == 5


def _clock_is_refused(spark: SparkSession, query: str) -> None:
    """Check that the clock of a query cannot be set outside tests."""
    call = f"SELECT * FROM _windrow_clock(query => '{query}', millis => 5L)"  # noqa: S608
    with pytest.raises(AnalysisException, match="CLOCK_IN_TESTS_ALONE"):
        spark.sql(call)


@pytest.mark.slow
def test_an_idle_stream(spark: SparkSession, tmp_path: Path) -> None:
    """A stream that is idle holds nothing back, so it is not named (R87, R107)."""
    feeds = [Feed(spark, tmp_path / name) for name in ("orders", "ships")]
    marks = [wr.EventTimeWatermark("10 seconds", idle=idle) for idle in (None, "1 second")]
    orders, ships = (
        wr.stream(feed.stream(), time="time", key="product", watermark=mark, name=name)
        for feed, name, mark in zip(feeds, ("orders", "ships"), marks, strict=True)
    )
    for feed in feeds:
        feed.add([order("09:00:40")])
    query = of_join(orders.lateness("0 seconds"), ships.lateness("0 seconds"), tmp_path / "cp")
    try:
        query.processAllAvailable()
        sleep(1.5)
        for time in ("09:01:00", "09:01:20", "09:01:40", "09:02:00"):
            feeds[0].add([order(time)])
            query.processAllAvailable()
        of = wr.status(query)
    finally:
        query.stop()
    assert of.watermark is not None
    assert of.watermark > at("09:00:30") == of.inputs["ships"]
    assert of.heldBackBy is None
