"""What each window waits for, in words."""

from __future__ import annotations

from windrow import _duration
from windrow.operators import WindowOperatorSpec
from windrow.triggers import EachMessage, EachStep, Every, PaneTrigger
from windrow.windows import Session


def text(spec: WindowOperatorSpec, about: str, watermark: object) -> str:
    """Several lines; ``watermark`` is the builder's delay in microseconds, or None."""
    end = "last + gap" if isinstance(spec.window, Session) else "end"
    closed = end if spec.lateness == "0 seconds" else f"{end} + {spec.lateness}"
    set_by = (
        f"greatest event time less {_duration.show(watermark)}"
        if isinstance(watermark, int)
        else "as the DataFrame had it"
    )
    lines = {
        "windows": spec.window.describe(),
        "watermark": f"{set_by}; it moves after each micro-batch",
        "on time": f"one pane when the watermark reaches {end}",
        "late": _late(spec, closed),
        "state": f"a window leaves it when the watermark reaches {closed}",
        "rejected": _rejected(spec, closed),
        "queries": "panes, rejected and output written apart are queries of their own, "
        "each with its own state; start(...) shares one",
    }
    return "\n".join(
        [f"{spec.window!r} over {about}", *(f"  {k:<10} {v}" for k, v in lines.items())]
    )


def _late(spec: WindowOperatorSpec, closed: str) -> str:
    if spec.lateness == "0 seconds":
        return "no panes; lateness is 0 seconds"
    return f"{_often(spec.late)}, until the watermark reaches {closed}"


def _often(late: PaneTrigger) -> str:
    match late:
        case EachStep():
            return "one pane for each micro-batch that changes the window"
        case EachMessage():
            return "one pane for each message"
        case Every(messages=messages):
            return f"one pane for every {messages} messages, the rest at the end"
        case _:
            return "one pane at the end, if anything came"


def _rejected(spec: WindowOperatorSpec, closed: str) -> str:
    reasons = ["INVALID_TIME (no event time)"]
    if spec.maxFuture is not None:
        reasons.append(f"TOO_FAR_AHEAD (more than {spec.maxFuture} ahead of processing time)")
    whose = "the message's own session" if isinstance(spec.window, Session) else "all its windows"
    reasons.append(f"TOO_LATE (the watermark was at {closed} of {whose} before the batch)")
    return ", ".join(reasons)
