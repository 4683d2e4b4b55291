"""Several named windows in one pass: the panes of a query with each window alone (R152, R153)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import duckdb

import windrow as wr
from large.expected.kinds import Aligned, Kind
from large.expected.panes import some
from large.expected.windows import Windows
from large.scenario import Scenario

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


@dataclass(frozen=True)
class Named:
    """Windows by name; all have the triggers, the mode and the aggregates of ``each``."""

    kinds: tuple[tuple[str, Kind], ...] = (("a", Aligned()),)
    each: Windows = Windows()  # noqa: RUF009  frozen
    timed = True
    tells_refused = True

    def output(self, streams: Sequence[wr.Stream], case: Scenario) -> wr.Output:
        """Describe the query."""
        stream = streams[0].lateness(f"{case.lateness} us")
        return self.each.of(stream.windows(**{name: kind.windrow() for name, kind in self.kinds}))

    def judge(self, base: DuckDBPyConnection, case: Scenario) -> list[str]:
        """Judge the panes of each name alone, and the fate of each row by its fates there."""
        names = [name for name, _ in self.kinds]
        wrong = some(
            base,
            "panes of another name",
            "FROM panes WHERE window_name NOT IN (SELECT unnest($names))",
            {"names": names},
        )
        base.execute("""CREATE TABLE verdict (name TEXT, stream BIGINT, id BIGINT, us BIGINT,
            step BIGINT, fate TEXT, is_inside BOOLEAN)""")
        for name, kind in self.kinds:
            alone = _alone(base, name)
            wrong += [f"{name}: {one}" for one in replace(self.each, kind=kind).judge(alone, case)]
            base.register("verdicts", alone.sql(_VERDICTS).to_arrow_table())
            base.execute("INSERT INTO verdict SELECT ?, * FROM verdicts", [name])
            alone.close()
        for query in (_FATES, _REFUSALS, _FORGOTTEN, _MORE_REFUSALS):
            base.execute(query)
        return wrong


def _alone(base: DuckDBPyConnection, name: str) -> DuckDBPyConnection:
    """Return a database with the rows, the steps, and the panes of one name."""
    alone = duckdb.connect()
    alone.execute("SET TimeZone = 'UTC'")
    for table in ("message", "step", "panes"):
        where = f"WHERE window_name = '{name}'" if table == "panes" else ""
        alone.register("some_rows", base.sql(f"FROM {table} {where}").to_arrow_table())
        alone.execute(f"CREATE TABLE {table} AS FROM some_rows")
        alone.unregister("some_rows")
    return alone


_VERDICTS = """SELECT stream, id, any_value(us), step, fate,
    bool_or(id IN (SELECT id FROM candidate)) FROM fate JOIN message USING (stream, id, step)
    GROUP BY ALL"""
#: A row counts as accepted if one window accepts it, and in a gap if no window contains it.
_FATES = """CREATE TABLE fate AS SELECT stream, id, step, CASE
    WHEN bool_or(fate = 'accepted') THEN 'accepted' WHEN bool_or(fate = 'replay') THEN 'replay'
    WHEN bool_or(fate = 'forgettable') THEN 'forgettable'
    WHEN bool_or(fate = 'rejected') THEN 'rejected' ELSE 'gap' END AS fate
    FROM verdict GROUP BY stream, id, step, fate IN ('replay', 'forgettable')"""
_REFUSALS = """CREATE TABLE refusal AS SELECT DISTINCT stream, id, if(us IS NULL, NULL, name)
    AS name, step FROM verdict WHERE fate = 'rejected'"""
_FORGOTTEN = """UPDATE fate SET fate = if((SELECT count(*) FROM rejected r
    WHERE (r.message.id, r.step) = (fate.id, fate.step)) > (SELECT count(*) FROM refusal f
    WHERE (f.id, f.step) = (fate.id, fate.step)), 'forgotten', 'replay')
    WHERE fate = 'forgettable'"""
_MORE_REFUSALS = """INSERT INTO refusal SELECT DISTINCT v.stream, v.id,
    if(us IS NULL, NULL, name), v.step FROM verdict v JOIN fate f USING (stream, id, step)
    WHERE f.fate = 'forgotten' AND v.fate = 'forgettable' AND (us IS NULL OR is_inside)"""
