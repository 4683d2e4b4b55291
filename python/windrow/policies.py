"""Windows by policies: one for each key, with rules for evicting rows and emitting panes.

The rules depend on rows and on processing time, never on event time.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Self

from windrow._specs import _duration, _json, _values
from windrow._specs._duration import Duration
from windrow._specs._frozen import Shown, call
from windrow.errors import SpecError, SpecProblem, expect, problem
from windrow.windows._kind import LANES, WindowKind

__all__ = ["By", "ByCount", "ByDelta", "ByPunctuation", "ByTime", "KeyLimits", "Policy"]


class By(Shown, ABC):
    """The parent of all limits of a window, and of the conditions for emitting it."""

    @abstractmethod
    def _fields(self) -> _json.Fields: ...


def _refuse(value: object, found: list[SpecProblem]) -> None:
    if found:
        raise SpecError.of(repr(value), found)


@dataclass(frozen=True, repr=False)
class ByCount(By):
    """A limit that counts rows.

    Args:
        n: The number of rows.

    Raises:
        SpecError: ``n`` is not an integer (``COUNT_NOT_UNDERSTOOD``).

    Example:
        >>> wr.Policy.tumbling(wr.ByCount(3))
        Policy.tumbling(ByCount(3))

    """

    n: int

    def __post_init__(self) -> None:
        """Reject a value that is not a number of rows."""
        _refuse(self, _values.settle(self, counts=["n"]))

    def _fields(self) -> _json.Fields:
        return {"count": self.n}


@dataclass(frozen=True, repr=False)
class ByTime(By):
    """A limit of processing time.

    Args:
        period: A duration, for example ``"10 seconds"``.

    Raises:
        SpecError: ``period`` is not a duration (``DURATION_NOT_UNDERSTOOD``,
            ``DURATION_WITHOUT_UNIT``).

    Example:
        >>> wr.Policy.tumbling(wr.ByTime("60 seconds"))
        Policy.tumbling(ByTime('1 minute'))

    """

    period: Duration

    def __post_init__(self) -> None:
        """Reject a value that is not a duration."""
        _refuse(self, _values.settle(self, durations=["period"]))

    def _fields(self) -> _json.Fields:
        return {"time": _duration.micros(self.period)}


@dataclass(frozen=True, repr=False)
class ByDelta(By):
    """A limit on the increase of a numeric column.

    A decrease does not count, and neither does null.

    Args:
        column: The name of the column.
        delta: The increase.

    Raises:
        SpecError: ``delta`` is not a finite number (``DELTA_NOT_UNDERSTOOD``), or ``column`` is not
            a name (``COLUMN_NOT_NAME``).

    Example:
        >>> wr.ByDelta("price", 1)
        ByDelta('price', 1.0)

    """

    column: str
    delta: float

    def __post_init__(self) -> None:
        """Reject a value that is not a number."""
        if isinstance(self.delta, int) and not isinstance(self.delta, bool):
            object.__setattr__(self, "delta", float(self.delta))
        found = _column(self.column)
        if not isinstance(self.delta, float) or not math.isfinite(self.delta):
            found.append(problem("DELTA_NOT_UNDERSTOOD", name="delta", value=repr(self.delta)))
        _refuse(self, found)

    def _fields(self) -> _json.Fields:
        return {"delta": {"attribute": self.column, "by": self.delta}}


@dataclass(frozen=True, repr=False)
class ByPunctuation(Shown):
    """End the window of a key with each row that has true in a column.

    That row is the last one of the window. To leave it out of an aggregate, use ``FILTER (WHERE NOT
    column)``.

    Args:
        column: The name of a column of type boolean.

    Raises:
        SpecError: ``column`` is not a name (``COLUMN_NOT_NAME``).

    Example:
        >>> wr.Policy.tumbling(wr.ByPunctuation("last"))
        Policy.tumbling(ByPunctuation('last'))

    """

    column: str

    def __post_init__(self) -> None:
        """Reject a value that is not a name."""
        _refuse(self, _column(self.column))

    def _fields(self) -> _json.Fields:
        return {"punctuation": self.column}


@dataclass(frozen=True, kw_only=True, repr=False)
class KeyLimits(Shown):
    """The limits at which Windrow removes the windows of keys; the first one reached applies.

    Windrow removes the keys without rows first, then the keys that have been idle the longest.
    Without limits a window by policies stays in the state forever.

    Args:
        idle: Processing time since the last row of the key, for example ``"1 hour"``. None sets no
            limit.
        maxKeys: The number of keys. None sets no limit.
        maxRows: The number of rows of all keys together. None sets no limit.

    Raises:
        SpecError: A value is not a duration (``DURATION_NOT_UNDERSTOOD``) or not an integer
            (``COUNT_NOT_UNDERSTOOD``).

    Example:
        >>> wr.KeyLimits(idle="60 minutes", maxKeys=1000)
        KeyLimits(idle='1 hour', maxKeys=1000)

    """

    idle: Duration | None = None
    maxKeys: int | None = None
    maxRows: int | None = None

    def __post_init__(self) -> None:
        """Reject values that are not limits."""
        durations = _values.stated(self, "idle")
        counts = _values.stated(self, "maxKeys", "maxRows")
        _refuse(self, _values.settle(self, durations=durations, counts=counts))

    def _fields(self) -> _json.Fields:
        idle = None if self.idle is None else _duration.micros(self.idle)
        limits = {"idle": idle, "max_keys": self.maxKeys, "max_rows": self.maxRows}
        return {name: limit for name, limit in limits.items() if limit is not None}


_NOT_STATED = KeyLimits()


@dataclass(frozen=True, repr=False)
class Policy(WindowKind):
    """A window for each key, with rules for evicting rows and emitting panes.

    Create it with ``Policy.tumbling`` or ``Policy.sliding``. Event time is ignored, so you need
    neither a watermark nor a lateness.

    Example:
        >>> wr.Policy.sliding(wr.ByCount(20), trigger=wr.ByDelta("price", 1.0))
        Policy.sliding(ByCount(20), trigger=ByDelta('price', 1.0))

    """

    _eviction: Literal["tumbling", "sliding"]
    by: By | ByPunctuation
    trigger: By | None
    limit: KeyLimits

    _on_positions = True

    @classmethod
    def tumbling(cls, by: By | ByPunctuation, *, limit: KeyLimits | None = None) -> Self:
        """Create a window that empties itself and is emitted when it does.

        Args:
            by: The event that empties the window. ``ByCount(n)``: n rows are in it.
                ``ByTime(period)``: the period is over. ``ByDelta(column, delta)``: a row exceeds
                the oldest one by more than delta; that row starts the next window.
                ``ByPunctuation(column)``: a row has true in the column.
            limit: The limits at which the windows of keys are removed. None (the default) sets no
                limit.

        Returns:
            The kind of windows.

        Raises:
            TypeError: An argument is of another type.

        Example:
            >>> wr.Policy.tumbling(wr.ByCount(3), limit=wr.KeyLimits(idle="1 hour"))
            Policy.tumbling(ByCount(3), limit=KeyLimits(idle='1 hour'))

        """
        expect("Policy.tumbling(by)", by, By, ByPunctuation)
        expect("Policy.tumbling(limit=...)", limit, KeyLimits, type(None))
        return cls("tumbling", by, None, limit or _NOT_STATED)

    @classmethod
    def sliding(cls, by: By, *, trigger: By, limit: KeyLimits | None = None) -> Self:
        """Create a window from which rows are evicted one by one.

        Args:
            by: The rows that the window contains. ``ByCount(n)``: the newest n. ``ByTime(period)``:
                those that are not older than the period. ``ByDelta(column, delta)``: those whose
                value is not more than delta below the newest one.
            trigger: When the window is emitted: after n rows, after a period, or when a value has
                increased by more than delta.
            limit: The limits at which the windows of keys are removed. None (the default) sets no
                limit.

        Returns:
            The kind of windows.

        Raises:
            TypeError: An argument is of another type.

        Example:
            >>> wr.Policy.sliding(wr.ByTime("1 minute"), trigger=wr.ByCount(5))
            Policy.sliding(ByTime('1 minute'), trigger=ByCount(5))

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
        """Describe in words which rows a window contains, and when it is emitted.

        Returns:
            Two sentences. ``Output.explain`` shows them.

        """
        leaves = _LEAVES[self._eviction][type(self.by)].format(**vars(self.by))
        when = (
            "when they leave"
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
        """Return the emitted windows if only counts matter; otherwise they cannot be predicted."""
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
        ByCount: "all rows leave once there are {n}",
        ByTime: "all rows leave every {period} of processing time, even if there are none",
        ByDelta: "all rows leave before a row whose {column} is more than {delta} above that "
        "of the oldest row",
        ByPunctuation: "all rows leave with a marker, which is a row with true in {column}",
    },
    "sliding": {
        ByCount: "the window contains the newest {n} rows",
        ByTime: "the window contains the rows that arrived at most {period} of processing time ago",
        ByDelta: "the window contains the rows whose {column} is at most {delta} below that "
        "of the newest row",
    },
}
_FIRES: dict[type, str] = {
    ByCount: "after every {n} rows",
    ByTime: "every {period} of processing time, even without rows",
    ByDelta: "before a row whose {column} is more than {delta} above its value when the window "
    "last fired",
}


def _column(name: object) -> list[SpecProblem]:
    if isinstance(name, str) and name:
        return []
    return [problem("COLUMN_NOT_NAME", value=repr(name))]
