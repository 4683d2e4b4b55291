"""Draw rows of several streams, each stream on its own line, and the pairs among them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from windrow._drawing._axis import Axis, Scale
from windrow._drawing._marks import BLUE, GREY, MESSAGE, VIOLET, Mark, below, legend
from windrow._markup._svg import Element, Picture, Style, element, fitted, picture, text_width
from windrow.windows._kind import LANES

_WIDTH, _MARGIN, _TOP, _LANE, _BAND = 680, 28, 62, 68, 20

_ALONE = Mark("alone", VIOLET, "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0Z", filled=False)
_NOTHING = Mark("nothing", GREY, "M-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0Z")

#: A row, as the indexes of its stream and of the row in the stream.
Place = tuple[int, int]


@dataclass(frozen=True)
class Pairs:
    """The contents of a picture: times by stream, pairs, and rows without a partner.

    bands: the ranges of possible partners, ``(stream, start, end)``. windows: those that all
    streams share; 24 are drawn. together: the label of rows in ``paired``.
    """

    times: Mapping[str, Sequence[int]]
    lines: Sequence[tuple[Place, Place]] = ()
    paired: Collection[Place] = ()
    alone: Collection[Place] = ()
    bands: Sequence[tuple[int, int, int]] = ()
    windows: Sequence[tuple[int, int]] = ()
    together: str = "has a partner"


def draw(title: str, of: Pairs, axis: Axis, notes: Sequence[str] = ()) -> Picture:
    """Draw a line for each stream, and the connections between them, above sentences."""
    names = list(of.times)
    left = _MARGIN + min(110, max(map(text_width, names), default=0)) + 8
    edges = [time for times in of.times.values() for time in times]
    edges += [edge for _, *ends in of.bands for edge in ends]
    edges += [edge for window in of.windows[:LANES] for edge in window]
    scale = Scale.over(axis, edges, left, _WIDTH - _MARGIN)
    bottom = _TOP + _LANE * (len(names) - 1) + 36

    drawn = [element("text", fitted(title, _WIDTH - 2 * _MARGIN), x=_MARGIN, y=16, font_weight=600)]
    drawn += legend(_MARGIN, 36, _signs(of))
    drawn += [_window(scale, start, end, bottom) for start, end in of.windows[:LANES]]
    drawn += [_band(scale, start, end, _y(stream)) for stream, start, end in of.bands]
    for stream, name in enumerate(names):
        drawn += _lane(name, scale, _y(stream))
    places = {(n, i): at for n, times in enumerate(of.times.values()) for i, at in enumerate(times)}
    drawn += [
        _line(scale(places[one]), _y(one[0]), scale(places[other]), _y(other[0]))
        for one, other in of.lines
    ]
    fates = {MESSAGE: of.together, _ALONE: "emitted without a partner", _NOTHING: "not emitted"}
    for place, time in places.items():
        mark = MESSAGE if place in of.paired else _ALONE if place in of.alone else _NOTHING
        tip = element("title", f"{names[place[0]]}, {axis.label(time)}: {fates[mark]}")
        at = mark.at(scale(time), _y(place[0]))
        drawn.append(element("g", tip, at, class_="message", data_fate=mark.name))
    drawn += scale.line(bottom)
    lines, more = below(_MARGIN, bottom + 24, notes)
    return picture(title, _WIDTH, bottom + 24 + more, *drawn, *lines)


def _y(stream: int) -> float:
    return _TOP + 12 + stream * _LANE


def _signs(of: Pairs) -> Iterator[tuple[Element, str]]:
    number = sum(map(len, of.times.values()))
    if of.paired:
        yield MESSAGE.at(0, 0), of.together
    if of.alone:
        yield _ALONE.at(0, 0), "emitted without a partner"
    if number > len({*of.paired, *of.alone}):
        yield _NOTHING.at(0, 0), "not emitted"
    box: Style = {"x": -6, "y": -5, "width": 14, "height": 10, "rx": 2.5}
    if of.windows:
        yield element("rect", **box, **_ink()), "window"
    if of.bands:
        yield element("rect", **box, **_ink()), "range of possible partners"


def _ink() -> Style:
    return {"fill": BLUE, "fill_opacity": 0.16, "stroke": BLUE, "stroke_opacity": 0.55}


def _window(scale: Scale, start: int, end: int, bottom: float) -> Element:
    x, width = scale(start), max(2.0, scale(end) - scale(start) - 1.5)
    size: Style = {"x": x, "y": _TOP - 6, "width": width, "height": bottom - _TOP, "rx": 3}
    tip = element("title", f"{scale.name(start)} to {scale.name(end)}")
    return element("rect", tip, **size, **_ink(), class_="window")


def _band(scale: Scale, start: int, end: int, y: float) -> Element:
    """Draw the range of possible partners; a single point has a minimum width."""
    x, width = scale(start) - 2, scale(end) - scale(start) + 4
    size: Style = {"x": x, "y": y - _BAND / 2, "width": width, "height": _BAND, "rx": 3}
    tip = element("title", f"{scale.name(start)} to {scale.name(end)}")
    return element("rect", tip, **size, **_ink(), class_="band")


def _lane(name: str, scale: Scale, y: float) -> list[Element]:
    ends: Style = {"x1": scale.left, "x2": scale.right, "y1": y, "y2": y}
    text = fitted(name, scale.left - _MARGIN - 4)
    return [
        element("text", text, x=_MARGIN, y=y + 4, class_="stream"),
        element("line", **ends, stroke=GREY, stroke_opacity=0.6),
    ]


def _line(x: float, y: float, other: float, below: float) -> Element:
    middle = (y + below) / 2
    path = f"M{x:.1f} {y:g}C{x:.1f} {middle:g} {other:.1f} {middle:g} {other:.1f} {below:g}"
    return element("path", d=path, stroke=BLUE, stroke_width=1.6, fill="none", class_="pair")
