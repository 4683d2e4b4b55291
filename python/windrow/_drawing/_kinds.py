"""Draw a kind of windows: the windows that contain a few rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from windrow._drawing import _pairs, _windows
from windrow._drawing._axis import DATES, LENGTHS, POSITIONS
from windrow._markup._svg import Picture
from windrow._specs import _duration
from windrow.windows._kind import Messages, WindowKind


def plot(kind: WindowKind, messages: Messages | None, lateness: object) -> Picture:
    """Draw the windows, and how long each accepts late rows; None draws sample rows."""
    if isinstance(messages, Mapping):
        return _of_streams(kind, messages)
    axis = POSITIONS if kind._on_positions else LENGTHS if messages is None else DATES
    at = kind._sample() if messages is None else axis.read(messages)
    return _windows.draw(repr(kind), at, kind._by_name(at), axis, _units(kind, lateness))


def _of_streams(
    kind: WindowKind, messages: Mapping[str, Sequence[datetime | str | int]]
) -> Picture:
    axis = POSITIONS if kind._on_positions else DATES
    times = {name: axis.read(own) for name, own in messages.items()}
    windows = kind._holding([time for own in times.values() for time in own])
    more = 1 if axis.whole else 0
    return _pairs.draw(
        repr(kind),
        _pairs.Pairs(
            times,
            paired={(n, i) for n, own in enumerate(times.values()) for i in range(len(own))},
            windows=[(start, end + more) for start, end in windows],
            together="row",
        ),
        axis,
    )


def _units(kind: WindowKind, lateness: object) -> int:
    """Return the lateness in the unit of the axis, or 0 if none is set."""
    read = lateness if isinstance(lateness, int) else _duration.read(lateness)
    if lateness is None:
        return _duration.ENDLESS
    is_of_axis = isinstance(lateness, int) == kind._on_positions
    return read if isinstance(read, int) and is_of_axis else 0
