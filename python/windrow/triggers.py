"""Triggers, which decide when a window emits panes, and accumulation modes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import Enum
from typing import Literal, overload

from windrow._specs import _duration, _values
from windrow._specs._duration import Duration
from windrow.errors import SpecError, SpecProblem, expect, problem


class PaneTrigger:
    """The parent of all triggers.

    A trigger decides when a window emits a pane in addition to its completion. Triggers are values:
    they compare, hash, and print as their call. Pass them to ``Windowed.trigger``.

    Example:
        >>> wr.Every("60 seconds") == wr.Every("1 minute")
        True

    """

    def _shortest_period(self) -> int | None:
        """Return the shortest period in microseconds of processing time, or None."""
        return None

    def _settled(self) -> PaneTrigger:
        """Return the canonical form of a trigger that can be written in several ways."""
        return self


@dataclass(frozen=True)
class Never(PaneTrigger):
    """Emit no pane.

    As the ``late`` trigger, it emits a late change only once, when the lateness ends.

    Example:
        >>> wr.Never()
        Never()

    """


@dataclass(frozen=True)
class EachMessage(PaneTrigger):
    """Emit a pane for every accepted row and window, in the order of application.

    Example:
        >>> wr.EachMessage()
        EachMessage()

    """


@dataclass(frozen=True)
class EachBatch(PaneTrigger):
    """Emit at most one pane for each window and micro-batch.

    Example:
        >>> wr.EachBatch()
        EachBatch()

    """


@dataclass(frozen=True, init=False, repr=False)
class Every(PaneTrigger):
    """Emit a pane after a number of new rows of a window, or after a period.

    A period is processing time: the pane is emitted in the first micro-batch whose processing time
    has reached the next multiple of the period since 1970-01-01, after the first new row. A query
    with a period keeps running without data.

    Args:
        period: A duration of processing time, for example ``"10 seconds"``.
        messages: The number of new rows. Pass either this or ``period``.

    Raises:
        SpecError: ``period`` is not a duration (``DURATION_NOT_UNDERSTOOD``,
            ``DURATION_WITHOUT_UNIT``), or ``messages`` is not an integer
            (``COUNT_NOT_UNDERSTOOD``).
        TypeError: Both or neither of the arguments are set.

    Example:
        >>> wr.Every("60 seconds"), wr.Every(messages=1000)
        (Every('1 minute'), Every(messages=1000))

    """

    period: Duration | None
    messages: int | None

    @overload
    def __init__(self, period: Duration) -> None: ...
    @overload
    def __init__(self, *, messages: int) -> None: ...
    def __init__(self, period: Duration | None = None, *, messages: int | None = None) -> None:
        """Reject a value that is neither a duration nor a count."""
        if (period is None) == (messages is None):
            msg = "Every() needs a period or messages=n, and not both."
            raise TypeError(msg)
        object.__setattr__(self, "period", period)
        object.__setattr__(self, "messages", messages)
        found = _values.settle(
            self,
            durations=_values.stated(self, "period"),
            counts=_values.stated(self, "messages"),
            counted={"period": "PERIOD"},
        )
        if found:
            raise SpecError.of(repr(self), found)

    def __repr__(self) -> str:
        """Show as the call."""
        counted = f"Every(messages={self.messages!r})"
        return f"Every({self.period!r})" if self.messages is None else counted

    def _shortest_period(self) -> int | None:
        return None if self.period is None else _duration.micros(self.period)

    def _settled(self) -> PaneTrigger:
        return EachMessage() if self.messages == 1 else self


@dataclass(frozen=True, init=False, repr=False)
class AnyOf(PaneTrigger):
    """Emit a pane whenever one of several triggers does.

    Args:
        triggers: Triggers, or strings such as ``"5 seconds"``, ``"1000 messages"``, or
            ``"each_batch"``.

    Raises:
        SpecError: A string is not a trigger (``TRIGGER_UNKNOWN``).
        TypeError: A value is neither a trigger nor a duration.

    Example:
        >>> wr.AnyOf("5 seconds", "1000 messages")
        AnyOf(Every('5 seconds'), Every(messages=1000))

    """

    triggers: tuple[PaneTrigger, ...]

    def __init__(self, *triggers: Firing) -> None:
        """Read the triggers, and report all problems in one error."""
        given = {f"AnyOf(...)[{i}]": one for i, one in enumerate(triggers)}
        shown = f"AnyOf({', '.join(map(repr, triggers))})"
        for one in triggers:
            _expect("AnyOf(...)", one)
        object.__setattr__(self, "triggers", tuple(_read(shown, given)))

    def __repr__(self) -> str:
        """Show as the call."""
        return f"AnyOf({', '.join(map(repr, self.triggers))})"

    def _shortest_period(self) -> int | None:
        each = (one._shortest_period() for one in self.triggers)
        return min((period for period in each if period is not None), default=None)

    def _settled(self) -> PaneTrigger:
        return AnyOf(*(one._settled() for one in self.triggers))


@dataclass(frozen=True)
class _Default(PaneTrigger):
    """The default of the operator."""


#: A trigger, or its text as in SQL: ``"5 seconds"``, ``"1000 messages"``, ``"each_message"``.
Firing = PaneTrigger | Duration

_SOME_MESSAGES = re.compile(r"(\d+) messages?")


def firings(call: str, **given: Firing | None) -> list[PaneTrigger]:
    """Return the triggers of the arguments of a call; None stands for the default.

    Raises:
        SpecError: With every problem.
        TypeError: A value is neither a trigger nor a duration.

    """
    stated = {name: one for name, one in given.items() if one is not None}
    for name, one in stated.items():
        _expect(f"{call}({name}=...)", one)
    shown = ", ".join(f"{name}={one!r}" for name, one in stated.items())
    read = dict(zip(stated, _read(f"{call}({shown})", stated), strict=True))
    return [read.get(name, USUAL) for name in given]


def _expect(call: str, given: object) -> None:
    expect(call, given, PaneTrigger, str, timedelta, example="Every('5 seconds')")


def _read(shown: str, given: Mapping[str, Firing]) -> list[PaneTrigger]:
    read = [_trigger(name, one) for name, one in given.items()]
    found = [one for one in read if isinstance(one, SpecProblem)]
    if found:
        raise SpecError.of(shown, found)
    return [one for one in read if isinstance(one, PaneTrigger)]


def _trigger(name: str, given: Firing) -> PaneTrigger | SpecProblem:
    """Return the trigger, or the problem."""
    if isinstance(given, timedelta):
        return Every(given)
    if isinstance(given, PaneTrigger):
        return given
    words = {"never": NEVER, "each_message": EACH_MESSAGE, "each_batch": EACH_BATCH}
    if given.lower() in words:
        return words[given.lower()]
    counted = _SOME_MESSAGES.fullmatch(given.lower())
    if counted:
        return Every(messages=int(counted[1]))._settled()
    if isinstance(_duration.read(given), SpecProblem):
        return problem("TRIGGER_UNKNOWN.TEXT", name=name, value=repr(given))
    return Every(given)


NEVER, EACH_MESSAGE, EACH_BATCH, USUAL = Never(), EachMessage(), EachBatch(), _Default()


class AccumulationMode(Enum):
    """The contents of a pane in relation to the earlier panes of its window.

    ``DISCARDING`` panes contain only the new part, ``ACCUMULATING`` panes the full value, and
    ``ACCUMULATING_AND_RETRACTING`` emits a retraction of the earlier pane before each new full
    value.

    Example:
        >>> wr.AccumulationMode.ACCUMULATING
        ACCUMULATING

    """

    DISCARDING = "discarding"
    ACCUMULATING = "accumulating"
    ACCUMULATING_AND_RETRACTING = "accumulating_and_retracting"

    def __repr__(self) -> str:
        """Show as it is written in code: ``ACCUMULATING``."""
        return self.name


#: A mode, or its name as in SQL.
Accumulation = (
    AccumulationMode | Literal["discarding", "accumulating", "accumulating_and_retracting"]
)


def accumulation(given: Accumulation) -> AccumulationMode:
    """Return the mode of an argument.

    Raises:
        SpecError: A string is not a mode (``VALUE_UNKNOWN``).
        TypeError: The value is neither a mode nor a string.

    """
    if isinstance(given, str):
        modes = {mode.value: mode for mode in AccumulationMode}
        if given.lower() not in modes:
            found = _values.unknown("VALUE_UNKNOWN", "accumulationMode", given, modes)
            raise SpecError.of(f"accumulationMode({given!r})", [found])
        return modes[given.lower()]
    expect("accumulationMode(mode)", given, AccumulationMode, str, example="ACCUMULATING")
    return given


#: Each pane contains only the part that is new since the last one. Use it for readers that add up
#: all rows.
DISCARDING = AccumulationMode.DISCARDING

#: Each pane contains the full value of its window so far. Use it for a table that keeps the newest
#: row of each window.
ACCUMULATING = AccumulationMode.ACCUMULATING

#: Each pane contains the full value, and a retraction of the earlier pane precedes it. Use it for
#: readers that must undo the old value, such as a total over windows.
ACCUMULATING_AND_RETRACTING = AccumulationMode.ACCUMULATING_AND_RETRACTING
