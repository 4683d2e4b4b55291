"""Draw rows in the order of arrival, and the watermark that follows them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from windrow._drawing._axis import DATES, LENGTHS, Axis, Scale
from windrow._drawing._marks import BLUE, GREY, LATE, MESSAGE, REJECTED, Mark, legend
from windrow._markup._svg import Element, Picture, Style, element, fitted, picture
from windrow._specs import _duration

_WIDTH, _MARGIN, _TOP = 680, 28, 66
_HEIGHT = 360


_SAMPLE = (0, 0.6, 1.3, 0.9, 2.1, 1.7, 3.2, 1.6, 4.1, 3.8, 5.0, 0.4)
_MINUTE = 60_000_000


def plot(
    title: str,
    messages: Sequence[datetime | str | int] | None,
    delay: int | None,
    lateness: object,
) -> Picture:
    """Draw rows, or sample rows, of a stream with this watermark and lateness."""
    axis = LENGTHS if messages is None else DATES
    unit = min(delay, 1 << 56) if delay else _MINUTE
    times = [int(part * unit) for part in _SAMPLE] if messages is None else axis.read(messages)
    read = _duration.read(lateness)
    return draw(title, times, axis, delay, read if isinstance(read, int) else None)


def draw(
    title: str, times: Sequence[int], axis: Axis, delay: int | None, lateness: int | None
) -> Picture:
    """Draw rows from top to bottom in the order of arrival, each in a micro-batch of its own.

    delay: how far the watermark is behind the greatest event time; None if it does not follow event
    time. lateness: how much later a row is still accepted; None without limit, or if it is not set.
    """
    marks = list(_watermarks(times, delay))
    step = min(18.0, _HEIGHT / max(1, len(times)))
    bottom = _TOP + step * max(1, len(times))
    scale = Scale.over(axis, times, _MARGIN, _WIDTH - _MARGIN)
    drawn = [
        element(
            "text",
            fitted(f"{title}, rows from top to bottom in order of arrival", _WIDTH - 2 * _MARGIN),
            x=_MARGIN,
            y=16,
            font_weight=600,
        )
    ]
    drawn += legend(_MARGIN, 36, _signs(delay, lateness))
    drawn += _curve(marks, scale, step, 0, BLUE)
    if lateness:
        drawn += _curve(marks, scale, step, lateness, GREY)
    for number, (time, mark) in enumerate(zip(times, marks, strict=True)):
        shape = _fate(time, mark, lateness)
        tip = element("title", f"{axis.label(time)}: {shape.name}")
        at = shape.at(scale(time), _TOP + (number + 0.5) * step)
        drawn.append(element("g", tip, at, class_="message"))
    drawn += scale.line(bottom)
    return picture(title, _WIDTH, bottom + 24, *drawn)


def _watermarks(times: Sequence[int], delay: int | None) -> Iterator[int | None]:
    """Yield the watermark by which each row is judged; None for the first."""
    greatest: int | None = None
    for time in times:
        yield None if greatest is None or delay is None else greatest - delay
        greatest = time if greatest is None else max(greatest, time)


def _fate(time: int, watermark: int | None, lateness: int | None) -> Mark:
    if watermark is None or time >= watermark:
        return MESSAGE
    return LATE if lateness is None or time >= watermark - lateness else REJECTED


def _curve(
    marks: Sequence[int | None], scale: Scale, step: float, behind: int, colour: str
) -> list[Element]:
    """Draw the watermark at the arrival of each row, shifted back by ``behind``."""
    path = ""
    for number, mark in enumerate(marks):
        if mark is not None and mark - behind >= scale.low:
            x, y = scale(mark - behind), _TOP + number * step
            path += f"{'H' if path else f'M{scale.left:g} {y:g}H'}{x:.1f}V{y + step:.1f}"
    dash: Style = {"stroke_dasharray": "5 3"} if behind else {}
    ink: Style = {"stroke": colour, "stroke_width": 1.6, "fill": "none", "class_": "watermark"}
    return [element("path", d=path, **ink, **dash)] if path else []


def _signs(delay: int | None, lateness: int | None) -> Iterator[tuple[Element, str]]:
    yield MESSAGE.at(0, 0), "row"
    if delay is None:
        return
    yield _line(BLUE), "watermark"
    yield LATE.at(0, 0), "late: older than the watermark"
    if lateness:
        yield _line(GREY, stroke_dasharray="5 3"), "watermark minus lateness"
    if lateness is not None:
        yield REJECTED.at(0, 0), "may be rejected as too late"


def _line(colour: str, **more: str) -> Element:
    return element("path", d="M-6 0h14", stroke=colour, stroke_width=1.6, fill="none", **more)
