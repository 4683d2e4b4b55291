"""What a picture knows of panes and of rejected rows: keys as text, times as numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from windrow._drawing._marks import EARLY, LATE, ON_TIME, WITHDRAWN, Mark

_TIMINGS = {"EARLY": EARLY, "ON_TIME": ON_TIME, "LATE": LATE}


@dataclass(frozen=True)
class Pane:
    """A pane; ``end`` is outside, None of a bound: the window has none.

    value: in a few letters; details: of each aggregate name and value. batch: the micro-batch that
    it came with, where that is known.
    """

    key: str
    start: int | None
    end: int | None
    timing: str
    index: int
    is_retraction: bool
    value: str
    details: Sequence[tuple[str, str]] = ()
    batch: int | None = None

    @property
    def mark(self) -> Mark:
        """What it is drawn as."""
        return WITHDRAWN if self.is_retraction else _TIMINGS.get(self.timing, ON_TIME)

    @property
    def when(self) -> str:
        """The micro-batch, in words; '' if that is not known."""
        return "" if self.batch is None else f"batch {self.batch}"


@dataclass(frozen=True)
class Rejected:
    """A rejected row; ``at`` None: it has no event time, or none that is known."""

    reason: str
    at: int | None
    message: str


@dataclass(frozen=True)
class Window:
    """A window of a key, with its panes in the order in which they came."""

    key: str
    start: int | None
    end: int | None
    panes: Sequence[Pane] = field(default_factory=list)

    @property
    def changes(self) -> Sequence[tuple[Pane, Pane | None]]:
        """Corrections: a pane that was on time or late, and what took its place; None: nothing.

        Early panes promise nothing, so what follows them corrects nothing.
        """
        found: list[tuple[Pane, Pane | None]] = []
        held: Pane | None = None
        for pane in self.panes:
            if pane.is_retraction:
                continue
            if held is not None and held.timing != "EARLY":
                found.append((held, pane))
            held = pane
        if held is not None and self.panes[-1].is_retraction:
            found.append((held, None))
        return found


def windows(panes: Sequence[Pane]) -> list[Window]:
    """Put the panes of each window together, in order of keys, as they came, and of windows."""
    found: dict[tuple[str, int | None, int | None], list[Pane]] = {}
    for pane in panes:
        found.setdefault((pane.key, pane.start, pane.end), []).append(pane)
    keys = {key: number for number, key in enumerate(dict.fromkeys(pane.key for pane in panes))}
    made = [Window(*of, sorted(held, key=_order)) for of, held in found.items()]
    return sorted(made, key=lambda one: (keys[one.key], one.start or 0, one.end or 0))


def _order(pane: Pane) -> tuple[int, int, bool]:
    """Within a window: a retraction follows the pane that it repeats."""
    return pane.batch or 0, pane.index, pane.is_retraction
