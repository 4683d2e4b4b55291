"""The description of a join."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal, get_args

from windrow._markup._svg import Picture
from windrow._specs import _duration, _json, _values
from windrow._specs._duration import UNSTATED, Duration, Unstated
from windrow._specs._frozen import Shown
from windrow._specs._retention import NOT_STATED, Retention
from windrow._specs._rowid import RowId
from windrow.errors import SpecError, SpecProblem, expect, problem
from windrow.operators import _input, _join_json
from windrow.operators._input import Names, as_names
from windrow.triggers import EACH_MESSAGE, PaneTrigger
from windrow.windows import WindowKind

Direction = Literal["backward", "forward", "nearest"]
JoinKind = Literal["inner", "left", "right", "full", "semi", "anti"]
Bounds = Literal["[]", "[)", "(]", "()"]
Expect = Literal["small", "large"]

#: A kind of join, by any name that Spark accepts.
JoinName = Literal[
    JoinKind,
    "outer",
    "fullouter",
    "full_outer",
    "leftouter",
    "left_outer",
    "rightouter",
    "right_outer",
    "leftsemi",
    "left_semi",
    "leftanti",
    "left_anti",
]

#: Spark's other names of kinds, in lower case and without underscores.
_ALSO: dict[str, JoinKind] = {
    "outer": "full",
    "fullouter": "full",
    "leftouter": "left",
    "rightouter": "right",
    "leftsemi": "semi",
    "leftanti": "anti",
}

KINDS, BOUNDS, EXPECTED = get_args(JoinKind), get_args(Bounds), get_args(Expect)
DIRECTIONS = get_args(Direction)

#: The event time of a row of another stream, less that of the row of the first stream.
Range = tuple[Duration, Duration]


@dataclass(frozen=True, kw_only=True)
class AsOf:
    """The row of the second stream that is nearest to a row of the first.

    Args:
        direction: ``"backward"`` (at or before the row), ``"forward"`` (at or after it), or
            ``"nearest"`` (on both sides).
        tolerance: How far apart the two rows can be. None sets no limit.

    """

    direction: Direction = "backward"
    tolerance: Duration | None = None

    def _problems(self) -> list[SpecProblem]:
        found: list[SpecProblem] = []
        if self.direction not in DIRECTIONS:
            found.append(_values.unknown("VALUE_UNKNOWN", "direction", self.direction, DIRECTIONS))
        if self.tolerance is not None:
            found += _values.duration("tolerance", self.tolerance)
        return found

    def _settled(self) -> AsOf:
        if self.tolerance is None:
            return self
        return replace(self, tolerance=_duration.show(_duration.micros(self.tolerance)))

    def _fields(self) -> dict[str, object]:
        tolerance = (
            {} if self.tolerance is None else {"tolerance": _duration.micros(self.tolerance)}
        )
        return {"direction": self.direction, **tolerance}


@dataclass(frozen=True, kw_only=True, repr=False)
class JoinStream(Shown):
    """One input of a join or co-group.

    Args:
        name: The name of the stream, and of its column in the results.
        schema: The columns of the rows, as in ``CREATE TABLE``. None in the spec of a query, whose
            DataFrames describe the rows.
        time: The column of the event time.
        rowId: The columns that identify a row.
        window: The windows of this stream. None (the default) if it has none.
        startOffsets: The first offset of each source partition, for windows on offsets; stored as
            sorted pairs.

    Raises:
        SpecError: A value cannot be written as JSON. The error lists every problem.
        TypeError: ``window`` is of another type.

    Example:
        >>> wr.JoinStream(name="o", schema="id bigint, time timestamp", time="time")
        JoinStream(name='o', schema='id bigint, time timestamp', time='time')

    """

    name: str
    schema: str | None = None
    time: str | None = None
    rowId: RowId | None = None
    window: WindowKind | None = None
    startOffsets: Mapping[int, int] | tuple[tuple[int, int], ...] = ()

    def __post_init__(self) -> None:
        """Reject values that cannot be written as JSON."""
        expect("window=", self.window, WindowKind, type(None))
        is_of_query = (self.schema, self.time, self.rowId) == (None, None, None)
        found = _input.problems(
            schema="of a query" if is_of_query else self.schema,
            time=self.time,
            rowId=self.rowId,
            columns={"name": (self.name,)},
        )
        found += _values.offsets("startOffsets", self.startOffsets)
        if found:
            raise SpecError.of(f"stream {self.name!r}", found)
        offsets = tuple(sorted(dict(self.startOffsets).items()))
        object.__setattr__(self, "startOffsets", offsets)


class OfStreams(Shown, ABC):
    """The parent of descriptions of several streams."""

    streams: Sequence[JoinStream]

    def toJson(self) -> str:
        """Return the spec as JSON.

        Returns:
            One JSON object, with durations in microseconds.

        """
        return _json.write(self._fields())

    @property
    def inputStreams(self) -> tuple[str, ...]:
        """Return the names of the streams, in order.

        Returns:
            A tuple of names.

        """
        return tuple(stream.name for stream in self.streams)

    @property
    def _streams(self) -> tuple[str, ...]:
        return self.inputStreams

    def _settle(self, **values: object) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @abstractmethod
    def _fields(self) -> dict[str, object]: ...


@dataclass(frozen=True, kw_only=True, repr=False)
class JoinSpec(OfStreams):
    """The description of a join, apart from the data.

    Whether the spec makes sense is checked when a query or an operator is created from it.

    Args:
        streams: Two or more streams, in order.
        on: The columns that all streams have and that must be equal.
        within: Which event times match: a range ``(low, high)`` of the event time of another stream
            less that of the first, the same for all or a mapping; a kind of windows that both rows
            must share; ``Global()`` for every pair that retention still holds; None for windows of
            the streams. ``wr.asofJoin`` sets the direction and the tolerance of an as-of join.
        bounds: Whether a range includes its ends: ``"[]"`` (the default), ``"[)"``, ``"(]"``,
            ``"()"``.
        how: ``"inner"`` (the default), ``"left"``, ``"right"``, ``"full"``, ``"semi"``, or
            ``"anti"``.
        lateness: How long late rows are accepted, as for windows.
        early: When rows are emitted: with each message (the default), or ``Every(period)``.
        retention: The rows that are stored of each stream and key. A range or windows imply one.
        maxFuture: Reject rows that are further ahead of processing time. None sets no limit.
        expect: How many rows of other keys are in a range, ``"large"`` (the default) or
            ``"small"``.
        outputStreams: The name of the output, by which a ``CompositeOperator`` connects operators.

    Raises:
        SpecError: A value cannot be written as JSON. The error lists every problem.
        TypeError: A value is of another type.

    Example:
        >>> spec = wr.JoinSpec(
        ...     streams=[wr.JoinStream(name="o"), wr.JoinStream(name="s")],
        ...     on="id",
        ...     within=("0 minutes", "5 minutes"),
        ...     how="left_outer",
        ...     lateness="0 seconds",
        ... )
        >>> spec.how, spec.inputStreams
        ('left', ('o', 's'))

    """

    streams: Sequence[JoinStream]
    on: Names = ()
    within: (
        Range | WindowKind | AsOf | Mapping[str, Range] | tuple[tuple[str, Range], ...] | None
    ) = None
    bounds: Bounds = "[]"
    how: JoinName = "inner"
    lateness: Duration | Unstated | None = UNSTATED
    early: PaneTrigger = EACH_MESSAGE
    retention: Retention = NOT_STATED
    maxFuture: Duration | None = None
    expect: Expect = "large"
    outputStreams: Names = ()

    def __post_init__(self) -> None:
        """Convert values that can be written in several ways to one form."""
        expect("early=", self.early, PaneTrigger)
        expect("retention=", self.retention, Retention)
        for stream in self.streams:
            expect("streams=", stream, JoinStream)
        self._settle(
            streams=tuple(self.streams),
            on=as_names(self.on),
            outputStreams=as_names(self.outputStreams),
            how=_kind(self.how),
        )
        found = _unread(self)
        if found:
            raise SpecError.of("a join", found)
        self._settle(within=_settled_within(self), early=self.early._settled())
        if self.lateness is not UNSTATED and self.lateness is not None:
            self._settle(lateness=_duration.show(_duration.micros(self.lateness)))
        if self.maxFuture is not None:
            self._settle(maxFuture=_duration.show(_duration.micros(self.maxFuture)))

    def plot(self, messages: Mapping[str, Sequence[datetime | str | int]] | None = None) -> Picture:
        """Draw which rows of one key are joined, which stay unmatched, and which are dropped.

        Lateness and retention are not drawn.

        Args:
            messages: Event times by stream, as datetimes or ISO strings; times without a zone are
                UTC. At most 40 of each stream are drawn. None draws sample rows.

        Returns:
            The picture as SVG. A notebook displays it.

        Raises:
            SpecError: A name is not the name of a stream (``STREAM_UNKNOWN``).

        """
        from windrow._drawing import _joins

        return _joins.plot(self, ranges(self), messages)

    def _repr_html_(self) -> str:
        return str(self.plot())

    def _fields(self) -> dict[str, object]:
        return _join_json.write(self)


def refuse_of_query(spec: Any) -> None:  # noqa: ANN401  a spec of streams
    """Reject streams without a schema."""
    for one in spec.streams:
        if one.schema is None:
            raise SpecError.of(f"stream {one.name!r}", [problem("SCHEMA_NOT_STATED.STREAM")])


def _kind(how: object) -> object:
    """Return the canonical word of a kind; an unknown word is returned as it is."""
    word = str(how).lower().replace("_", "")
    return _ALSO.get(word, word if word in KINDS else how)


def _unread(spec: JoinSpec) -> list[SpecProblem]:
    """Return the problems of values that cannot be written as JSON."""
    found: list[SpecProblem] = []
    for name, code, value, words in (
        ("how", "VALUE_UNKNOWN", spec.how, KINDS),
        ("expect", "VALUE_UNKNOWN", spec.expect, EXPECTED),
        ("bounds", "VALUE_UNKNOWN", spec.bounds, BOUNDS),
    ):
        if value not in words:
            found.append(_values.unknown(code, name, value, words))
    for i, column in enumerate(spec.on):
        found += _values.name(f"on[{i}]" if len(spec.on) > 1 else "on", column)
    if spec.lateness is not UNSTATED and spec.lateness is not None:
        found += _values.duration("lateness", spec.lateness)
    if spec.maxFuture is not None:
        found += _values.duration("maxFuture", spec.maxFuture)
    if isinstance(spec.within, AsOf):
        found += spec.within._problems()
    for ends in ranges(spec).values():
        if not _is_pair(ends):
            found.append(problem("RANGE_NOT_UNDERSTOOD.FORM", value=repr(ends)))
            continue
        found += [problem for end in ends for problem in _values.duration("within", end)]
    return found + _input.single(outputStreams=spec.outputStreams)


def ranges(spec: JoinSpec) -> dict[str, Any]:
    """Return the ranges of the streams; empty if rows are not matched by their times."""
    within: Any = spec.within
    if within is None or isinstance(within, WindowKind | AsOf):
        return {}
    if isinstance(within, Mapping):
        return dict(within)
    if isinstance(within, tuple) and within and all(map(_is_named, within)):
        return dict(within)
    return {stream.name: within for stream in spec.streams[1:]}


def _is_pair(ends: object) -> bool:
    return isinstance(ends, tuple | list) and len(ends) == 2  # noqa: PLR2004  low and high


def _is_named(entry: object) -> bool:
    return isinstance(entry, tuple) and len(entry) == 2 and _is_pair(entry[1])  # noqa: PLR2004


def _settled_within(spec: JoinSpec) -> object:
    """Return ranges with the shortest texts; a range that all streams share is returned alone."""
    if isinstance(spec.within, AsOf):
        return spec.within._settled()
    if spec.within is None or isinstance(spec.within, WindowKind):
        return spec.within
    settled = {
        name: tuple(_duration.show(_duration.micros(end)) for end in ends)
        for name, ends in ranges(spec).items()
    }
    of_all = settled.keys() == {one.name for one in spec.streams[1:]}
    is_one = len(set(settled.values())) == 1 and of_all
    return next(iter(settled.values())) if is_one else tuple(settled.items())
