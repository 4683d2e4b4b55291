"""Draw rows as dots on an axis, and the windows that contain them as bars below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from windrow._drawing._axis import Axis, Scale, in_lanes
from windrow._drawing._marks import BLUE, GREY, MESSAGE, below, legend
from windrow._markup._svg import Element, Picture, Style, element, fitted, picture
from windrow.windows._kind import LANES

_WIDTH, _MARGIN, _LANE, _TOP = 680, 28, 16, 62


def draw(
    title: str,
    at: Sequence[int],
    windows: Mapping[str, Sequence[tuple[int, int]]],
    axis: Axis,
    lateness: int = 0,
    *,
    gaps: Sequence[tuple[int, int]] = (),
    notes: Sequence[str] = (),
) -> Picture:
    """Draw rows and windows.

    windows: the windows by name. Below a name that is not empty are only its windows.

    lateness: how long after its end a window accepts rows, in the numbers of the axis. It is drawn
    as a line after the bar, which fades if the windows would become too small.

    gaps: windows without a name and without rows. notes: sentences below the picture.
    """
    more = 1 if axis.whole else 0
    empty = set(gaps)
    windows = {**windows, "": [*windows.get("", ()), *gaps]} if gaps else windows
    spans = {name: sorted((start, end + more) for start, end in of) for name, of in windows.items()}
    tail = min(
        lateness, _third([*at, *(end for of in spans.values() for span in of for end in span)])
    )
    shown: list[tuple[str, tuple[int, int], int]] = []
    names: list[tuple[str, int]] = []
    rows = 0
    for name, of in spans.items():
        if name and rows < LANES:
            names.append((name, rows))
            rows += 1
        lanes = [rows + lane for lane in in_lanes([(start, end + tail) for start, end in of])]
        fitting = [pair for pair in zip(of, lanes, strict=True) if pair[1] < LANES]
        shown += [(name, span, lane) for span, lane in fitting]
        rows = max([rows, *(lane + 1 for _, lane in fitting)])
    ends = [*at, *(one + more for one in at)]
    ends += [edge for _, (start, end), _ in shown for edge in (start, end + tail)]
    scale = Scale.over(axis, ends, _MARGIN, _WIDTH - _MARGIN)

    drawn = [element("text", fitted(title, _WIDTH - 2 * _MARGIN), x=_MARGIN, y=16, font_weight=600)]
    drawn += _signs(late=bool(lateness and shown), gaps=bool(gaps))
    drawn += [MESSAGE.at(scale(one + more / 2), _TOP - 10) for one in at]
    for name, lane in names:
        y = _TOP + lane * _LANE + _LANE
        drawn.append(
            element("text", fitted(name, _WIDTH - 2 * _MARGIN), x=_MARGIN, y=y, opacity=0.75)
        )
    for name, (start, end), lane in shown:
        y = _TOP + 4 + lane * _LANE
        if lateness:
            drawn.append(_tail(scale(end), scale(end + tail), y, ends=tail == lateness))
        tip = f"{f'{name}: ' if name else ''}{axis.label(start)} to {axis.label(end)}"
        drawn.append(_bar(scale(start), scale(end), y, tip, held=(start, end) not in empty))
    bottom = _TOP + 8 + rows * _LANE
    drawn += scale.line(bottom)
    hidden = sum(map(len, spans.values())) - len(shown)
    if hidden:
        text = f"and {hidden} more windows"
        drawn.append(element("text", text, x=_WIDTH / 2, y=bottom + 32, text_anchor="middle"))
    height = bottom + (40 if hidden else 24)
    lines, more_height = below(_MARGIN, height, notes)
    return picture(title, _WIDTH, height + more_height, *drawn, *lines)


def _third(numbers: Sequence[int]) -> int:
    """Return a third of the way from the least to the greatest."""
    return max(1, (max(numbers) - min(numbers)) // 3) if numbers else 0


def _signs(*, late: bool, gaps: bool) -> list[Element]:
    signs = [(MESSAGE.at(0, 0), "row"), (_bar(-6, 8, -5, ""), "window")]
    if gaps:
        signs.append((_bar(-6, 8, -5, "", held=False), "window without rows"))
    if late:
        signs.append((_tail(-6, 8, -5, ends=True), "still accepts late rows"))
    return legend(_MARGIN, 36, signs)


def _bar(left: float, right: float, y: float, tip: str, *, held: bool = True) -> Element:
    """Draw a window; dashed and hollow if it holds no rows."""
    width = max(1.5, right - left - 1)
    size: Style = {
        "x": left,
        "y": y,
        "width": width,
        "height": _LANE - 5,
        "rx": min(2.5, width / 2),
    }
    ink: Style = {"fill": BLUE, "fill_opacity": 0.35, "stroke": BLUE, "class_": "window"}
    if not held:
        ink = {"fill": "none", "stroke": BLUE, "stroke_dasharray": "3 2", "class_": "gap"}
    return element("rect", *([element("title", tip)] if tip else []), **size, **ink)


def _tail(left: float, right: float, y: float, *, ends: bool) -> Element:
    """Draw the time in which a complete window accepts rows; dashed if it continues."""
    middle = y + (_LANE - 5) / 2
    path = f"M{round(left, 1):g} {middle:g}H{round(right - 1, 1):g}" + ("m0-4v8" if ends else "")
    dashed: Style = {} if ends else {"stroke_dasharray": "5 3"}
    ink: Style = {"stroke": GREY, "stroke_width": 1.6, "fill": "none", "class_": "lateness"}
    return element("path", d=path, **ink, **dashed)
