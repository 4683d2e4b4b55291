"""The one window that holds everything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from windrow._specs import _json
from windrow.windows._kind import WindowKind


@dataclass(frozen=True)
class Global(WindowKind):
    """One window for each key that holds all its messages; it needs an early trigger."""

    def describe(self) -> str:
        """Say in words which windows there are and which of them hold a message."""
        return "For each key one window that holds everything and never completes."

    def _fields(self) -> _json.Fields:
        return {"kind": "global"}

    def _sample(self) -> list[int]:
        return [int(part * 60_000_000) for part in (0.0, 0.4, 0.9, 1.6, 2.5)]

    def _holding(self, at: Sequence[int]) -> list[tuple[int, int]]:
        return [(min(at), max(at))] if at else []
