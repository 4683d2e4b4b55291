"""Draw the rows of each key on its own line, and the matches of a pattern as bars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from windrow._drawing._axis import DATES, Scale, in_lanes
from windrow._drawing._marks import BLUE, GREY, MESSAGE, Mark, legend
from windrow._markup._svg import Element, Picture, Style, element, fitted, picture, text_width

_WIDTH, _MARGIN, _TOP, _ROW, _BAR = 680, 28, 74, 44, 10

#: The maximum number of keys; further ones are only counted.
_KEYS = 12

_OTHER = Mark("other", GREY, "M-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0Z")


@dataclass
class Line:
    """The rows of a key in order, and its matches.

    matches: for each match the position of its first row, and the names of its rows.
    """

    times: list[int]
    matches: list[tuple[int, Sequence[str]]] = field(default_factory=list)

    def names(self, row: int) -> list[str]:
        """Return the names of a row in the matches that contain it."""
        found = [of[row - at] for at, of in self.matches if 0 <= row - at < len(of)]
        return list(dict.fromkeys(found))

    def spans(self) -> list[tuple[int, int]]:
        """Return the first and the last time of each match."""
        return [(self.times[at], self.times[at + len(of) - 1]) for at, of in self.matches]


def draw(pattern: str, lines: Mapping[str, Line]) -> Picture:
    """Draw the keys with most matches first."""
    every = sorted(lines.items(), key=lambda one: -len(one[1].matches))
    shown = every[:_KEYS]
    matches, rows = (sum(len(of) for of in part) for part in _parts(lines))
    title = f"{pattern}: {matches} match{'' if matches == 1 else 'es'} in {rows} rows"
    left = _MARGIN + min(110, max((text_width(name) for name, _ in shown), default=0)) + 8
    scale = Scale.over(
        DATES, [time for _, line in shown for time in line.times], left, _WIDTH - _MARGIN
    )
    drawn = [element("text", fitted(title, _WIDTH - 2 * _MARGIN), x=_MARGIN, y=16, font_weight=600)]
    signs = [(MESSAGE.at(0, 0), "row of a match"), (_OTHER.at(0, 0), "other row")]
    drawn += legend(_MARGIN, 36, [*signs, (_bar(-6, 8, -5, ""), "match")])
    y: float = _TOP
    for name, line in shown:
        lanes = in_lanes(line.spans())
        drawn += _line(name, line, lanes, scale, y)
        y += _ROW + _BAR * max(lanes, default=0)
    drawn += scale.line(y - 12)
    if len(shown) < len(every):
        more = f"and {len(every) - len(shown)} more keys"
        drawn.append(element("text", more, x=_WIDTH / 2, y=y + 20, text_anchor="middle"))
    return picture(title, _WIDTH, y + (28 if len(shown) < len(every) else 12), *drawn)


def _parts(lines: Mapping[str, Line]) -> tuple[list[Sequence[object]], list[Sequence[object]]]:
    return [one.matches for one in lines.values()], [one.times for one in lines.values()]


def _line(name: str, line: Line, lanes: Sequence[int], scale: Scale, y: float) -> list[Element]:
    ends: Style = {"x1": scale.left, "x2": scale.right, "y1": y, "y2": y}
    drawn = [
        element("text", fitted(name, scale.left - _MARGIN - 4), x=_MARGIN, y=y + 4, class_="key"),
        element("line", **ends, stroke=GREY, stroke_opacity=0.6),
    ]
    for (start, end), lane in zip(line.spans(), lanes, strict=True):
        span = f"{scale.name(start)} to {scale.name(end)}"
        drawn.append(_bar(scale(start) - 3, scale(end) + 3, y + 8 + lane * _BAR, span))
    for row, time in enumerate(line.times):
        names = line.names(row)
        mark = MESSAGE if names else _OTHER
        label = " ".join(names)
        tip = element("title", f"{scale.name(time)}: {label or 'in no match'}")
        drawn.append(element("g", tip, mark.at(scale(time), y), class_="message"))
        if label:
            x = scale(time)
            drawn.append(element("text", label, x=x, y=y - 9, text_anchor="middle", class_="name"))
    return drawn


def _bar(left: float, right: float, y: float, tip: str) -> Element:
    size: Style = {"x": left, "y": y, "width": max(4.0, right - left), "height": 7, "rx": 2.5}
    ink: Style = {"fill": BLUE, "fill_opacity": 0.35, "stroke": BLUE, "class_": "match"}
    return element("rect", *([element("title", tip)] if tip else []), **size, **ink)
