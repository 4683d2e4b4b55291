"""The description of an operator on windows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import timedelta
from typing import Any, Literal, get_args

from windrow._specs import _duration, _json, _values
from windrow._specs._duration import UNSTATED, Duration, Unstated
from windrow._specs._gapvalues import GapValues
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

#: The event that completes a window: the watermark, or the next row of its key after its end.
CloseOn = Literal["watermark", "next_row"]
CLOSE_ON: tuple[CloseOn, ...] = get_args(CloseOn)

#: The kind of operator of a spec: "query", or a kind without a query if it has a schema.
OperatorKind = Literal["query", "aggregate", "full_state", "policy"]

# The defaults of early, late, and accumulation.
_USUAL: dict[OperatorKind, tuple[PaneTrigger, PaneTrigger, AccumulationMode | None]] = {
    "query": (NEVER, EACH_BATCH, None),
    "aggregate": (NEVER, Every("10 seconds"), None),
    "full_state": (EACH_MESSAGE, EACH_MESSAGE, AccumulationMode.DISCARDING),
    "policy": (NEVER, NEVER, AccumulationMode.ACCUMULATING),
}


@dataclass(frozen=True, kw_only=True, repr=False)
class WindowOperatorSpec:
    """The description of an operator on windows, apart from the data.

    A spec is a value: it compares, hashes, prints as its call, and can be written as JSON. The
    first arguments describe the rows of an operator without a query; in a query the DataFrame
    describes them. Whether the spec makes sense is checked when a query or an operator is created
    from it.

    Args:
        schema: The columns of the rows, as in ``CREATE TABLE``. None for the spec of a query.
        time: The column of the event time, which windows of event time need.
        key: The key columns. The default () gives all rows the same key.
        gap: The column of the session gap, for ``Session(None)``.
        rowId: The columns that identify a row, so that duplicates are dropped.
        window: The kind of windows.
        aggregates: SQL texts such as ``"max(price) AS top"``. Without any, the operator keeps the
            rows.
        lateness: How long after its end, in event time, a window accepts rows. None sets no limit.
            For ``OffsetRange`` a number of offsets. Required for windows of event time.
        early: When an incomplete window emits. The default is ``Never()``.
        onTime: Whether a window emits when it completes. The default is True.
        late: When a complete window emits while it accepts rows. The default is ``EachBatch()``,
            without a query ``Every("10 seconds")``. If rows are kept, ``early`` and ``late`` are
            ``EachMessage()``.
        accumulation: The mode. Required if a window can be emitted twice.
        skipUnchanged: Whether to leave out a pane whose value equals the last one. The default is
            False.
        closeOn: ``"watermark"`` (the default), or ``"next_row"``, the next row of the key after the
            end of the window.
        fillGaps: Whether windows without rows are emitted too: False (the default), True from the
            first window of a key on, or a duration after its last window with rows.
        retention: How much of the past is stored. The default sets no limit.
        maxFuture: Reject rows that are further ahead of processing time. None sets no limit.
        startOffsets: The first offset of each source partition, for windows on offsets; stored as
            sorted pairs.
        gapValues: In a query, the values of windows without rows, as ``Windowed.fillGaps`` sets
            them. None stands for the aggregates of no rows.
        keepsMessages: In a query, whether panes contain the new rows instead of aggregates.
        inputStreams: The name of the input stream, by which a ``CompositeOperator`` connects
            operators.
        outputStreams: The name of the output stream, in the same way.

    Raises:
        SpecError: A value cannot be written as JSON. The error lists every problem.
        TypeError: A value is of another type.

    Example:
        >>> spec = wr.WindowOperatorSpec(
        ...     schema="symbol string, time timestamp, price double",
        ...     time="time",
        ...     key="symbol",
        ...     window=wr.Tumbling("1 minute"),
        ...     lateness="0 seconds",
        ...     aggregates=["max(price) AS top", "count(*) AS n"],
        ... )
        >>> spec.window
        Tumbling('1 minute')

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
    gapValues: GapValues | None = None
    keepsMessages: bool = False
    inputStreams: Names = ()
    outputStreams: Names = ()

    def __post_init__(self) -> None:
        """Convert values that can be written in several ways to one form."""
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
            settled["window"] = replace(self.window, gap=None)
        self._settle(settled)

    def __repr__(self) -> str:
        """Show as the call, without values that equal the default."""
        usual = dict(zip(_BY_OPERATOR, _USUAL[self._operator], strict=True))
        plain = {field.name: usual.get(field.name, field.default) for field in fields(self)}
        changed = {
            name: getattr(self, name) for name in plain if getattr(self, name) != plain[name]
        }
        return f"WindowOperatorSpec({', '.join(f'{n}={_shown(n, v)}' for n, v in changed.items())})"

    def toJson(self) -> str:
        """Return the spec as JSON.

        Returns:
            One JSON object, with durations in microseconds.

        Example:
            >>> wr.WindowOperatorSpec(window=wr.Global()).toJson()[:25]
            '{"operator":"aggregate","'

        """
        return _json.write(self._fields())

    @property
    def _operator(self) -> OperatorKind:
        """Return the kind of operator that the spec describes."""
        if isinstance(self.window, Policy):
            return "policy"
        if self.keepsMessages:
            return "full_state"
        if self.schema is None:
            return "query"
        return "aggregate" if self.aggregates else "full_state"

    @property
    def _streams(self) -> tuple[str, ...]:
        """Return the names of the input streams, in order."""
        return as_names(self.inputStreams) or ("messages",)

    def _usual(self) -> dict[str, object]:
        """Return the defaults of the operator for values that are not set."""
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
    """Show a field as it is passed; a single name without its list."""
    return repr(value[0]) if name in _NAMES and len(value) == 1 else repr(value)


def _settled_lateness(spec: WindowOperatorSpec) -> str | int | Unstated | None:
    """Return a duration as its shortest text, or a number of offsets ("0 seconds" is 0)."""
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
    """Return the problems of values that cannot be written as JSON."""
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
    if spec.gapValues is not None and spec.schema is not None:
        found.append(problem("GAP_VALUES.OPERATOR"))
    if spec.closeOn not in CLOSE_ON:
        found.append(_values.unknown("VALUE_UNKNOWN", "closeOn", spec.closeOn, CLOSE_ON))
    return found + _values.offsets("startOffsets", spec.startOffsets)


def _messages(spec: WindowOperatorSpec) -> list[SpecProblem]:
    """Return the problems of the row description; in a query the DataFrame describes rows."""
    if spec.schema is None:
        changed = [name for name in _OF_MESSAGES if getattr(spec, name)]
        return [problem("SCHEMA_NOT_STATED.FIELDS", names=", ".join(changed))] if changed else []
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
    """Raise TypeError for values of another type, before they cause unclear errors."""
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
