"""Two streams joined by equal keys and a range of time (R35, R37)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import windrow as wr
from large.expected.fates import of_rows
from large.expected.panes import some
from large.scenario import MINUTE, Scenario
from large.traffic import key_columns

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

How = Literal["inner", "left", "right", "full", "semi", "anti"]


@dataclass(frozen=True)
class Join:
    """A join where ``low <= right - left <= high``, in microseconds."""

    how: How = "inner"
    low: int = -MINUTE
    high: int = 2 * MINUTE
    timed = True
    tells_refused = True

    def output(self, streams: Sequence[wr.Stream], case: Scenario) -> wr.JoinOutput:
        """Describe the query."""
        left, right = (one.lateness(f"{case.lateness} us") for one in streams)
        return wr.join(
            left,
            right,
            on=key_columns(case.traffic[0]),
            within=(f"{self.low} us", f"{self.high} us"),
            how=self.how,
        )

    def judge(self, base: DuckDBPyConnection, case: Scenario) -> list[str]:
        """Compare the rows and the steps in which they were emitted."""
        of_rows(base, case.lateness)
        base.execute(f"""CREATE TABLE pair AS SELECT l.id AS l, r.id AS r, greatest(l.step,
            r.step) AS step
            FROM accepted l JOIN accepted r ON l.g = r.g AND r.us - l.us BETWEEN {self.low}
            AND {self.high}
            WHERE l.stream = 0 AND r.stream = 1""")
        base.execute(f"CREATE TABLE wanted AS {self._wanted(case.lateness)}")
        right = "NULL::bigint" if self.how in {"semi", "anti"} else "in1.id"
        base.execute(f"CREATE TABLE found AS SELECT in0.id AS l, {right} AS r, step FROM rows")
        return some(
            base,
            "rows [wanted, found]",
            """SELECT coalesce(a.l, b.l) AS l, coalesce(a.r, b.r) AS r,
            coalesce(a.step, b.step) AS step, [a.n, b.n] AS n
            FROM (SELECT *, count(*) AS n FROM wanted GROUP BY ALL) a FULL JOIN
            (SELECT *, count(*) AS n FROM found GROUP BY ALL) b
            ON a.l IS NOT DISTINCT FROM b.l AND a.r IS NOT DISTINCT FROM b.r AND a.step = b.step
            WHERE a.n IS DISTINCT FROM b.n ORDER BY ALL""",
        )

    def _wanted(self, lateness: int) -> str:
        """Select the pairs, and the rows that can no longer find a partner."""
        if self.how == "semi":
            return "SELECT l, NULL::bigint AS r, min(step) AS step FROM pair GROUP BY l"

        def alone(stream: int, side: str, until: str, shown: str) -> str:
            return f"""SELECT {shown}, min(w.step) AS step FROM accepted a
                JOIN step w ON w.after > {until} + {lateness} AND w.step >= a.step
                WHERE stream = {stream} AND id NOT IN (SELECT {side} FROM pair) GROUP BY id"""

        left = alone(0, "l", f"us + {self.high}", "id AS l, NULL::bigint AS r")
        right = alone(1, "r", f"us - {self.low}", "NULL::bigint AS l, id AS r")
        parts = {
            "inner": ["FROM pair"],
            "left": ["FROM pair", left],
            "right": ["FROM pair", right],
            "full": ["FROM pair", left, right],
            "anti": [left],
        }
        return " UNION ALL ".join(parts[self.how])
