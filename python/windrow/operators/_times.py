"""Instants as users say them: datetimes, ISO texts, or positions."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

At = datetime | str | int

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_OFFSET = re.compile(r"(?:UTC|GMT|UT)?([+-])(\d{1,2})(?::?(\d{2}))?(?::?(\d{2}))?")


def micros(argument: str, at: At, zone: str) -> int:
    """Microseconds since the epoch of a datetime or an ISO text; naive ones are of the zone.

    Errors: TypeError for a whole number, which is a position; ValueError.
    """
    if isinstance(at, str):
        try:
            at = datetime.fromisoformat(at)
        except ValueError:
            text = f"{argument} is {at!r}; it must be a time, for example '2025-01-01 09:00:00'."
            raise ValueError(text) from None
    if not isinstance(at, datetime):
        text = f"{argument} is {at!r}; it must be a datetime or a text, whole numbers are offsets."
        raise TypeError(text)
    return aware(at, zone) // _MICROSECOND


def aware(at: datetime, zone: str) -> timedelta:
    """Time since the epoch; a naive datetime is of the zone."""
    return (at if at.tzinfo else at.replace(tzinfo=tzinfo_of(zone))) - _EPOCH


def tzinfo_of(zone: str) -> tzinfo:
    """Give a zone as Spark names it: a region, or an offset such as ``+02:00``."""
    offset = _OFFSET.fullmatch(zone)
    if offset is None:
        return UTC if zone == "Z" else ZoneInfo(zone)
    sign, *numbers = offset.groups()
    hours, minutes, seconds = (int(number or 0) for number in numbers)
    ahead = timedelta(hours=hours, minutes=minutes, seconds=seconds)
    return timezone(-ahead if sign == "-" else ahead)


def is_position(at: At | None) -> bool:
    """Whether it is an offset or a sequence number."""
    return isinstance(at, int) and not isinstance(at, bool)
