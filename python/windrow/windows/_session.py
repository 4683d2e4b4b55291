"""Sessions on event time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from windrow._specs import _duration, _json, _values
from windrow._specs._columns import is_column
from windrow._specs._duration import Duration
from windrow.windows._kind import WindowKind

if TYPE_CHECKING:
    from pyspark.sql import Column

    from windrow.errors import SpecProblem


@dataclass(frozen=True, repr=False, eq=False)
class Session(WindowKind):
    """Windows of activity that end after a gap without rows.

    Rows of a key that are at most ``gap`` apart share a session. It lasts from its first row to
    ``gap`` after its last one. A late row between two sessions merges them: Windrow emits a
    retraction of each earlier pane, and then the merged session.

    With ``endsWith``, ``maxLength``, or ``split``, a session can end earlier, and a late row can
    also divide one. Windrow then stores the rows of open sessions. Rows of a key that have the same
    time are always in the same session.

    Args:
        gap: A duration, for example ``"30 minutes"``, or a Column of type day-time interval or of
            microseconds, so that each row has its own gap. A Column equals only itself and is not
            written to JSON; a session that is read back has the gap None.
        endsWith: A boolean SQL expression such as ``"event = 'logout'"``. A row for which it is
            true is the last one of its session. None if no row ends a session.
        maxLength: The greatest length of a session, for example ``"12 hours"``. A row at or after
            the first row's time plus this begins another session. None sets no limit.
        split: An SQL expression or several, for example ``"campaign"``. A row with other values
            than the row before it begins another session. Null equals null. The default is none.

    Raises:
        SpecError: ``gap`` or ``maxLength`` is not a duration (``DURATION_NOT_UNDERSTOOD``,
            ``DURATION_WITHOUT_UNIT``), or ``endsWith`` or ``split`` is not a string
            (``NAME_NOT_UNDERSTOOD``).

    Example:
        >>> wr.Session("30 minutes")
        Session('30 minutes')
        >>> wr.Session("30 minutes", endsWith="event = 'logout'", maxLength="12 hours")
        Session('30 minutes', endsWith="event = 'logout'", maxLength='12 hours')

    """

    gap: Duration | Column | None
    endsWith: str | None = None
    maxLength: Duration | None = None
    split: str | Sequence[str] = ()

    def __post_init__(self) -> None:
        """Reject values that are not durations or expressions."""
        if isinstance(self.split, str):
            object.__setattr__(self, "split", (self.split,))
        elif isinstance(self.split, list | tuple):
            object.__setattr__(self, "split", tuple(self.split))
        self._settle()

    def __eq__(self, other: object) -> bool:
        """Compare the fields; Columns by identity, because their ``==`` builds an expression."""
        if not isinstance(other, Session):
            return NotImplemented
        return self._identity() == other._identity()

    def __hash__(self) -> int:
        """Return a hash that is consistent with ``__eq__``."""
        return hash(self._identity())

    def __repr__(self) -> str:
        """Show as the call."""
        gap = "gap of each row" if self._of_message() else repr(self.gap)
        several = list(self._split())
        split = several if len(several) > 1 else next(iter(several), None)
        more = {"endsWith": self.endsWith, "maxLength": self.maxLength, "split": split}
        return f"Session({', '.join([gap, *(f'{n}={v!r}' for n, v in more.items() if v)])})"

    def describe(self) -> str:
        """Describe in words which windows exist, and which of them contain a row.

        Returns:
            One or two sentences. ``Output.explain`` shows them.

        """
        gap = "the row's own gap" if self._of_message() else self.gap
        text = (
            f"For each key, from the first row to {gap} after the last row. Rows at most "
            "that far apart share a session; a row between two sessions merges them."
        )
        if self.endsWith is not None:
            text += f" A row with {self.endsWith} ends its session."
        if self.maxLength is not None:
            text += f" No session is longer than {self.maxLength}."
        if self.split:
            values = ", ".join(self._split())
            text += f" A row with another {values} than the row before it begins a session."
        return text

    def _identity(self) -> tuple[object, ...]:
        gap = self.gap if isinstance(self.gap, str) or self.gap is None else id(self.gap)
        return (gap, self.endsWith, self.maxLength, self.split)

    def _split(self) -> tuple[Any, ...]:
        """Return the expressions; a value that is not a list is the only one."""
        return self.split if isinstance(self.split, tuple) else (self.split,)

    def _of_message(self) -> bool:
        return self.gap is None or is_column(self.gap)

    def _durations(self) -> Sequence[str]:
        gap = () if self._of_message() else ("gap",)
        return gap if self.maxLength is None else (*gap, "maxLength")

    def _unread(self) -> list[SpecProblem]:
        texts = [("endsWith", self.endsWith)] if self.endsWith is not None else []
        texts += [("split", text) for text in self._split()]
        return [found for name, text in texts for found in _values.name(name, text)]

    def _fields(self) -> _json.Fields:
        gap = None if self._of_message() else _duration.micros(self.gap)
        fields: dict[str, Any] = {"kind": "session", "gap": gap}
        if self.endsWith is not None:
            fields["ends_with"] = self.endsWith
        if self.maxLength is not None:
            fields["max_length"] = _duration.micros(self.maxLength)
        if self.split:
            fields["split"] = list(self._split())
        return fields

    def _sample(self) -> list[int]:
        return [int(part * self._gap_micros()) for part in (0.0, 0.7, 1.5, 3.5, 4.1)]

    def _holding(self, at: Sequence[int]) -> list[tuple[int, int]]:
        """Return the sessions of times. Only of the sample is it known what its rows contain."""
        gap = self._gap_micros()
        most = None if self.maxLength is None else _duration.micros(self.maxLength)
        sample = self._sample()
        ends = {sample[1]} if self.endsWith is not None and list(at) == sample else set()
        begins = {sample[4]} if self.split and list(at) == sample else set()
        sessions: list[tuple[int, int]] = []
        for time in sorted(at):
            start, end = sessions[-1] if sessions else (time, time - 1)
            if time <= end and time not in begins and (most is None or time < start + most):
                sessions.pop()
            else:
                if time in begins and end > time:
                    sessions[-1] = (start, time)
                start = time
            longest = time + gap if most is None else min(time + gap, start + most)
            sessions.append((start, time + 1 if time in ends else longest))
        return sessions

    def _unseen(self) -> list[str]:
        cuts = {"endsWith": self.endsWith, "split": self.split}
        named = " and ".join(name for name, cut in cuts.items() if cut)
        found = [f"Times alone do not show {named}."] if named else []
        return [*found, *(["Each gap is drawn as 1 minute."] if self._of_message() else [])]

    def _gap_micros(self) -> int:
        """Return the gap for drawing; one minute if each row has its own gap."""
        return 60_000_000 if self._of_message() else _duration.micros(self.gap)
