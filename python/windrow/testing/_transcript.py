"""A test and its output as a case of a transcript (tests/transcripts/README.md)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from windrow._running._rows import RowsOutput
from windrow._specs import _instants
from windrow.errors import SpecError, problem
from windrow.policies import Policy
from windrow.results import Output
from windrow.testing._turns import END, Turn
from windrow.windows import Over
from windrow.windows._named import NamedWindows

_FUNCTIONS = ("count", "sum", "min", "max", "avg", "collect", "first", "median")


@dataclass
class Recording:
    """The steps of a harness; restarts are indexes of the micro-batches after them."""

    turns: list[Turn] = field(default_factory=list)
    restarts: list[int] = field(default_factory=list)
    emitted: list[dict[str, Any]] = field(default_factory=list)


def case(
    name: str,
    made: Output | RowsOutput,
    recording: Recording,
    watermarks: Sequence[int],
    *,
    value: str,
    time: str,
    aggregates: Mapping[str, str],
) -> str:
    """Return a case as a line of JSON.

    Raises:
        SpecError: A transcript does not support the test (``TRANSCRIPT_NOT_POSSIBLE``).

    """
    if not isinstance(made, Output):
        raise _not("operators that emit rows instead of panes")
    shape = _Shape.of(made, value, time, aggregates)
    _require_plain_input(made, shape)
    steps = list(_steps(recording, watermarks, shape))
    fields = {k: v for k, v in made.spec._fields().items() if k not in ("time_unit", "input")}
    spec = {**fields, "aggregates": dict(aggregates)}
    recorded = {"id": name, "source": "recorded", "time_unit": "us", "spec": spec, "steps": steps}
    return json.dumps(recorded, separators=(",", ":"))


@dataclass(frozen=True)
class _Shape:
    key: str | None
    time: str
    value: str
    aggregates: tuple[str, ...]

    @classmethod
    def of(cls, made: Output, value: str, time: str, aggregates: Mapping[str, str]) -> _Shape:
        columns = made.panes.columns
        keys = columns[: columns.index("window")]
        own = columns[columns.index("window") + 1 : -1]
        if made.spec.keepsMessages or isinstance(made.spec.window, Over | Policy | NamedWindows):
            window = repr(made.spec.window)
            raise _not(f"windows like {window}, whose rows contain more than aggregates")
        if made._hasOffsets:
            raise _not("a stream with rowId")
        if len(keys) > 1:
            raise _not(f"keys of several columns ({', '.join(keys)})")
        if set(own) != aggregates.keys() or not set(aggregates.values()) <= set(_FUNCTIONS):
            known = ", ".join(_FUNCTIONS)
            text = f"aggregates as {dict(aggregates)}, because the columns are {', '.join(own)}"
            raise _not(f"{text} and the functions of a transcript are {known}")
        return cls(keys[0] if keys else None, time, value, tuple(aggregates))


def _require_plain_input(made: Output, shape: _Shape) -> None:
    """Reject rows that are computed from the rows of the test, which a replay would not compute."""
    plan: Any = made._aggregated._jdf.queryExecution().analyzed()
    below = plan.children().head()
    while below.nodeName() in ("EventTimeWatermark", "SubqueryAlias"):
        below = below.children().head()
    if not below.children().isEmpty():
        raise _not(f"an operation between the source and the windows ({below.nodeName()})")
    names = list(below.schema().fieldNames())
    time = rf"first\({re.escape(shape.time)}#\d+(-T\d+ms)?, false\) AS __windrow_time#\d+"
    key = "" if shape.key is None else rf"{re.escape(shape.key)}#\d+"
    is_column = {
        ("time", shape.time): re.search(time, plan.aggregateExpressions().mkString("\n")),
        ("value", shape.value): shape.value in names,
        ("key", shape.key): re.fullmatch(key, plan.groupingExpressions().mkString("\n")),
    }
    for (what, name), found in is_column.items():
        if not found:
            text = f"the {what} {name}, which is not the column of the input that the windows read"
            raise _not(f"{text}; the columns are {', '.join(names)}")


def _not(what: str) -> SpecError:
    return SpecError.of("transcript(...)", [problem("TRANSCRIPT_NOT_POSSIBLE", what=what)])


def _steps(
    recording: Recording, watermarks: Sequence[int], shape: _Shape
) -> Iterator[dict[str, Any]]:
    by_step: dict[int, list[dict[str, Any]]] = {}
    for row in recording.emitted:
        by_step.setdefault(row["step"], []).append(row)
    before = 0
    for number, (turn, mark) in enumerate(zip(recording.turns, watermarks, strict=True)):
        if number in recording.restarts:
            yield {"restart": True}
        step: dict[str, Any] = {"messages": _messages(turn, shape)}
        if mark > before:
            step["watermark"] = min(mark * 1000, END)
            before = mark
        step["processing_time"] = turn.now * 1000
        rows = by_step.get(number, [])
        step["expect"] = {
            "panes": [_pane(row["panes"], shape) for row in rows if row["kind"] == "panes"],
            "rejected": [
                {**_message(row["rejected"]["message"], shape), "reason": row["rejected"]["reason"]}
                for row in rows
                if row["kind"] == "rejected"
            ],
        }
        yield step


def _messages(turn: Turn, shape: _Shape) -> list[dict[str, Any]]:
    rows = [] if turn.table is None else turn.table.to_pylist()
    return [_message(row, shape) for row in rows]


def _message(row: Mapping[str, Any], shape: _Shape) -> dict[str, Any]:
    key = None if shape.key is None else _plain(row[shape.key])
    return {"key": key, "time": _micros(row[shape.time]), "value": _plain(row[shape.value])}


def _pane(row: Mapping[str, Any], shape: _Shape) -> dict[str, Any]:
    bounds = [_micros(end) for end in list(row["window"].values())[-2:]]
    return {
        "key": None if shape.key is None else _plain(row[shape.key]),
        "window": None if bounds[0] is None else bounds,
        **row["pane"],
        "values": {name: _result(row[name]) for name in shape.aggregates},
    }


def _plain(value: object) -> object:
    """Return an integer or a string; a transcript does not support other values."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if value is None or isinstance(value, str | int):
        return value
    raise _not(f"the value {value!r}, which is neither a string nor an integer")


def _result(value: object) -> object:
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _micros(at: object) -> object:
    """Return a time in microseconds; positions are unchanged."""
    return _instants.micros(at) if isinstance(at, datetime) else at
