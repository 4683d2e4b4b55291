"""Windows that depend on event time only, and are the same for every key."""

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
    """Fixed-size windows that do not overlap.

    Every row belongs to exactly one window. The start is inclusive, the end exclusive. With a
    ``zone`` the size is a number of days, weeks (from Monday), months, or years in the calendar of
    that zone, counted from 1970-01-01. Such windows are right across changes of the clock.

    Args:
        size: The length of a window, for example ``"1 minute"``; with a zone ``"1 month"``. Months
            and years need a zone.
        startTime: The offset of the window starts from 1970-01-01 00:00:00 UTC. The default is ``"0
            seconds"``. Not with a zone.
        zone: A time zone such as ``"Europe/Berlin"``. None (the default) means windows of fixed
            length.

    Raises:
        SpecError: The size is not a duration (``DURATION_NOT_UNDERSTOOD``,
            ``DURATION_WITHOUT_UNIT``) or not a calendar length (``CALENDAR_UNIT_NOT_UNDERSTOOD``),
            or ``startTime`` is used with a zone (``STARTTIME_WITH_ZONE``).

    Example:
        >>> wr.Tumbling("60 seconds")
        Tumbling('1 minute')
        >>> wr.Tumbling("1 month", zone="Europe/Berlin")
        Tumbling('1 month', zone='Europe/Berlin')
        >>> try:
        ...     wr.Tumbling(60)
        ... except wr.SpecError as error:
        ...     print(error.problems[0].code)
        DURATION_WITHOUT_UNIT

    """

    size: Duration
    startTime: Duration = field(default=NONE, kw_only=True)
    zone: str | None = field(default=None, kw_only=True)
    _counted = {"size": "SIZE"}  # noqa: RUF012

    def __post_init__(self) -> None:
        """Reject a value that is not a size."""
        self._settle()

    def __repr__(self) -> str:
        """Show as the call."""
        shift = None if self.startTime == NONE else self.startTime
        return call("Tumbling", self.size, startTime=shift, zone=self.zone)

    def describe(self) -> str:
        """Describe in words which windows exist, and which of them contain a row.

        Returns:
            One or two sentences. ``Output.explain`` shows them.

        """
        if self._is_calendar():
            aligned = f"aligned to the calendar of {self.zone or 'a zone (not set)'}"
        else:
            aligned = _aligned(self)
        return (
            f"Windows of {self.size} that do not overlap, {aligned}; the start is inclusive, "
            "the end exclusive. Every row is in one."
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
        """Return whether the windows follow a calendar: a zone is set, or the size needs one."""
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
    """Fixed-size windows that start at a regular step and may overlap.

    Spark, Flink, and Beam call these *sliding windows*. A row belongs to every window that contains
    its event time. The start is inclusive, the end exclusive. The step does not have to divide the
    size. A step that is longer than the size leaves gaps; rows in a gap are counted and belong to
    no window.

    Args:
        size: The length of a window, for example ``"1 hour"``.
        step: The distance between the starts of two windows, for example ``"10 minutes"``.
        startTime: The offset of the window starts from 1970-01-01 00:00:00 UTC. The default is ``"0
            seconds"``.

    Raises:
        SpecError: A value is not a duration (``DURATION_NOT_UNDERSTOOD``,
            ``DURATION_WITHOUT_UNIT``).

    Example:
        >>> wr.Hopping("1 hour", step="10 minutes")
        Hopping('1 hour', step='10 minutes')

    """

    size: Duration
    step: Duration = field(kw_only=True)
    startTime: Duration = field(default=NONE, kw_only=True)

    _counted = {"size": "SIZE"}  # noqa: RUF012

    def __post_init__(self) -> None:
        """Reject a value that is not a size or a step."""
        self._settle()

    def __repr__(self) -> str:
        """Show as the call."""
        shift = None if self.startTime == NONE else self.startTime
        return call("Hopping", self.size, step=self.step, startTime=shift)

    def describe(self) -> str:
        """Describe in words which windows exist, and which of them contain a row.

        Returns:
            One or two sentences. ``Output.explain`` shows them.

        """
        size, step = _duration.micros(self.size), _duration.micros(self.step)
        bounds = f"Windows of {self.size}, one every {self.step}"
        if size < step:
            gap = _duration.show(step - size)
            held = f"Between two windows is a gap of {gap}: a row in it is counted, not rejected."
        else:
            least, more = divmod(size, max(step, 1))
            held = f"A row is in {least}{f' or {least + 1}' if more else ''} of them."
        return f"{bounds}, {_aligned(self)}; the start is inclusive, the end exclusive. {held}"

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
