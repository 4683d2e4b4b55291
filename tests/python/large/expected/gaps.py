"""Windows without rows, and the values that fill them (R3, R120 to R122)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import windrow as wr
from large.clock import END
from large.expected.aggregates import duck
from large.expected.kinds import of_members
from large.expected.panes import compared, differing, grammar, loaded, some
from large.expected.windows import Windows
from large.scenario import MINUTE, Scenario

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: A silence that never ends. The gaps of a key then end with its last window.
ENDLESS = 2**50


@dataclass(frozen=True)
class Filled(Windows):
    """Windows of which those without rows are emitted, too.

    ``silence`` is how long after a window with rows that is, or 0 if ``at_most`` decides it.
    ``fills`` are the values of the columns, which are carried for ``at_most``; the column ``*`` is
    every one. Other columns have the aggregates of no rows.
    """

    silence: int = 10 * MINUTE
    at_most: int = 10 * MINUTE
    fills: tuple[tuple[str, str | int | bool], ...] = ()

    @property
    def _methods(self) -> Mapping[str, str | int | bool]:
        """Return the values by column."""
        every = dict(self.fills)
        return dict.fromkeys(self.names, every["*"]) if "*" in every else every

    @property
    def _linear(self) -> list[str]:
        return [name for name, method in self._methods.items() if method == "linear"]

    def output(self, streams: Sequence[wr.Stream], case: Scenario) -> wr.Output:
        """Describe the query."""
        stream = streams[0].lateness(f"{case.lateness} us")
        silence = True if self.silence == ENDLESS else f"{self.silence} us"
        windows = stream.window(self.kind.windrow(), fillGaps=silence if self.silence else False)
        if self.fills:
            every = dict(self.fills)
            values = every.get("*", every)
            windows = windows.fillGaps(values, atMost=f"{self.at_most} us")
        return self.of(windows)

    def judge(self, base: DuckDBPyConnection, case: Scenario) -> list[str]:
        """Compare the last pane of each window, and the first panes of windows without rows."""
        self.kind.accept(base, case.lateness)
        loaded(base, self.kind.bounds, is_gap="pane.is_gap" if self.fills else "n = 0")
        wrong = grammar(base, self.mode)
        base.execute(f"CREATE TABLE held AS {of_members(self.names, 'own')}")
        base.execute(f"CREATE TABLE wanted AS SELECT v.* FROM held v WHERE {self.kind.fires()}")
        base.execute(f"CREATE TABLE gap AS {self._gaps()}")
        base.execute(f"CREATE TABLE empty AS {self._values()}")
        by = "first, last, of"
        for table, is_gap in (("wanted", "NOT is_gap"), ("empty", "is_gap")):
            exact = [n for n in self.names if table == "wanted" or n not in self._linear]
            found = f"(FROM final WHERE timing <> 'EARLY' AND {is_gap})"
            wrong += compared(base, tuple(exact), table, found, by)
        for name in self._linear:
            wrong += some(base, f"linear {name} [wanted, found]", self._apart(name))
        return wrong if self._linear else wrong + self._fired(base)

    def _gaps(self) -> str:
        """Select each gap with the step in which it fires and the step that made it a gap.

        A gap has no rows until it fires. It is between two windows with rows if it fires at the
        end of the input.
        """
        silence = self.silence or self.at_most
        return f"""WITH born AS (SELECT g, first, last, min(step) AS born FROM own GROUP BY ALL),
            after AS ({self.kind.following(silence)}),
            made AS (SELECT g, first, last, min(born) AS made FROM after
              WHERE last - source <= {silence} GROUP BY ALL),
            firing AS (SELECT m.*, min(w.step) AS step FROM made m JOIN step w
              ON w.step >= m.made AND w.after >= m.last GROUP BY ALL),
            ends AS (SELECT g, max(first) AS highest FROM born GROUP BY g)
            SELECT f.*, b.born, before >= f.last AS is_late FROM firing f JOIN step w USING (step)
            JOIN ends USING (g) LEFT JOIN born b ON (b.g, b.first, b.last) = (f.g, f.first, f.last)
            WHERE (b.born IS NULL OR b.born > f.step) AND (w.after < {END} OR f.first < highest)"""

    def _values(self) -> str:
        """Select the values of the gaps that still have no rows."""
        values = ", ".join(f"{self._value(name)} AS {name}" for name in self.names)
        return f"""SELECT p.g, p.first, p.last, NULL::bigint AS of, {values}
            FROM (SELECT * FROM gap WHERE born IS NULL) p
            ASOF JOIN held s ON p.g = s.g AND p.first > s.first
            ASOF LEFT JOIN held n ON p.g = n.g AND p.first < n.first,
            (SELECT {duck(self.names)} FROM accepted WHERE false) nothing"""

    def _value(self, name: str) -> str:
        method = self._methods.get(name)
        if method == "previous":
            return f"if(p.last <= s.last + {self.at_most}, s.{name}, nothing.{name})"
        if method == "linear":
            share = "(p.first - s.first) / (n.first - s.first)"
            between = f"s.{name} + (n.{name} - s.{name}) * ({share})"
            return f"if(n.last <= s.last + {self.at_most}, {between}, nothing.{name}::double)"
        return f"nothing.{name}" if method is None else str(method)

    @staticmethod
    def _apart(name: str) -> str:
        """Select linear values that differ; an integer can differ by a half."""
        return f"""SELECT g, first, last, a.{name} AS wanted, b.{name} AS found FROM empty a
            JOIN (FROM final WHERE is_gap) b USING (g, first, last)
            WHERE (wanted IS NULL) <> (found IS NULL) OR abs(wanted - found) >
            1e-9 * (1 + abs(wanted)) + if(typeof(found) = 'DOUBLE', 0, 0.5)"""

    def _fired(self, base: DuckDBPyConnection) -> list[str]:
        """Compare the step and the timing of the first pane of each gap."""
        wanted = base.execute("""SELECT g, first, last, step, if(is_late, 'LATE', 'ON_TIME')
            FROM gap""").fetchall()
        found = base.execute("""SELECT g, first, last, step, timing FROM pane
            WHERE is_gap AND index = 0 AND NOT is_retraction""").fetchall()
        return differing("gaps (group, start, end, step, timing)", wanted, found)
