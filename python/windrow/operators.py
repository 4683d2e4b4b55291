"""The checked description of a windowed aggregation."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Self

from windrow import _duration, _json
from windrow._duration import Duration
from windrow.errors import SpecError, SpecProblem
from windrow.triggers import (
    ACCUMULATING,
    AccumulationMode,
    EachMessage,
    EachStep,
    Every,
    Never,
    PaneTrigger,
)
from windrow.windows import Session, WindowKind, read_kind

_FIELDS = (
    "accumulation",
    "aggregates",
    "complete",
    "early",
    "fill_gaps",
    "fire_only_updated",
    "late",
    "lateness",
    "max_future",
    "on_time",
    "operator",
    "retention",
    "time_unit",
    "window",
)

# Fields that later operators give other values.
_ONLY: dict[str, object] = {
    "operator": "aggregate",
    "early": None,
    "on_time": "completion",
    "fire_only_updated": False,
    "complete": "watermark",
    "fill_gaps": False,
}


@dataclass(frozen=True, kw_only=True)
class WindowOperatorSpec:
    """What an operator does, apart from the data: it exists only without problems.

    ``lateness`` must be stated; ``accumulation`` where a window can fire twice. Errors:
    SpecError with every problem.
    """

    window: WindowKind
    lateness: Duration | None = None
    late: PaneTrigger = field(default_factory=EachStep)
    accumulation: AccumulationMode | None = None
    maxFuture: Duration | None = None

    def __post_init__(self) -> None:
        """Check everything, and keep one form of what can be said in several."""
        found: list[SpecProblem] = []
        for name in ("lateness", "maxFuture"):
            value = getattr(self, name)
            span = None if value is None else _duration.read(value)
            if isinstance(span, SpecProblem):
                found.append(SpecProblem(span.code, f"{name}: {span.text}"))
            elif span is not None:
                object.__setattr__(self, name, _duration.show(span))
        if not found:
            found = _problems(self.lateness, self.accumulation, self.maxFuture)
        if found:
            raise SpecError.of(repr(self.window), found)
        if isinstance(self.window, Session) and not isinstance(self.window.gap, str):
            object.__setattr__(self, "window", Session(None))
        if self.late == Every(messages=1):
            object.__setattr__(self, "late", EachMessage())

    def toJson(self) -> str:
        """Write as one JSON object, durations in microseconds."""
        return _json.write(self._fields())

    @classmethod
    def fromJson(cls, text: str) -> Self:
        """Read what ``toJson`` wrote. Errors: SpecError with all problems."""
        reader = _json.Reader(text)
        _refuse_unknown(reader)
        lateness = reader.span(reader.fields, "lateness")
        late = _trigger(reader)
        accumulation = _accumulation(reader)
        max_future = reader.span(reader.fields, "max_future")
        window = read_kind(reader, reader.fields.get("window"))
        if all(problem.code.endswith("_NOT_POSITIVE") for problem in reader.problems):
            reader.problems += _problems(lateness, accumulation, max_future)
        reader.raise_if_refused(f"{cls.__name__}.fromJson")
        assert window is not None
        return cls(
            window=window,
            lateness=lateness,
            late=late,
            accumulation=accumulation,
            maxFuture=max_future,
        )

    def _fields(self) -> dict[str, object]:
        fields: dict[str, object] = {"operator": "aggregate", "time_unit": "us"}
        fields["window"] = self.window._fields()
        if self.lateness is not None:
            fields["lateness"] = _duration.micros(self.lateness)
        fields["late"] = _trigger_fields(self.late)
        if self.accumulation is not None:
            fields["accumulation"] = self.accumulation.value
        if self.maxFuture is not None:
            fields["max_future"] = _duration.micros(self.maxFuture)
        return fields


def _problems(
    lateness: Duration | None, accumulation: AccumulationMode | None, max_future: Duration | None
) -> list[SpecProblem]:
    """Everything wrong with durations that can be read, and with what is not stated."""
    allowed = None if lateness is None else _duration.micros(lateness)
    found: list[SpecProblem] = []
    if allowed is None:
        found.append(SpecProblem("LATENESS_NOT_STATED", "say lateness('0 seconds') or longer."))
    elif allowed < 0:
        text = f"lateness is '{lateness}'; it must be '0 seconds' or longer."
        found.append(SpecProblem("LATENESS_NEGATIVE", text))
    elif allowed > 0 and accumulation is None:
        text = f"lateness '{lateness}' fires a window again: accumulate({ACCUMULATING!r})."
        found.append(SpecProblem("ACCUMULATION_NOT_STATED", text))
    if max_future is not None and _duration.micros(max_future) < 0:
        text = f"maxFuture is '{max_future}'; it must be '0 seconds' or longer."
        found.append(SpecProblem("MAX_FUTURE_NEGATIVE", text))
    return found


def _trigger_fields(late: PaneTrigger) -> object:
    match late:
        case Never():
            return None
        case EachMessage():
            return {"every_messages": 1}
        case Every(messages=messages):
            return {"every_messages": messages}
        case _:
            return "each_step"


def _trigger(reader: _json.Reader) -> PaneTrigger:
    late = reader.fields.get("late", "each_step")
    match late:
        case None:
            return Never()
        case "each_step":
            return EachStep()
        case {"every_messages": int(messages)} if not isinstance(messages, bool):
            try:
                return Every(messages=messages)
            except SpecError as refused:
                reader.problems.extend(refused.problems)
                return EachStep()
    allowed = 'null, "each_step" and {"every_messages": n}'
    reader.refuse("TRIGGER_UNKNOWN", f"late is {json.dumps(late)}; allowed are {allowed}.")
    return EachStep()


def _accumulation(reader: _json.Reader) -> AccumulationMode | None:
    value = reader.fields.get("accumulation")
    if value is None:
        return None
    try:
        return AccumulationMode(value)
    except ValueError:
        allowed = ", ".join(mode.value for mode in AccumulationMode)
        reader.refuse("ACCUMULATION_UNKNOWN", f"accumulation is '{value}'; allowed is {allowed}.")
        return None


def _refuse_unknown(reader: _json.Reader) -> None:
    """Refuse unknown fields, and values that only later operators give a meaning."""
    fields = reader.fields
    for name in fields:
        if name not in _FIELDS:
            allowed = ", ".join(_FIELDS)
            reader.refuse(
                "FIELD_UNKNOWN", f"'{name}' is no field of a spec; allowed are {allowed}."
            )
    for name, only in _ONLY.items():
        if name in fields and fields[name] != only:
            given, allowed = json.dumps(fields[name]), json.dumps(only)
            reader.refuse("VALUE_NOT_SUPPORTED", f"{name} is {given}; allowed is {allowed}.")
    retention = fields.get("retention")
    limits = retention.values() if isinstance(retention, dict) else [retention]
    if any(limit is not None for limit in limits):
        reader.refuse(
            "VALUE_NOT_SUPPORTED", f"retention is {json.dumps(retention)}; allowed is null."
        )
