"""Instants of Spark, of which there are more than Python has."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST = datetime.min.replace(tzinfo=UTC)
_LAST = datetime.max.replace(tzinfo=UTC)


def instant(micros: int) -> datetime:
    """Give an instant; the first or last one of Python where it is beyond those."""
    try:
        return EPOCH + timedelta(microseconds=micros)
    except OverflowError:
        return _LAST if micros > 0 else _FIRST


def read(text: str) -> datetime:
    """Read what Spark says, in the same way; it writes years beyond 9999 with a sign."""
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return _FIRST if text.startswith("-") else _LAST
