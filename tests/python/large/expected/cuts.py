"""Sessions that can also end at an event, a maximum length, or a change of values (W9, R53)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import pyarrow as pa

import windrow as wr
from large.expected.kinds import Kind, of_members
from large.scenario import MINUTE

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


class Row(NamedTuple):
    """A fresh row: its time, its gap, whether it ends its session, and its values of ``split``."""

    us: int
    id: int
    gap: int
    ends: bool
    values: tuple[Any, ...]


class Session(NamedTuple):
    """A session: its rows, its end, and the end that its gap alone would give it."""

    rows: Sequence[Row]
    end: int
    reach: int


@dataclass
class _Key:
    """The open sessions of a key, and the ends of closed ones that were cut.

    Each end has the time until which it is remembered.
    """

    rows: list[Row] = field(default_factory=list)
    sessions: list[Session] = field(default_factory=list)
    settled: list[tuple[int, int]] = field(default_factory=list)

    def refuses(self, row: Row, mark: int | None, lateness: int) -> bool:
        """Return whether the row is too late."""
        if mark is None:
            return False
        is_cut = any(row.us < end and mark < until + lateness for end, until in self.settled)
        return is_cut or mark >= row.us + row.gap + lateness

    def closed(self, mark: int, lateness: int) -> Iterator[Session]:
        """Remove and yield the sessions that are over."""
        while self.sessions and mark >= self.sessions[0].end + lateness:
            session = self.sessions.pop(0)
            self.rows = self.rows[len(session.rows) :]
            if session.end < session.reach:
                until = session.end + max(row.gap for row in session.rows)
                self.settled.append((session.end, until))
            yield session


@dataclass(frozen=True)
class CutSessions(Kind):
    """Sessions; with a ``gap`` of 0, each row has its own gap. The SQL is Spark's and DuckDB's."""

    gap: int = MINUTE
    ends: str | None = None
    most: int | None = None
    split: tuple[str, ...] = ()
    reappears: ClassVar[bool] = True

    def windrow(self) -> wr.WindowKind:
        """Return the session kind."""
        from pyspark.sql import functions as F

        return wr.Session(
            f"{self.gap} us" if self.gap else F.col("gap"),
            endsWith=self.ends,
            maxLength=None if self.most is None else f"{self.most} us",
            split=self.split,
        )

    def accept(self, base: DuckDBPyConnection, lateness: int) -> None:
        """Judge the rows of each step, form the sessions anew, and close those that are over."""
        read: dict[int, list[tuple[int, bool, Row]]] = defaultdict(list)
        columns = [f"coalesce({self.ends or 'false'}, false)", *self.split]
        rows = base.execute(f"""SELECT step, g, fresh, us, id, {self.gap or "gap"},
            {", ".join(columns)} FROM message WHERE us IS NOT NULL""")
        for step, g, is_fresh, us, one, gap, ends, *values in rows.fetchall():
            read[step].append((g, is_fresh, Row(us, one, gap, ends, tuple(values))))
        keys: dict[int, _Key] = defaultdict(_Key)
        late: list[tuple[int, int]] = []
        members: list[tuple[int, int, int, int]] = []
        steps = base.execute("SELECT step, before, after FROM step ORDER BY step").fetchall()
        for step, before, after in steps:
            touched = set()
            for g, is_fresh, row in read[step]:
                if keys[g].refuses(row, before, lateness):
                    late.append((row.id, step))
                elif is_fresh:
                    keys[g].rows.append(row)
                    touched.add(g)
            for g in touched:
                keys[g].rows.sort()
                keys[g].sessions = [*self._formed(keys[g].rows)]
            for g, key in keys.items():
                if after is not None:
                    members += _members(g, key.closed(after, lateness))
        members += [one for g, key in keys.items() for one in _members(g, key.sessions)]
        _table(base, "late", ("id", "step"), late)
        _table(base, "member", ("g", "first", "last", "id"), members)
        is_late = "us IS NULL OR (id, step) IN (SELECT (id, step) FROM late)"
        base.execute(f"""CREATE TABLE fate AS SELECT stream, id, step, CASE
            WHEN NOT fresh AND ({is_late}) THEN 'forgettable' WHEN NOT fresh THEN 'replay'
            WHEN {is_late} THEN 'rejected' ELSE 'accepted' END AS fate FROM message""")
        base.execute("""CREATE VIEW accepted AS FROM message
            WHERE fresh AND id IN (SELECT id FROM fate WHERE fate = 'accepted')""")

    def values(self, names: tuple[str, ...]) -> str:
        """Aggregate the rows of each session."""
        return of_members(names)

    def _formed(self, rows: Sequence[Row]) -> Iterator[Session]:
        """Yield the sessions of the rows of a key, which are in order of time."""
        instants = [list(same) for _, same in groupby(rows, key=lambda row: row.us)]
        begin = reach = 0
        for at, here in enumerate(instants):
            reach = max([reach if at > begin else here[0].us, *(r.us + r.gap for r in here)])
            then = instants[at + 1] if at + 1 < len(instants) else None
            limit = reach if self.most is None else min(reach, instants[begin][0].us + self.most)
            ends = any(row.ends for row in here)
            if then and not ends and self._continues(then, here, reach, instants[begin][0].us):
                continue
            end = here[0].us + 1 if ends else min(limit, then[0].us) if then else limit
            yield Session([row for one in instants[begin : at + 1] for row in one], end, reach)
            begin = at + 1

    def _continues(self, then: list[Row], here: list[Row], reach: int, first: int) -> bool:
        time = then[0].us
        is_short = self.most is None or time < first + self.most
        return time <= reach and is_short and _values(then) == _values(here)


def _values(rows: Sequence[Row]) -> set[tuple[Any, ...]]:
    return {row.values for row in rows}


def _members(g: int, sessions: Iterable[Session]) -> list[tuple[int, int, int, int]]:
    return [(g, s.rows[0].us, s.end, row.id) for s in sessions for row in s.rows]


def _table(
    base: DuckDBPyConnection, name: str, columns: Sequence[str], rows: Sequence[tuple[int, ...]]
) -> None:
    """Create a table of numbers."""
    values = zip(*rows, strict=True) if rows else ((),) * len(columns)
    of = {n: pa.array(c, pa.int64()) for n, c in zip(columns, values, strict=True)}
    base.register(f"{name}_rows", pa.table(of))
    base.execute(f"CREATE TABLE {name} AS FROM {name}_rows")
