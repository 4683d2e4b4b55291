"""When a complete window fires again because of late messages, and what its panes hold."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from windrow.errors import SpecError, SpecProblem


class PaneTrigger:
    """Parent of the triggers. They are values: they compare, hash and print as their call."""


@dataclass(frozen=True)
class Never(PaneTrigger):
    """Only once more, when the window's lateness ends and something is unsent."""


@dataclass(frozen=True)
class EachMessage(PaneTrigger):
    """One pane for every accepted message and window, in order of application."""


@dataclass(frozen=True)
class EachStep(PaneTrigger):
    """At most one pane for each window and micro-batch."""


@dataclass(frozen=True, kw_only=True)
class Every(PaneTrigger):
    """One pane after every ``messages`` unsent messages of a window."""

    messages: int

    def __post_init__(self) -> None:
        """Refuse what is no count."""
        whole = isinstance(self.messages, int) and not isinstance(self.messages, bool)
        if not whole or self.messages < 1:
            text = "it must be a whole number, 1 or more."
            raise SpecError.of(repr(self), [SpecProblem("COUNT_NOT_POSITIVE", text)])


class AccumulationMode(Enum):
    """How a pane relates to the panes of its window before it."""

    ACCUMULATING = "accumulating"

    def __repr__(self) -> str:
        """Show as it is written: ``ACCUMULATING``."""
        return self.name


#: Every pane holds the whole value of its window so far.
ACCUMULATING = AccumulationMode.ACCUMULATING
