"""Draw the windows of a key: a bar for each pane, stacked from first to last."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from windrow._drawing._axis import Scale, in_lanes
from windrow._drawing._marks import ON_TIME
from windrow._drawing._panes import Pane, Window
from windrow._markup._svg import Element, Style, element, fitted, text_width

_BAR = 18

#: The maximum number of overlapping stacks of a key.
LANES = 12


def row(windows: Sequence[Window], scale: Scale, *, replaces: bool) -> tuple[list[Element], float]:
    """Draw the windows of a key in the order of their starts; return the height too."""
    spans = [_span(window, scale) for window in windows]
    lanes = in_lanes(spans)
    depths = [0] * (1 + min(max(lanes, default=0), LANES - 1))
    for window, lane in zip(windows, lanes, strict=True):
        if lane < LANES:
            depths[lane] = max(depths[lane], len(window.panes))
    tops = [sum(depths[:lane]) * _BAR + lane * 4.0 for lane in range(len(depths))]
    drawn = []
    for window, span, lane in zip(windows, spans, lanes, strict=True):
        if lane < LANES:
            drawn += _stack(window, span, tops[lane], scale, replaces=replaces)
    hidden = sum(lane >= LANES for lane in lanes)
    height = sum(depths) * _BAR + (len(depths) - 1) * 4.0
    if hidden:
        text = f"and {hidden} more windows"
        drawn.append(element("text", text, x=scale.left, y=height + 12, opacity=0.75))
        height += 16
    return drawn, height


def _span(window: Window, scale: Scale) -> tuple[float, float]:
    left = scale.left if window.start is None else scale(window.start)
    right = scale.right if window.end is None else scale(window.end)
    return left, max(right, left + 4)


def _stack(
    window: Window, span: tuple[float, float], top: float, scale: Scale, *, replaces: bool
) -> list[Element]:
    """Draw the panes of a window; replaced panes are struck through."""
    drawn = []
    withdrawn = window.panes[-1].is_retraction
    for number, pane in enumerate(window.panes):
        is_last = number == len(window.panes) - 1
        is_valid = not withdrawn and (is_last or not replaces)
        text = f"{pane.key} {bounds(window, scale)}: {tip(pane)}"
        drawn.append(
            element(
                "g",
                element("title", text),
                *_bar(pane, span, is_valid=is_valid, is_increment=number > 0 and not replaces),
                transform=f"translate(0 {top + number * _BAR:g})",
                class_="pane",
                data_timing=pane.mark.name,
            )
        )
    return drawn


def _bar(
    pane: Pane, span: tuple[float, float], *, is_valid: bool, is_increment: bool
) -> list[Element]:
    left, right = span
    width, middle = max(2.0, right - left - 1.5), (_BAR - 2) / 2
    drawn = [_box(pane, left, width, is_valid=is_valid)]
    if width >= 11:
        drawn.append(pane.mark.at(left + 9 if width > 18 else left + width / 2, middle))
    elif pane.mark is not ON_TIME:
        drawn.append(pane.mark.at(left + width / 2, middle))
    text = fitted(f"+ {pane.value}" if is_increment else pane.value, width - 22)
    if text:
        style: Style = {} if is_valid else {"text_decoration": "line-through", "opacity": 0.6}
        drawn.append(element("text", text, x=left + 18, y=middle + 4, **style))
    return drawn


def _box(pane: Pane, left: float, width: float, *, is_valid: bool) -> Element:
    size: Style = {"x": left, "y": 0, "width": width, "height": _BAR - 2, "rx": min(2.5, width / 2)}
    ink: Style = {"stroke": pane.mark.colour, "fill": pane.mark.colour}
    pale: Style = {"fill_opacity": 0.08, "stroke_opacity": 0.6}
    style: Style = {"fill_opacity": 0.28} if is_valid else pale
    if pane.is_retraction:
        style = {"fill_opacity": 0.04, "stroke_dasharray": "3 2"}
    return element("rect", **size, **ink, **style)


def bounds(window: Window, scale: Scale) -> str:
    """Return the bounds of a window, without the date of its end if it is the same."""
    if window.start is None or window.end is None:
        return "all"
    return f"{scale.name(window.start)} to {scale.name(window.end - scale.axis.whole)}"


def tip(pane: Pane) -> str:
    """Return all values of a pane, for its tooltip."""
    values = ", ".join(f"{name} {value}" for name, value in pane.details)
    parts = [pane.mark.name, f"index {pane.index}", pane.when, values]
    return ", ".join(part for part in parts if part)


def label_width(keys: Iterable[str]) -> float:
    """Return the width of the labels of keys."""
    return min(150, max(map(text_width, keys), default=0))
