"""Counts the tested queries, the kills and faults, and the failures."""

from __future__ import annotations

import time
from collections import Counter

from torture.subjects import Subject
from torture.trial import Told


class Report:
    """Prints the outcome of each seed at once, and a summary at the end."""

    def __init__(self) -> None:
        """Start without seeds."""
        self._begin = time.monotonic()
        self._points: Counter[tuple[str, str]] = Counter()
        self._families: Counter[tuple[str, str]] = Counter()
        self._seeds = 0
        self._wrong: list[int] = []

    @property
    def failed(self) -> bool:
        """Return whether a seed failed."""
        return bool(self._wrong)

    def add(self, seed: int, subject: Subject, told: Told) -> None:
        """Print the outcome of a seed."""
        done = told.counted()
        self._seeds += 1
        self._points += done
        for (what, _), count in done.items():
            self._families[subject.family, what] += count
        outcome = "WRONG" if told.wrong else "as it must be"
        self.say(f"seed {seed}, {subject.family}: {outcome} ({_listed(done)})")
        if told.wrong:
            self._wrong.append(seed)
            self.say("\n".join(told.wrong))
            self.say(f"again: scripts/torture --minutes 0 --seed {seed}")

    def sum_up(self) -> None:
        """Print the counts by point and by family."""
        self.say("by point:")
        for (what, point), count in sorted(self._points.items()):
            self.say(f"{count:6} x {what}, {point}")
        self.say("by family:")
        for family in sorted({family for family, _ in self._families}):
            of = {(what, ""): n for (one, what), n in self._families.items() if one == family}
            self.say(f"{family:>14}: {_listed(Counter(of))}")
        hours = (time.monotonic() - self._begin) / 3600
        outcome = (
            f"WRONG: seeds {self._wrong}" if self._wrong else "nothing lost, doubled or changed"
        )
        self.say(
            f"{self._seeds} queries in {hours:.2f} hours, {self._points.total()} harms, {outcome}"
        )

    def say(self, text: str) -> None:
        """Print at once."""
        print(text, flush=True)  # noqa: T201


def _listed(done: Counter[tuple[str, str]]) -> str:
    told = sorted(done.items())
    return ", ".join(f"{n} x {what}{', ' * bool(at)}{at}" for (what, at), n in told) or "nothing"
