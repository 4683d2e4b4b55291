"""Random inputs of several streams that fall silent, and the watermark of their query (R107)."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

#: A row: seconds since 09:00, its id, and its key.
Row = tuple[float, int, int]
#: Seconds of the clock since 09:00; a stream and its rows; or a restart.
Action = tuple[str, Any]

SCHEMA = "time timestamp, id int, key int"


def day(seed: int) -> datetime:
    """Return 09:00 on the day of a stream; streams follow one another in one query."""
    return datetime(2025, 1, 1, 9, tzinfo=UTC) + timedelta(days=seed)


def drawn(seed: int, inputs: tuple[str, ...]) -> Iterator[Action]:
    """Draw rows near the clock, some of them late, and times without rows of a stream."""
    rng = random.Random(seed)  # noqa: S311  no secret
    numbers = iter(range(1000))
    silent = dict.fromkeys(inputs, 0)
    at = 0
    for _ in range(14):
        at += rng.choice((1, 5, 20, 70))
        yield "clock", at
        for name in rng.sample(inputs, len(inputs)):
            if at < silent[name] or rng.random() < 0.3:
                continue
            yield name, [_row(rng, at, next(numbers)) for _ in range(rng.randrange(1, 4))]
        if rng.random() < 0.3:
            silent[rng.choice(inputs)] = at + rng.choice((50, 150))
        if rng.random() < 0.1:
            yield "restart", None


def _row(rng: random.Random, at: int, number: int) -> Row:
    """Draw a row with a time that no other row has."""
    return max(0, at - rng.choice((0, 0, 3, 15, 90))) + number / 1000, number, rng.randrange(2)


@dataclass
class Input:
    """What a run knows of an input; times of the clock in seconds."""

    idle: float | None
    began: float | None = None
    greatest: float | None = None
    at: float | None = None
    #: The greatest watermark that the input has reported.
    mark: float | None = None

    def is_idle(self, now: float) -> bool:
        """Return whether the input has been silent for so long that it does not count."""
        assert self.began is not None
        since = self.began if self.at is None else max(self.began, self.at)
        return self.idle is not None and round((now - since) * 1000) >= self.idle * 1000


@dataclass
class Watermark:
    """The watermark of a query, computed from the rule alone: the least of its inputs that count.

    An idle input follows the others. A restart forgets the inputs, but not the watermark.
    """

    idle: Mapping[str, float | None]
    #: The watermark of the next micro-batch, of the last one, and of the one before it.
    next: float | None = None
    applied: float | None = None
    judging: float | None = None
    inputs: dict[str, Input] = field(default_factory=dict)

    def restart(self) -> None:
        """Forget how far each input has advanced."""
        self.inputs = {}

    def batch(self, now: float, rows: Mapping[str, list[float]]) -> None:
        """Run a micro-batch with the times of its rows."""
        self.judging, self.applied = self.applied, self.next
        if not self.inputs:
            self.inputs = {name: Input(idle, began=now) for name, idle in self.idle.items()}
        for name, times in rows.items():
            one = self.inputs[name]
            one.greatest = max([*times, *([] if one.greatest is None else [one.greatest])])
            one.at = now
        live = [one for one in self.inputs.values() if not one.is_idle(now)]
        seen = [one.greatest for one in live if one.greatest is not None]
        for one in self.inputs.values():
            found = one.greatest if one in live else min(seen, default=None)
            if one not in live and len(seen) < len(live):
                found = None
            if found is not None:
                one.mark = found if one.mark is None else max(one.mark, found)
        marks = [one.mark for one in self.inputs.values() if one.mark is not None]
        if len(marks) == len(self.inputs):
            self.next = max([min(marks), *([] if self.next is None else [self.next])])


@dataclass
class Clock(Watermark):
    """A watermark that follows the clock."""

    delay: float = 60

    def batch(self, now: float, rows: Mapping[str, list[float]]) -> None:
        """Run a micro-batch; its rows do not matter."""
        del rows
        self.judging, self.applied = self.applied, now - self.delay
        self.next = None
