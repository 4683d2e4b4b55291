"""Draw the delay sessions of a day: a row for each airline, a bar for each session."""

from __future__ import annotations

from dataclasses import dataclass

from flights.svg import axes, canvas
from flights.svg.axes import Scale

#: Mean delays in minutes at which the next darker color starts.
CLASSES = (60, 120, 180)
_ROW, _TOP, _BOTTOM = 26, 8, 40


@dataclass(frozen=True)
class Bar:
    """A session in hours since midnight. ``first`` are the sessions of the first panes."""

    start: float
    end: float
    flights: int
    mean_delay: float
    first: tuple[tuple[float, float], ...]


def sessions(width: float, rows: dict[str, list[Bar]]) -> str:
    """Draw the picture for a page of the given width."""
    narrow = width < 500
    left = 84 if narrow else 120
    latest = max((bar.end for bars in rows.values() for bar in bars), default=24.0)
    x = Scale(5, max(latest, 24.5), left, width - 4)
    bottom = _TOP + _ROW * len(rows)
    ticks = range(6, int(x.high) + 1, 6 if narrow else 3)
    parts = [canvas.line((x(hour), _TOP), (x(hour), bottom), "grid") for hour in ticks]
    for index, (airline, bars) in enumerate(rows.items()):
        top = _TOP + _ROW * index
        parts.append(canvas.words(left - 8, top + 15, airline, "tick", "end"))
        parts += [_bar(bar, airline, x, top) for bar in bars]
    parts.append(axes.hours(x, bottom, ticks))
    parts.append(
        canvas.words(x.end, bottom + 33, "planned departure, New York time", "unit", "end")
    )
    return canvas.picture(width, bottom + _BOTTOM, "Sessions of delay by airline", *parts)


def _bar(bar: Bar, airline: str, x: Scale, top: float) -> str:
    start, end = x(max(bar.start, x.low)), x(bar.end)
    tip = f"{airline}: {bar.flights} flights, {bar.mean_delay:.0f} min late on average"
    shade = f"delay{sum(bar.mean_delay >= level for level in CLASSES)}"
    parts = [canvas.box(start, top + 3, max(end - start, 2), 16, shade, tip)]
    label = f"{bar.flights}"
    if end - start > 9 * len(label):
        parts.append(canvas.words((start + end) / 2, top + 15.5, label, f"on-{shade}", "middle"))
    for from_, to in bar.first:
        parts.append(canvas.line((x(max(from_, x.low)), top + 22), (x(to), top + 22), "before"))
    return "".join(parts)
