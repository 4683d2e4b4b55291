"""A window for each message."""

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
    """A window for each message of a key, ending at it; start and last are included.

    ``range``: the last so much of event time, messages of the same time included. ``rows``: the
    message and the ``rows - 1`` before it (SQL's ``ROWS n PRECEDING`` is ``rows=n + 1``).
    Neither: all up to it. An earlier message that comes late changes the windows that hold it.
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
        """Refuse what is no range and no number of rows."""
        object.__setattr__(self, "range", range)
        object.__setattr__(self, "rows", rows)
        self._settle()

    def __repr__(self) -> str:
        """Show as the call."""
        return call("Over", range=self.range, rows=self.rows)

    def describe(self) -> str:
        """Say in words which windows there are and which of them hold a message."""
        if self.range is not None:
            held = f"all of the {self.range} before it, start included, and all of its own time"
        elif self.rows is not None:
            held = f"it and the {self.rows - 1} before it in event time"
        else:
            held = "all up to its own time"
        return f"For each message of a key a window that ends at it and holds {held}."

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
