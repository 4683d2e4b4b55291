"""A window for each row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

from windrow._specs import _duration, _json, _values
from windrow._specs._duration import Duration
from windrow._specs._frozen import call
from windrow.windows._kind import WindowKind


@dataclass(frozen=True, repr=False, init=False)
class Over(WindowKind):
    """A window for each row of a key, which ends at the row.

    Use it for running values, such as a moving average at each row. Both ends are inclusive. A late
    row changes the windows of the later rows that contain it. Without arguments a window contains
    all rows up to its own.

    Args:
        range: The length of event time before the row, for example ``"1 hour"``. Rows of the same
            time are included.
        rows: The number of rows, the row itself included. SQL's ``ROWS n PRECEDING`` is ``rows=n +
            1``.

    Raises:
        SpecError: ``range`` is not a duration (``DURATION_NOT_UNDERSTOOD``,
            ``DURATION_WITHOUT_UNIT``), or ``rows`` is not an integer (``COUNT_NOT_UNDERSTOOD``). If
            both are set, ``aggregate`` raises ``OVER_TWICE``.

    Example:
        >>> wr.Over(range="60 minutes"), wr.Over(rows=3)
        (Over(range='1 hour'), Over(rows=3))

    """

    range: Duration | None
    rows: int | None
    _counted = {"range": "RANGE"}  # noqa: RUF012

    @overload
    def __init__(self) -> None: ...
    @overload
    def __init__(self, *, range: Duration) -> None: ...
    @overload
    def __init__(self, *, rows: int) -> None: ...
    def __init__(self, *, range: Duration | None = None, rows: int | None = None) -> None:
        """Reject values that are not a range or a number of rows."""
        object.__setattr__(self, "range", range)
        object.__setattr__(self, "rows", rows)
        self._settle()

    def __repr__(self) -> str:
        """Show as the call."""
        return call("Over", range=self.range, rows=self.rows)

    def describe(self) -> str:
        """Describe in words which windows exist, and which of them contain a row.

        Returns:
            One or two sentences. ``Output.explain`` shows them.

        """
        if self.range is not None:
            held = f"all rows of the {self.range} before it, start inclusive, and "
            held += "all rows of its own event time"
        elif self.rows is not None:
            held = f"it and the {self.rows - 1} rows before it in event time"
        else:
            held = "all rows up to its own event time"
        return f"For each row of a key, a window that ends at it and contains {held}."

    def _durations(self) -> Sequence[str]:
        return _values.stated(self, "range")

    def _counts(self) -> Sequence[str]:
        return _values.stated(self, "rows")

    def _fields(self) -> _json.Fields:
        size = {} if self.range is None else {"range": _duration.micros(self.range)}
        return {"kind": "over", **size} | ({} if self.rows is None else {"rows": self.rows})

    def _sample(self) -> list[int]:
        size = (0 if self.range is None else _duration.micros(self.range)) or 60_000_000
        return [int(part * size) for part in (0.0, 0.4, 0.9, 1.6, 2.5)]

    def _holding(self, at: Sequence[int]) -> list[tuple[int, int]]:
        times = sorted(at)
        if self.range is not None:
            size = _duration.micros(self.range)
            return [(time - size, time) for time in times]
        rows = self.rows or len(times)
        return [(times[max(0, n + 1 - rows)], time) for n, time in enumerate(times)]
