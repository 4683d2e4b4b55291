"""Calendar lengths and time zones: "1 month" in "Europe/Berlin", as the JVM reads them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from itertools import pairwise

from windrow._specs import _duration, _json, _zones
from windrow.errors import SpecProblem, problem
from windrow.windows._kind import LANES

#: Units with their length in minutes, days, or months.
UNITS = {
    "minute": ("minutes", 1),
    "hour": ("minutes", 60),
    "day": ("days", 1),
    "week": ("days", 7),
    "month": ("months", 1),
    "quarter": ("months", 3),
    "year": ("months", 12),
}
MOST = 999_999_999  # the maximum number of units in one window

_TEXT = re.compile(r"\s*(-?\d{1,9})\s*([a-zA-Z]+?)s?\s*", re.ASCII)
_MONTHS = re.compile(r"([+-]?\d{1,9})\s*(month|quarter|year)s?(?![a-z])\s*", re.ASCII)
_MANY = 1_000  # steps of a window; a picture draws longer windows without changes of the clocks
_SECOND, _HOUR, _DAY = 1_000_000, 3_600_000_000, 86_400_000_000
_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001  clocks of a zone, and of UTC
_EARLIEST, _LATEST = ((datetime(y, 1, 1) - _EPOCH) // timedelta(microseconds=1) for y in (2, 9998))  # noqa: DTZ001


@dataclass(frozen=True)
class Calendar:
    """Windows of ``count`` units, one every ``step``, that start ``months`` and ``time`` later."""

    count: int
    step: int
    unit: str
    months: int = 0
    time: int = 0

    @property
    def size(self) -> str:
        """The size as text, for example ``2 weeks``."""
        return show(self.count, self.unit)

    @property
    def start(self) -> str:
        """The start time as text, for example ``3 months 5 days``."""
        days = abs(self.time) // _DAY * (1 if self.time > 0 else -1)
        rest = self.time - days * _DAY
        parts = [show(n, unit) for n, unit in ((self.months, "month"), (days, "day")) if n]
        return " ".join([*parts, *([_duration.show(rest)] if rest or not parts else [])])

    def fields(self, zone: str | None) -> _json.Fields:
        """Return the fields of the kind; without a zone, the JVM reports that it is missing."""
        more = {
            "zone": zone,
            "step": None if self.step == self.count else self.step,
            "start_months": self.months or None,
            "start_time": self.time or None,
        }
        stated = {name: value for name, value in more.items() if value is not None}
        return {"kind": "calendar", "n": self.count, "unit": self.unit, **stated}

    def at(self, time: int, zone: str) -> list[tuple[int, int]]:
        """Return the bounds, in microseconds, of the windows that contain a time, for pictures."""
        there, known = _Clocks(zone), min(max(time, _EARLIEST), _LATEST)
        base, length = UNITS[self.unit]
        every, inside = max(self.step, 1) * length, max(self.count // max(self.step, 1), 1)
        by = self._by_clock if base == "minutes" else self._by_date
        pairs = by(there, known, every, inside)
        return [(start, end) for start, end in pairs.items() if start <= known < end]

    def _by_clock(self, there: _Clocks, at: int, minutes: int, inside: int) -> dict[int, int]:
        length = minutes * 60 * _SECOND
        starts = there.steps(at, length, self.time, min(inside, _MANY))
        if inside > _MANY:
            return {start: start + inside * length for start in starts}
        return dict(zip(starts, starts[inside:], strict=False))

    def _by_date(self, there: _Clocks, at: int, units: int, inside: int) -> dict[int, int]:
        start, months = self.time, None
        if UNITS[self.unit][0] == "months":
            months = self.months
            day = _date(there.shown(at) - start)
            number = ((day.year - 1970) * 12 + day.month - 1 - months) // units
        else:
            start = self.time % (units * _DAY) - (3 * _DAY if self.unit == "week" else 0)
            number = (there.shown(at) - start) // _DAY // units

        def edge(step: int) -> int:
            return there.first(_day(step * units, months) * _DAY + start)

        # A date that does not exist starts no window: of two equal starts, the later step counts.
        return {edge(n): edge(n + inside) for n in range(number - min(inside, LANES), number + 2)}


def read(size: object, step: object, start: object) -> Calendar | list[SpecProblem]:
    """Return the windows of three values, or their problems. step: None for ``size``."""
    long, every = parse(size), None if step is None else parse(step, "step")
    shift = _start(start)
    wrong = [one for one in (long, every, shift) if isinstance(one, SpecProblem)]
    if wrong or isinstance(long, SpecProblem) or isinstance(shift, SpecProblem):
        return wrong
    if every is None or isinstance(every, SpecProblem):
        return Calendar(long[0], *long, *shift)
    (base, length), (other, divisor) = UNITS[long[1]], UNITS[every[1]]
    count, rest = divmod(long[0] * length, divisor)
    if base != other or rest or count > MOST:
        return [problem("SIZE_NOT_IN_STEPS", size=show(*long), step=show(*every))]
    return Calendar(count, *every, *shift)


def parse(length: object, name: str = "size") -> tuple[int, str] | SpecProblem:
    """Return count and unit of a calendar length, or the problem."""
    if isinstance(length, timedelta):
        length = _duration.show(length // timedelta(microseconds=1))
    text = _TEXT.fullmatch(length) if isinstance(length, str) else None
    if text is not None and text[2].lower() in UNITS:
        return int(text[1]), text[2].lower()
    shown = f"'{length}'" if isinstance(length, str) else repr(length)
    units = ", ".join(unit + "s" for unit in UNITS)
    return problem("CALENDAR_UNIT_NOT_UNDERSTOOD.LENGTH", name=name, value=shown, units=units)


def needs_zone(length: object) -> bool:
    """Return whether a length is one of the calendar only: months, quarters, years."""
    if isinstance(_duration.read(length), int):
        return False
    return isinstance(parse(length), tuple)


def show(count: int, unit: str) -> str:
    """Return a calendar length as text, for example ``2 weeks``."""
    return f"{count} {unit}{'' if count == 1 else 's'}"


def _start(value: object) -> tuple[int, int] | SpecProblem:
    """Return the months and microseconds of a start time, or the problem."""
    months, rest = 0, value
    if isinstance(value, str):
        lower = value.strip().lower().removeprefix("interval ")
        parts = _MONTHS.findall(lower)
        months, rest = sum(int(n) * UNITS[unit][1] for n, unit in parts), _MONTHS.sub("", lower)
        if abs(months) > MOST:
            return _duration.too_long(f"'{value}'")
        if parts and not rest.strip():
            return months, 0
    micros = _duration.read(rest)
    return micros if isinstance(micros, SpecProblem) else (months, micros)


def _day(units: int, months: int | None) -> int:
    """Return the day since the epoch after a number of days, or of months after ``months``."""
    if months is None:
        return units
    year, month = divmod(units + months, 12)
    return (date(min(max(1970 + year, 1), 9999), month + 1, 1) - _EPOCH.date()).days


class _Clocks:
    """The clocks of a zone. Times are microseconds since the epoch, on the clocks or in UTC."""

    def __init__(self, zone: str) -> None:
        self._zone = _zone(zone)

    def offset(self, time: int) -> int:
        """Return by how much the clocks are ahead of UTC."""
        there = _date(time).replace(tzinfo=UTC).astimezone(self._zone)
        return there.utcoffset() // timedelta(microseconds=1)  # type: ignore[operator]

    def shown(self, time: int) -> int:
        """Return what the clocks show at a time."""
        return time + self.offset(time)

    def first(self, there: int) -> int:
        """Return the first time at which the clocks show a date and time, or a later one."""
        low, high = there - 2 * _DAY, there + 2 * _DAY
        changes = self._changes(low, high)
        offsets = {self.offset(low), *(self.offset(change) for change in changes)}
        possible = [*(there - offset for offset in offsets), *changes]
        return min(time for time in possible if self.shown(time) >= there)

    def steps(self, at: int, length: int, start: int, inside: int) -> list[int]:
        """Return starts around a time: each time the clocks show a multiple of the length."""
        low, high = at - (inside + 2) * length - 3 * _HOUR, at + (inside + 2) * length + 3 * _HOUR
        changes = self._changes(low - _DAY, high)
        shifts = [(t, self.offset(t) - self.offset(t - 1)) for t in changes]
        shifts = [(t, by) for t, by in shifts if by % length]
        cuts = [low, *(t for t, _ in shifts if t > low), high]
        starts = set()
        for first, end in pairwise(cuts):
            starts |= set(range(first + (start - self.shown(first)) % length, end, length))
        for time, by in shifts:
            starts = {one for one in starts if not time <= one < time - by}  # shown again
            if (self.shown(time) - start) % length <= by:  # clocks jump over a start, or to one
                starts.add(time)
        return sorted(starts)

    def _changes(self, low: int, high: int) -> list[int]:
        """Return the times of the clock changes after a time, up to another one."""
        times = [*range(low, high, 3 * _HOUR), high]
        return [self._change(a, b) for a, b in pairwise(times) if self.offset(a) != self.offset(b)]

    def _change(self, low: int, high: int) -> int:
        while high - low > 1:
            middle = (low + high) // 2
            if self.offset(middle) == self.offset(low):
                low = middle
            else:
                high = middle
        return high


def _date(time: int) -> datetime:
    return _EPOCH + timedelta(microseconds=min(max(time, _EARLIEST), _LATEST))


def _zone(name: str) -> tzinfo:
    try:
        return _zones.tzinfo_of(name)
    except (ValueError, OSError, KeyError):
        return UTC  # a picture shows UTC if the zone is unknown or the zone database is missing
