"""A case of a transcript in the form that operators accept: its spec, and its rows as tables."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from windrow.operators import _tables

if TYPE_CHECKING:
    import pyarrow as pa

Json = Mapping[str, Any]

_UNITS = {"us": 1, "ms": 1_000, "s": 1_000_000}
_POSITIONS = ("count", "offset_range", "offset_session", "policy")

#: Spark's aggregates for those of transcripts.
_SQL = {"count": "count(*)", "collect": "collect_list(value)"}

_COLUMNS = "time timestamp, value {value}, source string, partition bigint, offset bigint"
_OFFSET = {"source": "source", "partition": "partition", "offset": "offset"}


class NotRunError(Exception):
    """The reason why an operator of this package cannot run a case."""


@dataclass(frozen=True)
class Case:
    """One line of a transcript file."""

    json: Json

    @property
    def spec(self) -> Json:
        """Return the spec of the operator."""
        spec: Json = self.json["spec"]
        return spec

    @property
    def operator(self) -> str:
        """Return the operator: aggregate, full_state, join, or policy."""
        return "policy" if self.kind == "policy" else str(self.spec.get("operator", "aggregate"))

    @property
    def kind(self) -> str:
        """Return the kind of the windows."""
        return str((self.spec.get("window") or {}).get("kind", ""))

    @property
    def steps(self) -> Sequence[Json]:
        """Return the steps in order."""
        steps: Sequence[Json] = self.json.get("steps", ())
        return steps

    @cached_property
    def unit(self) -> int:
        """Return the microseconds of the case's time unit."""
        return _UNITS[self.json.get("time_unit", "us")]

    @property
    def on_positions(self) -> bool:
        """Return whether the bounds of the windows are positions."""
        return self.kind in _POSITIONS

    def micros(self, time: float | None) -> int | None:
        """Return the microseconds of a time."""
        return None if time is None else round(time * self.unit)

    def bound(self, bound: float) -> int:
        """Return the microseconds of a bound, or the position."""
        return round(bound) if self.on_positions else round(bound * self.unit)

    @cached_property
    def aggregates(self) -> dict[str, str]:
        """Return the function of each column."""
        return dict(self.spec.get("aggregates") or {})

    @property
    def own_gaps(self) -> bool:
        """Return whether a row has its own session gap."""
        return self.kind == "session" and (
            self.spec["window"].get("gap") is None or any("gap" in one for one in self._messages)
        )

    @cached_property
    def _messages(self) -> list[Json]:
        return [message for step in self.steps for message in step.get("messages", ())]

    @cached_property
    def _types(self) -> tuple[str, str]:
        """Return the SQL types of key and value."""
        return _sql_type("keys", (one.get("key") for one in self._messages)), _sql_type(
            "values", (one.get("value") for one in self._messages)
        )

    def _schema(self) -> str:
        key, value = self._types
        more = [
            ", gap bigint" if self.own_gaps else "",
            ", mark boolean" if self._is_marked else "",
        ]
        return f"key {key}, {_COLUMNS.format(value=value)}{''.join(more)}"

    @property
    def _is_marked(self) -> bool:
        """Return whether markers empty the windows."""
        return "punctuation" in (self.spec.get("window") or {}).get("eviction", {}).get(
            "tumbling", {}
        )

    def operator_json(self) -> str:
        """Return the spec in the format of this package's operators."""
        if self.operator in ("join", "cogroup"):
            return self._join_json()
        fields: dict[str, Any] = dict(self.spec)
        if self.operator == "policy":
            fields = {"operator": "aggregate", "window": self.spec["window"]}
            if self._is_marked:
                eviction = {"tumbling": {"punctuation": "mark"}}
                fields["window"] = {"kind": "policy", "eviction": eviction}
        message: dict[str, Any] = {
            "schema": self._schema(),
            "time": "time",
            "key": ["key"],
            "row_id": _OFFSET,
        }
        if self.own_gaps:
            fields["window"] = {"kind": "session", "gap": None}
            message["gap"] = "gap"
        fields |= {"time_unit": self.json.get("time_unit", "us"), "input": message}
        fields.pop("aggregates", None)
        if self.operator != "full_state":
            some = " FILTER (WHERE time IS NOT NULL)" if self._is_marked else ""
            texts = [
                f"{_SQL.get(function, f'{function}(value)')}{some} AS `{name}`"
                for name, function in self.aggregates.items()
            ]
            fields["aggregates"] = texts or ["count(*) AS `no aggregate`"]
        return json.dumps(fields)

    def _join_json(self) -> str:
        names = [stream["name"] for stream in self.spec.get("streams", ())]
        stream = {"schema": self._schema(), "time": "time", "row_id": _OFFSET}
        messages = {
            "on": ["key"] if self.spec.get("on") or self.operator == "cogroup" else [],
            "streams": dict.fromkeys(names, stream),
        }
        unit = self.json.get("time_unit", "us")
        return json.dumps({**self.spec, "time_unit": unit, "input": messages})

    def tables(self, step: Json) -> dict[str, pa.Table]:
        """Return the rows of a step by stream, in an order that the data determines."""
        by_stream: dict[str, list[Json]] = {}
        order = _by_position if self.operator == "policy" else _by_time
        for message in sorted(step.get("messages", ()), key=order):
            by_stream.setdefault(message.get("stream", "messages"), []).append(message)
        return {name: self._table(messages, name) for name, messages in by_stream.items()}

    def _table(self, messages: Sequence[Json], stream: str) -> pa.Table:
        pa = _tables.arrow()
        key, value = (pa.string() if kind == "string" else pa.int64() for kind in self._types)
        columns = {
            "key": pa.array([one.get("key") for one in messages], key),
            "time": pa.array(
                [self.micros(one.get("time")) for one in messages], pa.timestamp("us", "UTC")
            ),
            "value": pa.array([one.get("value") for one in messages], value),
            "source": pa.array([stream] * len(messages)),
            "partition": pa.array([one.get("partition") for one in messages], pa.int64()),
            "offset": pa.array([one.get("offset") for one in messages], pa.int64()),
        }
        if self.own_gaps:
            usual = self.spec["window"].get("gap")
            gaps = [self.micros(one.get("gap", usual)) for one in messages]
            columns["gap"] = pa.array(gaps, pa.int64())
        if self._is_marked:
            columns["mark"] = pa.array([one.get("marker") for one in messages], pa.bool_())
        return pa.table(columns)

    def markers(self, keys: pa.Table) -> pa.Table:
        """Return a marker for each key: a row without a time, which no output shows."""
        return self._table([{**row, "marker": True} for row in keys.to_pylist()], "messages")


def _sql_type(what: str, values: Any) -> str:
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {str}:
        return "string"
    if kinds <= {int}:
        return "bigint"
    text = f"{what} are of several types: {', '.join(sorted(kind.__name__ for kind in kinds))}"
    raise NotRunError(text)


def _by_time(message: Json) -> tuple[Any, ...]:
    return tuple(_sortable(message.get(n)) for n in ("time", "stream", "partition", "offset"))


def _by_position(message: Json) -> tuple[Any, ...]:
    names = ("stream", "partition", "offset", "time", "key", "value")
    return tuple(_sortable(message.get(name)) for name in names)


def _sortable(value: object) -> tuple[Any, ...]:
    """Return a sort key: null first, then integers, then texts."""
    if isinstance(value, str):
        return (2, 0, value)
    return (0, 0, "") if value is None else (1, value, "")


def shown(value: object) -> str:
    """Return the text of a value in a difference."""
    return json.dumps(value, separators=(",", ":"))
