"""Draw the share of rows that each lateness catches, over the logarithm of the lateness."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from windrow._drawing._axis import LENGTHS
from windrow._markup import _html
from windrow._markup._svg import Element, Picture, element, picture

_WIDTH, _HEIGHT = 560, 170
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 520, 16, 130

Point = tuple[int, float]


def card(title: str, rows: Sequence[tuple[str, str]], points: Sequence[Point], at: Point) -> str:
    """Return the HTML of an advice; points are microseconds and the share that they catch."""
    return _html.card(title, rows, drawn(points, at))


def drawn(points: Sequence[Point], at: Point) -> Picture:
    """Draw the line, and the recommended point."""
    low = math.floor(min(share for _, share in [*points, at]) * 100) / 100
    low = min(low, 0.99)
    times = [time for time, _ in [*points, at] if time]
    first, last = min(times, default=1), max(times, default=2)

    def x(time: int) -> float:
        if time <= 0:
            return _LEFT
        width = math.log(max(last, first + 1) / first) or 1.0
        return _LEFT + 40 + math.log(time / first) / width * (_RIGHT - _LEFT - 40)

    def y(share: float) -> float:
        return _BOTTOM - (share - low) / (1 - low) * (_BOTTOM - _TOP)

    ordered = sorted([*points, at])
    line = " ".join(f"{x(time):.1f},{y(share):.1f}" for time, share in ordered)
    inside: list[Element] = [
        element("line", x1=_LEFT, x2=_RIGHT, y1=_BOTTOM, y2=_BOTTOM, stroke="currentColor"),
        element("polyline", points=line, fill="none", stroke="#3b82c4", stroke_width=2),
        element("text", LENGTHS.tick(at[0], 1), x=x(at[0]), y=y(at[1]) + 20, text_anchor="middle"),
        element("circle", cx=x(at[0]), cy=y(at[1]), r=5, fill="#c0702a"),
        *(_level(share, y(share)) for share in (low, (1 + low) / 2, 1.0)),
        *_names(sorted(points), x),
    ]
    return picture("share of rows that a lateness accepts", _WIDTH, _HEIGHT, *inside)


def _level(share: float, y: float) -> Element:
    return element("text", f"{share * 100:.4g} %", x=_LEFT - 6, y=y + 4, text_anchor="end")


def _names(points: Sequence[Point], place: Callable[[int], float]) -> list[Element]:
    """Label the times below the line that have room."""
    named, free = [], 0.0
    for time, _ in points:
        at = place(time)
        label = LENGTHS.tick(time, 1)
        if at >= free:
            named.append(element("text", label, x=at, y=_BOTTOM + 18, text_anchor="middle"))
            free = at + 6.5 * len(label) + 20
    return named
