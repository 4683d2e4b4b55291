"""``explain`` describes watermarks of partitions and late results of joins."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pyspark.sql import functions as F

import windrow as wr
from feed import Feed

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.spark


@pytest.mark.parametrize(
    ("idle", "more"),
    [(None, ""), ("2 minutes", ", without partitions that have had no rows for 2 minutes")],
)
def test_partitions(
    feed: Feed, capsys: pytest.CaptureFixture[str], idle: str | None, more: str
) -> None:
    """The watermark of the slowest partition is not described as that of all rows (R107)."""
    mark = wr.EventTimeWatermark("10 seconds", by="product", partitions=8, idle=idle)
    stream = wr.stream(feed.batch(), time="time", watermark=mark).lateness("0 seconds")
    stream.window(wr.Tumbling("1 minute")).aggregate(F.count("*")).explain()
    slowest = f"greatest event time of the slowest partition minus 10 seconds{more}"
    assert f"  watermark  {slowest}; it advances after each micro-batch" in capsys.readouterr().out


def test_inputs_of_joins(feed: Feed, capsys: pytest.CaptureFixture[str]) -> None:
    """A join names the watermark of each input: its partitions, and how long it counts (R107)."""
    parts = wr.EventTimeWatermark("10 seconds", by="product", partitions=8, idle="2 minutes")
    idle = wr.EventTimeWatermark("5 seconds", idle="1 hour")
    left, right = (
        wr.stream(feed.batch(), time="time", watermark=mark, name=name).lateness("1 minute")
        for name, mark in (("a", parts), ("b", idle))
    )
    wr.join(left, right, on="product", within=("0 seconds", "1 minute")).explain()
    first = "greatest event time of the slowest partition of 'a' minus 10 seconds"
    counts = "(a partition does not count after 2 minutes without rows)"
    second = "greatest event time of 'b' minus 5 seconds (it does not count after 1 hour"
    expected = f"  watermark  the minimum of {first} {counts}, {second} without rows); it advances"
    assert expected in capsys.readouterr().out


def test_rows_that_are_emitted_once(feed: Feed, capsys: pytest.CaptureFixture[str]) -> None:
    """A join that emits final rows describes when each one is emitted (R115)."""
    left, right = (
        wr.stream(feed.batch(), time="time", watermark="0 seconds", name=name).lateness("1 minute")
        for name in "ab"
    )
    final = wr.asofJoin(left, right, on="product", tolerance="5 seconds", early=wr.Never())
    final.explain()
    moment = "once the watermark minus 1 minute has passed all possible matches"
    assert f"  rows       one row for each row of 'a' {moment}" in capsys.readouterr().out


def test_acceleration_of_a_folder(tmp_path: Path) -> None:
    """``explainAcceleration`` rejects a checkpoint before it reads anything."""
    with pytest.raises(wr.SpecError, match="a streaming DataFrame or a running query") as refused:
        wr.explainAcceleration(str(tmp_path))  # type: ignore[arg-type]
    assert [problem.code for problem in refused.value.problems] == ["ARGUMENT_NOT_UNDERSTOOD"]
