"""The window that contains everything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from windrow._specs import _json
from windrow.windows._kind import WindowKind


@dataclass(frozen=True)
class Global(WindowKind):
    """One window for each key that contains all of its rows.

    The window never completes, so you must set an early trigger; otherwise it would never be
    emitted.

    Example:
        ::

            totals = (
                wr.stream(orders, key="product")
                .window(wr.Global())
                .trigger(early=wr.EachBatch())
                .accumulationMode(wr.ACCUMULATING)
                .aggregate(F.sum("price").alias("total"))
            )

    """

    def describe(self) -> str:
        """Describe in words which windows exist, and which of them contain a row.

        Returns:
            One or two sentences. ``Output.explain`` shows them.

        """
        return "One window for each key, which contains all rows and never completes."

    def _fields(self) -> _json.Fields:
        return {"kind": "global"}

    def _sample(self) -> list[int]:
        return [int(part * 60_000_000) for part in (0.0, 0.4, 0.9, 1.6, 2.5)]

    def _holding(self, at: Sequence[int]) -> list[tuple[int, int]]:
        return [(min(at), max(at))] if at else []
