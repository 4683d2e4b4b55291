# ruff: noqa: S608  the SQL contains only strings of this file
"""Operators over streams that fall silent, or that follow the clock, equal DuckDB (R52, R107)."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

import duckdb
import pytest
from pyspark.sql import functions as F

import windrow as wr
from counts import streams
from watermarks.silences import SCHEMA, Clock, Row, Watermark, day, drawn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pyspark.sql import DataFrame, SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.slow]

IDLE: dict[str, float | None] = {"l": None, "r": 60, "m": 30}
BY_CLOCK = wr.ProcessingTimeWatermark("60 seconds")


def join(l: wr.Stream, r: wr.Stream) -> Any:  # noqa: E741  the name of the stream
    """Return a left join."""
    return wr.join(l, r, on="key", within=("0 s", "30 s"), how="left")


def minutes(l: wr.Stream, r: wr.Stream) -> Any:  # noqa: E741
    """Return windows over the rows of a left join."""
    stream = wr.stream(join(l, r).rows, time="l.time", key="key", name="minutes")
    windows = stream.lateness("0 seconds").window(wr.Tumbling("1 minute"))
    return windows.aggregate(F.count("l.id").alias("l"), F.count("r.id").alias("r"))


def cogroup(l: wr.Stream, r: wr.Stream) -> Any:  # noqa: E741
    """Return the numbers of rows of both streams in each minute."""
    windows = wr.cogroup(l, r).window(wr.Tumbling("1 minute"))
    return windows.aggregate(F.count("l.id").alias("l"), F.count("r.id").alias("r"))


def asof(l: wr.Stream, r: wr.Stream) -> Any:  # noqa: E741
    """Return each row with the row before it."""
    return wr.asofJoin(l, r, on="key", tolerance="30 seconds", early=wr.Never())


def chain(l: wr.Stream, r: wr.Stream, m: wr.Stream) -> Any:  # noqa: E741
    """Return a left join of three streams."""
    within = {"r": ("0 s", "30 s"), "m": ("0 s", "30 s")}
    return wr.join(l, r, m, on="key", within=within, how="left")


PAIRS = """SELECT l.id AS l, r.id AS r, l.key, l.sec, if(r.id IS NULL, l.sec + 30, -1e6) AS until,
    greatest(l.step, r.step) AS step
    FROM l LEFT JOIN r ON l.key = r.key AND r.sec - l.sec BETWEEN 0 AND 30"""


class Operator(NamedTuple):
    """An operator, and its output in SQL.

    ``until`` is the watermark above which each row has been emitted, and ``step`` the arrival of
    its last part.
    """

    made: Callable[..., Any]
    sql: str
    columns: tuple[str, ...] = ("l", "r")
    inputs: tuple[str, ...] = ("l", "r")
    #: How far the watermark of the operator that reads an input is below that of the query.
    lag: Mapping[str, int] = {}


OPERATORS = {
    "join": Operator(join, f"SELECT l, r, until, step FROM ({PAIRS})"),
    "asofJoin": Operator(
        asof,
        """SELECT l.id, if(l.sec - r.sec <= 30, r.id, NULL), l.sec AS until,
            greatest(l.step, r.step) FROM l ASOF LEFT JOIN r ON l.key = r.key AND l.sec >= r.sec""",
    ),
    "cogroup": Operator(
        cogroup,
        """SELECT count(l), count(r), floor(sec / 60) * 60 + 60 AS until, max(step) FROM (
            SELECT id AS l, NULL AS r, * FROM l UNION ALL SELECT NULL AS l, id AS r, * FROM r)
            GROUP BY key, until""",
    ),
    "minutes": Operator(
        minutes,
        f"""SELECT count(l), count(r), floor(sec / 60) * 60 + 91 AS until, max(step)
            FROM ({PAIRS}) GROUP BY key, floor(sec / 60)""",
    ),
    "chain": Operator(
        chain,
        f"""SELECT l, r, m.id, p.sec + 62 AS until, greatest(p.step, m.step) FROM ({PAIRS}) AS p
            LEFT JOIN m ON p.key = m.key AND m.sec - p.sec BETWEEN 0 AND 30""",
        ("l", "r", "m"),
        ("l", "r", "m"),
        {"m": 30},
    ),
}
#: Chains do not support the clock.
CLOCKED = ("join", "asofJoin", "cogroup")


@pytest.mark.parametrize(
    ("name", "clocked"), [(name, False) for name in OPERATORS] + [(name, True) for name in CLOCKED]
)
def test_silent_streams(spark: SparkSession, name: str, *, clocked: bool) -> None:
    """Each row is emitted once its watermark is due, and none is rejected that is not late."""
    operator = OPERATORS[name]

    def pipeline(**frames: DataFrame) -> Any:
        keyed: dict[str, Any] = {"key": "key"} if name == "cogroup" else {}
        made = {}
        for one, df in frames.items():
            mark = BY_CLOCK if clocked else wr.EventTimeWatermark("0 seconds", idle=_idle(one))
            stream = wr.stream(df, time="time", watermark=mark, name=one, **keyed)
            made[one] = stream.lateness("0 seconds")
        return operator.made(**made)

    early = late = 0
    schemas = dict.fromkeys(operator.inputs, SCHEMA)
    with wr.testing.harness(pipeline, spark, schema=schemas, now=day(0)) as h:
        for seed in range(streams(6)):
            run = Run(h, operator, seed, clocked=clocked)
            run.play()
            run.check()
            early, late = early + run.early, late + len(run.rejected)
    assert early > 0, "rows are emitted before the end"
    assert late > 0, "rows are late for a watermark that does not wait"


def _idle(name: str) -> str | None:
    return None if IDLE[name] is None else f"{IDLE[name]} seconds"


class Run:
    """The actions of a stream on a harness, and its output after each."""

    def __init__(
        self, h: wr.testing.Harness, operator: Operator, seed: int, *, clocked: bool
    ) -> None:
        """Begin at 09:00 of the day of the stream."""
        self.h, self.operator, self.seed, self.clocked = h, operator, seed, clocked
        self.start = day(seed)
        idle = {name: IDLE[name] for name in operator.inputs}
        self.mark = (Clock if clocked else Watermark)(idle)
        self.rows: dict[int, tuple[str, Row, int]] = {}
        self.rejected: set[int] = set()
        self.found: Counter[tuple[Any, ...]] = Counter()
        #: After each action the watermark of its last micro-batch, and the output so far.
        self.steps: list[tuple[float, Counter[tuple[Any, ...]]]] = []
        self.early = 0

    def play(self) -> None:
        """Run the actions, and compare the watermark after each."""
        if self.seed:
            self.h.restart()  # so that nothing of the day before is known
        for step, (what, value) in enumerate(drawn(self.seed, self.operator.inputs)):
            if what == "restart":
                self.h.restart()
                self.mark.restart()
            elif what == "clock":
                self.h.advanceProcessingTime(self.start + timedelta(seconds=value))
                self.mark.batch(self._now(), {})
            else:
                self._add(what, value, step)
            self._take()
        self.early = self.found.total()
        if self.clocked:
            self.h.advanceProcessingTime(self.start + timedelta(hours=12))
        else:
            self.h.advanceWatermark(self.start + timedelta(hours=12))
        self._take(compares=False)

    def _now(self, before: int = 0) -> float:
        """Return the clock of a micro-batch in seconds."""
        return self.h._now / 1000 - before / 1000 - self.start.timestamp()

    def _add(self, name: str, rows: list[Row], step: int) -> None:
        times = [self.start + timedelta(seconds=sec) for sec, *_ in rows]
        self.h.add([(at, *row[1:]) for at, row in zip(times, rows, strict=True)], to=name)
        self.mark.batch(self._now(1), {name: [sec for sec, *_ in rows]})
        judging = self.mark.judging
        if judging is not None:
            judging -= self.operator.lag.get(name, 0)
        self.mark.batch(self._now(), {})
        self.rows |= {row[1]: (name, row, step) for row in rows}
        late = {row["id"]: row["watermark"] for row in map(_late, self.h.rejected())}
        for sec, number, _ in rows:
            if number in late:
                assert judging is not None, (self.seed, step)
                assert sec < judging, (self.seed, step)
                assert late[number] == self._at(judging), (self.seed, step)
            else:  # a row is never accepted if its minute and all ranges have passed
                assert judging is None or sec >= judging - 60, (self.seed, step)
        assert late.keys() <= {row[1] for row in rows}, (self.seed, step)
        self.rejected |= late.keys()

    def _at(self, mark: float) -> datetime:
        return self.start + timedelta(milliseconds=round(mark * 1000))

    def _take(self, *, compares: bool = True) -> None:
        """Add the new output, and compare the watermark of the query."""
        for row in self.h.rows() + self.h.panes():
            values = [row[column] for column in self.operator.columns]
            ids = [one["id"] if isinstance(one, dict) else one for one in values]
            self.found[tuple(ids)] += 1
        applied = -1e9 if self.mark.applied is None else self.mark.applied
        self.steps.append((applied, self.found.copy()))
        if compares and not self.clocked and self.mark.next is not None:
            assert self.h.watermark == self._at(self.mark.next), (self.seed, len(self.steps))

    def check(self) -> None:
        """Compare the output with DuckDB's, at the end and after each action."""
        due = list(self._due())
        assert self.found == Counter(row for row, *_ in due), self.seed
        for step, (mark, found) in enumerate(self.steps[:-1]):
            wanted = Counter(row for row, until, arrived in due if until < mark and arrived <= step)
            assert wanted <= found, (self.seed, step)

    def _due(self) -> Iterator[tuple[tuple[Any, ...], float, int]]:
        base = duckdb.connect()
        for name in self.operator.inputs:
            base.execute(f"CREATE TABLE {name} (sec double, id int, key int, step int)")
        for name, row, step in self.rows.values():
            if row[1] not in self.rejected:
                base.execute(f"INSERT INTO {name} VALUES (?, ?, ?, ?)", [*row, step])
        for *values, until, step in base.execute(self.operator.sql).fetchall():
            yield tuple(values), float(until), step


def _late(row: dict[str, Any]) -> dict[str, Any]:
    """Return the id of a rejected row, and the watermark that rejected it."""
    assert row["reason"] == "TOO_LATE"
    assert row["stream"] != "minutes"

    def inside(value: Any) -> Iterator[int]:
        if isinstance(value, dict):
            yield from [value["id"]] if "id" in value else []
            for one in value.values():
                yield from inside(one)

    (number,) = {one for column in row.values() for one in inside(column)}
    return {"id": number, "watermark": row["watermark"]}
