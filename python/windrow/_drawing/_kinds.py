"""Draw a kind of windows: the windows that contain a few rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import islice

from windrow._drawing import _pairs, _windows
from windrow._drawing._axis import DATES, LENGTHS, POSITIONS
from windrow._markup._svg import Picture
from windrow._specs import _duration
from windrow.windows._kind import Messages, WindowKind

#: The most windows without rows in a picture.
_MOST_GAPS = 100


def plot(
    kind: WindowKind, messages: Messages | None, lateness: object, silence: int | None
) -> Picture:
    """Draw the windows, and how long each accepts late rows; None draws sample rows.

    silence: how long windows without rows follow a window with rows; None draws none.
    """
    if isinstance(messages, Mapping):
        return _of_streams(kind, messages, silence)
    axis = POSITIONS if kind._on_positions else LENGTHS if messages is None else DATES
    at = kind._sample() if messages is None else axis.read(messages)
    gaps, hidden = _gaps(kind, at, silence)
    notes = hidden if messages is None else [*kind._unseen(), *hidden]
    late = _units(kind, lateness)
    return _windows.draw(repr(kind), at, kind._by_name(at), axis, late, gaps=gaps, notes=notes)


def _gaps(
    kind: WindowKind, at: Sequence[int], silence: int | None
) -> tuple[list[tuple[int, int]], list[str]]:
    """Return the windows without rows, or a sentence if there are too many."""
    found = [] if silence is None else list(islice(kind._gaps(at, silence), _MOST_GAPS + 1))
    if len(found) <= _MOST_GAPS:
        return found, []
    return [], [f"More than {_MOST_GAPS} windows without rows are not drawn."]


def _of_streams(
    kind: WindowKind, messages: Mapping[str, Sequence[datetime | str | int]], silence: int | None
) -> Picture:
    axis = POSITIONS if kind._on_positions else DATES
    times = {name: axis.read(own) for name, own in messages.items()}
    at = [time for own in times.values() for time in own]
    gaps, hidden = _gaps(kind, at, silence)
    windows = sorted([*kind._holding(at), *gaps])
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
        [*kind._unseen(), *hidden],
    )


def _units(kind: WindowKind, lateness: object) -> int:
    """Return the lateness in the unit of the axis, or 0 if none is set."""
    read = lateness if isinstance(lateness, int) else _duration.read(lateness)
    if lateness is None:
        return _duration.ENDLESS
    is_of_axis = isinstance(lateness, int) == kind._on_positions
    return read if isinstance(read, int) and is_of_axis else 0
