# ruff: noqa: S608  the SQL contains only numbers and keys of this file
"""``Windowed.fillGaps`` equals plain Python and DuckDB (SEMANTICS R120 to R122)."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from operator import methodcaller
from typing import TYPE_CHECKING, Any, Literal

import duckdb
import pytest
from pyspark.sql import functions as F

import windrow as wr
from calendars import zones
from counts import streams
from windrow.testing import harness

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

SCHEMA = "time timestamp, key string, price double, label string"
START = datetime(2025, 1, 1, tzinfo=UTC)
MINUTE = 60

#: Streams are the keys of a query.
KEYS = "abcdefghij" if streams(12) > 100 else "ab"
CASES = math.ceil(streams(12) / len(KEYS))

#: Windows of a place, as steps, and how many times longer than a minute they usually are.
PLACES = ("Europe/Berlin", "Pacific/Apia", "Australia/Lord_Howe", "Africa/Monrovia")
OF_A_PLACE = {
    "1 hour": (zones.Steps("minutes", 60), 60),
    "1 day": (zones.Steps("days", 1), 1440),
}

Mode = Literal["accumulating", "accumulating_and_retracting"]
MODES: tuple[Mode, ...] = ("accumulating", "accumulating_and_retracting")

#: Second, key, price, label.
Row = tuple[int, str, float | None, str]
#: Count of rows, mean price, last label, greatest price as an integer.
Values = tuple[int, float | None, str | None, int | None]
Key = tuple[str, int]


@dataclass(frozen=True)
class Case:
    """A query and its stream; times in seconds, of a place in its minutes."""

    seed: int
    step: int = MINUTE
    lateness: int = 0
    silence: int | None = None
    at_most: int = 5 * MINUTE
    mode: Mode = "accumulating"
    method: str = "previous"
    early: bool = False
    steps: int = 10
    #: A zone, the size of its windows, and a change of its clocks.
    place: tuple[str, str, int] | None = None

    @property
    def start(self) -> datetime:
        """Return the first time. The clocks of a place change some windows later."""
        if self.place is None:
            return START
        change = datetime.fromtimestamp(self.place[2] // 1_000_000, UTC)
        return change - timedelta(seconds=self.seed % 12 * MINUTE * self.scale + 1800)

    @property
    def scale(self) -> int:
        """Return how many times longer the windows are."""
        return OF_A_PLACE[self.place[1]][1] if self.place else 1

    @cached_property
    def ends(self) -> Mapping[int, int]:
        """Return the end of each window by its start, in order."""
        longest = (self.steps * 400 + 3 * MINUTE) * self.scale
        if self.place is None:
            return {at: at + MINUTE for at in range(-2 * MINUTE, longest, self.step)}
        zone, size, _ = self.place
        first = zones.micros(self.start)
        found: dict[int, int] = {}
        for second in range(-3600, longest, 86_400):
            around = first + second * 1_000_000
            found |= OF_A_PLACE[size][0].windows(zones.clocks(zone), around)
        return {
            (start - first) // 1_000_000: (end - first) // 1_000_000
            for start, end in sorted(found.items())
        }

    def windows(self, second: int) -> list[int]:
        """Return the starts of the windows that contain a time."""
        return [start for start, end in self.ends.items() if start <= second < end]

    def query(self, rows: DataFrame) -> wr.Output:
        """Return the query."""
        kind: wr.WindowKind = wr.Tumbling("1 minute")
        if self.place:
            kind = wr.Tumbling(self.place[1], zone=self.place[0])
        elif self.step != MINUTE:
            kind = wr.Hopping("1 minute", step=f"{self.step} seconds")
        fills: bool | str = False if self.silence is None else f"{self.silence} seconds"
        windows = (
            wr.stream(rows, time="time", key="key", watermark="0 seconds")
            .lateness(f"{self.lateness} seconds")
            .window(kind, fillGaps=fills)
            .accumulationMode(self.mode)
            .fillGaps(
                {"mean": self.method, "label": "previous", "most": self.method},
                atMost=f"{self.at_most} seconds",
            )
        )
        if self.early:
            windows = windows.trigger(early=wr.EachBatch())
        return windows.aggregate(
            F.count("*").alias("n"),
            F.round(F.avg("price"), 6).alias("mean"),
            F.last("label").alias("label"),
            F.max("price").cast("int").alias("most"),
        )

    def stream(self) -> Iterator[list[Row]]:
        """Draw the rows of each step: most in order, some late, with pauses."""
        draw = random.Random(self.seed)  # noqa: S311  no secret
        now = 0
        for _ in range(self.steps):
            now += draw.choice((0, 10, 50, 130, 400)) * self.scale
            rows = []
            for _ in range(draw.randrange(1, 4) * len(KEYS) // 2):
                at = max(0, now - draw.choice((0, 0, 5, 40, 90, 200)) * self.scale)
                price = draw.choice((None, draw.randrange(400) / 4))
                rows.append((at, draw.choice(KEYS), price, "xyz"[at % 3]))
            yield rows


class Oracle:
    """Recomputes all panes from the accepted rows."""

    def __init__(self, case: Case) -> None:
        """Begin without rows."""
        self.case = case
        self.rows: list[Row] = []
        self.watermark: int | None = None

    def add(self, rows: list[Row]) -> None:
        """Accept the rows of a step, and advance the watermark."""
        before, case = self.watermark, self.case
        for row in rows:
            starts = case.windows(row[0])
            open_ = [at for at in starts if self._is_open(at, before)]
            self.rows += [(at, *row) for at in open_]  # type: ignore[misc]
        self.watermark = max([row[0] for row in rows] + ([before] if before is not None else []))

    def _is_open(self, start: int, watermark: int | None) -> bool:
        return watermark is None or self.case.ends[start] + self.case.lateness > watermark

    def panes(self) -> Mapping[Key, Values]:
        """Return the values of all windows that have been emitted."""
        groups: dict[str, dict[int, list[Any]]] = {}
        for start, second, key, price, label in self.rows:  # type: ignore[misc]
            groups.setdefault(key, {}).setdefault(start, []).append((second, label, price))
        found: dict[Key, Values] = {}
        for key, windows in groups.items():
            values = {start: self._value(rows) for start, rows in windows.items()}
            done = {start: v for start, v in values.items() if self._is_complete(start)}
            found |= {(key, start): value for start, value in done.items()}
            for gap in self._gaps(sorted(values)):
                filled = self._filled(gap, values, done)
                if filled is not None:
                    found[key, gap] = filled
        return found

    def _is_complete(self, start: int) -> bool:
        assert self.watermark is not None
        return self.case.ends[start] <= self.watermark

    @staticmethod
    def _value(rows: list[Any]) -> Values:
        prices = [price for *_, price in rows if price is not None]
        last = max(rows, key=lambda row: row[0])  # rows of one time have the same label
        mean = round(sum(prices) / len(prices), 6) if prices else None
        return len(rows), mean, last[1], int(max(prices)) if prices else None

    def _gaps(self, starts: list[int]) -> Iterator[int]:
        """Return the windows without rows (SEMANTICS R3)."""
        assert self.watermark is not None
        silence, ends = self.case.silence or self.case.at_most, self.case.ends
        for at in ends:
            before = [start for start in starts if start < at]
            if at in starts or not before or not self._is_complete(at):
                continue
            if ends[at] - ends[before[-1]] <= silence:
                yield at

    def _filled(
        self, gap: int, values: Mapping[int, Values], done: Mapping[int, Values]
    ) -> Values | None:
        case, last = self.case, max(start for start in values if start < gap)
        end = case.ends[last]
        near = case.ends[gap] - end <= case.at_most
        mean, label, most = values[last][1:] if near else (None, None, None)
        if case.method == "linear":
            nexts = [start for start in done if start > gap]
            if not nexts and self.watermark < end + case.at_most:  # type: ignore[operator]
                return None
            mean, most = None, None
            if nexts and case.ends[min(nexts)] - end <= case.at_most:
                share = (gap - last) / (min(nexts) - last)
                one, other = values[last], values[min(nexts)]
                if one[1] is not None and other[1] is not None:
                    mean = one[1] + (other[1] - one[1]) * share
                if one[3] is not None and other[3] is not None:
                    exact = one[3] + (other[3] - one[3]) * share
                    most = int(exact + 0.5)
        return 0, mean, label, most


def shown(panes: list[dict[str, Any]], case: Case) -> Mapping[Key, Values]:
    """Return the last value of each window, after checking its panes."""
    net: dict[Key, dict[str, Any]] = {}
    indexes: dict[Key, int] = {}
    for pane in panes:
        start, end = (
            int((pane["window"][edge].astimezone(UTC) - case.start).total_seconds())
            for edge in ("start", "end")
        )
        assert case.ends[start] == end
        at, about = (pane["key"], start), pane["pane"]
        assert about["is_gap"] == (pane["n"] == 0)
        if about["is_retraction"]:
            old = net.pop(at)
            assert {**pane, "pane": {**about, "is_retraction": False}} == old
        else:
            assert at not in net or case.mode == "accumulating"
            assert about["index"] == indexes.get(at, -1) + 1
            indexes[at], net[at] = about["index"], pane
    return {
        at: (pane["n"], pane["mean"], pane["label"], pane["most"])
        for at, pane in net.items()
        if pane["pane"]["timing"] != "EARLY"
    }


def compare(spark: SparkSession, case: Case, *, engine: Literal["core", "query"] = "core") -> int:
    """Compare all panes after each step; return the number of filled windows."""
    oracle, panes = Oracle(case), list[dict[str, Any]]()
    with harness(case.query, spark, schema=SCHEMA, engine=engine) as h:
        for number, rows in enumerate(case.stream()):
            h.add([(case.start + timedelta(seconds=at), *rest) for at, *rest in rows])
            oracle.add(rows)
            expected = oracle.panes()
            panes += h.panes()
            found = shown(panes, case)
            assert found.keys() == expected.keys(), case
            for at, values in expected.items():
                assert found[at] == pytest.approx(values, abs=1e-9), (case, number, at)
            if number % 4 == 3:
                h.restart()
    return sum(1 for n, mean, *_ in expected.values() if n == 0 and mean is not None)


def cases(count: int) -> Iterator[Case]:
    """Draw queries."""
    for seed in range(count):
        draw = random.Random(seed)  # noqa: S311  no secret
        method = draw.choice(("previous", "previous", "linear"))
        place = None
        if draw.random() < 0.5:
            zone = draw.choice(PLACES)
            size = draw.choice(list(OF_A_PLACE))
            place = (zone, size, draw.choice(zones.clocks(zone).changes))
        unit = MINUTE * (OF_A_PLACE[place[1]][1] if place else 1)
        at_most = draw.choice((2, 5, 30)) * unit
        yield Case(
            seed,
            step=draw.choice((MINUTE, 20)),
            lateness=0 if method == "linear" else draw.choice((0, 1, 5)) * unit,
            silence=draw.choice((None, at_most, 60 * unit)),
            at_most=at_most,
            mode=draw.choice(MODES),
            method=method,
            early=draw.random() < 0.2,
            place=place,
        )


def test_values_equal_a_recomputation(spark: SparkSession) -> None:
    """Random streams with late rows, pauses, and restarts give the recomputed panes."""
    drawn = list(cases(CASES))
    assert sum(compare(spark, case) for case in drawn) > CASES
    assert {case.place is None for case in drawn} == {True, False}


DAYS = ("Europe/Berlin", "1 day", zones.micros(datetime(2025, 10, 26, 1, tzinfo=UTC)))
HOURS = ("Australia/Lord_Howe", "1 hour", zones.micros(datetime(2025, 4, 5, 15, tzinfo=UTC)))


@pytest.mark.parametrize(
    "case",
    [
        Case(6, place=DAYS, at_most=2 * 86_400, lateness=86_400, mode=MODES[1]),
        Case(20, place=HOURS, at_most=2 * 3_600),
        Case(80, place=HOURS, at_most=5 * 3_600, method="linear"),
    ],
    ids=["a day of 25 hours", "an hour of 90 minutes", "linear"],
)
def test_gaps_after_a_change_of_clocks(spark: SparkSession, case: Case) -> None:
    """The limit counts from the end of a window, also of one that is longer than others."""
    assert compare(spark, case) > 0
    last = max(at for at, end in case.ends.items() if end - at > MINUTE * case.scale)
    assert any(
        second in range(last, case.ends[last]) for rows in case.stream() for second, *_ in rows
    )


@pytest.mark.anywhere
def test_a_query_equals_the_core(spark: SparkSession) -> None:
    """A real query with late rows, retractions, and a restart gives the same panes."""
    case = Case(3, lateness=300, mode="accumulating_and_retracting", steps=5)
    assert compare(spark, case, engine="query") > 0


def test_batch_sql_equals_duckdb(spark: SparkSession) -> None:
    """A batch query in SQL carries values as DuckDB's ``last_value(... IGNORE NULLS)``."""
    draw = random.Random(7)  # noqa: S311  no secret
    rows = sorted((draw.randrange(3000), draw.choice("ab"), draw.randrange(99)) for _ in range(60))
    text = ", ".join(f"({at}, '{key}', {value})" for at, key, value in rows)
    wanted = duckdb.sql(f"""
        WITH t AS (SELECT sec // 60 AS w, key, max(v) AS v FROM (VALUES {text}) r(sec, key, v)
            GROUP BY ALL),
        ends AS (SELECT key, min(w) AS low, max(w) AS high FROM t GROUP BY key),
        grid AS (SELECT key, unnest(generate_series(low, high)) AS w FROM ends)
        SELECT key, w, coalesce(v, CASE WHEN w - last_value(CASE WHEN v IS NOT NULL THEN w END
            IGNORE NULLS) OVER last <= 2 THEN last_value(v IGNORE NULLS) OVER last END), v IS NULL
        FROM grid LEFT JOIN t USING (key, w)
        WINDOW last AS (PARTITION BY key ORDER BY w ROWS UNBOUNDED PRECEDING)
        ORDER BY ALL""").fetchall()
    found = spark.sql(f"""
        SELECT key, unix_seconds(window.start) DIV 60, v, pane.is_gap FROM windrow_tumble(
          TABLE(SELECT key, max(v) AS v, count(*) AS n
            FROM (SELECT timestamp_seconds(sec) AS time, key, v FROM VALUES {text} r(sec, key, v))
            GROUP BY key),
          time => 'time', size => '1 minute', lateness => '0 seconds', fill_gaps => true,
          gap_values => map('v', 'previous', 'n', '-1'), gap_at_most => '2 minutes')
        ORDER BY ALL""").collect()
    assert [tuple(row) for row in found] == wanted
    assert any(gap and value is not None for *_, value, gap in wanted)


@pytest.mark.parametrize(
    ("values", "options", "code"),
    [
        ("previous", {}, "AT_MOST_MISSING"),
        ("nearest", {}, "NOT_UNDERSTOOD"),
        ({"prize": 0}, {}, "COLUMN"),
        ({"label": "linear"}, {"atMost": "1 hour"}, "TYPE"),
        ({"n": 0.5}, {}, "TYPE"),
        ({"mean": "linear"}, {"atMost": "1 hour", "lateness": "1 hour"}, "LINEAR_LATENESS"),
        (0, {"mode": "discarding"}, "DISCARDING"),
        ("previous", {"atMost": "2 hours", "fillGaps": "1 hour"}, "AT_MOST_LONGER"),
        (0, {"closeOn": "next_row"}, "NEXT_ROW"),
        (0, {"onTime": False}, "NOT_ON_TIME"),
    ],
)
def test_errors(spark: SparkSession, values: Any, options: dict[str, Any], code: str) -> None:
    """Values that do not fit are rejected before the start."""
    rows = spark.createDataFrame([], SCHEMA)
    windows = (
        wr.stream(rows, time="time", key="key")
        .lateness(options.get("lateness", "0 seconds"))
        .window(
            wr.Tumbling("1 minute"),
            closeOn=options.get("closeOn", "watermark"),
            fillGaps=options.get("fillGaps", False),
        )
        .accumulationMode(options.get("mode", "accumulating"))
        .trigger(onTime=options.get("onTime", True))
    )
    columns = (
        F.avg("price").alias("mean"),
        F.last("label").alias("label"),
        F.count("*").alias("n"),
    )
    filled = windows.fillGaps(values, atMost=options.get("atMost"))
    plan = methodcaller("aggregate", *columns)
    with pytest.raises(wr.SpecError) as refused:
        plan(filled).panes.isLocal()  # `panes` plans the query
    found = {(one.code, one.text) for one in refused.value.problems}
    assert {one for one, _ in found} == {"GAP_VALUES"}, code
