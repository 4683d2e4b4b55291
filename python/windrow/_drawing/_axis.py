"""Axes: the numbers of a picture, their positions, and their labels."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from windrow._markup._svg import Element, element, text_width
from windrow._specs import _duration

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SECOND, _MINUTE, _HOUR, _DAY = 10**6, 60 * 10**6, 3600 * 10**6, 86_400 * 10**6

_UNITS = (
    *((_DAY, "d"), (_HOUR, "h"), (_MINUTE, "min"), (_SECOND, "s")),
    *((1000, "ms"), (1, "us")),
)
_STEPS = sorted(
    [scale * n for scale in (1, 10, 100, 10**3, 10**4, 10**5, _SECOND) for n in (1, 2, 5)]
    + [n * _SECOND for n in (10, 15, 20, 30)]
    + [n * _MINUTE for n in (1, 2, 5, 10, 15, 20, 30)]
    + [n * _HOUR for n in (1, 2, 3, 4, 6, 12)]
    + [n * _DAY for n in (1, 2, 7, 14, 28, 91, 182, 364)]
)


@dataclass(frozen=True)
class Axis:
    """The numbers of a picture: ``read`` converts values, ``label`` formats a number exactly.

    ``tick`` formats multiples of a step in short. On an axis of positions a window ends after its
    last position, not before it.
    """

    read: Callable[[Sequence[datetime | str | int]], list[int]]
    label: Callable[[int], str]
    tick: Callable[[int, int], str]
    steps: Sequence[int]
    whole: bool = False


def micros(time: datetime) -> int:
    """Return the microseconds since the epoch; times without a zone are UTC."""
    aware = time if time.tzinfo else time.replace(tzinfo=UTC)
    return (aware - _EPOCH) // timedelta(microseconds=1)


def _times(given: Sequence[datetime | str | int]) -> list[int]:
    read = [datetime.fromisoformat(time) if isinstance(time, str) else time for time in given]
    for time in read:
        if not isinstance(time, datetime):
            msg = f"A row of this picture must have a datetime or an ISO string, not {time!r}."
            raise TypeError(msg)
    return [micros(time) for time in read if isinstance(time, datetime)]


def _positions(given: Sequence[datetime | str | int]) -> list[int]:
    found = [position for position in given if isinstance(position, int)]
    if len(found) < len(given):
        msg = f"The rows of this picture must have positions (integers), not {list(given)!r}."
        raise TypeError(msg)
    return found


def _date(time: int) -> str:
    try:
        return str(_EPOCH.replace(tzinfo=None) + timedelta(microseconds=time))
    except OverflowError:
        return _duration.show(time)


def _clock(time: int, step: int) -> str:
    """Return the time of day, or a date if the step is a day or more."""
    text = _date(time)
    date, blank, clock = text.partition(" ")
    if not blank or ":" not in clock:  # outside the range of datetime
        return text
    if step >= _DAY:
        return date
    return clock[:5] if step >= _MINUTE else clock.rstrip("0") if "." in clock else clock


def _length(time: int, _step: int) -> str:
    """Return a length in its two largest units: ``1 min 30 s``."""
    parts, rest = [], abs(time)
    for unit, name in _UNITS:
        count, rest = divmod(rest, unit)
        if count:
            parts.append(f"{count} {name}")
    return ("-" if time < 0 else "") + (" ".join(parts[:2]) or "0")


#: Axes of dates, of lengths since the epoch, and of sequence numbers or offsets.
DATES = Axis(_times, _date, _clock, _STEPS)
LENGTHS = Axis(_times, _duration.show, _length, _STEPS)
POSITIONS = Axis(
    _positions,
    str,
    lambda position, _: str(position),
    [n * 10**scale for scale in range(19) for n in (1, 2, 5)],
    whole=True,
)


@dataclass(frozen=True)
class Scale:
    """The mapping of the numbers from ``low`` to ``high`` to pixels."""

    axis: Axis
    low: int
    high: int
    left: float
    right: float
    margin: float = 24  # labels may extend into it

    @classmethod
    def over(cls, axis: Axis, numbers: Sequence[int], left: float, right: float) -> Scale:
        """Create a scale that contains all numbers."""
        low = min(numbers, default=0)
        return cls(axis, low, max([*numbers, low + 1]), left, right)

    def __call__(self, number: float) -> float:
        """Return the pixel of a number, limited to the ends of the scale."""
        within = min(max(number, self.low), self.high)
        return self.left + (within - self.low) / (self.high - self.low) * (self.right - self.left)

    def ticks(self) -> Iterator[tuple[float, str]]:
        """Yield positions and labels of round numbers, as many as have room."""
        steps = self.axis.steps
        widest = max(text_width(self.axis.tick(n, 1)) for n in (self.low, self.high))
        most = max(1, int((self.right - self.left) / (min(widest, 84) + 20)))
        least = (self.high - self.low) / most
        at = bisect_left(steps, least)
        step = steps[at] if at < len(steps) else -(-int(least) // steps[-1]) * steps[-1]
        half = 0.5 if self.axis.whole else 0
        for number in range(-(-self.low // step) * step, self.high + (not self.axis.whole), step):
            yield self(number + half), self.axis.tick(number, step)

    def name(self, number: int) -> str:
        """Return the label of a number, without the date if the full scale is in one day."""
        text = self.axis.label(number)
        date, blank, clock = text.partition(" ")
        days = {self.axis.label(one).partition(" ")[0] for one in (self.low, self.high)}
        is_plain = blank and ":" in clock and days == {date}
        return clock.removesuffix(":00") if is_plain else text

    def range(self) -> str:
        """Return the labels of both ends."""
        low, high = self.axis.label(self.low), self.name(self.high)
        return f"{low.removesuffix(':00')} to {high}"

    def line(self, y: float) -> list[Element]:
        """Draw the axis with its labels below."""
        ends = {"x1": self.left, "x2": self.right, "y1": y, "y2": y}
        drawn = [element("line", **ends, stroke="currentColor", class_="axis")]
        for x, name in self.ticks():
            drawn.append(element("line", x1=x, x2=x, y1=y, y2=y + 4, stroke="currentColor"))
            drawn.append(self._named(x, y + 15, name))
        return drawn

    def _named(self, x: float, y: float, name: str) -> Element:
        """Draw a label below its position, and keep it inside the picture."""
        half = text_width(name) / 2
        anchor = "middle"
        if x - half < 4:
            x, anchor = 4.0, "start"
        elif x + half > self.right + self.margin:
            x, anchor = self.right + self.margin, "end"
        return element("text", name, x=x, y=y, text_anchor=anchor, opacity=0.75)


def in_lanes(spans: Sequence[tuple[float, float]]) -> list[int]:
    """Return for each span, sorted by start, the first lane in which it overlaps none."""
    ends: list[float] = []
    lanes = []
    for start, end in spans:
        lane = next((i for i, before in enumerate(ends) if before <= start), len(ends))
        ends[lane : lane + 1] = [end]
        lanes.append(lane)
    return lanes
