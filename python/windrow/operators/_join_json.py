"""Joins as JSON in the format of the JVM; the field ``input`` describes the rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from windrow._specs import _duration, _json
from windrow._specs._duration import UNSTATED
from windrow._specs._retention import NOT_STATED
from windrow.operators import _spec_json, _trigger_json
from windrow.operators._input import write_row_id
from windrow.triggers import EACH_MESSAGE
from windrow.windows import WindowKind

if TYPE_CHECKING:
    from windrow.operators._cogroup import CoGroupSpec
    from windrow.operators._join import JoinSpec, JoinStream


def write(spec: JoinSpec) -> dict[str, object]:
    """Return the fields, with durations in microseconds and without defaults."""
    future = None if spec.maxFuture is None else _duration.micros(spec.maxFuture)
    offsets = {stream.name: dict(stream.startOffsets) for stream in spec.streams}
    starts = {name: {str(n): at for n, at in of.items()} for name, of in offsets.items() if of}
    entries = [
        ("on", True, bool(spec.on)),
        ("within", _within(spec), spec.within is not None),
        ("bounds", spec.bounds, spec.bounds != "[]"),
        ("how", spec.how, spec.how != "inner"),
        ("lateness", _spec_json._written(spec.lateness), spec.lateness is not UNSTATED),
        ("early", _trigger_json.write(spec.early), spec.early != EACH_MESSAGE),
        ("retention", _spec_json._limits(spec.retention), spec.retention != NOT_STATED),
        ("max_future", future, future is not None),
        ("expect", spec.expect, spec.expect != "large"),
        ("start_offsets", starts, bool(starts)),
        ("input", messages(spec), True),
    ]
    head = {"operator": "join", "time_unit": "us", "streams": write_streams(spec.streams)}
    return head | {name: value for name, value, is_set in entries if is_set}


def write_streams(streams: Sequence[JoinStream]) -> list[_json.Fields]:
    """Return names and windows."""
    return [
        {"name": one.name} | ({} if one.window is None else {"window": one.window._fields()})
        for one in streams
    ]


def _within(spec: JoinSpec) -> object:
    from windrow.operators._join import AsOf, ranges

    if isinstance(spec.within, WindowKind | AsOf):
        return spec.within._fields()

    by_name = {name: [_duration.micros(end) for end in ends] for name, ends in ranges(spec).items()}
    is_one = isinstance(spec.within, tuple) and isinstance(spec.within[0], str)
    return next(iter(by_name.values())) if is_one else by_name


def messages(spec: JoinSpec | CoGroupSpec) -> dict[str, object]:
    """Return the description of the rows."""
    streams: dict[str, dict[str, object]] = {}
    for one in spec.streams:
        entries = {"schema": one.schema, "time": one.time}
        streams[one.name] = {name: value for name, value in entries.items() if value is not None}
        if one.rowId is not None:
            streams[one.name]["row_id"] = write_row_id(one.rowId)
    fields: dict[str, object] = {"on": list(spec.on), "streams": streams}
    return fields | ({"output": spec.outputStreams[0]} if spec.outputStreams else {})
