"""Sessions on event time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from windrow._specs import _duration, _json
from windrow._specs._columns import is_column
from windrow._specs._duration import Duration
from windrow.windows._kind import WindowKind

if TYPE_CHECKING:
    from pyspark.sql import Column


@dataclass(frozen=True, repr=False, eq=False)
class Session(WindowKind):
    """``[first, last + gap)``: messages of a key at most ``gap`` apart share a session.

    ``gap`` is a duration, or a Column of day-time interval or of whole microseconds: then every
    message brings its own. A Column is equal to itself only, and does not go into JSON: what
    is read back has the gap None, "of each message".
    """

    gap: Duration | Column | None

    def __post_init__(self) -> None:
        """Refuse what is no gap."""
        self._settle()

    def __eq__(self, other: object) -> bool:
        """Compare the gaps; Columns (whose ``==`` builds an expression) by identity."""
        if not isinstance(other, Session):
            return NotImplemented
        if isinstance(self.gap, str) and isinstance(other.gap, str):
            return self.gap == other.gap
        return self.gap is other.gap

    def __hash__(self) -> int:
        """Fit ``__eq__``."""
        return hash(self.gap if isinstance(self.gap, str) else id(self.gap))

    def __repr__(self) -> str:
        """Show as the call."""
        return "Session(gap of each message)" if self._of_message() else f"Session({self.gap!r})"

    def describe(self) -> str:
        """Say in words which windows there are and which of them hold a message."""
        gap = "the message's own gap" if self._of_message() else self.gap
        return (
            f"For each key, from a first message to {gap} after the last. Messages at most "
            "that far apart share a session; a message between two sessions merges them."
        )

    def _of_message(self) -> bool:
        return self.gap is None or is_column(self.gap)

    def _durations(self) -> Sequence[str]:
        return () if self._of_message() else ("gap",)

    def _fields(self) -> _json.Fields:
        return {
            "kind": "session",
            "gap": None if self._of_message() else _duration.micros(self.gap),
        }

    def _sample(self) -> list[int]:
        return [int(part * self._gap_micros()) for part in (0.0, 0.7, 1.5, 3.5, 4.1)]

    def _holding(self, at: Sequence[int]) -> list[tuple[int, int]]:
        gap = self._gap_micros()
        sessions: list[tuple[int, int]] = []
        for time in sorted(at):
            if sessions and time <= sessions[-1][1]:
                sessions[-1] = (sessions[-1][0], time + gap)
            else:
                sessions.append((time, time + gap))
        return sessions

    def _gap_micros(self) -> int:
        """Gap to draw with; a minute stands for gaps that only the messages know."""
        return 60_000_000 if self._of_message() else _duration.micros(self.gap)
