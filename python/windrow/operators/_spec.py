"""The description of a windowed operator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import timedelta
from typing import Any, Literal, get_args

from windrow._specs import _duration, _json, _values
from windrow._specs._duration import UNSTATED, Duration, Unstated
from windrow._specs._retention import NOT_STATED, Retention
from windrow._specs._rowid import RowId
from windrow.errors import SpecError, SpecProblem, expect, problem
from windrow.operators import _input, _spec_json
from windrow.operators._input import Names, as_names
from windrow.policies import Policy
from windrow.triggers import (
    EACH_BATCH,
    EACH_MESSAGE,
    NEVER,
    USUAL,
    AccumulationMode,
    Every,
    PaneTrigger,
)
from windrow.windows import OffsetRange, Session, WindowKind

#: What completes a window: the watermark, or the first message of its key past its end.
CloseOn = Literal["watermark", "next_row"]
CLOSE_ON: tuple[CloseOn, ...] = get_args(CloseOn)

#: What a spec describes: of a query, or, where it has a schema, of an operator without one.
OperatorKind = Literal["query", "aggregate", "full_state", "policy"]

# What is usual where nothing is said: early, late, accumulation.
_USUAL: dict[OperatorKind, tuple[PaneTrigger, PaneTrigger, AccumulationMode | None]] = {
    "query": (NEVER, EACH_BATCH, None),
    "aggregate": (NEVER, Every("10 seconds"), None),
    "full_state": (EACH_MESSAGE, EACH_MESSAGE, AccumulationMode.DISCARDING),
    "policy": (NEVER, NEVER, AccumulationMode.ACCUMULATING),
}


@dataclass(frozen=True, kw_only=True, repr=False)
class WindowOperatorSpec:
    """What an operator does, apart from the data.

    Of an operator without a query also what its messages are. schema: their columns, as in CREATE
    TABLE. time: column of the event time, which windows of time need. key: columns, none: all
    messages have one key. gap: column of the session gap, for ``Session(None)``. rowId: columns
    that identify a message, so that duplicates have no effect. aggregates: SQL texts, for example
    "max(price) AS top"; without any the operator keeps the messages themselves. inputStreams,
    outputStreams: one name each at most, by which a ``CompositeOperator`` is wired.

    window: what the windows are. lateness: how long after its end, in event time, a window still
    takes messages; None: without end; for ``OffsetRange`` a number of offsets. It must be stated
    for windows of time. early: while a window is incomplete, usually ``Never()``; onTime: whether
    it fires when it completes; late: while it still takes messages, usually ``EachBatch()``,
    without a query ``Every("10 seconds")``. Both are ``EachMessage()`` where messages are kept.
    accumulation: must be stated where a window can fire twice. skipUnchanged: no pane whose value
    is that of the last one. fillGaps: whether the empty windows of a key fire too: True, from its
    first window on without an end, or a duration after its last window with messages. retention:
    how much of the past is kept. maxFuture: messages further ahead of processing time are rejected.
    startOffsets: the first offset of each source partition, for windows on offsets; kept as sorted
    pairs. keepsMessages: of a query, panes carry new messages instead of aggregates; without a
    query that is so where there are no aggregates.

    Whether it makes sense is checked as a query or an operator is made of it. Errors: SpecError
    with everything that cannot be written as JSON.
    """

    schema: str | None = None
    time: str | None = None
    key: Names = ()
    gap: str | None = None
    rowId: RowId | None = None
    window: WindowKind
    aggregates: Names = ()
    lateness: Duration | int | Unstated | None = UNSTATED
    early: PaneTrigger = USUAL
    onTime: bool = True
    late: PaneTrigger = USUAL
    accumulation: AccumulationMode | None = None
    skipUnchanged: bool = False
    closeOn: CloseOn = "watermark"
    fillGaps: bool | Duration = False
    retention: Retention = NOT_STATED
    maxFuture: Duration | None = None
    startOffsets: Mapping[int, int] | tuple[tuple[int, int], ...] = ()
    keepsMessages: bool = False
    inputStreams: Names = ()
    outputStreams: Names = ()

    def __post_init__(self) -> None:
        """Keep one form of what can be said in several."""
        _expect_types(self)
        self._settle(self._usual() | {name: as_names(getattr(self, name)) for name in _NAMES})
        found = [*_unread(self), *_messages(self)]
        if found:
            raise SpecError.of(repr(self.window), found)
        settled: dict[str, object] = {
            "lateness": _settled_lateness(self),
            "fillGaps": _settled_gaps(self),
            "early": self.early._settled(),
            "late": self.late._settled(),
            "startOffsets": tuple(sorted(dict(self.startOffsets).items())),
        }
        if self.maxFuture is not None:
            settled["maxFuture"] = _duration.show(_duration.micros(self.maxFuture))
        if self.inputStreams == ("messages",):
            settled["inputStreams"] = ()
        if isinstance(self.window, Session) and not isinstance(self.window.gap, str):
            settled["window"] = Session(None)
        self._settle(settled)

    def __repr__(self) -> str:
        """Show as the call, without what is as it is by default."""
        usual = dict(zip(_BY_OPERATOR, _USUAL[self._operator], strict=True))
        plain = {field.name: usual.get(field.name, field.default) for field in fields(self)}
        said = {name: getattr(self, name) for name in plain if getattr(self, name) != plain[name]}
        return f"WindowOperatorSpec({', '.join(f'{n}={_shown(n, v)}' for n, v in said.items())})"

    def toJson(self) -> str:
        """Write as one JSON object, durations in microseconds."""
        return _json.write(self._fields())

    @property
    def _operator(self) -> OperatorKind:
        """What this describes."""
        if isinstance(self.window, Policy):
            return "policy"
        if self.keepsMessages:
            return "full_state"
        if self.schema is None:
            return "query"
        return "aggregate" if self.aggregates else "full_state"

    @property
    def _streams(self) -> tuple[str, ...]:
        """Names of its input streams, in order."""
        return as_names(self.inputStreams) or ("messages",)

    def _usual(self) -> dict[str, object]:
        """What is usual for the operator, where nothing was said."""
        usual = zip(_BY_OPERATOR, _USUAL[self._operator], strict=True)
        return {name: value for name, value in usual if getattr(self, name) in (None, USUAL)}

    def _settle(self, values: Mapping[str, object]) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def _fields(self) -> dict[str, object]:
        return _spec_json.write(self)


_BY_OPERATOR = ("early", "late", "accumulation")
_NAMES = ("key", "aggregates", "inputStreams", "outputStreams")
_OF_MESSAGES = ("time", "key", "gap", "rowId", "aggregates", "inputStreams", "outputStreams")


def _shown(name: str, value: Any) -> str:  # noqa: ANN401  any field
    """Show a field as it is said; a single name stands for itself."""
    return repr(value[0]) if name in _NAMES and len(value) == 1 else repr(value)


def _settled_lateness(spec: WindowOperatorSpec) -> str | int | Unstated | None:
    """Give a duration in its shortest text; for offsets a number, which "0 seconds" is, too."""
    allowed = spec.lateness
    if allowed is UNSTATED or allowed is None:
        return allowed
    if isinstance(spec.window, OffsetRange):
        return allowed if isinstance(allowed, int) else 0
    return _duration.show(_duration.micros(allowed))


def _settled_gaps(spec: WindowOperatorSpec) -> bool | str:
    if isinstance(spec.fillGaps, bool):
        return spec.fillGaps
    micros = _duration.micros(spec.fillGaps)
    return _duration.show(micros) if micros else False


def _unread(spec: WindowOperatorSpec) -> list[SpecProblem]:
    """Find what cannot be written."""
    found: list[SpecProblem] = []
    allowed = spec.lateness
    if allowed is not UNSTATED and allowed is not None:
        if not isinstance(spec.window, OffsetRange):
            found += _values.duration("lateness", allowed)
        elif not _values.is_count(allowed) and _duration.read(allowed) != 0:
            found += _values.count("lateness", allowed)
    if spec.maxFuture is not None:
        found += _values.duration("maxFuture", spec.maxFuture)
    found += _values.gaps("fillGaps", spec.fillGaps)
    if spec.closeOn not in CLOSE_ON:
        found.append(_values.unknown("VALUE_UNKNOWN", "closeOn", spec.closeOn, CLOSE_ON))
    return found + _values.offsets("startOffsets", spec.startOffsets)


def _messages(spec: WindowOperatorSpec) -> list[SpecProblem]:
    """Find what cannot be written of the messages; in a query the DataFrame says what they are."""
    if spec.schema is None:
        said = [name for name in _OF_MESSAGES if getattr(spec, name)]
        return [problem("SCHEMA_NOT_STATED.FIELDS", names=", ".join(said))] if said else []
    lists = {name: as_names(getattr(spec, name)) for name in _NAMES}
    found = _input.problems(
        schema=spec.schema,
        time=spec.time,
        rowId=spec.rowId,
        columns=lists | {"gap": () if spec.gap is None else (spec.gap,)},
    )
    streams = {name: lists[name] for name in ("inputStreams", "outputStreams")}
    return found + _input.single(**streams)


def _expect_types(spec: WindowOperatorSpec) -> None:
    """Refuse values of other types before they lead to strange errors."""
    expect("window=", spec.window, WindowKind)
    for name in ("early", "late"):
        expect(f"{name}=", getattr(spec, name), PaneTrigger)
    for name in ("onTime", "skipUnchanged", "keepsMessages"):
        expect(f"{name}=", getattr(spec, name), bool)
    expect("fillGaps=", spec.fillGaps, bool, str, timedelta)
    expect("accumulation=", spec.accumulation, AccumulationMode, type(None))
    expect("retention=", spec.retention, Retention)
    expect("schema=", spec.schema, str, type(None))
    for name in _NAMES:
        expect(f"{name}=", getattr(spec, name), str, list, tuple)
