"""Several streams in a query: ``join(...)`` and ``cogroup(...)``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from windrow import errors
from windrow._bridge import _jar, _sql
from windrow._drawing import _html
from windrow._drawing._svg import Picture
from windrow._running._query import start
from windrow._running._sinks import Sink
from windrow._specs import _json
from windrow._specs._clock import ProcessingTimeWatermark
from windrow._specs._columns import column, missing
from windrow._specs._duration import UNSTATED, Duration, Unstated
from windrow._specs._frames import HasFrames
from windrow._specs._retention import NOT_STATED, Retention
from windrow._specs._rowid import RowId
from windrow.errors import SpecError, SpecProblem, problem
from windrow.operators import JoinSpec, JoinStream
from windrow.operators._input import Names, as_names
from windrow.operators._join import Bounds, Expect, JoinName, Range
from windrow.streams import Invalid, Stream, Windowed
from windrow.triggers import EACH_MESSAGE, USUAL, Firing, firings
from windrow.windows import WindowKind

if TYPE_CHECKING:
    from os import PathLike

    from pyspark.sql import Column, DataFrame
    from pyspark.sql.streaming.query import StreamingQuery

__all__ = ["JoinOutput", "cogroup", "join"]

T = TypeVar("T")


def join(
    *streams: Stream | Windowed,
    on: Names | None = None,
    within: Range | WindowKind | Mapping[str, Range] | None = None,
    how: JoinName = "inner",
    bounds: Bounds = "[]",
    early: Firing | None = None,
    expect: Expect = "large",
) -> JoinOutput:
    """Join two and more streams, all streaming or all batch.

    Streams are told apart by the names that ``stream(name=...)`` gave them, and each brings its
    own watermark; the least of them rules. What ``stream(key=...)`` says is not used here.
    on: columns that all have and that must be equal; null equals nothing.
    within: where the event time of a message may lie beside that of the first
    stream's, ``(low, high)``, the same for all or by name; or a window that both must be in;
    ``Global()``: every pair that retention still holds; None: the streams' own windows, given by
    ``Stream.window``. how: which rows come out, by Spark's names, too ("left_outer"); with more
    than two streams "inner". bounds: whether the ends of the range are included. early: when rows
    come out, with each message (the default) or ``Every(period)``. expect: how many messages of
    other keys lie in a range; "small" keeps those of all keys in one run. Lateness, retention and
    ``maxFuture`` are those of the
    streams, which must not contradict each other, and so is ``invalid``.

    Errors: SpecError with every problem; UnboundedJoinError if messages would be kept for ever;
    JarNotFoundError.
    """
    for one in streams:
        errors.expect("join(*streams)", one, Stream, Windowed)
    plain = tuple(one._stream if isinstance(one, Windowed) else one for one in streams)
    names = () if on is None else as_names(on)
    found = [*_columns(plain, names), *_windows(streams)]
    common = _Common.of(plain, found)
    try:
        spec = JoinSpec(
            streams=[
                JoinStream(name=one._name, window=_window(side))
                for one, side in zip(plain, streams, strict=True)
            ],
            on=names,
            within=within,
            how=how,
            bounds=bounds,
            early=EACH_MESSAGE if early is None else firings("join", early=early)[0],
            expect=expect,
            lateness=common.lateness,  # type: ignore[arg-type]  # a number is refused
            retention=common.retention,
            maxFuture=common.maxFuture,
        )
    except SpecError as refused:
        raise SpecError.of("a join", [*refused.problems, *found]) from None
    watermarks = {one._name: _delay(one) for one in plain}
    if plain:
        _jar.check(plain[0]._df.sparkSession)
        found = [*_sql.problems(plain[0]._df, _fields(spec, watermarks, common.invalid)), *found]
    if found:
        raise SpecError.of("a join", found)
    return JoinOutput(
        spec,
        _tables=tuple(_table(one, names) for one in plain),
        _watermarks=watermarks,
        _invalid=common.invalid,
    )


def _fields(spec: JoinSpec, watermarks: Mapping[str, int | None], invalid: Invalid) -> _json.Fields:
    """Give the spec, with what its streams say beside it."""
    streams = {name: {"watermark": delay} for name, delay in watermarks.items()}
    said = {"on": list(spec.on), "streams": streams, "invalid": invalid}
    return {**spec._fields(), "input": said}


def cogroup(*streams: Stream) -> Stream:
    """Put several streams together as one, to be cut into windows as any other.

    Its messages are a struct for each stream by its name, one of them not null:
    ``F.count("a.id")`` counts those of stream a. Keys are those of the streams, of the same number
    and types, shown under the names of the first one's. Each stream brings its own watermark, of
    which the least rules, and its own ``rowId``, where its name stands for the source. For
    windows that need no event time all may go without.

    Errors: SpecError with every problem; JarNotFoundError.
    """
    for one in streams:
        errors.expect("cogroup(*streams)", one, Stream)
    found: list[SpecProblem] = []
    common = _Common.of(streams, found)
    if common.maxFuture is not None:
        found.append(problem("VALUE_NOT_SUPPORTED.MAX_FUTURE"))
    counts = list(dict.fromkeys(len(one._key) for one in streams))
    if len(streams) < 2:  # noqa: PLR2004  it takes two
        found.append(problem("STREAMS_TOO_FEW.COGROUP", count=len(streams)))
    if len(counts) > 1:
        found.append(problem("KEYS_DIFFER", counts=" and ".join(map(str, counts))))
    found += _columns(streams, (), isTimed=any(one._time is not None for one in streams))
    if found:
        raise SpecError.of("a co-group", found)
    first = streams[0]
    _jar.check(first._df.sparkSession)
    tables = [_table(one, one._key) for one in streams]
    names = [{"name": one._name, "watermark": _delay(one)} for one in streams]
    df = _sql.cogrouped(tables, {"streams": names, "keys": len(first._key)})
    shown = first._df.select(*(column(first._df, key) for key in first._key)).columns
    keys = (column(df, f"__windrow_of_key{i}").alias(name) for i, name in enumerate(shown))
    return replace(
        first,
        _df=df,
        _time=None if first._time is None else "__windrow_of_time",
        _key=tuple(keys),
        _rowId=_OF_COGROUP if any(one._rowId is not None for one in streams) else None,
        _watermark=None,
        _name="_".join(one._name for one in streams),
        _lateness=common.lateness,
        _retention=common.retention,
        _invalid=common.invalid,
    )


_OF_COGROUP = RowId(
    source="__windrow_of_source", partition="__windrow_of_partition", offset="__windrow_of_offset"
)


@dataclass(frozen=True, eq=False, repr=False)
class JoinOutput(HasFrames):
    """Rows of a join, as DataFrames.

    Each DataFrame that is written alone is a query with its own state; ``start`` shares one.
    """

    spec: JoinSpec
    _tables: tuple[DataFrame, ...] = field(kw_only=True)
    _watermarks: Mapping[str, int | None] = field(kw_only=True)
    _invalid: Invalid = field(kw_only=True)
    _frames = ("rows", "rejected")

    @cached_property
    def rows(self) -> DataFrame:
        """The equal columns once, then a struct for each stream by its name, then ``window``.

        A stream's struct is null where a row has no message of it; semi and anti joins show the
        first stream's only. The window is there if streams are joined by one: the first that holds
        all messages of the row. Sessions, which may still grow, are not shown.
        """
        return self._part("rows")

    @cached_property
    def rejected(self) -> DataFrame:
        """Rejected rows: stream, reason, watermark, processing_time, message.

        ``message`` is a struct with a struct for each stream by its name, of which one is not null.
        If a stream has panes of other operators, their rejected rows are here, too: ``message`` is
        null for such a row, and the column with the name of that operator has the row.
        """
        return self._part("rejected")

    @cached_property
    def output(self) -> DataFrame:
        """Both in one: ``kind`` ('rows', 'rejected') and a struct of each, one not null."""
        return self._part("all")

    def explain(self) -> None:
        """Print which messages match and how long each stream is kept."""
        print(self._explained())  # noqa: T201

    def _explained(self) -> str:
        return _sql.explained(self.output, self._fields())

    def _repr_html_(self) -> str:
        return _html.explanation(self._explained(), self.plot())

    def plot(self, messages: Mapping[str, Sequence[datetime | str | int]] | None = None) -> Picture:
        """Draw which messages of one key are together in rows, which alone, and which in none.

        messages: by stream event times, as ``JoinSpec.plot`` takes them; None: some made up.
        """
        return self.spec.plot(messages)

    def start(
        self,
        *,
        checkpoint: str | PathLike[str],
        rows: Sink | None = None,
        rejected: Sink | None = None,
        availableNow: bool = False,
        processingTime: str | None = None,
        drain: bool = False,
        name: str | None = None,
    ) -> StreamingQuery:
        """Start one query that writes rows and rejected messages to their sinks.

        Sinks, trigger and ``drain`` are those of ``Output.start``; the end of a join
        brings the rows that found no match.
        """
        return start(
            # Described again, because settings of the session may have changed.
            self._part("accepted" if rejected is None else "all"),
            {"rows": rows, "rejected": rejected},
            checkpoint=checkpoint,
            availableNow=availableNow,
            processingTime=processingTime,
            name=name,
            drain=drain,
        )

    def __repr__(self) -> str:
        """Show what is joined."""
        return f"JoinOutput({self.spec!r})"

    def _part(self, part: _sql.JoinPart) -> DataFrame:
        return _sql.apply(self._tables, self._fields(), part)

    def _fields(self) -> _json.Fields:
        return _fields(self.spec, self._watermarks, self._invalid)


@dataclass(frozen=True)
class _Common:
    """What the streams of a join say alike."""

    lateness: Duration | int | Unstated | None
    retention: Retention
    maxFuture: str | None
    invalid: Invalid

    @classmethod
    def of(cls, streams: tuple[Stream, ...], found: list[SpecProblem]) -> _Common:
        """Read off the streams; what contradicts goes to ``found``."""
        lateness = {one._name: one._lateness for one in streams if one._lateness is not UNSTATED}
        future = {one._name: one._maxFuture for one in streams if one._maxFuture is not None}
        kept = {one._name: one._retention for one in streams}
        found += [
            problem("VALUE_NOT_SUPPORTED.CLOCK_OF_STREAM", stream=one._name)
            for one in streams
            if isinstance(one._watermark, ProcessingTimeWatermark)
        ]
        return cls(
            _alike("lateness", lateness, UNSTATED, found),
            _alike("retention", kept, NOT_STATED, found),
            _alike("maxFuture", future, None, found),
            _alike("invalid", {one._name: one._invalid for one in streams}, "reject", found),
        )


def _alike(what: str, said: Mapping[str, T], otherwise: T, found: list[SpecProblem]) -> T:
    values = list(said.values())
    if any(value != values[0] for value in values[1:]):
        each = ", ".join(f"{value!r} of '{name}'" for name, value in said.items())
        found.append(problem("OPTION_DIFFERS", name=what, values=each))
    return values[0] if values else otherwise


def _window(side: Stream | Windowed) -> WindowKind | None:
    return side._kind if isinstance(side, Windowed) else None


def _windows(sides: tuple[Stream | Windowed, ...]) -> list[SpecProblem]:
    """Windows of sides say which messages match; they do not fire."""
    said = [
        (side, name)
        for side in sides
        if isinstance(side, Windowed)
        for name, is_said in {
            "trigger(...)": (side._early, side._onTime, side._late) != (USUAL, True, USUAL)
            or side._skipUnchanged,
            "accumulationMode(...)": side._mode is not None,
            "closeOn=...": side._closeOn != "watermark",
            "fillGaps=...": side._fillGaps is not False,
        }.items()
        if is_said
    ]
    return [
        problem("VALUE_NOT_SUPPORTED.JOIN_FIRES", stream=side._stream._name, name=name)
        for side, name in said
    ]


def _columns(
    streams: tuple[Stream, ...], on: tuple[str, ...], *, isTimed: bool = True
) -> list[SpecProblem]:
    """Names that are no columns of their stream, and the time that it lacks."""
    found = []
    for one in streams:
        named = {f"on[{i}]" if len(on) > 1 else "on": name for i, name in enumerate(on)}
        identity = {} if one._rowId is None else vars(one._rowId)
        time = {} if one._time is None else {"time": one._time}
        if one._time is None and isTimed:
            found.append(problem("TIME_NOT_STATED.STREAM", stream=one._name))
        found += [
            wrong._of(f"stream '{one._name}'")
            for wrong in missing(one._df, {**named, **time, **identity})
        ]
    return found


def _delay(stream: Stream) -> int | None:
    """Microseconds of the watermark that windrow is to set."""
    return stream._clock().get("watermark")


def _table(stream: Stream, keys: Sequence[str | Column]) -> DataFrame:
    """Give the columns of the messages and, marked, what the JVM needs to know of each."""
    marked: dict[str, str | Column] = {} if stream._time is None else {"time": stream._time}
    marked |= {f"key{i}": key for i, key in enumerate(keys)}
    if stream._rowId is not None:
        marked |= {"partition": stream._rowId.partition, "offset": stream._rowId.offset}
    return _sql.marked(stream._df, marked)
