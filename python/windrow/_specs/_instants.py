"""Times of Spark, whose range is larger than that of Python."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST = datetime.min.replace(tzinfo=UTC)
_LAST = datetime.max.replace(tzinfo=UTC)


def instant(micros: int) -> datetime:
    """Return a time, or the first or last one of Python if it is out of range."""
    try:
        return EPOCH + timedelta(microseconds=micros)
    except OverflowError:
        return _LAST if micros > 0 else _FIRST


def micros(time: datetime, zone: tzinfo = UTC) -> int:
    """Return a time as microseconds since 1970; a time without a zone is in ``zone``."""
    aware = time if time.tzinfo else time.replace(tzinfo=zone)
    return (aware - EPOCH) // timedelta(microseconds=1)


def iso(micros: int) -> str:
    """Return a time in UTC as ISO text: ``2025-01-01T09:00:00Z``."""
    return instant(micros).isoformat().replace("+00:00", "Z")


def read(text: str) -> datetime:
    """Read a time of Spark, which writes years beyond 9999 with a sign."""
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return _FIRST if text.startswith("-") else _LAST


def shown(time: datetime, zone: tzinfo) -> str:
    """Return a time in a zone as text; a naive time is in the zone already."""
    local = time.astimezone(zone) if time.tzinfo else time
    is_second = local.fold == 1  # the clocks were put back, and show this time again
    return (local if is_second else local.replace(tzinfo=None)).isoformat(" ")
