"""Times that users pass: datetimes, ISO strings, or positions."""

from __future__ import annotations

from datetime import UTC, datetime

from windrow._specs import _instants, _zones

At = datetime | str | int


def micros(argument: str, at: At, zone: str) -> int:
    """Return the microseconds since the epoch; times without a zone are in ``zone``.

    Raises:
        TypeError: The value is an integer, which is a position.
        ValueError: The text is not a time.

    """
    if isinstance(at, str):
        try:
            at = datetime.fromisoformat(at)
        except ValueError:
            text = f"{argument} is {at!r}; pass a time, for example '2025-01-01 09:00:00'."
            raise ValueError(text) from None
    if not isinstance(at, datetime):
        text = f"{argument} is {at!r}; pass a datetime or a string, because integers are offsets."
        raise TypeError(text)
    return _instants.micros(at, UTC if at.tzinfo else _zones.tzinfo_of(zone))


def is_position(at: At | None) -> bool:
    """Return whether the value is an offset or a sequence number."""
    return isinstance(at, int) and not isinstance(at, bool)
