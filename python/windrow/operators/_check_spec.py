"""Everything that is wrong with a spec, whatever operator it describes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from windrow import _check, _duration
from windrow._retention import NOT_STATED, too_short
from windrow.errors import SpecProblem
from windrow.operators import _input
from windrow.operators._input import as_names
from windrow.policies import Policy
from windrow.triggers import ACCUMULATING, DISCARDING, EACH_STEP
from windrow.windows import Count, Inherit, Offsets, Session, TupleSession

if TYPE_CHECKING:
    from windrow.operators._spec import WindowOperatorSpec

Problems = list[SpecProblem]

#: Panes of full state are what is new; they have no whole values.
_OF_WHOLE_VALUES = {"OVER_DISCARDING", "INHERIT_DISCARDING"}


def problems(spec: WindowOperatorSpec) -> Problems:
    """Everything wrong with the windows, with what the operator cannot do, with the messages."""
    is_policy = isinstance(spec.window, Policy)
    windows = [*spec.window._problems(), *_policy(spec)] if is_policy else _check.problems(spec)
    if spec._operator == "full_state":
        windows = [problem for problem in windows if problem.code not in _OF_WHOLE_VALUES]
        windows += _full_state(spec)
    if spec.keepsMessages and (spec.aggregates or is_policy):
        text = "keepsMessages is for windows without aggregates and policies; leave it out."
        windows.append(SpecProblem("VALUE_NOT_SUPPORTED", text))
    return windows + (_no_input(spec) if spec.schema is None else _messages(spec))


def _full_state(spec: WindowOperatorSpec) -> Problems:
    """What an operator that keeps its messages does not do, and must be told."""
    refused = {
        "fire_only_updated": (spec.fireOnlyUpdated, "true"),
        "fill_gaps": (spec.fillGaps, "true"),
        "complete": (spec.complete != "watermark", f'"{spec.complete}"'),
        "accumulation": (spec.accumulation is not DISCARDING, f'"{_mode(spec)}"'),
    }
    found = [
        SpecProblem(
            "VALUE_NOT_SUPPORTED",
            f"{name}: {value} is not for full-state operators; leave it out.",
        )
        for name, (is_said, value) in refused.items()
        if is_said
    ]
    if isinstance(spec.window, Inherit):
        text = f"the windows are {spec.window!r}, which come with panes; full state takes messages."
        found.append(SpecProblem("INHERIT_WITHOUT_PANES", text))
    if spec.retention.time is None and spec.retention.messages is None:
        text = (
            "a full-state operator keeps its messages: say retain(time=...), "
            "retain(messages=...) or both."
        )
        found.append(SpecProblem("RETENTION_NOT_STATED", text))
    return found + _session_kept(spec)


def _mode(spec: WindowOperatorSpec) -> str:
    return "" if spec.accumulation is None else spec.accumulation.value


def _session_kept(spec: WindowOperatorSpec) -> Problems:
    window = spec.window
    if not isinstance(window, Session) or not isinstance(window.gap, str):
        return []
    gap = _duration.read(window.gap)
    if not isinstance(gap, int):
        return []
    return too_short(spec.retention, _check.lateness(spec), gap, "gap")


def _policy(spec: WindowOperatorSpec) -> Problems:
    """What means nothing for windows of policies."""
    refused = {
        "lateness": _check.lateness(spec) not in (None, 0),
        "early": spec.early._fires(),
        "onTime": not spec.onTime,
        "late": spec.late._fires() and spec.late != EACH_STEP,
        "accumulation": spec.accumulation not in (None, ACCUMULATING),
        "fireOnlyUpdated": spec.fireOnlyUpdated,
        "complete": spec.complete != "watermark",
        "fillGaps": spec.fillGaps,
        "retention": spec.retention != NOT_STATED,
        "maxFuture": spec.maxFuture is not None,
        "startOffsets": bool(spec.startOffsets),
    }
    return [
        SpecProblem(
            "VALUE_NOT_SUPPORTED",
            f"{name}={getattr(spec, name)!r} means nothing for windows of policies; leave it out.",
        )
        for name, is_said in refused.items()
        if is_said
    ]


def _messages(spec: WindowOperatorSpec) -> Problems:
    """What is wrong with what the messages are said to be."""
    names = {name: as_names(getattr(spec, name)) for name in ("key", "aggregates")}
    streams = {name: as_names(getattr(spec, name)) for name in ("inputStreams", "outputStreams")}
    found = _input.problems(
        schema=spec.schema,
        time=spec.time,
        offset=spec.offset,
        columns=names | streams | {"gap": () if spec.gap is None else (spec.gap,)},
    )
    found += _input.repeated("key", names["key"])
    found += [
        SpecProblem("STREAMS_TOO_MANY", f"{name} has {len(given)} names; it has one at most.")
        for name, given in streams.items()
        if len(given) > 1
    ]
    if spec.time is None and not isinstance(spec.window, Count | Offsets | TupleSession | Policy):
        text = "say which column holds the event time: time='...'."
        found.append(SpecProblem("TIME_NOT_STATED", text))
    of_message = isinstance(spec.window, Session) and not isinstance(spec.window.gap, str)
    if of_message and spec.gap is None:
        text = "sessions whose gap each message brings need its column: gap='...'."
        found.append(SpecProblem("GAP_NOT_STATED", text))
    if spec.gap is not None and not of_message:
        text = f"gap={spec.gap!r} is for Session(None), whose gap each message brings."
        found.append(SpecProblem("VALUE_NOT_SUPPORTED", text))
    if isinstance(spec.window, Policy) and not spec.aggregates:
        text = "a window of policies needs an aggregate; say for example aggregates='count(*)'."
        found.append(SpecProblem("AGGREGATE_NOT_STATED", text))
    return found


def _no_input(spec: WindowOperatorSpec) -> Problems:
    """In a query the DataFrame says what the messages are."""
    named = ("time", "key", "gap", "offset", "aggregates", "inputStreams", "outputStreams")
    said = [name for name in named if getattr(spec, name)]
    if not said:
        return []
    text = f"{', '.join(said)}: say the schema, too: schema='time timestamp, price double'."
    return [SpecProblem("SCHEMA_NOT_STATED", text)]
