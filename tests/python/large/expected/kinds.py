"""Windows of every kind: Windrow's, and in SQL the rows that they accept.

``candidates`` selects the windows by which each row is judged (A5), ``members`` the accepted rows
of each window.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import windrow as wr
from large.expected.aggregates import ORDER, duck
from large.expected.fates import of_windows
from large.expected.sessions import gather
from large.scenario import DAY, MILLISECOND, MINUTE

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


class Kind:
    """A kind of windows; by default half-open ranges of time."""

    #: The bounds of a pane's window, and an additional column that identifies it.
    bounds: ClassVar[tuple[str, str, str]] = (
        'epoch_us("window"."start")',
        'epoch_us("window"."end")',
        "NULL::bigint",
    )
    #: A window includes its last instant.
    closed: ClassVar[bool] = False
    #: The row alone determines its windows, so every pane can be predicted.
    aligned: ClassVar[bool] = False
    #: The windows of this kind complete.
    completes: ClassVar[bool] = True
    #: The kind needs event time.
    timed: ClassVar[bool] = True

    #: A window that is withdrawn can have a pane again (R84).
    reappears: ClassVar[bool] = False

    def windrow(self) -> wr.WindowKind:
        """Return Windrow's kind."""
        raise NotImplementedError

    def accept(self, base: DuckDBPyConnection, lateness: int) -> None:
        """Create ``fate``, ``accepted`` and ``own`` from ``message``."""
        of_windows(base, self, lateness)

    def candidates(self) -> str:
        """Select ``id, first, last`` of the windows that might accept a fresh row."""
        raise NotImplementedError

    def prepare(self, base: DuckDBPyConnection, lateness: int) -> None:
        """Create the tables that ``values`` reads in addition to ``accepted`` and ``own``."""

    def values(self, names: tuple[str, ...]) -> str:
        """Select ``g, first, last, of`` and the aggregates of each window."""
        return of_members(names, "own")

    def late(self, stream: wr.Stream, lateness: int) -> wr.Stream:
        """Set the lateness."""
        return stream.lateness(f"{lateness} us")

    def refuses(self, lateness: int) -> str:
        """Return a condition on a candidate and ``mark``: the window rejects rows (R53)."""
        return f"mark {'>' if self.closed else '>='} last + {lateness}"

    def judge(self, base: DuckDBPyConnection) -> list[str]:
        """Return the faults in the output other than panes."""
        del base
        return []

    def following(self, silence: int) -> str:
        """Select the windows after those of ``born`` that can end within ``silence``."""
        raise NotImplementedError

    def fires(self) -> str:
        """Return a condition on a value ``v``: its window has fired."""
        return f"EXISTS (FROM step w WHERE w.after {'>' if self.closed else '>='} v.last)"


#: The days that a unit has at least.
_DAYS = {"day": 0.9, "week": 6.9, "month": 27, "quarter": 89, "year": 364}


def _several(silence: int, step: float) -> int:
    """Return the end of the numbers of the steps in a silence."""
    return int(silence / step) + 2


@dataclass(frozen=True)
class Aligned(Kind):
    """Tumbling windows if ``step`` is ``size``, otherwise hopping windows."""

    size: int = MINUTE
    step: int = MINUTE
    offset: int = 0
    aligned: ClassVar[bool] = True

    def windrow(self) -> wr.WindowKind:
        """Return the tumbling or hopping kind."""
        size, offset = f"{self.size} us", f"{self.offset} us"
        if self.size == self.step:
            return wr.Tumbling(size, startTime=offset)
        return wr.Hopping(size, step=f"{self.step} us", startTime=offset)

    def candidates(self) -> str:
        """Select windows backwards from the last one that begins before the row."""
        into = f"(((us - {self.offset}) % {self.step}) + {self.step}) % {self.step}"
        back = f"unnest(range({-(-self.size // self.step)}))"
        return f"""SELECT * FROM (SELECT id, us, us - {into} - {self.step} * {back} AS first,
            first + {self.size} AS last
            FROM fresh) WHERE us < last"""

    def following(self, silence: int) -> str:
        """Select the windows after those of ``born`` that can end within ``silence``."""
        moved = ", ".join(f"{end} + {self.step} * number AS {end}" for end in ("first", "last"))
        return f"""SELECT g, last AS source, {moved}, born FROM (SELECT *,
            unnest(range(1, {_several(silence, self.step)})) AS number FROM born)"""


@dataclass(frozen=True)
class ByCalendar(Kind):
    """Windows of ``inside`` days, weeks, months, quarters, or years of a zone, one from each on.

    They start ``months`` and ``hours`` after the unit.
    """

    unit: str = "day"
    zone: str = "Europe/Berlin"
    inside: int = 1
    months: int = 0
    hours: int = 0
    aligned: ClassVar[bool] = True

    def windrow(self) -> wr.WindowKind:
        """Return the calendar kind."""
        start = f"{self.months} months {self.hours} hours" if self.months else f"{self.hours} hours"
        if self.inside == 1:
            return wr.Tumbling(f"1 {self.unit}", zone=self.zone, startTime=start)
        size, step = f"{self.inside} {self.unit}s", f"1 {self.unit}"
        return wr.Hopping(size, step=step, zone=self.zone, startTime=start)

    def candidates(self) -> str:
        """Select windows backwards from the last one, by the clocks of the zone."""
        ends = ((self._edge("-back"), "first"), (self._edge(f"{self.inside} - back"), "last"))
        return f"""SELECT id, {", ".join(f"{edge} AS {end}" for edge, end in ends)} FROM (SELECT id,
            {self._unit("t")} AS there, unnest(range({self.inside})) AS back FROM fresh)"""

    def following(self, silence: int) -> str:
        """Select the windows after those of ``born`` that can end within ``silence``."""
        count = _several(silence, _DAYS[self.unit] * DAY)
        start = "make_timestamp(first) AT TIME ZONE 'UTC'"
        ends = f"{self._edge('number')} AS first, {self._edge(f'{self.inside} + number')} AS last"
        return f"""SELECT g, last AS source, {ends}, born FROM (SELECT *,
            {self._unit(start)} AS there, unnest(range(1, {count})) AS number FROM born)"""

    def _unit(self, time: str) -> str:
        """Return the unit of the zone that contains a time, without the shift of the windows."""
        local = f"({time}) AT TIME ZONE '{self.zone}'"
        hours, months = f"INTERVAL ({self.hours}) HOUR", f"INTERVAL ({self.months}) MONTH"
        return f"date_trunc('{self.unit}', {local} - {hours} - {months})"

    def _edge(self, units: str) -> str:
        """Return the edge of the windows so many units after the unit ``there``."""
        hours, months = f"INTERVAL ({self.hours}) HOUR", f"INTERVAL ({self.months}) MONTH"
        shown = f"there + ({units}) * INTERVAL 1 {self.unit} + {months} + {hours}"
        return f"epoch_us(({shown}) AT TIME ZONE '{self.zone}')"


@dataclass(frozen=True)
class Sessions(Kind):
    """Sessions with the same ``gap`` for all rows; with 0, each row has its own gap."""

    gap: int = 30_000 * MILLISECOND

    def windrow(self) -> wr.WindowKind:
        """Return the session kind."""
        from pyspark.sql import functions as F

        return wr.Session(f"{self.gap} us" if self.gap else F.col("gap"))

    def candidates(self) -> str:
        """Select the window of the row alone."""
        return f"SELECT id, us AS first, us + {self.gap or 'gap'} AS last FROM fresh"

    def prepare(self, base: DuckDBPyConnection, lateness: int) -> None:
        """Gather sessions step by step, because a removed session no longer merges (R53)."""
        gather(base, lateness)

    def values(self, names: tuple[str, ...]) -> str:
        """Aggregate the rows that share a session."""
        return of_members(names)


@dataclass(frozen=True)
class Over(Kind):
    """The row and the rows before it: a ``range`` of time, ``rows``, or, if both are 0, all."""

    range: int = 0
    rows: int = 0
    closed: ClassVar[bool] = True
    bounds: ClassVar[tuple[str, str, str]] = (
        'epoch_us("window"."start")',
        'epoch_us("window"."last")',
        "message.id",
    )

    def windrow(self) -> wr.WindowKind:
        """Return the ``Over`` kind."""
        if self.range:
            return wr.Over(range=f"{self.range} us")
        return wr.Over(rows=self.rows) if self.rows else wr.Over()

    def candidates(self) -> str:
        """Select the window that ends at the row."""
        return "SELECT id, us AS first, us AS last FROM fresh"

    def values(self, names: tuple[str, ...]) -> str:
        """Aggregate with DuckDB's own window functions."""
        frame = "ORDER BY us RANGE UNBOUNDED PRECEDING"
        first = "min(us) OVER f"
        if self.rows:
            frame = f"{ORDER} ROWS {self.rows - 1} PRECEDING"
        if self.range:
            frame, first = f"ORDER BY us RANGE {self.range} PRECEDING", f"us - {self.range}"
        return f"""SELECT g, {first} AS first, us AS last, id AS of, {duck(names, "OVER f")}
            FROM accepted WINDOW f AS (PARTITION BY g {frame})"""


@dataclass(frozen=True)
class Sliding(Kind):
    """One window for each distinct set of rows (W5); no row may be late."""

    size: int = MINUTE
    granularity: int = MILLISECOND
    closed: ClassVar[bool] = True
    bounds: ClassVar[tuple[str, str, str]] = (
        'epoch_us("window"."start")',
        'epoch_us("window"."last")',
        "NULL::bigint",
    )

    def windrow(self) -> wr.WindowKind:
        """Return the sliding kind."""
        return wr.Sliding(f"{self.size} us", granularity=f"{self.granularity} us")

    def candidates(self) -> str:
        """Select the last window that could contain the row (R47)."""
        return f"SELECT id, {self._floor} AS first, first + {self.size} AS last FROM fresh"

    def prepare(self, base: DuckDBPyConnection, lateness: int) -> None:
        """Let a window end at each row and one start after it; keep the first of equal windows."""
        del lateness
        base.execute(f"""CREATE TABLE member AS
            WITH f AS (SELECT *, {self._floor} AS floor FROM accepted),
            w AS (SELECT DISTINCT g, unnest([floor - {self.size},
            floor + {self.granularity}]) AS first FROM f),
            held AS (SELECT w.g, first, list(id ORDER BY id) AS ids FROM w JOIN f
              ON w.g = f.g AND floor BETWEEN first AND first + {self.size} GROUP BY ALL),
            distinct_sets AS (SELECT g, min(first) AS first, ids FROM held GROUP BY g, ids)
            SELECT g, first, first + {self.size} AS last, unnest(ids) AS id FROM distinct_sets""")

    def values(self, names: tuple[str, ...]) -> str:
        """Aggregate the distinct sets."""
        return of_members(names)

    @property
    def _floor(self) -> str:
        return f"us - ((us % {self.granularity}) + {self.granularity}) % {self.granularity}"


def of_members(names: tuple[str, ...], table: str = "member") -> str:
    """Select the aggregates of the rows of each window of a table."""
    return f"""SELECT of_g AS g, first, last, NULL AS of, {duck(names)}
        FROM (SELECT g AS of_g, first, last, id FROM {table}) JOIN accepted USING (id)
        GROUP BY of_g, first, last"""
