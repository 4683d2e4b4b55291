"""Rows of another stream that look up the rows of their key (S7, R24)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from large.expected.panes import some
from large.expected.store import Messages
from large.scenario import MINUTE

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection
    from pyspark.sql import DataFrame

    import windrow as wr
    from large.scenario import Scenario


@dataclass(frozen=True)
class Lookups(Messages):
    """Lookups of the rows from ``back`` before their time up to it; without a time, of all."""

    back: int = MINUTE

    def ask(self, output: wr.Output, lookups: DataFrame) -> wr.Answers:
        """Look up rows by keys of the same name."""
        since = F.expr(f"timestamp_micros(unix_micros(t) - {self.back})")
        return output.getMessages(lookups.withColumn("since", since), "since", "t")

    def judge(self, base: DuckDBPyConnection, case: Scenario) -> list[str]:
        """Check that each lookup is answered once, in its step, with the rows in the state."""
        wrong = super().judge(base, case)
        return wrong + some(
            base,
            "answers [wanted, found]",
            f"""SELECT coalesce(a.id, b.id) AS id, [a.step, b.step] AS step, [a.ids, b.ids] AS ids
            FROM (SELECT l.id, l.step, coalesce(list(m.id ORDER BY m.us, m.partition, m.offset)
              FILTER (m.id IS NOT NULL), []) AS ids FROM lookup l LEFT JOIN accepted m
              ON m.g = l.g AND m.step <= l.step
              AND m.us >= coalesce(l.us - {self.back}, m.us) AND m.us <= coalesce(l.us, m.us)
              AND m.us >= coalesce(l.after - {case.retain}, m.us) GROUP BY ALL) a
            FULL JOIN (SELECT id, step, [m.id FOR m IN messages] AS ids FROM answers) b
            USING (id, step) WHERE a.ids IS DISTINCT FROM b.ids""",
        )
