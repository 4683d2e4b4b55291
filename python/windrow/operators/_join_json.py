"""Joins as JSON: the JVM's form, with what the messages are in the field ``input``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from windrow._specs import _duration, _json
from windrow._specs._duration import UNSTATED
from windrow._specs._retention import NOT_STATED
from windrow.operators import _spec_json, _trigger_json
from windrow.operators._input import read_row_id, write_row_id
from windrow.triggers import EACH_MESSAGE
from windrow.windows import WindowKind
from windrow.windows._kind import read_kind

if TYPE_CHECKING:
    from windrow.operators._cogroup import CoGroupSpec
    from windrow.operators._join import JoinSpec, JoinStream

_FIELDS = {
    *("operator", "time_unit", "streams", "on", "within", "bounds", "how", "lateness"),
    *("retention", "early", "max_future", "expect", "start_offsets", "input"),
}


def write(spec: JoinSpec) -> dict[str, object]:
    """Write as fields, durations in microseconds; what is as it is by default is left out."""
    future = None if spec.maxFuture is None else _duration.micros(spec.maxFuture)
    offsets = {stream.name: dict(stream.startOffsets) for stream in spec.streams}
    starts = {name: {str(n): at for n, at in of.items()} for name, of in offsets.items() if of}
    said = [
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
    return head | {name: value for name, value, is_said in said if is_said}


def write_streams(streams: Sequence[JoinStream]) -> list[_json.Fields]:
    """Write names and windows."""
    return [
        {"name": one.name} | ({} if one.window is None else {"window": one.window._fields()})
        for one in streams
    ]


def _within(spec: JoinSpec) -> object:
    if isinstance(spec.within, WindowKind):
        return spec.within._fields()
    from windrow.operators._join import ranges

    by_name = {name: [_duration.micros(end) for end in ends] for name, ends in ranges(spec).items()}
    is_one = isinstance(spec.within, tuple) and isinstance(spec.within[0], str)
    return next(iter(by_name.values())) if is_one else by_name


def messages(spec: JoinSpec | CoGroupSpec) -> dict[str, object]:
    """Write what the messages are."""
    streams: dict[str, dict[str, object]] = {}
    for one in spec.streams:
        said = {"schema": one.schema, "time": one.time}
        streams[one.name] = {name: value for name, value in said.items() if value is not None}
        if one.rowId is not None:
            streams[one.name]["row_id"] = write_row_id(one.rowId)
    fields: dict[str, object] = {"on": list(spec.on), "streams": streams}
    return fields | ({"output": spec.outputStreams[0]} if spec.outputStreams else {})


def read(reader: _json.Reader) -> dict[str, Any]:
    """Read the arguments of a spec, unchecked; problems of reading go to the reader."""
    from windrow.operators._join import BOUNDS, EXPECTED, KINDS

    fields = reader.fields
    reader.known(fields, "a join", _FIELDS)
    if fields.get("operator") != "join":
        reader.refuse("VALUE_NOT_SUPPORTED.OPERATOR", value=fields.get("operator"), allowed="join")
    given = fields.get("input")
    said = given if isinstance(given, dict) else {}
    words = {
        name: reader.word(fields, name, code, {word: word for word in all_words})
        for name, code, all_words in (
            ("how", "JOIN_KIND_UNKNOWN", KINDS),
            ("expect", "EXPECT_UNKNOWN", EXPECTED),
            ("bounds", "BOUNDS_UNKNOWN", BOUNDS),
        )
    }
    return {
        "streams": read_streams(reader, said.get("streams", {})),
        "on": said.get("on", ()),
        "within": _read_within(reader),
        "lateness": reader.span(fields, "lateness") if "lateness" in fields else UNSTATED,
        "early": _trigger_json.read(reader, "early", default=EACH_MESSAGE),
        "retention": _spec_json._retention(reader),
        "maxFuture": reader.span(fields, "max_future"),
        "outputStreams": said.get("output", ()),
        **{name: word for name, word in words.items() if word is not None},
    }


def read_streams(reader: _json.Reader, messages: _json.Fields) -> list[JoinStream]:
    """Read the streams; what their messages are stands in ``messages`` by name."""
    from windrow.operators._join import JoinStream

    starts = reader.fields.get("start_offsets") or {}
    found = []
    for stream in reader.fields.get("streams") or ():
        name = stream.get("name")
        said = messages.get(name, {})
        window = stream.get("window")
        if not isinstance(name, str):
            reader.refuse("NAME_NOT_STATED")
            continue
        row_id = said.get("row_id")
        found.append(
            JoinStream(
                name=name,
                schema=said.get("schema"),
                time=said.get("time"),
                rowId=None if row_id is None else read_row_id(row_id),
                window=None if window is None else read_kind(reader, window),
                startOffsets={int(n): at for n, at in starts.get(name, {}).items()},
            )
        )
    return found


def _read_within(reader: _json.Reader) -> Any:  # noqa: ANN401  what the spec takes
    within = reader.fields.get("within")
    match within:
        case None:
            return None
        case {"kind": kind} if not isinstance(kind, list):  # else a stream has that name
            return read_kind(reader, within)
        case dict():
            return {name: _read_range(reader, ends) for name, ends in within.items()}
        case _:
            return _read_range(reader, within)


def _read_range(reader: _json.Reader, ends: object) -> tuple[str | None, ...]:
    match ends:
        case [low, high]:
            both = {"low": low, "high": high}
            return (reader.span(both, "low"), reader.span(both, "high"))
    reader.refuse("RANGE_NOT_UNDERSTOOD.FORM", value=_json.show(ends))
    return ()
