"""Draw a day at an airport: first and last values of each window, and the weather below."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from flights.svg import axes, canvas
from flights.svg.axes import Scale

WIDTH = 360
_LEFT, _RIGHT, _TOP = 46, 10, 44
_PLOT, _GAP, _RAIN, _BOTTOM = 190, 34, 46, 38
_TICKS = (6, 9, 12, 15, 18, 21, 24)


@dataclass(frozen=True)
class Reports:
    """The panes of one window, with ``values`` in their order."""

    hour: float  # the position in hours since midnight
    values: tuple[float, ...]
    tip: str


@dataclass(frozen=True)
class Measure:
    """The caption, the highest value, and the format of a measure."""

    caption: str
    top: float
    show: Callable[[float], str]


def airport(
    name: str,
    reports: list[Reports],
    measure: Measure,
    rain: dict[int, float] | None,
    wettest: float,
) -> str:
    """Draw the picture. ``rain`` is in mm by hour, or None; ``wettest`` is the end of its scale."""
    x = Scale(5, 24.5, _LEFT, WIDTH - _RIGHT)
    ticks = axes.steps(measure.top)
    y = Scale(0, ticks[-1], _TOP + _PLOT, _TOP)
    parts = [
        canvas.words(0, 14, name, "name"),
        canvas.words(0, 31, measure.caption, "unit"),
        axes.levels(x, y, ticks, measure.show),
        _curves(reports, x, y),
    ]
    bottom: float = _TOP + _PLOT
    if rain is not None:
        parts.append(_rain(rain, x, bottom + _GAP, wettest))
        bottom += _GAP + _RAIN
    parts.append(axes.hours(x, bottom, _TICKS))
    parts.append(
        canvas.words(x.end, bottom + 33, "planned departure, New York time", "unit", "end")
    )
    return canvas.picture(WIDTH, bottom + _BOTTOM, f"{name}: {measure.caption}", *parts)


def _curves(reports: list[Reports], x: Scale, y: Scale) -> str:
    before = [(x(each.hour), y(each.values[0])) for each in reports]
    after = [(x(each.hour), y(each.values[-1])) for each in reports]
    parts = [
        canvas.outline([*before, *reversed(after)], "between", closed=True),
        canvas.outline(before, "first"),
        canvas.outline(after, "last"),
    ]
    for each in reports:
        at = x(each.hour)
        low, *later = (y(value) for value in each.values)
        if later:
            parts.append(canvas.line((at, low), (at, later[-1]), "change"))
            parts += [canvas.line((at - 4, step), (at + 4, step), "change") for step in later[:-1]]
            parts.append(canvas.dot((at, later[-1]), 4, "last", each.tip))
        parts.append(canvas.dot((at, low), 3.2, "first", each.tip))
    return "".join(parts)


def _rain(rain: dict[int, float], x: Scale, top: float, wettest: float) -> str:
    y = Scale(0, max(wettest, 1), top + _RAIN, top)
    parts = [canvas.words(0, top - 8, "rain or snow, mm in the hour", "unit")]
    for hour, millimetres in rain.items():
        if millimetres > 0 and x.low <= hour < x.high:
            left, right = x(hour), x(min(hour + 1, x.high))
            height = y(0) - y(millimetres)
            tip = f"{hour:02}:00: {millimetres:.1f} mm"
            parts.append(
                canvas.box(left + 1, y(millimetres), right - left - 2, height, "rain", tip)
            )
        if millimetres >= wettest / 4:
            middle = x(hour + 0.5)
            parts.append(
                canvas.words(middle, y(millimetres) - 3, f"{millimetres:.0f}", "tick", "middle")
            )
    return "".join(parts)
