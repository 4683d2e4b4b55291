"""Windows over a time axis as a small SVG that needs nothing from outside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from html import escape

from windrow import _duration

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


def micros(times: Sequence[datetime | str]) -> list[int]:
    """Microseconds since the epoch of datetimes or ISO texts; naive ones are UTC."""
    read = [datetime.fromisoformat(time) if isinstance(time, str) else time for time in times]
    aware = [time if time.tzinfo else time.replace(tzinfo=UTC) for time in read]
    return [(time - _EPOCH) // timedelta(microseconds=1) for time in aware]


def draw(
    title: str, times: Sequence[int], windows: Sequence[tuple[int, int]], *, dated: bool
) -> Picture:
    """Draw messages as dots on an axis and windows as bars below it.

    ``times`` and the bounds of ``windows`` are microseconds. ``dated``: label the axis with
    times of day, else with lengths since the epoch.
    """
    lanes = _in_lanes(windows)
    shown = lanes[:LANES]
    low, high = _extent(times, [window for lane in shown for window in lane])
    scale = (_WIDTH - 2 * _MARGIN) / (high - low)

    def x(time: int) -> float:
        return round(_MARGIN + (time - low) * scale, 1)

    parts = [_text(_MARGIN, 14, title, weight="bold")]
    parts += [_dot(x(time)) for time in times]
    parts.append(
        f'<line x1="{_MARGIN}" x2="{_WIDTH - _MARGIN}" y1="42" y2="42" stroke="currentColor"/>'
    )
    for number, lane in enumerate(shown):
        parts += [_bar(x(start), x(end), 50 + number * _LANE) for start, end in lane]
    bottom = 50 + len(shown) * _LANE + 12
    parts.append(_text(_MARGIN, bottom, _label(low, dated=dated)))
    parts.append(_text(_WIDTH - _MARGIN, bottom, _label(high, dated=dated), anchor="end"))
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


def _extent(times: Sequence[int], windows: Sequence[tuple[int, int]]) -> tuple[int, int]:
    edges = [*times, *(edge for window in windows for edge in window)] or [0]
    return min(edges), max(*edges, min(edges) + 1)


def _label(time: int, *, dated: bool) -> str:
    if not dated:
        return _duration.show(time)
    try:
        return str(_EPOCH.replace(tzinfo=None) + timedelta(microseconds=time))
    except OverflowError:
        return _duration.show(time)


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
