"""Draw the rows of a key in the order of arrival, and which of them a deduplication keeps."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from windrow._drawing._axis import DATES, LENGTHS, Axis, Scale
from windrow._drawing._marks import BLUE, MESSAGE, WITHDRAWN, legend
from windrow._markup._svg import Element, Picture, Style, element, fitted, picture

_WIDTH, _MARGIN, _TOP, _HEIGHT = 680, 28, 66, 360
_SAMPLE = (0, 0.6, 1.8, 1.4, 3.2, 2.9, 4.8)
_MINUTE = 60_000_000


def plot(
    title: str, messages: Sequence[datetime | str | int] | None, within: int, *, last: bool
) -> Picture:
    """Draw rows, or sample rows. within: the greatest difference between duplicates."""
    axis = LENGTHS if messages is None else DATES
    unit = min(within, 1 << 56) or _MINUTE
    times = [int(part * unit) for part in _SAMPLE] if messages is None else axis.read(messages)
    return _draw(
        title, times, _last(times, within) if last else _first(times, within), axis, within
    )


def _first(times: Sequence[int], within: int) -> list[bool]:
    """Return for each row whether it is kept (rule R99); each is a micro-batch of its own."""
    kept: list[int] = []
    for time in times:
        if all(abs(time - other) > within for other in kept):
            kept.append(time)
    left = set(kept)
    return [time in left and times.index(time) == i for i, time in enumerate(times)]


def _last(times: Sequence[int], within: int) -> list[bool]:
    """Return for each row whether no row follows it (rule R108); of equal rows the first one."""
    return [
        not any(0 < other - time <= within for other in times) and times.index(time) == i
        for i, time in enumerate(times)
    ]


def _draw(
    title: str, times: Sequence[int], kept: Sequence[bool], axis: Axis, within: int
) -> Picture:
    step = min(18.0, _HEIGHT / max(1, len(times)))
    bottom = _TOP + step * max(1, len(times))
    spans = [(time - within, time + within) for time, one in zip(times, kept, strict=True) if one]
    edges = [*times, *(edge for span in spans for edge in span)]
    scale = Scale.over(axis, edges, _MARGIN, _WIDTH - _MARGIN)
    text = f"{title}: {sum(kept)} of {len(times)} rows kept, from top to bottom in order of arrival"
    drawn = [element("text", fitted(text, _WIDTH - 2 * _MARGIN), x=_MARGIN, y=16, font_weight=600)]
    signs = [(MESSAGE.at(0, 0), "kept"), (_span(-6, 8, -5, 10), "range of its duplicates")]
    if not all(kept):
        signs.append((WITHDRAWN.at(0, 0), "duplicate"))
    drawn += legend(_MARGIN, 36, signs)
    for number, (time, one) in enumerate(zip(times, kept, strict=True)):
        y = _TOP + (number + 0.5) * step
        if one:
            drawn.append(_span(scale(time - within), scale(time + within), y - step / 2, step - 2))
        mark = MESSAGE if one else WITHDRAWN
        tip = element("title", f"{axis.label(time)}: {'kept' if one else 'duplicate'}")
        fate = "kept" if one else "duplicate"
        drawn.append(element("g", tip, mark.at(scale(time), y), class_="message", data_fate=fate))
    drawn += scale.line(bottom)
    return picture(text, _WIDTH, bottom + 24, *drawn)


def _span(left: float, right: float, y: float, height: float) -> Element:
    """Draw the range in which other rows are duplicates of a kept one."""
    size: Style = {"x": left, "y": y, "width": max(2.0, right - left), "height": height, "rx": 3}
    ink: Style = {"fill": BLUE, "fill_opacity": 0.16, "stroke": BLUE, "stroke_opacity": 0.55}
    return element("rect", **size, **ink, class_="band")
