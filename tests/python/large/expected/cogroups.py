"""A union of streams whose rows contain a struct for each stream (R56)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import windrow as wr
from large.expected.windows import Windows

if TYPE_CHECKING:
    from large.scenario import Scenario

_COLUMN = re.compile(r"\b(id|g|t|v|w|x|y|s)\b")


@dataclass(frozen=True)
class CoGrouped(Windows):
    """Aggregates over the rows of two streams."""

    def output(self, streams: Sequence[wr.Stream], case: Scenario) -> wr.Output:
        """Describe a query in which each stream has its own time, watermark and offsets."""
        together = wr.cogroup(*(self.kind.late(one, case.lateness) for one in streams))
        return self.over(together, lambda sql: _COLUMN.sub(r"coalesce(in0.\1, in1.\1)", sql))
