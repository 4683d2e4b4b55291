"""Windows that depend on event time only, and are the same for every key."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count, pairwise

from windrow._specs import _duration, _json, _values
from windrow._specs._duration import Duration
from windrow._specs._frozen import Shown
from windrow.errors import SpecProblem
from windrow.windows import _calendar
from windrow.windows._kind import LANES, NONE, WindowKind

_PARTS = (0.2, 0.7, 1.4, 2.0, 2.9)


class _Grid(Shown, WindowKind):
    """Windows of one size, of fixed length or by the calendar of a zone."""

    size: Duration
    startTime: Duration
    zone: str | None

    _counted = {"size": "SIZE"}  # noqa: RUF012

    def _every(self) -> Duration | None:
        """Return the step, or None if it is the size."""
        return None

    def _durations(self) -> Sequence[str]:
        lengths = ("size",) if self._every() is None else ("size", "step")
        return () if self._is_calendar() else (*lengths, "startTime")

    def _unread(self) -> list[SpecProblem]:
        if not self._is_calendar():
            return []
        read = _calendar.read(self.size, self._every(), self.startTime)
        found = [] if self.zone is None else _values.name("zone", self.zone)
        if isinstance(read, list):
            return read + found
        object.__setattr__(self, "size", read.size)
        object.__setattr__(self, "startTime", read.start)
        if self._every() is not None:
            object.__setattr__(self, "step", _calendar.show(read.step, read.unit))
        return found

    def _is_calendar(self) -> bool:
        """Return whether the windows follow a calendar: a zone is set, or a length needs one."""
        return self.zone is not None or any(map(_calendar.needs_zone, (self.size, self._every())))

    def _calendar(self) -> _calendar.Calendar:
        calendar = _calendar.read(self.size, self._every(), self.startTime)
        assert isinstance(calendar, _calendar.Calendar)
        return calendar

    def _aligned(self) -> str:
        if self._is_calendar():
            shift = "" if self.startTime == NONE else f" with startTime='{self.startTime}'"
            return f"aligned to the calendar of {self.zone or 'a zone (not set)'}{shift}"
        after = "" if self.startTime == NONE else f"{self.startTime} after "
        return f"aligned to {after}1970-01-01 00:00:00 UTC"

    def _sample(self) -> list[int]:
        if not self._is_calendar():
            return _sample(self, _duration.micros(self._every() or self.size))
        start, end = self._calendar().at(0, self.zone or "Z")[-1]
        return [start + int(part * (end - start)) for part in _PARTS]

    def _holding(self, at: Sequence[int]) -> list[tuple[int, int]]:
        if not self._is_calendar():
            return _holding(self, at, _duration.micros(self._every() or self.size))
        calendar = self._calendar()
        return sorted({window for time in at for window in calendar.at(time, self.zone or "Z")})

    def _gaps(self, at: Sequence[int], silence: int) -> Iterator[tuple[int, int]]:
        before: int | None = None
        for time, later in pairwise(sorted(set(at))):
            before = next((end for _, end in reversed(self._holding([time]))), before)
            for start, end in self._following(time):
                if before is None or end > later or end - before > silence:
                    break
                yield start, end

    def _following(self, time: int) -> Iterator[tuple[int, int]]:
        """Yield the windows that start after a time, in order."""
        if not self._is_calendar():
            step = max(_duration.micros(self._every() or self.size), 1)
            shift = _duration.micros(self.startTime)
            first = (time - shift) // step + 1
            size = _duration.micros(self.size)
            yield from ((n * step + shift, n * step + shift + size) for n in count(first))
        calendar, zone = self._calendar(), self.zone or "Z"
        steps = replace(calendar, count=calendar.step)
        while (start := steps.at(time, zone)[-1][1]) > time:
            yield from (window for window in calendar.at(start, zone) if window[0] == start)
            time = start


@dataclass(frozen=True, repr=False)
class Tumbling(_Grid):
    """Windows of one size that do not overlap.

    Every row belongs to exactly one window. The start is inclusive, the end exclusive. With a
    ``zone``, windows follow the clocks and the calendar of a place: the size is a number of
    minutes or hours that divide a day, or of days, weeks (from Monday), months, quarters, or years.
    They are counted from 1970-01-01 and are right across changes of the clocks.

    Args:
        size: The length of a window, for example ``"1 minute"``; with a zone ``"1 month"``. Months,
            quarters, and years need a zone. With a zone, a ``timedelta`` of 7 days is a week, which
            begins on Monday, and ``"7 days"`` are days.
        startTime: How much later the windows start. Without a zone, windows start at 1970-01-01
            00:00:00 UTC. With a zone, for example ``"6 days"`` starts weeks on Sunday, ``"6
            hours"`` starts days at 06:00, and ``"3 months"`` starts years in April. The default is
            ``"0 seconds"``.
        zone: A time zone such as ``"Europe/Berlin"``. None (the default) means windows of fixed
            length.

    Raises:
        SpecError: The size or ``startTime`` is not a duration (``DURATION_NOT_UNDERSTOOD``,
            ``DURATION_WITHOUT_UNIT``) or not a calendar length (``CALENDAR_UNIT_NOT_UNDERSTOOD``).

    Example:
        >>> wr.Tumbling("60 seconds")
        Tumbling('1 minute')
        >>> wr.Tumbling("1 month", zone="Europe/Berlin")
        Tumbling('1 month', zone='Europe/Berlin')
        >>> wr.Tumbling("1 day", zone="Europe/Berlin", startTime="6 hours")
        Tumbling('1 day', startTime='6 hours', zone='Europe/Berlin')
        >>> try:
        ...     wr.Tumbling(60)
        ... except wr.SpecError as error:
        ...     print(error.problems[0].code)
        DURATION_WITHOUT_UNIT

    """

    size: Duration
    startTime: Duration = field(default=NONE, kw_only=True)
    zone: str | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        """Reject a value that is not a size."""
        self._settle()

    def describe(self) -> str:
        """Describe in words which windows exist, and which of them contain a row.

        Returns:
            One or two sentences. ``Output.explain`` shows them.

        """
        return (
            f"Windows of {self.size} that do not overlap, {self._aligned()}; the start is "
            "inclusive, the end exclusive. Every row is in one."
        )

    def _fields(self) -> _json.Fields:
        if self._is_calendar():
            return self._calendar().fields(self.zone)
        return {
            "kind": "tumbling",
            "size": _duration.micros(self.size),
            "start_time": _duration.micros(self.startTime),
        }


@dataclass(frozen=True, repr=False)
class Hopping(_Grid):
    """Windows of one size that start at a regular step and may overlap.

    Spark, Flink, and Beam call these *sliding windows*. A row belongs to every window that contains
    its event time. The start is inclusive, the end exclusive. The step does not have to divide the
    size. A step that is longer than the size leaves gaps; rows in a gap are counted and belong to
    no window. With a ``zone``, a window starts at each step of the calendar there, such as each
    day, and consists of whole steps.

    Args:
        size: The length of a window, for example ``"1 hour"``.
        step: The distance between the starts of two windows, for example ``"10 minutes"``.
        startTime: How much later the windows start, as for ``Tumbling``. The default is ``"0
            seconds"``.
        zone: A time zone such as ``"Europe/Berlin"``. The size is then a multiple of the step. None
            (the default) means windows of fixed length.

    Raises:
        SpecError: A value is not a duration (``DURATION_NOT_UNDERSTOOD``,
            ``DURATION_WITHOUT_UNIT``) or not a calendar length (``CALENDAR_UNIT_NOT_UNDERSTOOD``),
            or with a zone the size is not a multiple of the step (``SIZE_NOT_IN_STEPS``).

    Example:
        >>> wr.Hopping("1 hour", step="10 minutes")
        Hopping('1 hour', step='10 minutes')
        >>> wr.Hopping("1 week", step="1 day", zone="Europe/Berlin")
        Hopping('7 days', step='1 day', zone='Europe/Berlin')

    """

    size: Duration
    step: Duration = field(kw_only=True)
    startTime: Duration = field(default=NONE, kw_only=True)
    zone: str | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        """Reject a value that is not a size or a step."""
        self._settle()

    def describe(self) -> str:
        """Describe in words which windows exist, and which of them contain a row.

        Returns:
            One or two sentences. ``Output.explain`` shows them.

        """
        if self._is_calendar():
            calendar = self._calendar()
            size, step = calendar.count, calendar.step
        else:
            size, step = _duration.micros(self.size), _duration.micros(self.step)
        bounds = f"Windows of {self.size}, one every {self.step}"
        if size < step and not self._is_calendar():
            gap = _duration.show(step - size)
            held = f"Between two windows is a gap of {gap}: a row in it is counted, not rejected."
        else:
            least, more = divmod(size, max(step, 1))
            held = f"A row is in {least}{f' or {least + 1}' if more else ''} of them."
        return f"{bounds}, {self._aligned()}; the start is inclusive, the end exclusive. {held}"

    def _every(self) -> Duration:
        return self.step

    def _fields(self) -> _json.Fields:
        if self._is_calendar():
            return self._calendar().fields(self.zone)
        return {
            "kind": "hopping",
            "size": _duration.micros(self.size),
            "step": _duration.micros(self.step),
            "start_time": _duration.micros(self.startTime),
        }


def _sample(kind: _Grid, step: int) -> list[int]:
    return [_duration.micros(kind.startTime) + int(part * step) for part in _PARTS]


def _holding(kind: _Grid, times: Sequence[int], step: int) -> list[tuple[int, int]]:
    size, shift, step = _duration.micros(kind.size), _duration.micros(kind.startTime), max(step, 1)
    starts: set[int] = set()
    for time in times:
        last = (time - shift) // step
        first = (time - size - shift) // step + 1
        starts.update(range(max(first, last - LANES) * step + shift, last * step + shift + 1, step))
    return [(start, start + size) for start in sorted(starts)]
