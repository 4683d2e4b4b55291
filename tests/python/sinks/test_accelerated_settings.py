"""Accelerated queries write their rejected rows and take late ones (SEMANTICS R155, R156)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import functions as F

import windrow as wr
from feed import Feed, disordered, order
from programs import printed

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row

pytestmark = pytest.mark.spark

REJECTED = "spark.windrow.accelerate.rejected"
LATENESS = "spark.windrow.accelerate.lateness"


@pytest.fixture
def conf(feed: Feed) -> Iterator[Any]:
    """Return the session's settings, with acceleration on until the end of the test."""
    conf = feed.spark.conf
    conf.set("spark.windrow.accelerate", "true")
    yield conf
    for name in ("spark.windrow.accelerate", REJECTED, LATENESS):
        conf.unset(name)


def minutes(stream: DataFrame, delay: str = "10 minutes") -> DataFrame:
    """Return a plain query of Spark's."""
    grouped = stream.withWatermark("time", delay).groupBy("product", F.window("time", "5 minutes"))
    return grouped.agg(F.sum("amount").alias("total"))


def ran(query: DataFrame, checkpoint: Path, mode: str = "append") -> tuple[list[Row], list[Any]]:
    """Run a query to the end of its input, and return the emitted rows and the progress."""
    rows: list[Row] = []
    writer = query.writeStream.outputMode(mode).option("checkpointLocation", str(checkpoint))
    started = writer.foreachBatch(lambda batch, _: rows.extend(batch.collect())).start()
    try:
        started.processAllAvailable()
        return rows, [dict(one) for one in started.recentProgress]
    finally:
        started.stop()


@pytest.mark.slow
def test_rejected(feed: Feed, conf: Any, tmp_path: Path) -> None:
    """``SET`` names the folder, and one line reads each dropped row once, with its columns."""
    folder = tmp_path / "lost rows"
    feed.spark.sql(f"SET {REJECTED} = {folder}")
    assert conf.get(REJECTED) == str(folder)
    late = order("09:01:00", "late", gap=7)
    feed.add([order("09:00:00")], [order("10:00:00")], [order("10:01:00")], [late])
    _, progress = ran(minutes(feed.stream()), tmp_path / "checkpoint")
    found = feed.spark.read.parquet(str(folder))
    (lost,) = found.collect()
    assert (lost.stream, lost.reason, lost.message.gap) == ("accelerated_0", "TOO_LATE", 7)
    assert str(lost.watermark) == "2025-01-01 09:50:00"
    dropped = {
        one["batchId"]: one["stateOperators"][0]["numRowsDroppedByWatermark"] for one in progress
    }
    assert {number: count for number, count in dropped.items() if count} == {lost.batch: 1}
    assert found.columns[:5] == ["stream", "reason", "watermark", "processing_time", "message"]


def test_lateness(feed: Feed, conf: Any, tmp_path: Path) -> None:
    """A late row updates its window; a mode that cannot honor the setting is refused (R156)."""
    feed.add([order("09:00:00")], [order("10:00:00")], [order("10:01:00")])
    feed.add([order("09:01:00", amount=5)])
    conf.set(LATENESS, "2 hours")
    rows, _ = ran(minutes(feed.stream()), tmp_path / "checkpoint", "update")
    assert [row.total for row in rows] == [1, 1, 2, 6]
    with pytest.raises(PySparkException, match="LATENESS_NOT_ACCELERATED") as refused:
        ran(minutes(feed.stream()), tmp_path / "append")
    assert "'append'" in str(refused.value)
    assert LATENESS in str(refused.value)
    conf.set(LATENESS, "1 hour")
    with pytest.raises((PySparkException, Py4JJavaError), match="SPEC_CHANGED"):
        ran(minutes(feed.stream()), tmp_path / "checkpoint", "update")
    assert wr.explainAcceleration(minutes(feed.stream()), "update").operators[0].code is None


@pytest.mark.full
def test_lateness_is_a_longer_delay(feed: Feed, conf: Any, tmp_path: Path) -> None:
    """Spark with a delay that is longer by the lateness emits the same rows."""
    feed.add(*disordered(seed=11, batches=8))
    conf.set(LATENESS, "25 minutes")
    windrow, _ = ran(minutes(feed.stream()), tmp_path / "windrow", "update")
    conf.set("spark.windrow.accelerate", "false")
    spark, _ = ran(minutes(feed.stream(), "35 minutes"), tmp_path / "spark", "update")
    assert sorted(map(str, windrow)) == sorted(map(str, spark))
    assert len(spark) > 20


@pytest.mark.full
def test_connect(tmp_path: Path) -> None:
    """Both settings work in a Connect session, where ``foreachBatch`` runs in another process."""
    said = printed("accelerated.py", FOLDER=str(tmp_path), PART="settings")
    assert said[-3:] == ["TOO_LATE 1", "[1, 1, 2, 6]", "LATENESS_NOT_ACCELERATED"]
