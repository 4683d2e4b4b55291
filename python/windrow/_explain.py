"""What each window waits for, in words."""

from __future__ import annotations

from collections.abc import Mapping

from windrow import _duration
from windrow._duration import UNSTATED
from windrow.operators import WindowOperatorSpec
from windrow.policies import Policy
from windrow.triggers import AccumulationMode, AnyOf, EachMessage, EachStep, Every, PaneTrigger
from windrow.windows import Count, Global, Inherit, Offsets, Over, Session, Sliding, TupleSession

_QUERIES = (
    "panes, rejected and output written apart are queries of their own, "
    "each with its own state; start(...) shares one"
)


def text(spec: WindowOperatorSpec, about: str, stream: Mapping[str, object]) -> str:
    """Several lines; ``stream`` has what sets the watermark, in microseconds."""
    if isinstance(spec.window, Policy):
        lines = {
            "windows": spec.window.describe(),
            "panes": "each holds all messages that leave, or that are inside as it fires",
            "state": "the messages inside, and the numbers of panes and events of each key",
            "queries": _QUERIES,
        }
        return _listed(spec, about, lines)
    set_by = "as the DataFrame had it"
    for name, of in {
        "watermark": "greatest event time",
        "behind_processing_time": "processing time",
    }.items():
        delay = stream.get(name)
        if isinstance(delay, int):
            set_by = f"{of} less {_duration.show(delay)}"
    lines = {
        "windows": spec.window.describe(),
        "watermark": f"{set_by}; it moves after each micro-batch",
        "early": _often(spec.early, "no panes"),
        "on time": f"one pane when {_complete(spec)}" if spec.onTime else "no pane",
        "late": _late(spec),
        "panes": _mode(spec),
        "state": f"a window leaves it when {_closed(spec)}",
        "rejected": _rejected(spec),
        "queries": _QUERIES,
    }
    return _listed(spec, about, lines)


def _listed(spec: WindowOperatorSpec, about: str, lines: dict[str, str]) -> str:
    return "\n".join(
        [f"{spec.window!r} over {about}", *(f"  {k:<10} {v}" for k, v in lines.items())]
    )


def _complete(spec: WindowOperatorSpec) -> str:
    """When a window is complete."""
    match spec.window:
        case Global():
            return "the input has ended"
        case Count() | Offsets():
            return "its last position is in"
        case TupleSession():
            return "more offsets than it bridges have passed"
        case Inherit():
            return f"its pane on time has come and the watermark {_reaches(spec)}"
    by_watermark = f"the watermark {_reaches(spec)}"
    beyond = spec.complete == "first_message_beyond"
    return f"its key has a message past its end, or {by_watermark}" if beyond else by_watermark


def _closed(spec: WindowOperatorSpec) -> str:
    """When a window takes no message any more."""
    match spec.window:
        case Global():
            return "the input has ended"
        case Count() | TupleSession():
            return _complete(spec)
    if spec.lateness is None:
        return "the retention says so"
    if isinstance(spec.window, Offsets):
        return _complete(spec) if _strict(spec) else f"{spec.lateness} offsets past its last are in"
    later = "" if _strict(spec) else f" + {spec.lateness}"
    return f"the watermark {_reaches(spec)}{later}"


def _reaches(spec: WindowOperatorSpec) -> str:
    match spec.window:
        case Session():
            return "reaches last + gap"
        case Sliding() | Over():
            return "has passed last"
        case _:
            return "reaches end"


def _strict(spec: WindowOperatorSpec) -> bool:
    return spec.lateness in ("0 seconds", 0, UNSTATED)


def _late(spec: WindowOperatorSpec) -> str:
    without = isinstance(spec.window, Count | TupleSession | Global)
    if without or (isinstance(spec.window, Offsets) and _strict(spec)):
        return "no panes; nothing is late"
    if _strict(spec):
        return "no panes; lateness is 0 seconds"
    return f"{_often(spec.late, 'one pane at the end, if anything came')}, until {_closed(spec)}"


def _often(trigger: PaneTrigger, never: str) -> str:
    match trigger:
        case EachStep():
            return "one pane for each micro-batch that changes the window"
        case EachMessage():
            return "one pane for each message"
        case Every(period=str(period)):
            return f"one pane every {period} of processing time, if anything came"
        case Every(messages=messages):
            return f"one pane for every {messages} messages"
        case AnyOf(triggers=triggers):
            return "; or ".join(_often(one, never) for one in triggers)
        case _:
            return never


def _mode(spec: WindowOperatorSpec) -> str:
    match spec.accumulation:
        case AccumulationMode.DISCARDING if spec.keepsMessages:
            held = "the messages that came to the window since its last one, each message once"
        case AccumulationMode.DISCARDING:
            held = "what came since the window's last one"
        case AccumulationMode.ACCUMULATING_AND_RETRACTING:
            held = "the whole window so far; each but the first retracts the one before"
        case _:
            held = "the whole window so far"
    return f"{held}; none with the value of the last one" if spec.fireOnlyUpdated else held


def _rejected(spec: WindowOperatorSpec) -> str:
    reasons = ["INVALID_TIME (no event time)"]
    if spec.maxFuture is not None:
        reasons.append(f"TOO_FAR_AHEAD (more than {spec.maxFuture} ahead of processing time)")
    whose = "the message's own window" if isinstance(spec.window, Session) else "all its windows"
    if not isinstance(spec.window, Count | Global):
        reasons.append(f"TOO_LATE (before the batch, for {whose}: {_closed(spec)})")
    kept = spec.retention.time
    if kept is not None and not spec.window._on_positions:
        late = "" if isinstance(spec.window, Global) else "too late, and "
        reasons.append(f"OUT_OF_RETENTION ({late}more than {kept} behind the watermark)")
    return ", ".join(reasons)
