"""Reads specs from the JSON of ``toJson`` and transcripts, without checks."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import windrow as wr
from windrow.operators import CoGroupSpec, JoinSpec, JoinStream

Json = Mapping[str, Any]

_UNITS = {"us": "microseconds", "ms": "milliseconds", "s": "seconds"}
_MODES = {mode.value: mode for mode in wr.AccumulationMode}
_COUNTED = ("count", "offset_range", "offset_session")


def kind(text: str) -> wr.WindowKind:
    """Read windows."""
    fields = json.loads(text)
    return _Reading(fields)._kind(fields)


def spec(text: str) -> wr.WindowOperatorSpec:
    """Read the spec of an operator over one stream."""
    fields = json.loads(text)
    return _Reading(fields).spec(fields)


def join(text: str) -> JoinSpec:
    """Read the spec of a join."""
    fields = json.loads(text)
    return _Reading(fields).join(fields)


def cogroup(text: str) -> CoGroupSpec:
    """Read the spec of a co-group."""
    fields = json.loads(text)
    return _Reading(fields).cogroup(fields)


class _Reading:
    """Reads numbers as durations in the unit of the JSON."""

    def __init__(self, fields: Json) -> None:
        self._unit = _UNITS[fields.get("time_unit", "us")]

    def _span(self, value: Any) -> Any:
        """Return a duration as text; None stays None."""
        return f"{value} {self._unit}" if isinstance(value, int) else value

    def spec(self, fields: Json) -> wr.WindowOperatorSpec:
        """Read the fields of an operator over one stream; missing fields keep their default."""
        keeps = fields.get("operator") == "full_state"
        window = self._kind(fields["window"])
        early: wr.PaneTrigger = wr.EachMessage() if keeps else wr.Never()
        late: wr.PaneTrigger = wr.EachMessage() if keeps else wr.EachBatch()
        if isinstance(window, wr.Policy):
            late = wr.Never()
        return wr.WindowOperatorSpec(
            **self._common(fields),
            **_input(fields),
            window=window,
            early=self._trigger(fields["early"]) if "early" in fields else early,
            onTime=fields.get("on_time", "completion") is not None,
            late=self._trigger(fields["late"]) if "late" in fields else late,
            accumulation=_MODES.get(fields.get("accumulation", "")),
            skipUnchanged=fields.get("skip_unchanged") or False,
            closeOn=fields.get("close_on") or "watermark",
            fillGaps=self._gaps(fields.get("fill_gaps")),
            startOffsets=_offsets(fields.get("start_offsets")),
            keepsMessages=keeps and "input" not in fields,
        )

    def _common(self, fields: Json) -> dict[str, Any]:
        limits = dict(fields.get("retention") or {})
        limits["time"] = self._span(limits.get("time"))
        found: dict[str, Any] = {
            "retention": wr.Retention(**limits),
            "maxFuture": self._span(fields.get("max_future")),
        }
        if "lateness" in fields:
            counted = (fields.get("window") or {}).get("kind") == "offset_range"
            lateness = fields["lateness"]
            found["lateness"] = lateness if counted else self._span(lateness)
        return found

    def _gaps(self, value: Any) -> bool | str:
        return bool(value) if isinstance(value, bool | None) else str(self._span(value))

    def join(self, fields: Json) -> JoinSpec:
        """Read the fields of a join."""
        said = fields.get("input") or {}
        words = {name: fields[name] for name in ("how", "bounds", "expect") if name in fields}
        early = self._trigger(fields["early"]) if "early" in fields else wr.EachMessage()
        return JoinSpec(
            **self._common(fields),
            **words,
            early=early,
            streams=self._streams(fields),
            on=said.get("on", ()),
            within=self._within(fields.get("within")),
            outputStreams=said.get("output", ()),
        )

    def cogroup(self, fields: Json) -> CoGroupSpec:
        """Read the fields of a co-group: those of its windows and its streams."""
        said = fields.get("input") or {}
        own = {n: v for n, v in fields.items() if n not in ("operator", "streams", "input")}
        return CoGroupSpec(
            streams=self._streams(fields),
            on=said.get("on", ()),
            window=self.spec(own),
            outputStreams=said.get("output", ()),
        )

    def _streams(self, fields: Json) -> list[JoinStream]:
        messages = (fields.get("input") or {}).get("streams", {})
        starts = fields.get("start_offsets") or {}
        return [
            JoinStream(
                **_columns(messages.get(one["name"], {})),
                name=one["name"],
                window=self._kind(one["window"]) if one.get("window") else None,
                startOffsets=_offsets(starts.get(one["name"])),
            )
            for one in fields["streams"]
        ]

    def _within(self, within: Any) -> Any:
        if isinstance(within, dict) and isinstance(within.get("kind"), str):
            return self._kind(within)
        if isinstance(within, dict):
            return {name: self._within(ends) for name, ends in within.items()}
        return None if within is None else tuple(self._span(end) for end in within)

    def _trigger(self, value: Any) -> wr.PaneTrigger:
        match value:
            case None:
                return wr.Never()
            case "each_batch":
                return wr.EachBatch()
            case {"every_messages": n}:
                return wr.Every(messages=n)
            case {"every_time": period}:
                return wr.Every(self._span(period))
        return wr.AnyOf(*map(self._trigger, value))

    def _kind(self, fields: Json) -> wr.WindowKind:
        """Read windows; a missing field keeps its default."""
        said = {name: value for name, value in fields.items() if name not in ("kind", "time_unit")}
        name = fields["kind"]
        if name == "policy":
            return self._policy(said)
        if name == "calendar":
            return self._calendar(said)
        if name == "session":
            return wr.Session(
                self._span(said.get("gap")),
                endsWith=said.get("ends_with"),
                maxLength=self._span(said.get("max_length")),
                split=said.get("split", ()),
            )
        said = {
            "startTime" if n == "start_time" else n: v
            if name in _COUNTED or n in ("rows", "column")
            else self._span(v)
            for n, v in said.items()
            if v is not None
        }
        made = "".join(part.capitalize() for part in name.split("_"))
        window: wr.WindowKind = getattr(wr, made)(**said)
        return window

    def _calendar(self, fields: Json) -> wr.WindowKind:
        unit, months = fields["unit"], f"{fields.get('start_months', 0)} months"
        start = f"{months} {self._span(fields.get('start_time', 0))}"
        size, step, zone = f"{fields['n']} {unit}", fields.get("step"), fields.get("zone")
        if step is None:
            return wr.Tumbling(size, zone=zone, startTime=start)
        return wr.Hopping(size, step=f"{step} {unit}", zone=zone, startTime=start)

    def _policy(self, fields: Json) -> wr.Policy:
        limits = dict(fields.get("limit") or {})
        limits["idle"] = self._span(limits.get("idle"))
        ((eviction, rule),) = fields["eviction"].items()
        limit = wr.KeyLimits(
            idle=limits["idle"], maxKeys=limits.get("max_keys"), maxRows=limits.get("max_rows")
        )
        if eviction == "tumbling":
            return wr.Policy.tumbling(self._by(rule), limit=limit)
        by, trigger = self._by(rule), self._by(fields["trigger"])
        return wr.Policy.sliding(by, trigger=trigger, limit=limit)

    def _by(self, rule: Json) -> Any:
        match rule:
            case {"count": n}:
                return wr.ByCount(n)
            case {"time": period}:
                return wr.ByTime(self._span(period))
            case {"delta": {"attribute": column, "by": delta}}:
                return wr.ByDelta(column, delta)
        return wr.ByPunctuation(rule["punctuation"])


def _offsets(given: Json | None) -> dict[int, int]:
    return {int(partition): offset for partition, offset in (given or {}).items()}


def _columns(said: Json) -> dict[str, Any]:
    row_id = said.get("row_id")
    return {
        "schema": said.get("schema"),
        "time": said.get("time"),
        "rowId": None if row_id is None else wr.RowId(**row_id),
    }


def _input(fields: Json) -> dict[str, Any]:
    """Read the columns of the rows, if the spec contains them."""
    said = fields.get("input")
    if said is None:
        return {}
    return {
        **_columns(said),
        "key": said.get("key", ()),
        "gap": said.get("gap"),
        "aggregates": fields.get("aggregates") or (),
        "inputStreams": said.get("name", ()),
        "outputStreams": said.get("output", ()),
    }
