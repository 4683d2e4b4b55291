"""The micro-batches that a harness makes an engine run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from windrow.advising import Advice

#: The folder whose files control a query; a stream cannot have this name.
CONTROL = "the-control"
#: The watermark that completes every window, in microseconds (rule R71).
END = (2**62 // 1000 + 1) * 1000


@dataclass(frozen=True)
class Turn:
    """A micro-batch: rows of a stream, or no rows and optionally a watermark.

    now: its processing time in milliseconds. mark: the watermark in microseconds, for later
    micro-batches.
    """

    now: int
    stream: str = CONTROL
    table: pa.Table | None = None
    mark: int | None = None


class Engine(Protocol):
    """The interface of an engine, which runs micro-batches."""

    def run(self, turns: Sequence[Turn]) -> None:
        """Run micro-batches; raises SpecError if a watermark moves back."""

    def steps(self) -> int:
        """Return the number of micro-batches so far, without one that was rejected."""

    def outputs(self) -> list[dict[str, Any]]:
        """Return the output since the last call: ``step`` from 0, ``kind``, and its structs."""

    def watermark(self) -> int | None:
        """Return the watermark of the last micro-batch in milliseconds, or None."""

    def hasWatermark(self) -> bool:
        """Return whether the query has a watermark of event time."""

    def kept(self, what: str, operator: str | None) -> DataFrame:
        """Return the stored state: windows, rows, or pending panes."""

    def advise(self, catch: float) -> Advice:
        """Recommend an allowed lateness."""

    def restart(self) -> None:
        """Stop, and continue from the stored state."""

    def close(self) -> None:
        """Free all resources."""
