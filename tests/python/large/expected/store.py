"""Full state: every row is emitted once, with the first window that still accepts it (R6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import windrow as wr
from large.expected.fates import of_windows
from large.expected.kinds import Aligned
from large.expected.panes import some
from large.scenario import Scenario

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


@dataclass(frozen=True)
class Messages:
    """Panes that contain the new rows of each step."""

    kind: Aligned = Aligned()  # noqa: RUF009  frozen
    timed = True
    tells_refused = True

    def output(self, streams: Sequence[wr.Stream], case: Scenario) -> wr.Output:
        """Describe the query."""
        kept = streams[0].lateness(f"{case.lateness} us").retain(time=f"{case.retain} us")
        return kept.window(self.kind.windrow()).keepRows()

    def judge(self, base: DuckDBPyConnection, case: Scenario) -> list[str]:
        """Compare the window and the step with which each row was emitted."""
        of_windows(base, self.kind, case.lateness)
        first, last, _ = self.kind.bounds
        base.execute(f"""CREATE TABLE found AS SELECT {first} AS first, {last} AS last, step,
            pane.timing AS timing, unnest(messages) AS message FROM panes""")
        wrong = some(
            base,
            "messages [wanted, found]",
            """SELECT coalesce(a.id, b.message.id) AS id,
            [a.first, b.first] AS first, [a.step, b.step] AS step
            FROM (SELECT id, step, min(first) AS first FROM own GROUP BY ALL) a
            FULL JOIN found b ON a.id = b.message.id AND a.first = b.first AND a.step = b.step
            WHERE a.id IS NULL OR b.message IS NULL""",
        )
        return wrong + some(
            base,
            "messages come twice",
            "SELECT message.id AS id, count(*) AS n FROM found GROUP BY ALL HAVING n > 1",
        )
