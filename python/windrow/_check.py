"""Everything that is wrong with a spec: the JVM's checks, with its codes and texts."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import TYPE_CHECKING

from windrow import _duration, _values
from windrow._duration import ENDLESS, UNSTATED
from windrow.errors import SpecProblem
from windrow.triggers import DISCARDING
from windrow.windows import (
    Count,
    Global,
    Hopping,
    Inherit,
    Offsets,
    Over,
    Session,
    Sliding,
    Tumbling,
    TupleSession,
    WindowKind,
)
from windrow.windows._sliding import not_divisor

if TYPE_CHECKING:
    from windrow.operators import WindowOperatorSpec

Problems = list[SpecProblem]

COMPLETIONS = ("watermark", "first_message_beyond")

_ACCUMULATE = "accumulate(DISCARDING, ACCUMULATING or ACCUMULATING_AND_RETRACTING)."


def problems(spec: WindowOperatorSpec) -> Problems:
    """Everything wrong with windows of time and positions, and with their combinations."""
    return [
        *spec.window._problems(),
        *_lateness(spec),
        *spec.early._problems(),
        *spec.late._problems(),
        *_accumulation(spec),
        *spec.retention._problems(),
        *_retention(spec),
        *_combinations(spec),
        *_granularity(spec),
        *_start_offsets(spec.startOffsets),
    ]


def lateness(spec: WindowOperatorSpec) -> int | SpecProblem | None:
    """Microseconds, or offsets; None: not stated; or what is wrong with it."""
    given = spec.lateness
    if given is UNSTATED:
        return None
    if given is None:
        return ENDLESS
    if not isinstance(spec.window, Offsets) or isinstance(given, str | timedelta):
        read = _duration.read(given)
        if isinstance(spec.window, Offsets) and read != 0:
            text = f"lateness is {given!r}; for offsets it must be a whole number."
            return SpecProblem("COUNT_NOT_UNDERSTOOD", text)
        return (
            SpecProblem(read.code, f"lateness: {read.text}")
            if isinstance(read, SpecProblem)
            else read
        )
    if _values.is_count(given):
        return given
    return SpecProblem("COUNT_NOT_UNDERSTOOD", f"lateness is {given!r}; it must be a whole number.")


def _lateness(spec: WindowOperatorSpec) -> Problems:
    allowed = lateness(spec)
    found: Problems = []
    if isinstance(allowed, SpecProblem):
        found.append(allowed)
    elif allowed is None:
        if not isinstance(spec.window, Count | Offsets | TupleSession | Global):
            found.append(SpecProblem("LATENESS_NOT_STATED", "say lateness('0 seconds') or longer."))
    elif allowed < 0:
        text = f"lateness is {_shown(spec, allowed)}; it must be '0 seconds' or longer."
        found.append(SpecProblem("LATENESS_NEGATIVE", text))
    if spec.maxFuture is not None:
        future = _values.not_negative("maxFuture", spec.maxFuture, code="MAX_FUTURE_NEGATIVE")
        read = _values.UNREAD
        found += [
            SpecProblem(p.code, f"maxFuture: {p.text}") if p.code in read else p for p in future
        ]
    return found


def _accumulation(spec: WindowOperatorSpec) -> Problems:
    if spec.accumulation is not None:
        return []
    allowed = lateness(spec)
    if spec.early._fires():
        why = f"early={spec.early!r}"
    elif isinstance(allowed, int) and allowed > 0 and _can_be_late(spec.window):
        why = f"lateness {_shown(spec, allowed)}"
    else:
        return []
    return [SpecProblem("ACCUMULATION_NOT_STATED", f"{why} fires a window again: {_ACCUMULATE}")]


def _retention(spec: WindowOperatorSpec) -> Problems:
    """A window that may still change keeps what it needs."""
    allowed, kept, size = lateness(spec), spec.retention, _size(spec.window)
    time = None if kept.time is None else _duration.read(kept.time)
    found: Problems = []
    if isinstance(allowed, int) and isinstance(time, int) and isinstance(size, int):
        needed = min(size + allowed, ENDLESS)
        if size >= 0 and 0 <= allowed < ENDLESS and 0 <= time < needed:
            shown = f"'{_duration.show(needed)}'"
            text = (
                f"retain(time='{_duration.show(time)}') is shorter than size + lateness ({shown})."
            )
            found.append(SpecProblem("RETENTION_TOO_SHORT", text))
    counted = kept.windows is not None or kept.messages is not None
    if allowed == ENDLESS and not counted and _can_be_late(spec.window):
        text = (
            "lateness without end keeps every window: retain(windows=...) or retain(messages=...)."
        )
        found.append(SpecProblem("RETENTION_NOT_STATED", text))
    return found


def _combinations(spec: WindowOperatorSpec) -> Problems:
    window, discarding = spec.window, spec.accumulation is DISCARDING
    fixed = isinstance(window, Hopping) or (isinstance(window, Tumbling) and window.zone is None)
    fires = spec.onTime or spec.early._fires() or spec.late._fires()
    beyond = spec.complete == "first_message_beyond"
    found = [
        (
            spec.fireOnlyUpdated and discarding,
            "FIRE_ONLY_UPDATED_DISCARDING",
            "fireOnlyUpdated compares whole values, which DISCARDING does not show.",
        ),
        (
            isinstance(window, Over) and discarding,
            "OVER_DISCARDING",
            f"{window!r} has one value for each message; accumulate(ACCUMULATING).",
        ),
        (
            isinstance(window, Inherit) and discarding,
            "INHERIT_DISCARDING",
            f"{window!r} takes back from whole values what is retracted; accumulate(ACCUMULATING).",
        ),
        (
            spec.fillGaps and not fixed,
            "FILL_GAPS_NOT_ALIGNED",
            f"fillGaps=true is for Tumbling and Hopping, not {window!r}.",
        ),
        (
            beyond and isinstance(window, Session | TupleSession | Global | Inherit),
            "COMPLETION_WITHOUT_END",
            f"complete='first_message_beyond' needs windows with a fixed end, not {window!r}.",
        ),
        (
            isinstance(window, Global) and not spec.early._fires(),
            "TRIGGER_NOT_STATED",
            "Global() never completes: say trigger(early=...).",
        ),
        (
            not fires and not isinstance(window, Tumbling | Hopping),
            "NOTHING_FIRES",
            "onTime=false without an early or a late trigger: no window would ever fire.",
        ),
        (
            spec.complete not in COMPLETIONS,
            "COMPLETION_UNKNOWN",
            f"complete is '{spec.complete}'; allowed are {', '.join(COMPLETIONS)}.",
        ),
    ]
    return [SpecProblem(code, text) for wrong, code, text in found if wrong]


def _granularity(spec: WindowOperatorSpec) -> Problems:
    """Windows end, and are closed, at multiples of the granularity."""
    allowed = lateness(spec)
    if not isinstance(spec.window, Sliding) or not isinstance(allowed, int) or allowed == ENDLESS:
        return []
    granularity = _duration.read(spec.window.granularity)
    assert isinstance(granularity, int)
    return not_divisor(granularity, "lateness", allowed) if granularity > 0 else []


def _start_offsets(given: Mapping[int, int] | tuple[tuple[int, int], ...]) -> Problems:
    return [
        SpecProblem(
            "START_OFFSET_NOT_UNDERSTOOD",
            f"startOffsets has {partition!r}: {offset!r}; it maps partitions to offsets.",
        )
        for partition, offset in dict(given).items()
        if not (_values.is_count(partition) and _values.is_count(offset))
    ]


def _size(window: WindowKind) -> int | SpecProblem | None:
    match window:
        case Tumbling(zone=None, size=size) | Hopping(size=size) | Sliding(size=size):
            return _duration.read(size)
        case Over(range=size) if size is not None:
            return _duration.read(size)
    return None


def _can_be_late(window: WindowKind) -> bool:
    """Nothing is late for windows that go by a key's own messages, or never end."""
    return not isinstance(window, Count | TupleSession | Global)


def _shown(spec: WindowOperatorSpec, allowed: int) -> str:
    if allowed == ENDLESS:
        return "without end"
    is_offsets = isinstance(spec.window, Offsets)
    return f"{allowed} offsets" if is_offsets else f"'{_duration.show(allowed)}'"
