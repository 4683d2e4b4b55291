"""A windowed aggregation, and the panes that it must emit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

import windrow as wr
from large.expected import plan
from large.expected.aggregates import AGGREGATES, ALWAYS
from large.expected.kinds import Aligned, Kind
from large.expected.panes import compared, grammar, loaded
from large.scenario import Scenario

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

TRIGGERS: dict[str, wr.PaneTrigger] = {
    "never": wr.Never(),
    "each_batch": wr.EachBatch(),
    "each_message": wr.EachMessage(),
    "every_7": wr.Every(messages=7),
}


@dataclass(frozen=True)
class Windows:
    """Panes of one stream; ``more`` are aggregates in addition to those of every scenario."""

    kind: Kind = Aligned()  # noqa: RUF009  frozen
    mode: str = "ACCUMULATING"
    early: str = "never"
    more: tuple[str, ...] = ("total",)
    tells_refused = True

    @property
    def names(self) -> tuple[str, ...]:
        """Return all aggregates."""
        return (*ALWAYS, *self.more)

    @property
    def timed(self) -> bool:
        """Return whether the streams have event time."""
        return self.kind.timed

    def output(self, streams: Sequence[wr.Stream], case: Scenario) -> wr.Output:
        """Describe the query."""
        return self.over(self.kind.late(streams[0], case.lateness))

    def over(self, stream: wr.Stream, said: Callable[[str], str] = str) -> wr.Output:
        """Aggregate a stream; ``said`` changes the SQL of an aggregate."""
        return self.of(stream.window(self.kind.windrow()), said)

    def of(self, windows: wr.Windowed, said: Callable[[str], str] = str) -> wr.Output:
        """Aggregate windows."""
        fired = windows.accumulationMode(wr.AccumulationMode[self.mode])
        return fired.trigger(early=TRIGGERS[self.early]).aggregate(
            *(F.expr(said(AGGREGATES[name].spark)).alias(name) for name in self.names)
        )

    def judge(self, base: DuckDBPyConnection, case: Scenario) -> list[str]:
        """Compare every pane if all can be predicted, otherwise the last pane of each window."""
        self.kind.accept(base, case.lateness)
        loaded(base, self.kind.bounds)
        wrong = grammar(base, self.mode, reappears=self.kind.reappears)
        if self.kind.aligned and self.early in {"never", "each_batch"}:
            plan.panes(base, self.early, self.mode, case.lateness, self.names)
            by = "first, last, step, timing, index, is_last, is_retraction"
            return wrong + compared(base, self.names, "wanted", "pane", by)
        self.kind.prepare(base, case.lateness)
        base.execute(f"CREATE TABLE value AS {self.kind.values(self.names)}")
        base.execute(f"CREATE TABLE wanted AS SELECT v.* FROM value v WHERE {self.kind.fires()}")
        fired = "FROM final WHERE timing <> 'EARLY'" if self.kind.completes else "FROM final"
        wrong += compared(base, self.names, "wanted", f"({fired})", "first, last, of")
        return wrong + self.kind.judge(base)
