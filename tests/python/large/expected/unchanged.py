"""Unchanged queries of Spark that Windrow runs, recomputed row by row (R97)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from pyspark.sql import functions as F

import windrow as wr
from large.expected.panes import differing
from large.scenario import DAY
from sinks.writing import write

if TYPE_CHECKING:
    from pathlib import Path

    from duckdb import DuckDBPyConnection
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.query import StreamingQuery

    from large.scenario import Scenario

#: Times are exact as microseconds.
_MICROS = F.unix_micros


class Row(NamedTuple):
    """A row that was read: its stream, step, time, and the watermark before the step."""

    stream: int
    step: int
    g: int
    id: int
    us: int
    mark: int


@dataclass(frozen=True)
class Plain:
    """A plain query, started as an output of Windrow's is."""

    query: DataFrame
    kinds = ("rows",)

    def start(
        self,
        *,
        rows: wr.Files,
        checkpoint: Path,
        availableNow: bool,  # noqa: N803
        drain: bool,
    ) -> StreamingQuery:
        """Start the query with acceleration; Windrow must run all of its operators."""
        assert availableNow
        assert not drain
        self.query.sparkSession.conf.set("spark.windrow.accelerate", "true")
        writer = self.query.writeStream.option("checkpointLocation", str(checkpoint))
        writer = writer.foreachBatch(lambda batch, number: write(rows, batch, number, kind="rows"))
        found = wr.explainAcceleration(self.query)
        assert all(one.code is None for one in found.operators), found
        return writer.trigger(availableNow=True).start()


@dataclass(frozen=True)
class Unchanged:
    """A window, session, join, or deduplication as plain Spark, of this many microseconds."""

    what: str = "window"
    size: int = 1
    timed = True
    tells_refused = False

    def output(self, streams: Sequence[wr.Stream], case: Scenario) -> Any:
        """Describe the query."""
        if self.what == "join" and self.size >= DAY:  # otherwise it depends on the zone (R97)
            streams[0]._df.sparkSession.conf.set("spark.sql.session.timeZone", "UTC")
        marked = [
            one._df.withWatermark("t", f"{case.delay // 1000} milliseconds") for one in streams
        ]
        return Plain(getattr(self, f"_{self.what}")(*marked))

    def _window(self, rows: DataFrame) -> DataFrame:
        return self._grouped(rows, "window", F.window("t", f"{self.size} microseconds"))

    def _session(self, rows: DataFrame) -> DataFrame:
        gap = F.session_window("t", f"{self.size} microseconds")
        return self._grouped(rows, "session_window", gap)

    def _grouped(self, rows: DataFrame, name: str, of: Any) -> DataFrame:
        found = rows.groupBy("g", of).agg(F.count("*").alias("n"), F.sum("id").alias("ids"))
        first, last = (_MICROS(f"{name}.{end}") for end in ("start", "end"))
        return found.select("g", first.alias("first"), last.alias("last"), "n", "ids")

    def _join(self, left: DataFrame, right: DataFrame) -> DataFrame:
        a = left.select(*(F.col(n).alias(f"a_{n}") for n in ("id", "g", "t")))
        b = right.select(*(F.col(n).alias(f"b_{n}") for n in ("id", "g", "t")))
        near = f"INTERVAL {self.size} MICROSECONDS"
        on = F.expr(f"a_g = b_g AND b_t BETWEEN a_t AND a_t + {near}")
        return a.join(b, on).select("a_id", "b_id")

    def _dedup(self, rows: DataFrame) -> DataFrame:
        return rows.dropDuplicatesWithinWatermark(["id"]).select("id", _MICROS("t").alias("us"))

    def _exactly(self, rows: DataFrame) -> DataFrame:
        return rows.dropDuplicates(["g", "t"]).select("g", _MICROS("t").alias("us"))

    def judge(self, base: DuckDBPyConnection, case: Scenario) -> list[str]:
        """Compare the rows of each step."""
        read = base.execute("""SELECT stream, step, g, id, us, coalesce(mark, 0) FROM message
            WHERE us IS NOT NULL ORDER BY step""").fetchall()
        marks = base.execute("SELECT step, coalesce(after, 0) FROM step ORDER BY step").fetchall()
        rows = [Row(*one) for one in read]
        wanted = sorted(getattr(self, f"_of_{self.what}")(rows, marks, case.delay))
        found = sorted(base.execute("SELECT step, * EXCLUDE (step) FROM rows").fetchall())
        return differing("rows", wanted, found)

    def _of_window(self, rows: list[Row], marks: list[Any], _: int) -> Iterator[tuple[int, ...]]:
        found: dict[tuple[int, int], list[int]] = defaultdict(list)
        for row in rows:
            first = row.us - row.us % self.size
            if first + self.size > row.mark:
                found[row.g, first].append(row.id)
        for (g, first), ids in found.items():
            step = _passed(marks, first + self.size)
            if step is not None:
                yield step, g, first, first + self.size, len(ids), sum(ids)

    def _of_session(self, rows: list[Row], marks: list[Any], _: int) -> Iterator[tuple[int, ...]]:
        open_: dict[int, list[tuple[int, int, list[int]]]] = defaultdict(list)
        for step, after in marks:
            for row in (one for one in rows if one.step == step):
                if row.us + self.size > row.mark:
                    open_[row.g].append((row.us, row.us + self.size, [row.id]))
            for g, some in open_.items():
                open_[g] = []
                for one in sorted(some):
                    before = open_[g][-1] if open_[g] else None
                    if before and one[0] <= before[1]:
                        merged = (before[0], max(before[1], one[1]), before[2] + one[2])
                        open_[g][-1] = merged
                    else:
                        open_[g].append(one)
                for first, last, ids in [one for one in open_[g] if one[1] <= after]:
                    yield step, g, first, last, len(ids), sum(ids)
                open_[g] = [one for one in open_[g] if one[1] > after]

    def _of_join(self, rows: list[Row], _: list[Any], __: int) -> Iterator[tuple[int, ...]]:
        timely = [row for row in rows if row.us > row.mark]
        right = defaultdict(list)
        for row in timely:
            if row.stream == 1:
                right[row.g].append(row)
        for a in (row for row in timely if row.stream == 0):
            for b in right[a.g]:
                if a.us <= b.us <= a.us + self.size:
                    yield max(a.step, b.step), a.id, b.id

    def _of_dedup(self, rows: list[Row], marks: list[Any], delay: int) -> Iterator[tuple[int, ...]]:
        return self._once(rows, marks, lambda row: (row.id,), delay)

    def _of_exactly(self, rows: list[Row], marks: list[Any], _: int) -> Iterator[tuple[int, ...]]:
        return self._once(rows, marks, lambda row: (row.g, row.us), 0)

    def _once(
        self, rows: list[Row], marks: list[Any], key: Any, delay: int
    ) -> Iterator[tuple[int, ...]]:
        """Keep the first row of each key; all rows of a key have the same time."""
        until: dict[tuple[int, ...], int] = {}
        for step, after in marks:
            for row in (one for one in rows if one.step == step):
                if row.us > row.mark and key(row) not in until:
                    until[key(row)] = row.us + delay
                    yield step, key(row)[0], row.us
            until = {one: last for one, last in until.items() if after < last}


def _passed(marks: list[Any], end: int) -> int | None:
    """Return the first step whose watermark reaches the end of a window."""
    return next((step for step, after in marks if after >= end), None)
