"""How much of the past is kept."""

from __future__ import annotations

from dataclasses import dataclass

from windrow._specs import _values
from windrow._specs._duration import Duration
from windrow._specs._frozen import call
from windrow.errors import SpecError


@dataclass(frozen=True, kw_only=True, repr=False)
class Retention:
    """Each limit alone, or several: whichever bites first. A window that may change is kept.

    ``time``: so long behind the watermark. ``messages``, ``windows``: the newest so many of
    each key. Without any, retention is not stated.
    """

    time: Duration | None = None
    messages: int | None = None
    windows: int | None = None

    def __post_init__(self) -> None:
        """Refuse what are no limits."""
        durations = _values.stated(self, "time")
        counts = _values.stated(self, "messages", "windows")
        found = _values.settle(self, durations=durations, counts=counts)
        if found:
            raise SpecError.of(f"retain{repr(self).removeprefix('Retention')}", found)

    def __repr__(self) -> str:
        """Show as the call."""
        return call("Retention", time=self.time, messages=self.messages, windows=self.windows)


NOT_STATED = Retention()
