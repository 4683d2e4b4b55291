"""Draw rows in the order of arrival, and the watermark that follows them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from windrow._drawing._axis import DATES, LENGTHS, Axis, Scale
from windrow._drawing._marks import BLUE, GREY, LATE, MESSAGE, REJECTED, Mark, below, legend
from windrow._markup._svg import Element, Picture, Style, element, fitted, picture
from windrow._specs import _duration

_WIDTH, _MARGIN, _TOP = 680, 28, 66
_HEIGHT = 360
#: The least height of a row with the label of its partition.
_LABEL = 12

_SAMPLE = (0, 0.6, 1.3, 0.9, 2.1, 1.7, 3.2, 1.6, 4.1, 3.8, 5.0, 0.4)
_MINUTE = 60_000_000

Partitions = Sequence[int | str | None]


def plot(
    title: str,
    messages: Sequence[datetime | str | int] | None,
    clock: Mapping[str, int],
    lateness: object,
    partitions: Partitions | None = None,
) -> Picture:
    """Draw rows, or sample rows, from top to bottom in the order of arrival.

    Each row is in a micro-batch of its own.

    clock: the settings of the watermark, as the JVM reads them. partitions: the partition of each
    row; sample rows have two. Without them, a watermark of each partition is not known.
    """
    delay, needed = clock.get("watermark"), clock.get("watermark_partitions")
    axis = LENGTHS if messages is None else DATES
    unit = min(delay, 1 << 56) if delay else _MINUTE
    times = [int(part * unit) for part in _SAMPLE] if messages is None else axis.read(messages)
    _check(times, partitions, needed)
    notes = []
    if messages is None and needed is not None and partitions is None:
        partitions, needed = [number % 2 for number in range(len(times))], min(needed, 2)
        notes.append("These are sample rows of two partitions.")
    if needed is not None and partitions is None:
        notes.append("The partitions are not known, so no row is marked as late.")
        delay = None
    elif "idle" in clock and needed is not None:
        notes.append("The times of arrival are not known, so no partition is idle.")
    found = len(set(partitions or ()))
    if delay is not None and needed is not None and found < needed:
        notes.append(f"The watermark waits for rows of {needed} partitions.")
    marks = list(_watermarks(times, partitions, delay, needed or 1))
    read = _duration.read(lateness)
    allowed = read if isinstance(read, int) else None
    rows = list(zip(times, marks, partitions or [None] * len(times), strict=True))
    return _draw(title, rows, axis, delay, allowed, notes, named=partitions is not None)


def _check(times: Sequence[int], partitions: Partitions | None, needed: int | None) -> None:
    if partitions is None:
        return
    if needed is None:
        msg = (
            "This stream has one watermark for all partitions. Remove partitions=, or set "
            "watermark=wr.EventTimeWatermark(..., by=...)."
        )
        raise ValueError(msg)
    if len(partitions) != len(times):
        msg = f"There are {len(times)} rows, but {len(partitions)} partitions. Pass one for each."
        raise ValueError(msg)


def _draw(
    title: str,
    rows: Sequence[tuple[int, int | None, object]],
    axis: Axis,
    delay: int | None,
    lateness: int | None,
    notes: Sequence[str],
    *,
    named: bool,
) -> Picture:
    """Draw rows with their watermarks and partitions, below each other.

    delay: how far the watermark is behind the greatest event time; None if it is not drawn.
    lateness: how much later a row is still accepted; None without limit, or if it is not set.
    named: whether the rows have the labels of their partitions.
    """
    times, marks = [time for time, _, _ in rows], [mark for _, mark, _ in rows]
    step = min(18.0, _HEIGHT / max(1, len(times)))
    bottom = _TOP + step * max(1, len(times))
    scale = Scale.over(axis, times, _MARGIN, _WIDTH - _MARGIN)
    head = fitted(f"{title}, rows from top to bottom in order of arrival", _WIDTH - 2 * _MARGIN)
    drawn = [element("text", head, x=_MARGIN, y=16, font_weight=600)]
    drawn += legend(_MARGIN, 36, _signs(delay, lateness))
    drawn += _curve(marks, scale, step, 0, BLUE)
    if lateness:
        drawn += _curve(marks, scale, step, lateness, GREY)
    for number, (time, mark, partition) in enumerate(rows):
        shape = _fate(time, mark, lateness)
        where = f", partition {partition}" if named else ""
        tip = element("title", f"{axis.label(time)}{where}: {shape.name}")
        x, y = scale(time), _TOP + (number + 0.5) * step
        drawn.append(element("g", tip, shape.at(x, y), class_="message"))
        if named and step >= _LABEL:
            text = fitted(str(partition), _MARGIN - 8)
            drawn.append(element("text", text, x=x + 8, y=y + 4, opacity=0.75))
    drawn += scale.line(bottom)
    lines, more = below(_MARGIN, bottom + 24, notes)
    return picture(title, _WIDTH, bottom + 24 + more, *drawn, *lines)


def _watermarks(
    times: Sequence[int], partitions: Partitions | None, delay: int | None, needed: int
) -> Iterator[int | None]:
    """Yield the watermark by which each row is judged (rule R107); None before there is one.

    Without partitions, all rows are in one.
    """
    greatest: dict[object, int] = {}
    mark: int | None = None
    for number, time in enumerate(times):
        yield mark
        partition = None if partitions is None else partitions[number]
        greatest[partition] = max(time, greatest.get(partition, time))
        if delay is not None and len(greatest) >= needed:
            least = min(greatest.values()) - delay
            mark = least if mark is None else max(mark, least)


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
