"""What a harness has an engine do: micro-batches, one by one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from windrow.advising import Advice

#: The folder whose files move a query on; no stream can be called that.
CONTROL = "the-control"
#: The watermark at which everything is over (SEMANTICS R71), in microseconds.
END = 100_000_000_000_000 * 1000


@dataclass(frozen=True)
class Turn:
    """A micro-batch: messages of a stream, or none and perhaps a watermark.

    now: its processing time in milliseconds. mark: in microseconds, for the micro-batches after it.
    """

    now: int
    stream: str = CONTROL
    table: pa.Table | None = None
    mark: int | None = None


class Engine(Protocol):
    """Runs micro-batches."""

    def run(self, turns: Sequence[Turn]) -> None:
        """Run micro-batches. Errors: SpecError if a watermark goes back."""

    def outputs(self) -> list[dict[str, Any]]:
        """Give what came since it was last asked: ``step``, from 0, ``kind`` and its structs."""

    def watermark(self) -> int | None:
        """Give the watermark of the last micro-batch, in milliseconds; None: none yet."""

    def hasWatermark(self) -> bool:
        """Tell whether the query has a watermark of event time."""

    def kept(self, what: str, operator: str | None) -> DataFrame:
        """Give what is kept: windows, messages, or what is pending."""

    def advise(self, catch: float) -> Advice:
        """Tell which lateness would have caught how much."""

    def restart(self) -> None:
        """Stop, and go on from what is stored."""

    def close(self) -> None:
        """Free everything."""
