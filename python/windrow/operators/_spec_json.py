"""Specs as JSON: a field left out is not stated; null is never, or without end."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from windrow._specs import _duration, _json, _values
from windrow._specs._duration import UNSTATED, Duration, Unstated
from windrow._specs._frozen import unchecked
from windrow._specs._retention import NOT_STATED, Retention
from windrow.operators import _trigger_json
from windrow.operators._input import read_row_id, write_row_id
from windrow.policies import Policy
from windrow.triggers import (
    ACCUMULATING,
    DISCARDING,
    EACH_BATCH,
    EACH_MESSAGE,
    NEVER,
    AccumulationMode,
    PaneTrigger,
)
from windrow.windows import OffsetRange, WindowKind
from windrow.windows._kind import read_kind

if TYPE_CHECKING:
    from windrow.operators import WindowOperatorSpec

_FIELDS = {
    *("operator", "time_unit", "window", "lateness", "retention", "early", "on_time", "late"),
    *("accumulation", "skip_unchanged", "max_future", "aggregates", "close_on", "fill_gaps"),
    *("start_offsets", "input"),
}
_MODES = {mode.value: mode for mode in AccumulationMode}
_PARTITION = re.compile(r"[+-]?\d+", re.ASCII)


def read(reader: _json.Reader) -> dict[str, Any]:
    """Read the arguments of a spec, unchecked; problems of reading go to the reader."""
    from windrow.operators._spec import CLOSE_ON

    fields = reader.fields
    reader.known(fields, "a spec", _FIELDS)
    operator = fields.get("operator")
    keeps = operator == "full_state"
    if operator not in (None, "aggregate", "full_state"):
        allowed = "aggregate, full_state"
        reader.refuse("VALUE_NOT_SUPPORTED.OPERATOR", value=operator, allowed=allowed)
    window = read_kind(reader, fields.get("window"))
    words: dict[str, str] = {word: word for word in CLOSE_ON}
    close_on = reader.word(fields, "close_on", "CLOSEON_UNKNOWN", words)
    return {
        **_input(reader),
        "window": window,
        "lateness": _lateness(reader, window),
        "early": _trigger_json.read(reader, "early", default=EACH_MESSAGE if keeps else NEVER),
        "onTime": _on_time(reader),
        "late": _trigger_json.read(reader, "late", default=_late(window, keeps=keeps)),
        "accumulation": reader.word(fields, "accumulation", "ACCUMULATION_UNKNOWN", _MODES),
        "skipUnchanged": reader.flag(fields, "skip_unchanged", default=False),
        "closeOn": close_on or "watermark",
        "fillGaps": _gaps(reader),
        "retention": _retention(reader),
        "maxFuture": reader.span(fields, "max_future"),
        "startOffsets": _start_offsets(reader),
        "keepsMessages": keeps and reader.fields.get("input") is None,
    }


def _late(window: WindowKind | None, *, keeps: bool) -> PaneTrigger:
    if keeps:
        return EACH_MESSAGE
    return NEVER if isinstance(window, Policy) else EACH_BATCH


def write(spec: WindowOperatorSpec) -> dict[str, object]:
    """Write as fields, durations in microseconds; what is as it is by default is left out."""
    is_policy = isinstance(spec.window, Policy)
    keeps = spec.keepsMessages or spec._operator == "full_state"
    mode = spec.accumulation
    usual = ACCUMULATING if is_policy else DISCARDING if keeps else None
    future = None if spec.maxFuture is None else _duration.micros(spec.maxFuture)
    said = [
        ("lateness", _written(spec.lateness), spec.lateness is not UNSTATED),
        (
            "early",
            _trigger_json.write(spec.early),
            spec.early != (EACH_MESSAGE if keeps else NEVER),
        ),
        ("on_time", None, not spec.onTime),
        ("late", _trigger_json.write(spec.late), not is_policy or spec.late != NEVER),
        ("accumulation", mode and mode.value, mode is not usual),
        ("skip_unchanged", True, spec.skipUnchanged),
        ("close_on", spec.closeOn, spec.closeOn != "watermark"),
        ("fill_gaps", _written_gaps(spec), spec.fillGaps is not False),
        ("retention", _limits(spec.retention), spec.retention != NOT_STATED),
        ("max_future", future, future is not None),
        (
            "start_offsets",
            {str(n): at for n, at in dict(spec.startOffsets).items()},
            spec.startOffsets,
        ),
    ]
    operator = "full_state" if keeps else "aggregate"
    head = {"operator": operator, "time_unit": "us", "window": spec.window._fields()}
    fields = head | {name: value for name, value, is_said in said if is_said}
    return fields | _messages(spec)


def _written(lateness: Duration | int | Unstated | None) -> int | None:
    """Microseconds, or a number of offsets; None is without end, or nothing to write."""
    if isinstance(lateness, int | None):
        return lateness
    return None if lateness is UNSTATED else _duration.micros(lateness)


def _messages(spec: WindowOperatorSpec) -> dict[str, object]:
    """Write what the messages are, if the spec says it."""
    if spec.schema is None:
        return {}
    said = {
        "name": spec._streams[0],
        "output": next(iter(spec.outputStreams), None),
        "schema": spec.schema,
        "time": spec.time,
        "key": list(spec.key),
        "gap": spec.gap,
        "row_id": None if spec.rowId is None else write_row_id(spec.rowId),
    }
    fields: dict[str, object] = {
        "input": {name: value for name, value in said.items() if value is not None}
    }
    return fields | ({"aggregates": list(spec.aggregates)} if spec.aggregates else {})


def _input(reader: _json.Reader) -> dict[str, object]:
    """Read what the messages are; what is no text is left to the check of the spec."""
    given = reader.fields.get("input")
    aggregates = reader.fields.get("aggregates")
    if given is None:
        return {}
    if not isinstance(given, dict):
        names = ", ".join(sorted(_INPUT))
        reader.refuse("INPUT_NOT_UNDERSTOOD", value=_json.show(given), allowed=names)
        return {}
    reader.known(given, "input", _INPUT)
    row_id = given.get("row_id")
    read = None if row_id is None else read_row_id(row_id)
    if read is None and row_id is not None:
        reader.refuse("ROWID_NOT_UNDERSTOOD.FIELD", value=_json.show(row_id))
    return {
        "schema": given.get("schema", ""),
        "time": given.get("time"),
        "key": given.get("key", ()),
        "gap": given.get("gap"),
        "rowId": read,
        "aggregates": aggregates or (),
        "inputStreams": () if given.get("name") in (None, "messages") else given["name"],
        "outputStreams": given.get("output", ()),
    }


_INPUT = {"name", "output", "schema", "time", "key", "gap", "row_id"}


def _limits(retention: Retention) -> dict[str, int]:
    time = None if retention.time is None else _duration.micros(retention.time)
    limits = {"time": time, "messages": retention.messages, "windows": retention.windows}
    return {name: limit for name, limit in limits.items() if limit is not None}


def _lateness(reader: _json.Reader, window: WindowKind | None) -> str | int | Unstated | None:
    if "lateness" not in reader.fields:
        return UNSTATED
    read = reader.count if isinstance(window, OffsetRange) else reader.span
    return read(reader.fields, "lateness")


def _gaps(reader: _json.Reader) -> bool | str:
    """Read True, False, or a duration."""
    value = reader.fields.get("fill_gaps")
    if value is None or isinstance(value, bool):
        return bool(value)
    if isinstance(value, int):
        return reader.span(reader.fields, "fill_gaps") or False
    found = _values.gaps("fill_gaps", value)
    reader.problems += found
    return False if found else str(value)


def _written_gaps(spec: WindowOperatorSpec) -> bool | int:
    fills = spec.fillGaps
    return fills if isinstance(fills, bool) else _duration.micros(fills)


def _on_time(reader: _json.Reader) -> bool:
    """Read "completion", or null: not at all."""
    value = reader.fields.get("on_time", "completion")
    if value not in ("completion", None):
        reader.refuse("ON_TIME_UNKNOWN", value=json.dumps(value))
    return value is not None


def _retention(reader: _json.Reader) -> Retention:
    limits = reader.fields.get("retention")
    if limits is None:
        return NOT_STATED
    if not isinstance(limits, dict):
        reader.refuse("RETENTION_NOT_UNDERSTOOD", value=json.dumps(limits))
        return NOT_STATED
    reader.known(limits, "retention", {"time", "messages", "windows"})
    time, counts = (
        reader.span(limits, "time"),
        [reader.count(limits, n) for n in ("messages", "windows")],
    )
    return unchecked(Retention, time=time, messages=counts[0], windows=counts[1])


def _start_offsets(reader: _json.Reader) -> dict[int, int]:
    given = reader.fields.get("start_offsets")
    wrong = [] if given is None or isinstance(given, dict) else [f"is {json.dumps(given)}"]
    offsets: dict[int, int] = {}
    for partition, offset in given.items() if isinstance(given, dict) else ():
        if (
            _PARTITION.fullmatch(partition)
            and _values.is_count(int(partition))
            and _values.is_count(offset)
        ):
            offsets[int(partition)] = offset
        else:
            wrong.append(f"has '{partition}': {json.dumps(offset)}")
    for what in wrong:
        reader.refuse("START_OFFSET_NOT_UNDERSTOOD", name="start_offsets", found=what)
    return offsets
