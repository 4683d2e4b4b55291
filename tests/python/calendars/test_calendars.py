"""Windows of a place, compared with ``zoneinfo`` at the changes of its clocks (SEMANTICS W4)."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

import windrow as wr
from calendars.zones import DAY, HOUR, MINUTE, Clocks, Steps, clocks

if TYPE_CHECKING:
    from py4j.java_gateway import JavaObject
    from pyspark.sql import SparkSession

#: Places with clocks that change at midnight, by half an hour, by a day, or during Ramadan.
SAMPLE = ("Europe/Berlin", "Pacific/Apia", "Australia/Lord_Howe", "America/Havana")
ZONES = (
    *("Africa/Cairo", "Africa/Monrovia", "America/Asuncion", "America/Caracas"),
    *("America/Juneau", "America/New_York", "America/Santiago", "America/Sao_Paulo"),
    *("America/St_Johns", "Antarctica/Troll", "Asia/Beirut", "Asia/Gaza", "Asia/Kathmandu"),
    *("Asia/Kolkata", "Asia/Colombo", "Asia/Pyongyang", "Atlantic/Azores", "Australia/Eucla"),
    *("Europe/Dublin", "Europe/Istanbul", "Europe/London", "Europe/Moscow", "Pacific/Chatham"),
    *("Pacific/Kiritimati", "Pacific/Kwajalein", "Pacific/Norfolk"),
)


def _tumbling(size: str, start: str = "0 seconds") -> tuple[str, str | None, str]:
    return size, None, start


#: Size, step, and start time, with the steps that they mean.
KINDS = {
    _tumbling("1 day"): Steps("days", 1),
    _tumbling("1 day", "6 hours"): Steps("days", 1, later=6 * HOUR),
    _tumbling("1 day", "150 minutes"): Steps("days", 1, later=150 * MINUTE),
    _tumbling("1 week"): Steps("days", 7, later=-3 * DAY),
    _tumbling("1 week", "-1 day"): Steps("days", 7, later=-4 * DAY),
    _tumbling("1 month", "14 days"): Steps("months", 1, later=14 * DAY),
    _tumbling("1 quarter", "1 month"): Steps("months", 3, months=1),
    _tumbling("1 year", "3 months 5 days"): Steps("months", 12, months=3, later=5 * DAY),
    _tumbling("15 minutes"): Steps("minutes", 15),
    _tumbling("1 hour"): Steps("minutes", 60),
    _tumbling("1 hour", "20 minutes"): Steps("minutes", 60, later=20 * MINUTE),
    _tumbling("2 hours"): Steps("minutes", 120),
    _tumbling("8 hours", "6 hours"): Steps("minutes", 480, later=6 * HOUR),
    ("1 week", "1 day", "0 seconds"): Steps("days", 1, inside=7),
    ("3 months", "1 month", "2 hours"): Steps("months", 1, inside=3, later=2 * HOUR),
    ("3 hours", "30 minutes", "0 seconds"): Steps("minutes", 30, inside=6),
    ("12 hours", "6 hours", "0 seconds"): Steps("minutes", 360, inside=2),
}


def _kind(zone: str, size: str, step: str | None, start: str) -> wr.WindowKind:
    if step is None:
        return wr.Tumbling(size, zone=zone, startTime=start)
    return wr.Hopping(size, step=step, zone=zone, startTime=start)


def _grid(spark: SparkSession, zone: str, size: str, step: str | None, start: str) -> JavaObject:
    jvm = spark._jvm  # the grid itself, because a query for each change would take hours
    assert jvm is not None
    there = jvm.java.time.ZoneId.of(zone)
    if step is None:
        return jvm.windrow.Tumbling.apply(size, there, start).grid()
    return jvm.windrow.Hopping.apply(size, step, there, start).grid()


def _agrees(grid: JavaObject, steps: Steps, there: Clocks, change: int, at: list[int]) -> None:
    """Compare the starts of windows around a change, and the windows of some times."""
    windows = steps.windows(there, change)
    starts = [start for start in windows if abs(start - change) <= steps.reach // 2]
    found = grid.between(starts[0], starts[-1]).mkString(" ")
    assert [int(start) for start in found.split()] == starts
    for time in at:
        expected = [start for start, end in windows.items() if start <= time < end]
        assert grid.lastStart(time) == expected[-1]
        assert grid.firstStart(time) == expected[0]
        assert grid.end(expected[0]) == windows[expected[0]]


def _times(rng: random.Random, change: int) -> list[int]:
    return [change - 1, change, change + rng.randrange(90 * MINUTE)]


def _compare(spark: SparkSession, zone: str, *, most: int) -> None:
    there, rng = clocks(zone), random.Random(zone)  # noqa: S311  the same in each run
    changes = there.changes or [0]
    for kind, steps in KINDS.items():
        grid = _grid(spark, zone, *kind)
        for change in rng.sample(changes, min(most, len(changes))):
            _agrees(grid, steps, there, change, _times(rng, change))


@pytest.mark.parametrize("zone", SAMPLE)
def test_windows_follow_the_clocks(spark: SparkSession, zone: str) -> None:
    """Some changes of the clocks of some places."""
    _compare(spark, zone, most=4)


@pytest.mark.full
@pytest.mark.parametrize("zone", [*SAMPLE, *ZONES])
def test_windows_follow_all_clocks(spark: SparkSession, zone: str) -> None:
    """Every change of the clocks of 30 places from 1970 to 2037."""
    _compare(spark, zone, most=1_000)


@pytest.mark.parametrize("zone", SAMPLE)
def test_pictures_show_these_windows(zone: str) -> None:
    """``plot`` finds the windows without the JVM."""
    there, rng = clocks(zone), random.Random(zone)  # noqa: S311
    for kind, steps in KINDS.items():
        change = rng.choice(there.changes)
        windows = steps.windows(there, change)
        for time in _times(rng, change):
            expected = [(start, end) for start, end in windows.items() if start <= time < end]
            assert _kind(zone, *kind)._holding([time]) == expected
