"""Windows inherited from the panes of an upstream operator in the same query (R55, B4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

import windrow as wr
from large.expected.aggregates import ALWAYS
from large.expected.fates import of_windows
from large.expected.panes import compared, grammar, loaded, some
from large.expected.windows import Windows

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from large.scenario import Scenario


@dataclass(frozen=True)
class Inherited:
    """Aggregate per window the last panes of all keys with the same remainder by ``groups``."""

    first: Windows = Windows()  # noqa: RUF009  frozen
    mode: str = "ACCUMULATING"
    groups: int = 3
    timed = True
    #: This operator does not see the rows that the first operator rejects.
    tells_refused = False

    @property
    def _sums(self) -> dict[str, str]:
        """Map the aggregates of ``first`` to their SQL, which is the same for Spark and DuckDB."""
        return {
            "n": "sum(n)",
            "group_least": f"min(group_least % {self.groups})",
            "group_greatest": f"max(group_greatest % {self.groups})",
            "ids": "bit_xor(ids)",
        }

    def output(self, streams: Sequence[wr.Stream], case: Scenario) -> wr.Output:
        """Group the panes of the first operator by remainder."""
        panes = self.first.output(streams, case).panes
        key = F.expr(f"group_least % {self.groups}").alias("k0")
        windows = wr.stream(panes, key=key, name="overall").lateness(f"{case.lateness} us")
        inherited = windows.window(wr.Inherit()).accumulationMode(wr.AccumulationMode[self.mode])
        return inherited.aggregate(*(F.expr(sql).alias(n) for n, sql in self._sums.items()))

    def judge(self, base: DuckDBPyConnection, case: Scenario) -> list[str]:
        """Compare the output with the aggregates of the last panes."""
        kind = self.first.kind
        of_windows(base, kind, case.lateness)
        loaded(base, kind.bounds)
        kind.prepare(base, case.lateness)
        sums = ", ".join(f"{sql} AS {name}" for name, sql in self._sums.items())
        base.execute(f"""CREATE TABLE wanted AS SELECT g % {self.groups} AS g, first, last,
            NULL AS of, {sums} FROM ({kind.values(ALWAYS)}) v WHERE {kind.fires()}
            GROUP BY v.g % {self.groups}, first, last""")
        wrong = grammar(base, self.mode)
        wrong += some(base, "panes that were refused", "FROM rejected")
        fired = "(FROM final WHERE timing <> 'EARLY')"
        return wrong + compared(base, ALWAYS, "wanted", fired, "first, last, of")
