"""Rows joined with the nearest row of another stream, by DuckDB's ASOF JOIN (R115 to R118)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import windrow as wr
from large.expected.fates import of_rows
from large.expected.panes import differing
from large.scenario import MINUTE, Scenario
from large.traffic import key_columns

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Direction = Literal["backward", "forward", "nearest"]
How = Literal["left", "inner"]

#: Conditions for the groups whose key is, or contains, a null column.
NULL = {"two": "g % 3 = 0", "string": "g = 0", "boolean": "g = 0"}

#: Of several rows of a key and time, the one that is taken, by the order of T3.
_PART = """SELECT g, us, {end}(id ORDER BY partition, "offset") AS id FROM accepted
    WHERE stream = 1 AND step <= $step AND NOT ({null}) GROUP BY ALL"""


@dataclass(frozen=True)
class Asof:
    """An as-of join; without a tolerance, a partner can be any time before."""

    direction: Direction = "backward"
    tolerance: int | None = MINUTE
    how: How = "left"
    once: bool = False
    timed = True
    tells_refused = True

    def output(self, streams: Sequence[wr.Stream], case: Scenario) -> wr.JoinOutput:
        """Describe the query."""
        left, right = (one.lateness(f"{case.lateness} us") for one in streams)
        return wr.asofJoin(
            left,
            right,
            on=key_columns(case.traffic[0]),
            tolerance=None if self.tolerance is None else f"{self.tolerance} us",
            direction=self.direction,
            how=self.how,
            early=wr.Never() if self.once else None,
        )

    def judge(self, base: DuckDBPyConnection, case: Scenario) -> list[str]:
        """Compare the rows, their retractions, and the steps in which they were emitted."""
        of_rows(base, case.lateness)
        null = NULL.get(case.traffic[0].key_type, "false")
        base.execute("CREATE TABLE partner (l BIGINT, r BIGINT, us BIGINT, far BIGINT, step INT)")
        for (step,) in base.execute("SELECT step FROM step ORDER BY step").fetchall():
            base.execute(f"INSERT INTO partner {self._partners(null)}", {"step": step})
        changes = self._once(case.lateness) if self.once else self._changes()
        wanted = base.execute(changes).fetchall()
        found = base.execute("SELECT in0.id, in1.id, step, pane.is_retraction FROM rows")
        return differing("rows", wanted, found.fetchall())

    def _partners(self, null: str) -> str:
        """Select the partner of each left row among the rows up to a step, and its distance."""
        last, first = (_PART.format(end=end, null=null) for end in ("last", "first"))
        left = f"""SELECT *, CASE WHEN {null} THEN NULL ELSE g END AS k FROM accepted
            WHERE stream = 0 AND step <= $step"""
        back = "l.us - b.us" if self.direction != "forward" else "NULL::bigint"
        fore = "f.us - l.us" if self.direction != "backward" else "NULL::bigint"
        limit = "true" if self.tolerance is None else f"far <= {self.tolerance}"
        return f"""SELECT l, if({limit}, r, NULL), us, if({limit}, far, NULL), $step FROM (
            SELECT l.id AS l, l.us, {back} AS back, {fore} AS fore, least(back, fore) AS far,
            CASE WHEN back <= coalesce(fore, back) THEN b.id
            WHEN fore IS NOT NULL THEN f.id END AS r FROM ({left}) l
            ASOF LEFT JOIN ({last}) b ON l.k = b.g AND l.us >= b.us
            ASOF LEFT JOIN ({first}) f ON l.k = f.g AND l.us <= f.us)"""

    def _changes(self) -> str:
        """Select a row for each partner that is new, and a retraction of the one before."""
        is_left = self.how == "left"
        return f"""WITH change AS (SELECT *, lag(r) OVER w AS old, row_number() OVER w = 1 AS is_new
              FROM partner WINDOW w AS (PARTITION BY l ORDER BY step) QUALIFY is_new
              OR r IS DISTINCT FROM old)
            SELECT l, r, step, false FROM change WHERE r IS NOT NULL OR {is_left} UNION ALL
            SELECT l, old, step, true FROM change
            WHERE NOT is_new AND (old IS NOT NULL OR {is_left})"""

    def _once(self, lateness: int) -> str:
        """Select each row in the first step after which no other partner can be accepted."""
        wait = "0" if self.direction == "backward" else f"coalesce(far, {self.tolerance})"
        return f"""SELECT l, r, step, false FROM partner JOIN step USING (step)
            WHERE after > us + {wait} + {lateness}
            QUALIFY row_number() OVER (PARTITION BY l ORDER BY step) = 1
            AND (r IS NOT NULL OR {self.how == "left"})"""
