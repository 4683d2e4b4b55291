"""``Windowed.fillGaps`` equals plain Python and DuckDB after every step (SEMANTICS R120 to R122)."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F

import windrow as wr
from windrow.testing import harness

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

SCHEMA = "time timestamp, key string, price double, label string"
START = datetime(2025, 1, 1, tzinfo=UTC)
MINUTE = 60

#: Second, key, price, label.
Row = tuple[int, str, float | None, str]
#: Count of rows, mean price, last label, greatest price as an integer.
Values = tuple[int, float | None, str | None, int | None]
Key = tuple[str, int]


@dataclass(frozen=True)
class Case:
    """A query and its stream; times in seconds."""

    seed: int
    step: int = MINUTE
    lateness: int = 0
    silence: int | None = None
    atMost: int = 5 * MINUTE
    mode: str = "accumulating"
    method: str = "previous"
    early: bool = False

    def windows(self, second: int) -> list[int]:
        """Return the starts of the windows that contain a time."""
        last = second // self.step * self.step
        return list(range(last, second - MINUTE, -self.step))

    def query(self, rows: DataFrame) -> wr.Output:
        """Return the query."""
        kind = (
            wr.Tumbling("1 minute")
            if self.step == MINUTE
            else wr.Hopping("1 minute", step=f"{self.step} seconds")
        )
        fills: bool | str = False if self.silence is None else f"{self.silence} seconds"
        windows = (
            wr.stream(rows, time="time", key="key", watermark="0 seconds")
            .lateness(f"{self.lateness} seconds")
            .window(kind, fillGaps=fills)
            .accumulationMode(self.mode)
            .fillGaps(
                {"mean": self.method, "label": "previous", "most": self.method},
                atMost=f"{self.atMost} seconds",
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
        for _ in range(10):
            now += draw.choice((0, 10, 50, 130, 400))
            rows = []
            for _ in range(draw.randrange(1, 4)):
                at = max(0, now - draw.choice((0, 0, 5, 40, 90, 200)))
                price = draw.choice((None, draw.randrange(400) / 4))
                rows.append((at, draw.choice("ab"), price, "xyz"[at % 3]))
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
        return watermark is None or start + MINUTE + self.case.lateness > watermark

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
        return start + MINUTE <= self.watermark

    @staticmethod
    def _value(rows: list[Any]) -> Values:
        prices = [price for *_, price in rows if price is not None]
        last = max(rows, key=lambda row: row[0])  # rows of one time have the same label
        mean = round(sum(prices) / len(prices), 6) if prices else None
        return len(rows), mean, last[1], int(max(prices)) if prices else None

    def _gaps(self, starts: list[int]) -> Iterator[int]:
        """Return the windows without rows (SEMANTICS R3)."""
        assert self.watermark is not None
        silence = self.case.silence or self.case.atMost
        at = starts[0]
        while self._is_complete(at):
            before = [start for start in starts if start < at]
            if at not in starts and before and at - before[-1] <= silence:
                yield at
            at += self.case.step

    def _filled(
        self, gap: int, values: Mapping[int, Values], done: Mapping[int, Values]
    ) -> Values | None:
        case, last = self.case, max(start for start in values if start < gap)
        near = gap - last <= case.atMost
        mean, label, most = values[last][1:] if near else (None, None, None)
        if case.method == "linear":
            nexts = [start for start in done if start > gap]
            if not nexts and self.watermark < last + MINUTE + case.atMost:  # type: ignore[operator]
                return None
            mean, most = None, None
            if nexts and min(nexts) - last <= case.atMost:
                share = (gap - last) / (min(nexts) - last)
                one, other = values[last], values[min(nexts)]
                if one[1] is not None and other[1] is not None:
                    mean = one[1] + (other[1] - one[1]) * share
                if one[3] is not None and other[3] is not None:
                    exact = one[3] + (other[3] - one[3]) * share
                    most = int(exact + 0.5)
        return 0, mean, label, most


def shown(panes: list[dict[str, Any]], mode: str) -> Mapping[Key, Values]:
    """Return the last value of each window, after checking its panes."""
    net: dict[Key, dict[str, Any]] = {}
    indexes: dict[Key, int] = {}
    for pane in panes:
        window = int((pane["window"]["start"].astimezone(UTC) - START).total_seconds())
        at, about = (pane["key"], window), pane["pane"]
        assert about["is_gap"] == (pane["n"] == 0)
        if about["is_retraction"]:
            old = net.pop(at)
            assert {**pane, "pane": {**about, "is_retraction": False}} == old
        else:
            assert at not in net or mode == "accumulating"
            assert about["index"] == indexes.get(at, -1) + 1
            indexes[at], net[at] = about["index"], pane
    return {
        at: (pane["n"], pane["mean"], pane["label"], pane["most"])
        for at, pane in net.items()
        if pane["pane"]["timing"] != "EARLY"
    }


def compare(spark: SparkSession, case: Case, *, engine: str = "core") -> int:
    """Compare all panes after each step; return the number of filled windows."""
    oracle, panes = Oracle(case), []
    with harness(case.query, spark, schema=SCHEMA, engine=engine) as h:
        for number, rows in enumerate(case.stream()):
            h.add([(START + timedelta(seconds=at), *rest) for at, *rest in rows])
            oracle.add(rows)
            expected = oracle.panes()
            panes += h.panes()
            found = shown(panes, case.mode)
            assert found.keys() == expected.keys(), case
            for at, values in expected.items():
                assert found[at] == pytest.approx(values, abs=1e-9), (case, number, at)
            if number % 4 == 3:
                h.restart()
    return sum(1 for n, mean, *_ in expected.values() if n == 0 and mean is not None)


def cases(count: int) -> list[Case]:
    """Draw queries."""
    found = []
    for seed in range(count):
        draw = random.Random(seed)  # noqa: S311  no secret
        method = draw.choice(("previous", "previous", "linear"))
        atMost = draw.choice((2, 5, 30)) * MINUTE
        found.append(
            Case(
                seed,
                step=draw.choice((MINUTE, 20)),
                lateness=0 if method == "linear" else draw.choice((0, 60, 300)),
                silence=draw.choice((None, atMost, 60 * MINUTE)),
                atMost=atMost,
                mode=draw.choice(("accumulating", "accumulating_and_retracting")),
                method=method,
                early=draw.random() < 0.2,
            )
        )
    return found


@pytest.mark.parametrize("first", [0, pytest.param(12, marks=pytest.mark.full)])
def test_values_equal_a_recomputation(spark: SparkSession, first: int) -> None:
    """Random streams with late rows, pauses, and restarts give the recomputed panes."""
    count = 1000 if first else 12
    assert sum(compare(spark, case) for case in cases(count)[first:]) > count
