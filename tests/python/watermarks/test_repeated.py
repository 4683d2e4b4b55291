"""A run that begins with a repeated micro-batch, whose time is that of the first attempt (R107)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from feed import Feed, order
from watermarks.test_partitions import LONG, by_partition, live, minutes

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.spark, pytest.mark.slow]


def test_a_repeated_batch_does_not_end_the_wait(spark: Any, tmp_path: Path) -> None:
    """After a crash and a long downtime, a run waits for its partitions from its own start."""
    feed = Feed(spark, tmp_path / "in").add([order("09:10:00", "a"), order("09:05:00", "b")])
    for added, expected in ((None, "09:05:00"), (order("09:30:00", "a"), "09:05:00")):
        running = live(minutes(feed, by_partition(2, LONG)), tmp_path)
        try:
            assert running.watermark() == "09:05:00"
            if added is not None:
                feed.add([added])
            assert running.watermark() == expected
        finally:
            running.query.stop()
        crashed_ten_days_ago(tmp_path / "checkpoint")


def crashed_ten_days_ago(checkpoint: Path) -> None:
    """Remove the last commit of a query, and move the time of its micro-batch into the past."""
    last = max(int(file.name) for file in (checkpoint / "commits").glob("[0-9]*"))
    plan = checkpoint / "offsets" / str(last)
    earlier = re.sub(
        r'(?<="batchTimestampMs":)\d+',
        lambda found: str(int(found[0]) - 10 * 86_400_000),
        plan.read_text(),
    )
    assert earlier != plan.read_text()
    plan.write_text(earlier)
    for file in (
        checkpoint / "offsets" / f".{last}.crc",
        checkpoint / "commits" / str(last),
        checkpoint / "commits" / f".{last}.crc",
    ):
        file.unlink(missing_ok=True)
