"""Scales and axes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from flights.svg.canvas import line, words


@dataclass(frozen=True)
class Scale:
    """Maps values from ``low`` to ``high`` to pixels from ``start`` to ``end``."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Return the pixel of a value."""
        share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)


def hours(x: Scale, y: float, ticks: Iterable[int]) -> str:
    """Draw an axis of the hours of a day. 25 is one o'clock on the next day."""
    base = line((x.start, y), (x.end, y), "axis")
    marks = [line((x(hour), y), (x(hour), y + 4), "axis") for hour in ticks]
    names = [words(x(hour), y + 16, f"{hour % 24:02}:00", "tick", "middle") for hour in ticks]
    return base + "".join(marks + names)


def levels(x: Scale, y: Scale, ticks: Iterable[float], show: Callable[[float], str]) -> str:
    """Draw horizontal lines at some values, with labels to their left."""
    drawn = []
    for tick in ticks:
        drawn.append(line((x.start, y(tick)), (x.end, y(tick)), "axis" if tick == 0 else "grid"))
        drawn.append(words(x.start - 6, y(tick) + 4, show(tick), "tick", "end"))
    return "".join(drawn)


def steps(high: float, wanted: int = 4) -> list[float]:
    """Return round values from 0 to at least ``high``."""
    for step in (0.05, 0.1, 0.25, 1, 2, 5, 10, 15, 20, 30, 60, 120, 240, 480):
        if high <= step * wanted:
            break
    count = 1
    while step * count < high:
        count += 1
    return [step * index for index in range(count + 1)]
