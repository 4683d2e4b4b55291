"""Windows of a zone, found by walking along its clocks as ``zoneinfo`` knows them.

Nothing here is shared with Windrow. Times are microseconds since the epoch, in UTC or, with the
name ``shown``, on the clocks.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cache
from zoneinfo import ZoneInfo

MINUTE, HOUR, DAY = 60_000_000, 3_600_000_000, 86_400_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def micros(time: datetime) -> int:
    """Return a time in microseconds since the epoch."""
    return (time - _EPOCH) // timedelta(microseconds=1)


FIRST, LAST = micros(datetime(1968, 1, 1, tzinfo=UTC)), micros(datetime(2039, 12, 1, tzinfo=UTC))


@dataclass(frozen=True)
class Clocks:
    """The clocks of a zone: from each of ``since`` on, they are ahead of UTC by its ``offset``."""

    since: tuple[int, ...]
    offsets: tuple[int, ...]

    def first(self, shown: int) -> int:
        """Return the first time at which they show a date and time, or a later one."""
        at = max(bisect_right(self.since, shown - 3 * DAY) - 1, 0)
        while True:
            time = max(shown - self.offsets[at], self.since[at])
            if at + 1 == len(self.since) or time < self.since[at + 1]:
                return time
            at += 1

    @property
    def changes(self) -> list[int]:
        """The times from 1970 to 2037 at which they change."""
        last = micros(datetime(2038, 1, 1, tzinfo=UTC))
        return [time for time in self.since[1:] if 0 <= time < last]


@cache
def clocks(zone: str) -> Clocks:
    """Find every change by looking at the clocks twice a day."""
    there = ZoneInfo(zone)

    def offset(time: int) -> int:
        moment = (_EPOCH + timedelta(microseconds=time)).astimezone(there)
        return (moment.utcoffset() or timedelta()) // timedelta(microseconds=1)

    since, offsets = [FIRST], [offset(FIRST)]
    for time in range(FIRST, LAST, 12 * HOUR):
        if offset(time) != offsets[-1]:
            low, high = time - 12 * HOUR, time
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if offset(middle) == offsets[-1] else (low, middle)
            since.append(high)
            offsets.append(offset(high))
    return Clocks(tuple(since), tuple(offsets))


@dataclass(frozen=True)
class Steps:
    """Windows of ``inside`` steps of ``every`` minutes, days or months that start later."""

    base: str
    every: int
    inside: int = 1
    months: int = 0
    later: int = 0

    @property
    def reach(self) -> int:
        """A time in which some steps start."""
        longest = {"minutes": MINUTE, "days": DAY, "months": 31 * DAY}[self.base] * self.every
        return max(longest * (self.inside + 2), 2 * DAY)

    def windows(self, zone: Clocks, time: int) -> dict[int, int]:
        """Return the start and the end of windows near a time."""
        if self.base == "minutes":
            starts = self._ticks(zone, time - self.reach, time + self.reach)
            return dict(zip(starts, starts[self.inside :], strict=False))
        number = self._number(time)
        near = range(number - self.inside - 3, number + self.inside + 4)
        return {self._edge(zone, n): self._edge(zone, n + self.inside) for n in near}

    def _number(self, time: int) -> int:
        """Return about the number of the step of a time."""
        day = (_EPOCH + timedelta(microseconds=time - self.later)).date()
        if self.base == "days":
            return (day - date(1970, 1, 1)).days // self.every
        return ((day.year - 1970) * 12 + day.month - 1 - self.months) // self.every

    def _edge(self, zone: Clocks, number: int) -> int:
        if self.base == "days":
            return zone.first(number * self.every * DAY + self.later)
        year, month = divmod(self.months + number * self.every, 12)
        first = micros(datetime(1970 + year, month + 1, 1, tzinfo=UTC))
        return zone.first(first + self.later)

    def _ticks(self, zone: Clocks, low: int, high: int) -> list[int]:
        """Let a hand go around with the clocks, which a change by whole steps does not move."""
        length, ticks = self.every * MINUTE, []
        hand = zone.since[0] + zone.offsets[0] - self.later
        highest = hand  # the hand has been everywhere below
        for number, (since, offset) in enumerate(zip(zone.since, zone.offsets, strict=True)):
            until = zone.since[number + 1] if number + 1 < len(zone.since) else LAST
            moved = offset - zone.offsets[max(number - 1, 0)]
            hand += moved if moved % length else 0
            if hand >= highest and -(-highest // length) * length <= hand and low <= since < high:
                ticks.append(since)
            next_tick = max(hand + 1, highest, hand + low - since)
            first, last = -(-next_tick // length) * length, hand + min(until, high) - since
            ticks += [since + tick - hand for tick in range(first, last, length)]
            hand += until - since
            highest = max(highest, hand)
        return ticks
