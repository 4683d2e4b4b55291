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
    """Windows of activity that end after a gap without rows.

    Rows of a key that are at most ``gap`` apart share a session. It lasts from its first row to
    ``gap`` after its last one. A late row between two sessions merges them: Windrow emits a
    retraction of each earlier pane, and then the merged session.

    Args:
        gap: A duration, for example ``"30 minutes"``, or a Column of type day-time interval or of
            microseconds, so that each row has its own gap. A Column equals only itself and is not
            written to JSON; a session that is read back has the gap None.

    Raises:
        SpecError: ``gap`` is not a duration (``DURATION_NOT_UNDERSTOOD``,
            ``DURATION_WITHOUT_UNIT``).

    Example:
        >>> wr.Session("30 minutes")
        Session('30 minutes')

    """

    gap: Duration | Column | None

    def __post_init__(self) -> None:
        """Reject a value that is not a gap."""
        self._settle()

    def __eq__(self, other: object) -> bool:
        """Compare the gaps; Columns by identity, because their ``==`` builds an expression."""
        if not isinstance(other, Session):
            return NotImplemented
        if isinstance(self.gap, str) and isinstance(other.gap, str):
            return self.gap == other.gap
        return self.gap is other.gap

    def __hash__(self) -> int:
        """Return a hash that is consistent with ``__eq__``."""
        return hash(self.gap if isinstance(self.gap, str) else id(self.gap))

    def __repr__(self) -> str:
        """Show as the call."""
        return "Session(gap of each row)" if self._of_message() else f"Session({self.gap!r})"

    def describe(self) -> str:
        """Describe in words which windows exist, and which of them contain a row.

        Returns:
            One or two sentences. ``Output.explain`` shows them.

        """
        gap = "the row's own gap" if self._of_message() else self.gap
        return (
            f"For each key, from the first row to {gap} after the last row. Rows at most "
            "that far apart share a session; a row between two sessions merges them."
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
        """Return the gap for drawing; one minute if each row has its own gap."""
        return 60_000_000 if self._of_message() else _duration.micros(self.gap)
