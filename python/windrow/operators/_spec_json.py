"""Specs as JSON: a missing field is not set; null means never, or without limit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from windrow._specs import _duration
from windrow._specs._duration import UNSTATED, Duration, Unstated
from windrow._specs._retention import NOT_STATED, Retention
from windrow.operators import _trigger_json
from windrow.operators._input import write_row_id
from windrow.policies import Policy
from windrow.triggers import (
    ACCUMULATING,
    DISCARDING,
    EACH_MESSAGE,
    NEVER,
)

if TYPE_CHECKING:
    from windrow.operators import WindowOperatorSpec


def write(spec: WindowOperatorSpec) -> dict[str, object]:
    """Return the fields, with durations in microseconds and without defaults."""
    is_policy = isinstance(spec.window, Policy)
    keeps = spec.keepsMessages or spec._operator == "full_state"
    mode = spec.accumulation
    usual = ACCUMULATING if is_policy else DISCARDING if keeps else None
    future = None if spec.maxFuture is None else _duration.micros(spec.maxFuture)
    entries = [
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
        ("gap_values", spec.gapValues and spec.gapValues._fields(), spec.gapValues is not None),
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
    fields = head | {name: value for name, value, is_set in entries if is_set}
    return fields | _messages(spec)


def _written(lateness: Duration | int | Unstated | None) -> int | None:
    """Return microseconds or a number of offsets; None means without limit, or nothing to write."""
    if isinstance(lateness, int | None):
        return lateness
    return None if lateness is UNSTATED else _duration.micros(lateness)


def _messages(spec: WindowOperatorSpec) -> dict[str, object]:
    """Return the description of the rows, if the spec has one."""
    if spec.schema is None:
        return {}
    entries = {
        "name": spec._streams[0],
        "output": next(iter(spec.outputStreams), None),
        "schema": spec.schema,
        "time": spec.time,
        "key": list(spec.key),
        "gap": spec.gap,
        "row_id": None if spec.rowId is None else write_row_id(spec.rowId),
    }
    fields: dict[str, object] = {
        "input": {name: value for name, value in entries.items() if value is not None}
    }
    return fields | ({"aggregates": list(spec.aggregates)} if spec.aggregates else {})


def _limits(retention: Retention) -> dict[str, int]:
    time = None if retention.time is None else _duration.micros(retention.time)
    limits = {"time": time, "messages": retention.messages, "windows": retention.windows}
    return {name: limit for name, limit in limits.items() if limit is not None}


def _written_gaps(spec: WindowOperatorSpec) -> bool | int:
    fills = spec.fillGaps
    return fills if isinstance(fills, bool) else _duration.micros(fills)
