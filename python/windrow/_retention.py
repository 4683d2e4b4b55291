"""How much of the past is kept."""

from __future__ import annotations

from dataclasses import dataclass

from windrow import _duration, _values
from windrow._duration import Duration
from windrow._frozen import call
from windrow.errors import SpecError, SpecProblem


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
        span = None if self.time is None else _duration.read(self.time)
        if isinstance(span, int):
            object.__setattr__(self, "time", _duration.show(span))
        found = self._problems()
        if found:
            raise SpecError.of(f"retain{repr(self).removeprefix('Retention')}", found)

    def __repr__(self) -> str:
        """Show as the call."""
        return call("Retention", time=self.time, messages=self.messages, windows=self.windows)

    def _problems(self) -> list[SpecProblem]:
        found: list[SpecProblem] = []
        if self.time is not None:
            found += _values.not_negative("retention time", self.time, code="RETENTION_NEGATIVE")
        for name in ("messages", "windows"):
            count = getattr(self, name)
            found += [] if count is None else _values.at_least_one(name, count)
        return found


NOT_STATED = Retention()


def too_short(kept: Retention, allowed: object, reach: int, what: str) -> list[SpecProblem]:
    """Refuse to keep less than a reach and the lateness allowed, in microseconds.

    ``allowed`` may be wrong or endless, which others tell. ``what`` names the reach.
    """
    time = None if kept.time is None else _duration.read(kept.time)
    if not isinstance(time, int) or not isinstance(allowed, int) or allowed == _duration.ENDLESS:
        return []
    if time >= reach + allowed:
        return []
    text = (
        f"retain(time='{_duration.show(time)}') is shorter than {what} + lateness "
        f"('{_duration.show(reach + allowed)}')."
    )
    return [SpecProblem("RETENTION_TOO_SHORT", text)]
