"""Calendar lengths and time zones: "1 month" in "Europe/Berlin", as the JVM reads them."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

from windrow.errors import SpecProblem, problem

UNITS = ("day", "week", "month", "year")
MOST = 999_999_999  # the maximum number of units in one window

_TEXT = re.compile(r"\s*(-?\d{1,9})\s*([a-zA-Z]+?)s?\s*", re.ASCII)
_OFFSETS = [
    re.compile(text, re.ASCII)
    for text in (r"([+-])(\d\d?)", r"([+-])(\d\d):(\d\d)(?::(\d\d))?", r"([+-])(\d\d)(\d\d)(\d\d)?")
]
_PREFIX = re.compile(r"(UTC|GMT|UT)?([+-].*)?", re.ASCII)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MONDAY = date(1969, 12, 29)
_FIRST, _LAST = date(2, 1, 1), date(9998, 1, 1)  # room to convert between zones


def parse(size: object) -> tuple[int, str] | SpecProblem:
    """Return count and unit of a calendar length, or the problem."""
    read = _TEXT.fullmatch(size) if isinstance(size, str) else None
    if read is not None and read[2].lower() in UNITS:
        return int(read[1]), read[2].lower()
    shown = f"'{size}'" if isinstance(size, str) else repr(size)
    units = ", ".join(unit + "s" for unit in UNITS)
    return problem("CALENDAR_UNIT_NOT_UNDERSTOOD.LENGTH", value=shown, units=units)


def show(count: int, unit: str) -> str:
    """Return a calendar length as text, for example ``2 weeks``."""
    return f"{count} {unit}{'' if count == 1 else 's'}"


def window(at: int, count: int, unit: str, zone_name: str) -> tuple[int, int]:
    """Return the bounds, in microseconds, of the window that contains the time ``at``."""
    there = _zone(zone_name)
    known = min(max(at, _midnight(_FIRST, UTC)), _midnight(_LAST, UTC))
    day = (_EPOCH + timedelta(microseconds=known)).astimezone(there).date()
    count = max(count, 1)
    number = _units(day, unit) // count
    low, high = (_first_day(edge * count, unit) for edge in (number, number + 1))
    return _midnight(low, there), _midnight(high, there)


def _units(day: date, unit: str) -> int:
    """Return the number of full units from 1970-01-01 (weeks: from the Monday before) to a day."""
    match unit:
        case "day":
            return (day - date(1970, 1, 1)).days
        case "week":
            return (day - _MONDAY).days // 7
        case "month":
            return (day.year - 1970) * 12 + day.month - 1
        case _:
            return day.year - 1970


def _first_day(units: int, unit: str) -> date:
    try:
        return _day(units, unit)
    except (ValueError, OverflowError):  # outside the range of datetime
        return _LAST if units > 0 else _FIRST


def _day(units: int, unit: str) -> date:
    match unit:
        case "day":
            return date(1970, 1, 1) + timedelta(days=units)
        case "week":
            return _MONDAY + timedelta(weeks=units)
        case "month":
            return date(1970 + units // 12, units % 12 + 1, 1)
        case _:
            return date(1970 + units, 1, 1)


def _midnight(day: date, there: tzinfo) -> int:
    start = datetime.combine(day, time.min, there).astimezone(UTC)
    return (start - _EPOCH) // timedelta(microseconds=1)


def _zone(name: str) -> tzinfo:
    if name == "Z":
        return UTC
    prefixed = _PREFIX.fullmatch(name)
    if prefixed is None:
        return _region(name) or UTC  # a picture shows UTC if the zone database is missing
    return timezone(timedelta(seconds=_seconds(prefixed[2] or "+00") or 0))


def _seconds(offset: str) -> int | None:
    """Return the seconds of "+2", "-03:30", or "+01:00:30", at most 18 hours."""
    read = next((read for form in _OFFSETS if (read := form.fullmatch(offset))), None)
    if read is None:
        return None
    hours, minutes, seconds = (int(part or 0) for part in (*read.groups(), 0, 0)[1:4])
    total = hours * 3600 + minutes * 60 + seconds
    if minutes > 59 or seconds > 59 or total > 18 * 3600:  # noqa: PLR2004  clocks
        return None
    return -total if read[1] == "-" else total


def _region(name: str) -> ZoneInfo | None:
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, KeyError):  # unknown, or not a valid file name
        return None
