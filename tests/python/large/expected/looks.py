"""State that is read from outside after each run (S6, R22 to R24)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from large.expected.aggregates import duck
from large.expected.panes import compared, some
from large.expected.store import Messages
from large.expected.windows import Windows

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection
    from pyspark.sql import DataFrame

    import windrow as wr
    from large.scenario import Scenario

#: The last step of each run.
_LOOKED = "CREATE TABLE look AS SELECT max(step) AS step, max_by(after, step) AS after FROM step"


@dataclass(frozen=True)
class LookedWindows(Windows):
    """Aligned windows that are still in the state, with their current values."""

    def look(self, state: wr.State) -> Mapping[str, DataFrame]:
        """Read all windows."""
        return {"windows": state.getWindows(None, None)}

    def judge(self, base: DuckDBPyConnection, case: Scenario) -> list[str]:
        """Compare the windows in the state in addition to the panes."""
        wrong = super().judge(base, case)
        base.execute(f"{_LOOKED} GROUP BY leg")
        base.execute(f"""CREATE TABLE standing AS
            SELECT of_g AS g, first, last, looked, coalesce(after >= last, false) AS is_complete,
              {duck(self.names)} FROM (
              SELECT o.id, o.g AS of_g, o.first, o.last, l.step AS looked, l.after
              FROM own o, look l
              WHERE o.step <= l.step AND coalesce(l.after < o.last + {case.lateness}, true))
            JOIN accepted USING (id) GROUP BY of_g, first, last, looked, after""")
        first, last, _ = self.kind.bounds
        base.execute(f"""CREATE TABLE seen AS SELECT * EXCLUDE ("window"), group_least AS g,
            {first} AS first, {last} AS last, step AS looked FROM windows""")
        return wrong + compared(
            base, self.names, "standing", "seen", "first, last, looked, is_complete"
        )


@dataclass(frozen=True)
class LookedMessages(Messages):
    """Rows within the retention."""

    def look(self, state: wr.State) -> Mapping[str, DataFrame]:
        """Read all rows."""
        return {"kept": state.getMessages(None, None)}

    def judge(self, base: DuckDBPyConnection, case: Scenario) -> list[str]:
        """Compare the kept rows in addition to the output."""
        wrong = super().judge(base, case)
        base.execute(f"{_LOOKED} GROUP BY leg")
        return wrong + some(
            base,
            "kept [wanted, found]",
            f"""SELECT coalesce(a.id, b.id) AS id, coalesce(a.step, b.step) AS step, [a.n, b.n] AS n
            FROM (SELECT m.id, l.step, count(*) AS n FROM accepted m JOIN look l
              ON m.step <= l.step AND m.us >= coalesce(l.after - {case.retain}, m.us)
              GROUP BY ALL) a
            FULL JOIN (SELECT id, step, count(*) AS n FROM kept GROUP BY ALL) b USING (id, step)
            WHERE a.n IS DISTINCT FROM b.n""",
        )
