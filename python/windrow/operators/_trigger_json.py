"""Triggers as JSON: null, "each_batch", {"every_messages": n}, {"every_time": t}, or a list."""

from __future__ import annotations

from windrow._specs import _duration
from windrow.triggers import AnyOf, EachBatch, Every, Never, PaneTrigger


def write(trigger: PaneTrigger) -> object:
    """Return the trigger, with periods in microseconds."""
    match trigger:
        case Never():
            return None
        case EachBatch():
            return "each_batch"
        case Every(period=str(period)):
            return {"every_time": _duration.micros(period)}
        case Every(messages=messages):
            return {"every_messages": messages}
        case AnyOf(triggers=triggers):
            return [write(one) for one in triggers]
        case _:
            return {"every_messages": 1}
