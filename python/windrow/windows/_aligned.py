"""Windows that depend on time alone, the same for every key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from windrow._drawing._windows import LANES
from windrow._specs import _duration, _json, _values
from windrow._specs._duration import Duration
from windrow._specs._frozen import call
from windrow.errors import SpecProblem, problem
from windrow.windows import _calendar
from windrow.windows._kind import NONE, WindowKind

_PARTS = (0.2, 0.7, 1.4, 2.0, 2.9)


@dataclass(frozen=True, repr=False)
class Tumbling(WindowKind):
    """``[start, end)`` windows side by side, aligned to ``startTime`` from the epoch.

    With a ``zone`` the size is a number of days, weeks (from Monday), months or years, as the
    calendar of the zone has them, right across changes of its clocks; they are counted from
    1970-01-01 and there is no ``startTime``. Months and years need a zone.
    """

    size: Duration
    startTime: Duration = field(default=NONE, kw_only=True)
    zone: str | None = field(default=None, kw_only=True)
    _counted = {"size": "SIZE"}  # noqa: RUF012

    def __post_init__(self) -> None:
        """Refuse what is no size."""
        self._settle()

    def __repr__(self) -> str:
        """Show as the call."""
        shift = None if self.startTime == NONE else self.startTime
        return call("Tumbling", self.size, startTime=shift, zone=self.zone)

    def describe(self) -> str:
        """Say in words which windows there are and which of them hold a message."""
        if self._is_calendar():
            aligned = f"as the calendar of {self.zone or 'a zone (not stated)'} has them"
        else:
            aligned = _aligned(self)
        return (
            f"Windows of {self.size} side by side, start included, end not, {aligned}. "
            "Every message is in one."
        )

    def _durations(self) -> Sequence[str]:
        return ("startTime",) if self._is_calendar() else ("size", "startTime")

    def _unread(self) -> list[SpecProblem]:
        if not self._is_calendar():
            return []
        size = _calendar.parse(self.size)
        found = [] if self.zone is None else _values.name("zone", self.zone)
        if isinstance(size, tuple):
            object.__setattr__(self, "size", _calendar.show(*size))
        else:
            found.insert(0, size)
        if self.startTime != NONE:
            found.append(problem("STARTTIME_WITH_ZONE"))
        return found

    def _is_calendar(self) -> bool:
        """Whether there is a zone, or the size is one that only a zone makes a length."""
        if self.zone is not None or isinstance(_duration.read(self.size), int):
            return self.zone is not None
        return isinstance(_calendar.parse(self.size), tuple)

    def _fields(self) -> _json.Fields:
        if not self._is_calendar():
            return {
                "kind": "tumbling",
                "size": _duration.micros(self.size),
                "start_time": _duration.micros(self.startTime),
            }
        count, unit = self._calendar()
        zone = {} if self.zone is None else {"zone": self.zone}
        return {"kind": "calendar", "n": count, "unit": unit, **zone}

    def _calendar(self) -> tuple[int, str]:
        calendar = _calendar.parse(self.size)
        assert isinstance(calendar, tuple)
        return calendar

    def _sample(self) -> list[int]:
        if isinstance(_duration.read(self.size), int):
            return _sample(self, _duration.micros(self.size))
        _, end = _calendar.window(0, *self._calendar(), self.zone or "Z")
        return [int(part * end) for part in _PARTS]

    def _holding(self, at: Sequence[int]) -> list[tuple[int, int]]:
        if not self._is_calendar():
            return _holding(self, at, _duration.micros(self.size))
        count, unit = self._calendar()
        return sorted({_calendar.window(time, count, unit, self.zone or "Z") for time in at})


@dataclass(frozen=True, repr=False)
class Hopping(WindowKind):
    """``[start, end)`` windows of ``size``, one every ``step``.

    The step need not divide the size. A step longer than the size leaves gaps, whose messages
    are counted and belong to no window.
    """

    size: Duration
    step: Duration = field(kw_only=True)
    startTime: Duration = field(default=NONE, kw_only=True)

    _counted = {"size": "SIZE"}  # noqa: RUF012

    def __post_init__(self) -> None:
        """Refuse what is no size or no step."""
        self._settle()

    def __repr__(self) -> str:
        """Show as the call."""
        shift = None if self.startTime == NONE else self.startTime
        return call("Hopping", self.size, step=self.step, startTime=shift)

    def describe(self) -> str:
        """Say in words which windows there are and which of them hold a message."""
        size, step = _duration.micros(self.size), _duration.micros(self.step)
        bounds = f"Windows of {self.size}, start included, end not, one every {self.step}"
        if size < step:
            gap = _duration.show(step - size)
            held = f"Between two lie {gap} in no window: a message there is counted, not rejected."
        else:
            least, more = divmod(size, max(step, 1))
            held = f"A message is in {least}{f' or {least + 1}' if more else ''} of them."
        return f"{bounds}, {_aligned(self)}. {held}"

    def _durations(self) -> Sequence[str]:
        return "size", "step", "startTime"

    def _fields(self) -> _json.Fields:
        return {
            "kind": "hopping",
            "size": _duration.micros(self.size),
            "step": _duration.micros(self.step),
            "start_time": _duration.micros(self.startTime),
        }

    def _sample(self) -> list[int]:
        return _sample(self, _duration.micros(self.step))

    def _holding(self, at: Sequence[int]) -> list[tuple[int, int]]:
        return _holding(self, at, _duration.micros(self.step))


def _aligned(kind: Tumbling | Hopping) -> str:
    after = "" if kind.startTime == NONE else f"{kind.startTime} after "
    return f"aligned to {after}1970-01-01 00:00:00 UTC"


def _sample(kind: Tumbling | Hopping, step: int) -> list[int]:
    return [_duration.micros(kind.startTime) + int(part * step) for part in _PARTS]


def _holding(kind: Tumbling | Hopping, times: Sequence[int], step: int) -> list[tuple[int, int]]:
    size, shift, step = _duration.micros(kind.size), _duration.micros(kind.startTime), max(step, 1)
    starts: set[int] = set()
    for time in times:
        last = (time - shift) // step
        first = (time - size - shift) // step + 1
        starts.update(range(max(first, last - LANES) * step + shift, last * step + shift + 1, step))
    return [(start, start + size) for start in sorted(starts)]
