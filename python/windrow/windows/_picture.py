"""Windows over a time axis as a small SVG that needs nothing from outside."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from html import escape

from windrow._specs import _duration

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_WIDTH, _MARGIN, _LANE = 640, 20, 16

#: Rows of bars that a picture has at most; more windows are only counted.
LANES = 24


@dataclass(frozen=True)
class Picture:
    """An SVG: a notebook shows it, ``str`` gives its text."""

    svg: str

    def __str__(self) -> str:
        """Give the SVG."""
        return self.svg

    def _repr_html_(self) -> str:
        return self.svg


@dataclass(frozen=True)
class Axis:
    """What the numbers of a picture are: ``read`` makes them, ``label`` names them.

    On an axis of whole positions a window ends after its last one, not before it.
    """

    read: Callable[[Sequence[datetime | str | int]], list[int]]
    label: Callable[[int], str]
    whole: bool = False


def _micros(times: Sequence[datetime | str | int]) -> list[int]:
    """Microseconds since the epoch of datetimes or ISO texts; naive ones are UTC."""
    read = [datetime.fromisoformat(time) if isinstance(time, str) else time for time in times]
    found: list[int] = []
    for time in read:
        if not isinstance(time, datetime):
            msg = f"the messages of this picture are datetimes or ISO texts, not {time!r}"
            raise TypeError(msg)
        aware = time if time.tzinfo else time.replace(tzinfo=UTC)
        found.append((aware - _EPOCH) // timedelta(microseconds=1))
    return found


def _positions(given: Sequence[datetime | str | int]) -> list[int]:
    found = [position for position in given if isinstance(position, int)]
    if len(found) < len(given):
        msg = f"the messages of this picture are positions, whole numbers, not {list(given)!r}"
        raise TypeError(msg)
    return found


def _date(time: int) -> str:
    try:
        return str(_EPOCH.replace(tzinfo=None) + timedelta(microseconds=time))
    except OverflowError:
        return _duration.show(time)


#: Times of day; lengths since the epoch; sequence numbers or offsets.
DATES = Axis(_micros, _date)
LENGTHS = Axis(_micros, _duration.show)
POSITIONS = Axis(_positions, str, whole=True)


def draw(title: str, at: Sequence[int], windows: Sequence[tuple[int, int]], axis: Axis) -> Picture:
    """Draw messages as dots on an axis and windows as bars below it."""
    more = 1 if axis.whole else 0
    lanes = _in_lanes([(start, end + more) for start, end in windows])
    shown = lanes[:LANES]
    edges = [edge for lane in shown for window in lane for edge in window]
    low, high = _extent([*at, *(position + more for position in at), *edges])
    scale = (_WIDTH - 2 * _MARGIN) / (high - low)

    def x(time: float) -> float:
        return round(_MARGIN + (time - low) * scale, 1)

    parts = [_text(_MARGIN, 14, title, weight="bold")]
    parts += [_dot(x(position + more / 2)) for position in at]
    parts.append(
        f'<line x1="{_MARGIN}" x2="{_WIDTH - _MARGIN}" y1="42" y2="42" stroke="currentColor"/>'
    )
    for number, lane in enumerate(shown):
        parts += [_bar(x(start), x(end), 50 + number * _LANE) for start, end in lane]
    bottom = 50 + len(shown) * _LANE + 12
    parts.append(_text(_MARGIN, bottom, axis.label(low)))
    parts.append(_text(_WIDTH - _MARGIN, bottom, axis.label(high - more), anchor="end"))
    hidden = sum(len(lane) for lane in lanes[LANES:])
    if hidden:
        parts.append(_text(_WIDTH // 2, bottom, f"and {hidden} more windows", anchor="middle"))
    return Picture(
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {_WIDTH} {bottom + 8}" '
        f'width="{_WIDTH}" height="{bottom + 8}" font-family="sans-serif" font-size="11">'
        f"{''.join(parts)}</svg>"
    )


def _in_lanes(windows: Sequence[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """Put each window into the first row in which it overlaps none."""
    lanes: list[list[tuple[int, int]]] = []
    for window in windows:
        for lane in lanes:
            if lane[-1][1] <= window[0]:
                lane.append(window)
                break
        else:
            lanes.append([window])
    return lanes


def _extent(edges: Sequence[int]) -> tuple[int, int]:
    low = min(edges, default=0)
    return low, max([*edges, low + 1])


def _text(x: int, y: int, text: str, *, anchor: str = "start", weight: str = "normal") -> str:
    style = f'fill="currentColor" text-anchor="{anchor}" font-weight="{weight}"'
    return f'<text x="{x}" y="{y}" {style}>{escape(text)}</text>'


def _dot(x: float) -> str:
    return f'<circle cx="{x}" cy="34" r="3.5" fill="#d1603d"/>'


def _bar(left: float, right: float, y: int) -> str:
    width = max(1.0, round(right - left - 1, 1))
    return (
        f'<rect x="{left}" y="{y}" width="{width}" height="{_LANE - 4}" rx="2" '
        f'fill="#3b7ea1" fill-opacity="0.45" stroke="#3b7ea1"/>'
    )
