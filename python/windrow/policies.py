"""Windows by policies: each key has one, and says itself when messages leave it and when it fires.

What leaves and what fires go by messages and by processing time, never by event time.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Self

from windrow._drawing._windows import LANES
from windrow._specs import _duration, _json, _values
from windrow._specs._duration import Duration
from windrow._specs._frozen import call
from windrow.errors import SpecError, SpecProblem, expect, problem
from windrow.windows._kind import WindowKind

__all__ = ["By", "ByCount", "ByDelta", "ByPunctuation", "ByTime", "KeyLimits", "Policy"]


class By(ABC):
    """Parent of the limits on what a window holds, or between two of its firings."""

    @abstractmethod
    def _fields(self) -> _json.Fields: ...


def _refuse(value: object, found: list[SpecProblem]) -> None:
    if found:
        raise SpecError.of(repr(value), found)


@dataclass(frozen=True, repr=False)
class ByCount(By):
    """Messages."""

    n: int

    def __post_init__(self) -> None:
        """Refuse what is no number of messages."""
        _refuse(self, _values.settle(self, counts=["n"]))

    def __repr__(self) -> str:
        """Show as the call."""
        return call("ByCount", self.n)

    def _fields(self) -> _json.Fields:
        return {"count": self.n}


@dataclass(frozen=True, repr=False)
class ByTime(By):
    """Processing time."""

    period: Duration

    def __post_init__(self) -> None:
        """Refuse what is no duration."""
        _refuse(self, _values.settle(self, durations=["period"]))

    def __repr__(self) -> str:
        """Show as the call."""
        return call("ByTime", self.period)

    def _fields(self) -> _json.Fields:
        return {"time": _duration.micros(self.period)}


@dataclass(frozen=True, repr=False)
class ByDelta(By):
    """How far the value of a numeric column has grown; falling does not count, nor does a null."""

    column: str
    delta: float

    def __post_init__(self) -> None:
        """Refuse what is no number."""
        if isinstance(self.delta, int) and not isinstance(self.delta, bool):
            object.__setattr__(self, "delta", float(self.delta))
        found = _column(self.column)
        if not isinstance(self.delta, float) or not math.isfinite(self.delta):
            found.append(problem("DELTA_NOT_UNDERSTOOD", name="delta", value=repr(self.delta)))
        _refuse(self, found)

    def __repr__(self) -> str:
        """Show as the call."""
        return call("ByDelta", self.column, self.delta)

    def _fields(self) -> _json.Fields:
        return {"delta": {"attribute": self.column, "by": self.delta}}


@dataclass(frozen=True, repr=False)
class ByPunctuation:
    """End the window of a key with each row that has true in ``column``.

    That row is the last one of the window. To leave it out of an aggregate, use
    ``FILTER (WHERE NOT column)``.
    """

    column: str

    def __post_init__(self) -> None:
        """Refuse what is no name."""
        _refuse(self, _column(self.column))

    def __repr__(self) -> str:
        """Show as the call."""
        return call("ByPunctuation", self.column)

    def _fields(self) -> _json.Fields:
        return {"punctuation": self.column}


@dataclass(frozen=True, kw_only=True, repr=False)
class KeyLimits:
    """The limits at which Windrow removes the windows of whole keys; the first one reached applies.

    Windrow removes the keys without rows first, then the keys that have been idle the longest.

    idle: processing time since the last row of the key. maxKeys: number of keys in all. maxRows:
    number of rows of all keys together.
    """

    idle: Duration | None = None
    maxKeys: int | None = None
    maxRows: int | None = None

    def __post_init__(self) -> None:
        """Refuse what are no limits."""
        durations = _values.stated(self, "idle")
        counts = _values.stated(self, "maxKeys", "maxRows")
        _refuse(self, _values.settle(self, durations=durations, counts=counts))

    def __repr__(self) -> str:
        """Show as the call."""
        return call("KeyLimits", idle=self.idle, maxKeys=self.maxKeys, maxRows=self.maxRows)

    def _fields(self) -> _json.Fields:
        idle = None if self.idle is None else _duration.micros(self.idle)
        limits = {"idle": idle, "max_keys": self.maxKeys, "max_rows": self.maxRows}
        return {name: limit for name, limit in limits.items() if limit is not None}


_NOT_STATED = KeyLimits()


@dataclass(frozen=True, repr=False)
class Policy(WindowKind):
    """A window for each key, by policies. Made by ``Policy.tumbling`` and ``Policy.sliding``."""

    _eviction: Literal["tumbling", "sliding"]
    by: By | ByPunctuation
    trigger: By | None
    limit: KeyLimits

    _on_positions = True

    @classmethod
    def tumbling(cls, by: By | ByPunctuation, *, limit: KeyLimits | None = None) -> Self:
        """All messages leave at once, and the window fires as they do.

        by: after n messages; with the message whose value exceeds the oldest one's by more than
        delta; after a period; at a marker.
        """
        expect("Policy.tumbling(by)", by, By, ByPunctuation)
        expect("Policy.tumbling(limit=...)", limit, KeyLimits, type(None))
        return cls("tumbling", by, None, limit or _NOT_STATED)

    @classmethod
    def sliding(cls, by: By, *, trigger: By, limit: KeyLimits | None = None) -> Self:
        """Messages leave one after the other; the window fires whenever ``trigger`` says so.

        by: it holds the newest n; those whose value is not more than delta below the newest; those
        not older than a period.
        """
        expect("Policy.sliding(by)", by, By)
        expect("Policy.sliding(trigger=...)", trigger, By)
        expect("Policy.sliding(limit=...)", limit, KeyLimits, type(None))
        return cls("sliding", by, trigger, limit or _NOT_STATED)

    def __repr__(self) -> str:
        """Show as the call."""
        limit = None if self.limit == _NOT_STATED else self.limit
        return call(f"Policy.{self._eviction}", self.by, trigger=self.trigger, limit=limit)

    def describe(self) -> str:
        """Say in words what a window holds and when it fires."""
        leaves = _LEAVES[self._eviction][type(self.by)].format(**vars(self.by))
        when = (
            "as they leave"
            if self.trigger is None
            else _FIRES[type(self.trigger)].format(**vars(self.trigger))
        )
        return f"For each key, {leaves}. It fires {when}."

    def _fields(self) -> _json.Fields:
        fields: dict[str, object] = {
            "kind": "policy",
            "eviction": {self._eviction: self.by._fields()},
        }
        if self.trigger is not None:
            fields["trigger"] = self.trigger._fields()
        limit = self.limit._fields()
        return fields | ({"limit": limit} if limit else {})

    def _sample(self) -> list[int]:
        size = self.by.n if isinstance(self.by, ByCount) else 6
        return list(range(min(2 * size + 1, 2 * LANES)))

    def _holding(self, at: Sequence[int]) -> list[tuple[int, int]]:
        """Windows as they fire, where counts alone say when; else none can be foretold."""
        if not isinstance(self.by, ByCount):
            return []
        every = self.by if self.trigger is None else self.trigger
        if not isinstance(every, ByCount):
            return []
        order, size, step = sorted(at), self.by.n, max(every.n, 1)
        ends = range(step - 1, len(order), step)
        return [(order[max(0, end + 1 - size)], order[end]) for end in ends]


_LEAVES: dict[str, dict[type, str]] = {
    "tumbling": {
        ByCount: "all messages leave once there are {n}",
        ByTime: "all messages leave every {period} of processing time, also when there are none",
        ByDelta: "all messages leave before one whose {column} is more than {delta} above the "
        "oldest one's",
        ByPunctuation: "all messages leave with a marker, a message with true in {column}",
    },
    "sliding": {
        ByCount: "the newest {n} messages",
        ByTime: "the messages that came at most {period} of processing time ago",
        ByDelta: "the messages whose {column} is at most {delta} below the newest one's",
    },
}
_FIRES: dict[type, str] = {
    ByCount: "after every {n} messages",
    ByTime: "every {period} of processing time, also without messages",
    ByDelta: "before a message whose {column} is more than {delta} above that of the last time",
}


def _column(name: object) -> list[SpecProblem]:
    if isinstance(name, str) and name:
        return []
    return [problem("COLUMN_NOT_NAME", value=repr(name))]
