"""The picture of the benchmark page, read from its table of figures."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import log10
from pathlib import Path

from windrow._markup._svg import Element, Picture, element, picture

PAGE = Path(__file__).parent / "benchmarks.md"

_LEFT, _AXIS, _RIGHT, _TOP, _ROW = 230, 380, 30, 34, 34
_TICKS = (0.05, 0.1, 0.2, 0.5, 1, 2, 5)
#: The peers by the number of their column with warm ratios, and the color of their bars.
_PEERS = ((3, "Spark", "#4c78a8"), (5, "Flink", "#f58518"))


@dataclass(frozen=True)
class Bar:
    """The range of the ratios of a workload to a peer."""

    workload: str
    peer: str
    color: str
    least: float
    greatest: float


def bars(text: str) -> list[Bar]:
    """Return the bars of the table below ``<!-- figures -->``, row by row."""
    table = text.split("<!-- figures -->")[1]
    found = []
    for line in re.findall(r"^\| `.*\|$", table, re.MULTILINE):
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        keys = "" if cells[2] == "–" else f", {cells[2]} keys"  # noqa: RUF001  as in the table
        for column, peer, color in _PEERS:
            if ends := [float(end) for end in re.findall(r"[\d.]+", cells[column])]:
                found.append(Bar(cells[1] + keys, peer, color, ends[0], ends[-1]))
    return found


def _x(ratio: float) -> float:
    """Return the x coordinate of a ratio on a logarithmic axis."""
    low, high = log10(_TICKS[0]), log10(_TICKS[-1])
    return _LEFT + (log10(ratio) - low) / (high - low) * _AXIS


def ratios() -> Picture:
    """Draw the warm ratios of each workload; a bar left of 1 means less CPU time for Windrow."""
    found = bars(PAGE.read_text(encoding="utf-8"))
    names = list(dict.fromkeys(bar.workload for bar in found))
    bottom = _TOP + len(names) * _ROW
    drawn: list[Element] = []
    for tick in _TICKS:
        at = {"x1": _x(tick), "x2": _x(tick), "y1": _TOP - 6, "y2": bottom}
        width = 1.5 if tick == 1 else 0.5
        drawn.append(element("line", **at, stroke="currentColor", stroke_width=width, opacity=0.6))
        drawn.append(_text(f"{tick:g}", _x(tick), bottom + 14, anchor="middle"))
    for row, name in enumerate(names):
        y = _TOP + row * _ROW
        drawn.append(_text(name, _LEFT - 10, y + 17, anchor="end"))
        for line, bar in enumerate(bar for bar in found if bar.workload == name):
            drawn.append(_bar(bar, y + 3 + line * 12))
    for number, (_, peer, color) in enumerate(_PEERS):
        x = _LEFT + number * 130
        drawn.append(element("rect", x=x, y=4, width=12, height=9, fill=color))
        drawn.append(_text(f"to {peer}, warm", x + 18, 13))
    axis = "CPU time of Windrow divided by that of the other engine: less is better"
    drawn.append(_text(axis, _LEFT + _AXIS / 2, bottom + 32, anchor="middle"))
    title = "Ranges of the CPU time of Windrow divided by that of Spark and of Flink"
    return picture(title, _LEFT + _AXIS + _RIGHT, bottom + 40, *drawn)


def _bar(bar: Bar, y: float) -> Element:
    said = f"{bar.workload}, to {bar.peer}: {bar.least:.2f} to {bar.greatest:.2f}"
    left, right = _x(bar.least), _x(bar.greatest)
    size = {"x": left, "y": y, "width": max(right - left, 3), "height": 10, "rx": 2}
    return element("rect", element("title", said), **size, fill=bar.color)


def _text(said: str, x: float, y: float, *, anchor: str = "start") -> Element:
    return element("text", said, x=x, y=y, text_anchor=anchor)
