"""When a window fires besides its completion, and what its panes hold."""

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
    """Parent of the triggers. They are values: they compare, hash and print as their call."""

    def _shortest_period(self) -> int | None:
        """Give the microseconds of processing time after which it fires; None: it does not."""
        return None

    def _settled(self) -> PaneTrigger:
        """Give the one form of what can be said in several."""
        return self


@dataclass(frozen=True)
class Never(PaneTrigger):
    """Not at all. Late: only once more, when the lateness ends and something is unsent."""


@dataclass(frozen=True)
class EachMessage(PaneTrigger):
    """One pane for every accepted message and window, in order of application."""


@dataclass(frozen=True)
class EachBatch(PaneTrigger):
    """At most one pane for each window and micro-batch."""


@dataclass(frozen=True, init=False, repr=False)
class Every(PaneTrigger):
    """One pane after every ``messages`` unsent messages of a window, or every ``period``.

    A period is processing time: the pane comes in the first step whose processing time has
    reached the next multiple of it, since the epoch, after the first unsent message.
    """

    period: Duration | None
    messages: int | None

    @overload
    def __init__(self, period: Duration) -> None: ...
    @overload
    def __init__(self, *, messages: int) -> None: ...
    def __init__(self, period: Duration | None = None, *, messages: int | None = None) -> None:
        """Refuse what is no duration and no count."""
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
    """Whenever one of these says so: triggers, or texts such as ``"5 seconds"``."""

    triggers: tuple[PaneTrigger, ...]

    def __init__(self, *triggers: Firing) -> None:
        """Take triggers, or texts that say them; refuse what is none, all of it at once."""
        said = {f"AnyOf(...)[{i}]": one for i, one in enumerate(triggers)}
        shown = f"AnyOf({', '.join(map(repr, triggers))})"
        for one in triggers:
            _expect("AnyOf(...)", one)
        object.__setattr__(self, "triggers", tuple(_read(shown, said)))

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
    """What is usual for the operator."""


#: A trigger, or as SQL says it: ``"5 seconds"``, ``"1000 messages"``, ``"each_message"``.
Firing = PaneTrigger | Duration

_SOME_MESSAGES = re.compile(r"(\d+) messages?")


def firings(call: str, **said: Firing | None) -> list[PaneTrigger]:
    """Give the triggers of a call's arguments; None: what is usual.

    Errors: SpecError with every problem, TypeError.
    """
    stated = {name: one for name, one in said.items() if one is not None}
    for name, one in stated.items():
        _expect(f"{call}({name}=...)", one)
    shown = ", ".join(f"{name}={one!r}" for name, one in stated.items())
    read = dict(zip(stated, _read(f"{call}({shown})", stated), strict=True))
    return [read.get(name, USUAL) for name in said]


def _expect(call: str, said: object) -> None:
    expect(call, said, PaneTrigger, str, timedelta, say="Every('5 seconds')")


def _read(shown: str, said: Mapping[str, Firing]) -> list[PaneTrigger]:
    read = [_trigger(name, one) for name, one in said.items()]
    found = [one for one in read if isinstance(one, SpecProblem)]
    if found:
        raise SpecError.of(shown, found)
    return [one for one in read if isinstance(one, PaneTrigger)]


def _trigger(name: str, said: Firing) -> PaneTrigger | SpecProblem:
    """Give the trigger that is said, or what is wrong with it."""
    if isinstance(said, timedelta):
        return Every(said)
    if isinstance(said, PaneTrigger):
        return said
    words = {"never": NEVER, "each_message": EACH_MESSAGE, "each_batch": EACH_BATCH}
    if said.lower() in words:
        return words[said.lower()]
    counted = _SOME_MESSAGES.fullmatch(said.lower())
    if counted:
        return Every(messages=int(counted[1]))._settled()
    if isinstance(_duration.read(said), SpecProblem):
        return problem("TRIGGER_UNKNOWN.TEXT", name=name, value=repr(said))
    return Every(said)


NEVER, EACH_MESSAGE, EACH_BATCH, USUAL = Never(), EachMessage(), EachBatch(), _Default()


class AccumulationMode(Enum):
    """How a pane relates to the panes of its window before it."""

    DISCARDING = "discarding"
    ACCUMULATING = "accumulating"
    ACCUMULATING_AND_RETRACTING = "accumulating_and_retracting"

    def __repr__(self) -> str:
        """Show as it is written: ``ACCUMULATING``."""
        return self.name


#: A mode, or as SQL says it.
Accumulation = (
    AccumulationMode | Literal["discarding", "accumulating", "accumulating_and_retracting"]
)


def accumulation(said: Accumulation) -> AccumulationMode:
    """Give the mode of an argument. Errors: SpecError, TypeError."""
    if isinstance(said, str):
        modes = {mode.value: mode for mode in AccumulationMode}
        if said.lower() not in modes:
            found = _values.unknown("VALUE_UNKNOWN", "accumulationMode", said, modes)
            raise SpecError.of(f"accumulationMode({said!r})", [found])
        return modes[said.lower()]
    expect("accumulationMode(mode)", said, AccumulationMode, str, say="ACCUMULATING")
    return said


#: A pane holds what came since the last one.
DISCARDING = AccumulationMode.DISCARDING

#: Every pane holds the whole value of its window so far.
ACCUMULATING = AccumulationMode.ACCUMULATING

#: The same, and every pane but a window's first is preceded by a retraction of the one before.
ACCUMULATING_AND_RETRACTING = AccumulationMode.ACCUMULATING_AND_RETRACTING
