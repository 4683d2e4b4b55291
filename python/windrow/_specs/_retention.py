"""Limits of how much of the past is stored."""

from __future__ import annotations

from dataclasses import dataclass

from windrow._specs import _values
from windrow._specs._duration import Duration
from windrow._specs._frozen import Shown
from windrow.errors import SpecError


@dataclass(frozen=True, kw_only=True, repr=False)
class Retention(Shown):
    """Limits of how much of the past is stored; the first limit that is reached applies.

    ``Stream.retain`` sets them for a query; use ``Retention`` in the spec of an operator. No limit
    removes a row from a window that can still change.

    Args:
        time: Event time before the watermark, for example ``"2 hours"``. None sets no limit.
        messages: The number of newest rows of each key. None sets no limit.
        windows: The number of newest windows of each key. None sets no limit.

    Raises:
        SpecError: A value is not a duration (``DURATION_NOT_UNDERSTOOD``) or not an integer
            (``COUNT_NOT_UNDERSTOOD``).

    Example:
        >>> wr.Retention(time="120 minutes", messages=100)
        Retention(time='2 hours', messages=100)

    """

    time: Duration | None = None
    messages: int | None = None
    windows: int | None = None

    def __post_init__(self) -> None:
        """Reject values that are not limits."""
        durations = _values.stated(self, "time")
        counts = _values.stated(self, "messages", "windows")
        found = _values.settle(self, durations=durations, counts=counts)
        if found:
            raise SpecError.of(f"retain{repr(self).removeprefix('Retention')}", found)


NOT_STATED = Retention()
