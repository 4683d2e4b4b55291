"""Panes and rejected rows in pictures: keys as text, times as numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from windrow._drawing._marks import EARLY, LATE, ON_TIME, WITHDRAWN, Mark

_TIMINGS = {"EARLY": EARLY, "ON_TIME": ON_TIME, "LATE": LATE}


@dataclass(frozen=True)
class Pane:
    """A pane to draw.

    start, end: the bounds of the window, None if it has none; the end is exclusive. value: a short
    text on the bar. details: the name and value of each aggregate, for the tooltip. batch: the
    micro-batch that emitted the pane, if known.
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
        """Return the shape and color."""
        return WITHDRAWN if self.is_retraction else _TIMINGS.get(self.timing, ON_TIME)

    @property
    def when(self) -> str:
        """Return the micro-batch as text, or '' if it is unknown."""
        return "" if self.batch is None else f"batch {self.batch}"


@dataclass(frozen=True)
class Rejected:
    """A rejected row; ``at`` is None if its event time is missing or unknown."""

    reason: str
    at: int | None
    message: str


@dataclass(frozen=True)
class Window:
    """A window of a key, with its panes in the order of emission."""

    key: str
    start: int | None
    end: int | None
    panes: Sequence[Pane] = field(default_factory=list)

    @property
    def changes(self) -> Sequence[tuple[Pane, Pane | None]]:
        """Return each corrected pane with the pane that replaces it.

        The second pane is None if the window was retracted. A pane that replaces an early pane is
        not a correction, because early panes are preliminary.
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
    """Group panes by window, in the order of keys as emitted, and then of windows."""
    found: dict[tuple[str, int | None, int | None], list[Pane]] = {}
    for pane in panes:
        found.setdefault((pane.key, pane.start, pane.end), []).append(pane)
    keys = {key: number for number, key in enumerate(dict.fromkeys(pane.key for pane in panes))}
    made = [Window(*of, sorted(held, key=_order)) for of, held in found.items()]
    return sorted(made, key=lambda one: (keys[one.key], one.start or 0, one.end or 0))


def _order(pane: Pane) -> tuple[int, int, bool]:
    """Return the sort key within a window: a retraction follows the pane that it repeats."""
    return pane.batch or 0, pane.index, pane.is_retraction
