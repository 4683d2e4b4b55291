"""Triggers as JSON: null, "each_batch", {"every_messages": n}, {"every_time": t} or a list."""

from __future__ import annotations

import json

from windrow._specs import _duration, _json, _values
from windrow._specs._frozen import unchecked
from windrow.triggers import EACH_BATCH, NEVER, AnyOf, EachBatch, Every, Never, PaneTrigger


def read(reader: _json.Reader, name: str, *, default: PaneTrigger) -> PaneTrigger:
    """Read a field of a spec, unchecked; ``default`` if it is left out or broken."""
    if name not in reader.fields:
        return default
    return _read(reader, name, reader.fields[name]) or default


def write(trigger: PaneTrigger) -> object:
    """Write, periods in microseconds."""
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


def _read(reader: _json.Reader, name: str, value: object) -> PaneTrigger | None:
    match value:
        case None:
            return NEVER
        case "each_batch":
            return EACH_BATCH
        case [*values]:
            read = [_read(reader, name, one) for one in values]
            return unchecked(AnyOf, triggers=tuple(one for one in read if one is not None))
        case dict() if len(value) == 1:
            every = _read_every(reader, value)
            if every is not None:
                return every
    reader.refuse("TRIGGER_UNKNOWN.JSON", name=name, value=json.dumps(value))
    return None


def _read_every(reader: _json.Reader, fields: _json.Fields) -> PaneTrigger | None:
    messages = fields.get("every_messages")
    if _values.is_count(messages):
        return unchecked(Every, period=None, messages=messages)._settled()
    if fields.get("every_time") is not None:
        return unchecked(Every, period=reader.span(fields, "every_time"), messages=None)
    return None
