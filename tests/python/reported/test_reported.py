"""Cases that users of other engines reported as bugs, with expected values by hand.

Comments name the reports. Days and weeks of a zone are compared with ``zoneinfo``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import pytest
from pyspark.sql import functions as F

import windrow as wr
from feed import add_files

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, Row, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

pytestmark = [pytest.mark.spark, pytest.mark.slow]

#: A day around which the clocks of a zone change.
CHANGES = {
    "America/Santiago": ("2024-09-08", "2024-04-07"),  # no midnight; midnight twice
    "Africa/Cairo": ("2023-04-28", "2023-10-27"),
    "Asia/Beirut": ("2024-03-31", "2024-10-27"),
    "Australia/Lord_Howe": ("2024-10-06", "2024-04-07"),  # half an hour
    "Pacific/Apia": ("2011-12-30",),  # this day does not exist
    "America/New_York": ("2024-03-10", "2024-11-03"),
}


def count() -> Column:
    """Return the number of rows, as ``n``."""
    return F.count("*").alias("n")


class Case:
    """A real query, which reads one file of rows per micro-batch."""

    def __init__(self, spark: SparkSession, folder: Path, schema: str) -> None:
        """Start without files."""
        self.spark, self.folder, self.schema = spark, folder, schema
        self.panes: list[Row] = []
        self.rejected: list[Row] = []
        self.query: StreamingQuery | None = None
        (folder / "in").mkdir(parents=True)

    def stream(self) -> DataFrame:
        """Read the files, one for each micro-batch."""
        reader = self.spark.readStream.schema(self.schema).option("maxFilesPerTrigger", "1")
        return reader.json(str(self.folder / "in"))

    def add(self, *batches: Sequence[Mapping[str, object]]) -> Case:
        """Add one file for each micro-batch."""
        add_files(self.folder / "in", *batches)
        return self

    def run(self, output: wr.Output, *, drain: bool = False) -> Case:
        """Process all files; with ``drain``, emit every window."""
        self.query = output.start(
            checkpoint=str(self.folder / "checkpoint"),
            panes=lambda rows, _: self.panes.extend(rows.collect()),
            rejected=lambda rows, _: self.rejected.extend(rows.collect()),
            availableNow=True,
            drain=drain,
        )
        assert self.query is not None
        self.query.awaitTermination()
        return self

    def last(self, *key: str) -> dict[tuple[Any, ...], int]:
        """Return the last ``n`` of each key and window, without those that were withdrawn."""
        found: dict[tuple[Any, ...], int] = {}
        for pane in self.panes:
            place = (*(pane[name] for name in key), pane.window.start, pane.window.end)
            if pane.pane.is_retraction:
                del found[place]
            else:
                found[place] = pane.n
        return found


def hours(case: Case, *key: str, but: str = "") -> dict[tuple[str, str], int]:
    """Return the last ``n`` of each key and start of a window."""
    return {
        (found[0], f"{found[-2]:%H:%M}"): n
        for found, n in case.last(*key).items()
        if found[0] != but
    }


# ----- days, weeks, and years of a zone: ksql 1968 and 4460, risingwave 14772, influxdb 7594


def few(names: Mapping[str, object], *always: str) -> list[Any]:
    """Return the cases of a test: those that always run, and the others of the mode ``full``."""
    marks = {name: () if name in always else (pytest.mark.full,) for name in names}
    return [pytest.param(name, marks=of) for name, of in marks.items()]


def _first(day: date, zone: ZoneInfo, shown: timedelta = timedelta()) -> datetime:
    """Return the first time at which the clocks show this day and time of day, or a later one."""
    wanted = datetime(day.year, day.month, day.day) + shown  # noqa: DTZ001  what clocks show
    time = wanted.replace(tzinfo=UTC) - timedelta(hours=30)
    while time.astimezone(zone).replace(tzinfo=None) < wanted:
        time += timedelta(minutes=15)
    return time.replace(tzinfo=None)


def _every(minutes: int, *, since: str, days: int) -> list[datetime]:
    start = datetime.fromisoformat(since).replace(tzinfo=UTC)
    return [start + timedelta(minutes=n) for n in range(0, days * 24 * 60, minutes)]


def _counted(spark: SparkSession, folder: Path, kind: wr.WindowKind, times: list[datetime]) -> Any:
    case = Case(spark, folder, "time timestamp").add(
        [{"time": f"{time:%Y-%m-%d %H:%M:%S}"} for time in sorted(times)]
    )
    stream = wr.stream(case.stream(), time="time", watermark="0 seconds").lateness("0 seconds")
    return case.run(stream.window(kind).aggregate(count()), drain=True).last()


@pytest.mark.parametrize("zone", few(CHANGES, "Africa/Cairo", "Pacific/Apia"))
def test_days_of_a_zone(spark: SparkSession, tmp_path: Path, zone: str) -> None:
    """Some midnights do not exist or exist twice, and one day is missing."""
    there = ZoneInfo(zone)
    times: list[datetime] = []
    for day in CHANGES[zone]:
        times += _every(20, since=str(date.fromisoformat(day) - timedelta(days=2)), days=5)
    days = Counter(time.astimezone(there).date() for time in times)
    expected = {
        (_first(day, there), _first(day + timedelta(days=1), there)): n for day, n in days.items()
    }
    assert _counted(spark, tmp_path, wr.Tumbling("1 day", zone=zone), times) == expected


WEEK = timedelta(days=7)
#: Windows, their zone and length, and the weekday on which they start, relative to Monday.
KINDS: dict[str, tuple[wr.WindowKind, str, timedelta, int]] = {
    "weeks from Monday": (
        wr.Tumbling("1 week", zone="America/New_York"),
        "America/New_York",
        WEEK,
        0,
    ),
    "weeks from Sunday": (
        wr.Tumbling("1 week", zone="America/New_York", startTime="-1 day"),
        "America/New_York",
        WEEK,
        -1,
    ),
    "weeks from Sunday in UTC": (wr.Tumbling("7 days", startTime="3 days"), "UTC", WEEK, -1),
}


@pytest.mark.parametrize("name", few(KINDS, "weeks from Sunday"))
def test_weeks(spark: SparkSession, tmp_path: Path, name: str) -> None:
    """Weeks from Monday and from Sunday, over a change of the clocks."""
    kind, zone, length, begins = KINDS[name]
    there, expected = ZoneInfo(zone), Counter[tuple[datetime, datetime]]()
    times = _every(300, since="2024-03-03", days=15)
    for time in times:
        day = time.astimezone(there).date()
        first = day - timedelta(days=(day.weekday() - begins) % 7)
        expected[_first(first, there), _first(first + length, there)] += 1
    assert _counted(spark, tmp_path, kind, times) == expected


def test_days_from_six_in_the_morning(spark: SparkSession, tmp_path: Path) -> None:
    """The gas day of Berlin begins at 06:00 of its clocks, also when they change."""
    there, six = ZoneInfo("Europe/Berlin"), timedelta(hours=6)
    expected = Counter[tuple[datetime, datetime]]()
    times = _every(50, since="2024-03-29", days=5)
    for time in times:
        day = (time.astimezone(there).replace(tzinfo=None) - six).date()
        expected[_first(day, there, six), _first(day + timedelta(days=1), there, six)] += 1
    kind = wr.Tumbling("1 day", zone="Europe/Berlin", startTime="6 hours")
    assert _counted(spark, tmp_path, kind, times) == expected


def test_years_hours_and_rolling_days(spark: SparkSession, tmp_path: Path) -> None:
    """Years from April, hours of a zone, and the last seven days of each day."""
    times = [datetime(2024, 3, 30, 23, 10, tzinfo=UTC), datetime(2024, 4, 1, 8, tzinfo=UTC)]
    year = wr.Tumbling("1 year", zone="Europe/London", startTime="3 months")
    # On each 1 April, the clocks of London are an hour ahead of UTC.
    assert _counted(spark, tmp_path / "years", year, times) == {
        (datetime(2023, 3, 31, 23), datetime(2024, 3, 31, 23)): 1,  # noqa: DTZ001
        (datetime(2024, 3, 31, 23), datetime(2025, 3, 31, 23)): 1,  # noqa: DTZ001
    }
    hour = wr.Tumbling("1 hour", zone="Asia/Kolkata")  # 5 hours and 30 minutes ahead of UTC
    assert _counted(spark, tmp_path / "hours", hour, times) == {
        (datetime(2024, 3, 30, 22, 30), datetime(2024, 3, 30, 23, 30)): 1,  # noqa: DTZ001
        (datetime(2024, 4, 1, 7, 30), datetime(2024, 4, 1, 8, 30)): 1,  # noqa: DTZ001
    }
    there = ZoneInfo("Europe/Berlin")
    expected = Counter[tuple[datetime, datetime]]()
    for time in times:
        day = time.astimezone(there).date()
        for first in (day - timedelta(days=n) for n in range(7)):
            expected[_first(first, there), _first(first + WEEK, there)] += 1
    rolling = wr.Hopping("7 days", step="1 day", zone="Europe/Berlin")
    assert _counted(spark, tmp_path / "rolling", rolling, times) == expected


# ----- sessions that end at an event or when a value changes: d8a 85

EVENTS = (
    *(("ann", "09:00", "login"), ("bob", "09:00", "login"), ("ann", "09:05", "click")),
    *(("ann", "09:06", "logout"), ("ann", "09:10", "login"), ("ann", "09:15", "click")),
    *(("bob", "09:20", "click"), ("ann", "10:30", "login"), ("bob", "10:30", "click")),
    ("ann", "10:31", "logout"),
)
VISITS = {
    ("ann", "09:00"): 3,
    ("ann", "09:10"): 2,
    ("ann", "10:30"): 2,
    ("bob", "09:00"): 2,
    ("bob", "10:30"): 1,
}
CAMPAIGNS = tuple(
    ("eve", f"09:{minute}", campaign)
    for minute, campaign in (("00", "a"), ("10", "a"), ("20", "b"), ("25", "b"), ("30", "a"))
)


@pytest.mark.parametrize(
    ("kind", "events", "expected"),
    [
        (wr.Session("30 minutes", endsWith="event = 'logout'"), EVENTS, VISITS),
        (
            wr.Session("30 minutes", split="event"),
            CAMPAIGNS,
            {("eve", "09:00"): 2, ("eve", "09:20"): 2, ("eve", "09:30"): 1},
        ),
    ],
    ids=["until the logout", "by campaign"],
)
def test_visits(
    spark: SparkSession,
    tmp_path: Path,
    kind: wr.Session,
    events: Sequence[tuple[str, str, str]],
    expected: dict[tuple[str, str], int],
) -> None:
    """A visit ends at its logout or when the campaign changes, or after 30 minutes."""
    case = Case(spark, tmp_path, "time timestamp, user string, event string")
    clock = [("clock", "14:00", "tick"), ("clock", "15:00", "tick")]
    for user, time, event in [*events, *clock]:
        case.add([{"time": f"2025-01-01 {time}:00", "user": user, "event": event}])
    stream = wr.stream(case.stream(), time="time", key="user", watermark="0 seconds")
    case.run(stream.lateness("0 seconds").window(kind).aggregate(count()))
    assert hours(case, "user", but="clock") == expected


# ----- an input that is silent: numaflow 3006, beam 40176, arroyo 222, quix-streams 790

PAIR = {"orders": "time timestamp, id int", "shipments": "time timestamp, id int"}


def test_a_join_with_a_silent_input(spark: SparkSession) -> None:
    """Shipments are silent for ten hours. The orders still arrive without a partner."""

    def joined(orders: DataFrame, shipments: DataFrame) -> Any:
        quiet = wr.EventTimeWatermark("0 seconds", idle="20 minutes")
        o = wr.stream(orders, time="time", watermark="0 seconds", name="o").lateness("0 seconds")
        s = wr.stream(shipments, time="time", watermark=quiet, name="s").lateness("0 seconds")
        return wr.join(o, s, on="id", within=("0 minutes", "5 minutes"), how="left")

    with wr.testing.harness(joined, spark, schema=PAIR, now="2025-01-01 09:00:00") as test:
        test.add(("2025-01-01 09:00:00", 1), to="orders")
        test.add(("2025-01-01 09:00:00", 9), to="shipments")
        for hour in range(10, 20):
            test.add((f"2025-01-01 {hour}:00:00", hour), to="orders")
            test.advanceProcessingTime(f"2025-01-01 {hour}:30:00")
        # The watermark is the time of the last order, so that order waits for its five minutes.
        assert [row["id"] for row in test.rows()] == [1, *range(10, 19)]


@pytest.mark.parametrize("engine", ["core", "query"])
def test_a_cogroup_by_the_clock(spark: SparkSession, engine: str) -> None:
    """The hour of a co-group ends by the clock although one input never has a row."""

    def beside(orders: DataFrame, shipments: DataFrame) -> Any:
        clock = wr.ProcessingTimeWatermark("5 minutes")
        o = wr.stream(orders, time="time", key="id", watermark=clock, name="o")
        s = wr.stream(shipments, time="time", key="id", watermark=clock, name="s")
        both = wr.cogroup(o.lateness("0 seconds"), s.lateness("0 seconds"))
        return both.window(wr.Tumbling("1 hour")).aggregate(
            F.count("o.id").alias("orders"), F.count("s.id").alias("shipments")
        )

    options: dict[str, Any] = {"schema": PAIR, "now": "2025-01-01 09:00:00", "engine": engine}
    with wr.testing.harness(beside, spark, **options) as test:
        test.add(("2025-01-01 09:00:00", 1), to="orders")
        test.advanceProcessingTime("2025-01-01 10:06:00")
        assert [(p["id"], p["orders"], p["shipments"]) for p in test.panes()] == [(1, 1, 0)]


@pytest.mark.parametrize("engine", ["core", "query"])
def test_a_window_by_the_clock(spark: SparkSession, engine: str) -> None:
    """A window ends half a minute after its end, without a row; a late row corrects it."""

    def minutes(rows: DataFrame) -> Any:
        clock = wr.ProcessingTimeWatermark("30 seconds")
        stream = wr.stream(rows, time="time", key="id", watermark=clock).lateness("10 minutes")
        windows = stream.window(wr.Tumbling("1 minute"))
        return windows.accumulationMode(wr.ACCUMULATING).aggregate(count())

    options: dict[str, Any] = {"now": "2025-01-01 09:00:20", "engine": engine}
    with wr.testing.harness(minutes, spark, schema=PAIR["orders"], **options) as test:
        test.add(("2025-01-01 09:00:10", 1))
        test.advanceProcessingTime("2025-01-01 09:01:29")
        assert test.panes() == []
        test.advanceProcessingTime("2025-01-01 09:01:31")
        assert [(p["n"], p["pane"]["timing"]) for p in test.panes()] == [(1, "ON_TIME")]
        test.add(("2025-01-01 09:00:50", 1))
        assert [(p["n"], p["pane"]["timing"]) for p in test.panes()] == [(2, "LATE")]
        test.advanceProcessingTime("2025-01-01 10:00:00")
        test.add(("2025-01-01 09:00:55", 1))
        assert [row["reason"] for row in test.rejected()] == ["TOO_LATE"]


# ----- rows that other engines lose


@pytest.mark.parametrize("lateness", ["0 seconds", "10 minutes"])
def test_a_late_row_behind_a_deduplication(
    spark: SparkSession, tmp_path: Path, lateness: str
) -> None:
    """Spark drops the late order of 8.0. Windrow corrects its minute or rejects it."""
    case = Case(spark, tmp_path, "time timestamp, product string, price double")
    for time, price in (
        ("09:00:10", 2.0),
        ("09:05:00", 4.0),
        ("09:00:50", 8.0),
        ("09:06:00", 16.0),
    ):
        row = {"time": f"2025-01-01 {time}", "product": "tea", "price": price}
        case.add([row], [row])  # each order twice
    orders = wr.stream(case.stream(), time="time", key=["product", "price"], watermark="1 minute")
    once = orders.lateness(lateness).dedup("1 hour")
    minutes = wr.stream(once.rows, time="time", key="product", name="minutes").lateness(lateness)
    windows = minutes.window(wr.Tumbling("1 minute")).accumulationMode(wr.ACCUMULATING)
    case.run(windows.aggregate(F.sum("price").alias("n")), drain=True)
    is_late = lateness == "0 seconds"
    nine = 2.0 if is_late else 10.0
    assert hours(case, "product") == {
        ("tea", "09:00"): nine,
        ("tea", "09:05"): 4.0,
        ("tea", "09:06"): 16.0,
    }
    reasons = Counter(row.reason for row in case.rejected)
    assert reasons == ({"DUPLICATE": 3, "TOO_LATE": 2} if is_late else {"DUPLICATE": 4})


def test_a_time_that_is_text(spark: SparkSession, tmp_path: Path) -> None:
    """A row whose text is not a time is rejected, and the query continues."""
    case = Case(spark, tmp_path, "text string, v int")
    texts = ("2025-01-01 09:00:10", "no time", "2025-01-01 09:02:00", "2025-01-01 09:03:00")
    case.add(*([{"text": text, "v": 10**i}] for i, text in enumerate(texts)))
    time = F.try_to_timestamp("text")
    stream = wr.stream(case.stream(), time=time, watermark="0 seconds").lateness("0 seconds")
    case.run(stream.window(wr.Tumbling("1 minute")).aggregate(F.sum("v").alias("v")))
    assert [(row.reason, row.message.v) for row in case.rejected] == [("INVALID_TIME", 10)]
    assert [pane.v for pane in case.panes] == [1, 100]


def test_each_row_is_in_a_window_of_markers(spark: SparkSession, tmp_path: Path) -> None:
    """A marker belongs to the window that it ends."""
    case = Case(spark, tmp_path, "time timestamp, k string, v int, closes boolean")
    for second, closes in ((1, False), (2, False), (3, True), (4, False), (5, True)):
        time = f"2025-01-01 09:00:0{second}"
        case.add([{"time": time, "k": "a", "v": 10 ** (second - 1), "closes": closes}])
    policy = wr.Policy.tumbling(wr.ByPunctuation("closes"))
    stream = wr.stream(case.stream(), time="time", key="k").window(policy)
    case.run(stream.aggregate(F.sum("v").alias("sum"), count()))
    assert [(pane["sum"], pane.n) for pane in case.panes] == [(111, 3), (11000, 2)]
    assert case.rejected == []


def test_zeros_of_a_silent_key(spark: SparkSession, tmp_path: Path) -> None:
    """A shop that is silent for ten hours has a pane for each hour that is over."""
    case = Case(spark, tmp_path, "time timestamp, k string")
    case.add([{"time": "2025-01-01 00:10:00", "k": "shop"}])
    case.add(*([{"time": f"2025-01-01 {hour:02}:30:00", "k": "clock"}] for hour in range(12)))
    stream = wr.stream(case.stream(), time="time", key="k", watermark="0 seconds")
    hourly = stream.lateness("0 seconds").window(wr.Tumbling("1 hour"), fillGaps=True)
    case.run(hourly.aggregate(count()))
    expected = {("shop", "00:00"): 1} | {("shop", f"{hour:02}:00"): 0 for hour in range(1, 11)}
    assert hours(case, "k", but="clock") == expected
