"""Describing a windowed aggregation: ``stream(...)``, ``.window(...)``, ``.aggregate(...)``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Literal, get_args

from windrow._bridge import _jar, _sql
from windrow._drawing import _arrivals, _html
from windrow._drawing._svg import Picture
from windrow._specs import _duration
from windrow._specs._clock import ProcessingTimeWatermark
from windrow._specs._columns import as_tuple, is_column, is_data_frame, missing, shown
from windrow._specs._duration import UNSTATED, Duration, Unstated
from windrow._specs._retention import NOT_STATED, Retention
from windrow._specs._rowid import RowId
from windrow.errors import SpecError, SpecProblem, expect, problem
from windrow.operators import CloseOn, WindowOperatorSpec
from windrow.policies import Policy
from windrow.results import Output
from windrow.triggers import (
    USUAL,
    Accumulation,
    AccumulationMode,
    Firing,
    PaneTrigger,
    accumulation,
    firings,
)
from windrow.windows import Global, Inherit, Session, WindowKind
from windrow.windows._kind import Messages

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

Invalid = Literal["reject", "fail"]


@dataclass(frozen=True, eq=False, repr=False)
class Stream:
    """Messages and what is known of them; every method gives a copy. Made by ``stream``."""

    _df: DataFrame
    _time: str | Column | None
    _key: tuple[str | Column, ...]
    _rowId: RowId | None
    _watermark: str | ProcessingTimeWatermark | None
    _maxFuture: str | None
    _name: str
    _lateness: Duration | int | Unstated | None = UNSTATED
    _retention: Retention = NOT_STATED
    _index: tuple[str, ...] = ()
    _invalid: Invalid = "reject"

    def lateness(self, allowed: Duration | int | None) -> Stream:
        """Say how long after its end, in event time, a window still takes messages.

        None: without end; then ``retain`` must limit the messages or windows of a key. A whole
        number counts offsets, for windows on ``OffsetRange``.
        """
        if isinstance(allowed, int) or allowed is None:
            return replace(self, _lateness=allowed)
        return replace(self, _lateness=_duration.canonical(allowed, f"lateness({allowed!r})"))

    def retain(
        self,
        *,
        time: Duration | None = None,
        messages: int | None = None,
        windows: int | None = None,
    ) -> Stream:
        """Say how much of the past is kept; of several limits whichever bites first.

        time: so long behind the watermark, at least size + lateness. messages, windows: the
        newest so many of each key. No limit takes anything from a window that may still change.
        """
        return replace(self, _retention=Retention(time=time, messages=messages, windows=windows))

    def index(self, *, by: str | Sequence[str]) -> Stream:
        """Set the columns by which ``getMessages(by=...)`` finds rows.

        The default is the key. For ``keepRows``; an aggregate keeps no messages.
        """
        return replace(self, _index=(by,) if isinstance(by, str) else tuple(by))

    def window(
        self,
        kind: WindowKind,
        *,
        closeOn: CloseOn = "watermark",
        fillGaps: bool | Duration = False,
    ) -> Windowed:
        """Say what the windows are.

        closeOn: the watermark, or the next row of the key past the window's end.
        fillGaps: whether the empty windows of a key fire too, with the aggregate of no rows. True:
        from the key's first window on, for as long as the query runs. A duration, for example
        "30 days": until a window ends more than that after the key's last window with rows. For
        ``Tumbling``, also with ``zone``, and ``Hopping``.
        """
        size = kind if isinstance(kind, str) else "1 minute"
        expect("window(kind)", kind, WindowKind, say=f"Tumbling({size!r})")
        return Windowed(self, kind, closeOn, fillGaps)

    def plot(self, messages: Sequence[datetime | str] | None = None) -> Picture:
        """Draw messages in the order in which they come, and the watermark that follows them.

        ``messages`` are event times, as datetimes or ISO text (naive ones: UTC); without them some
        are made up. Each is drawn as if it came in a micro-batch of its own.
        """
        return _arrivals.plot(repr(self), messages, self._clock().get("watermark"), self._lateness)

    def _repr_html_(self) -> str:
        return _html.card("", self._said(), self.plot())

    def _said(self) -> list[tuple[str, str]]:
        """What is known of it, in words; what was not stated is left out."""
        mark = self._watermark
        if isinstance(mark, ProcessingTimeWatermark):
            watermark = f"{mark.delay} behind processing time"
        else:
            watermark = f"{mark} behind the greatest event time"
        return [
            ("stream", self._name),
            *([] if self._time is None else [("time", shown([self._time]))]),
            ("key", shown(self._key) or "none: all messages together"),
            *([] if mark is None else [("watermark", watermark)]),
            *([] if self._lateness is UNSTATED else [("lateness", str(self._lateness))]),
            *([] if self._retention == NOT_STATED else [("retained", repr(self._retention))]),
            *([] if self._maxFuture is None else [("max. future", self._maxFuture)]),
            *([] if self._invalid == "reject" else [("invalid messages", "end the query")]),
        ]

    def _shows_panes(self) -> bool:
        """Whether its rows may be panes; what these are the JVM sees."""
        return not missing(self._df, {"panes": "window", "of panes": "pane"})

    def _clock(self) -> dict[str, int | None]:
        """What sets the watermark, in microseconds."""
        if isinstance(self._watermark, ProcessingTimeWatermark):
            return {"processing_time_watermark": self._watermark.micros}
        return {"watermark": None if self._watermark is None else _duration.micros(self._watermark)}

    def _about(self) -> dict[str, object]:
        """What the JVM is to know of it, and how it is shown."""
        time = "" if self._time is None else f", time {shown([self._time])}"
        key = f", by {shown(self._key)}" if self._key else ", without a key"
        keys = {"index": list(self._index)} if self._index else {}
        shown_as = f"stream '{self._name}'{time}{key}"
        invalid = {} if self._invalid == "reject" else {"invalid": self._invalid}
        return {"name": self._name, "shown": shown_as, **self._clock(), **keys, **invalid}

    def _named(self) -> dict[str, object]:
        """Columns by the argument that says them."""
        identity = {} if self._rowId is None else vars(self._rowId)
        join = {
            ("index(by=...)" if i == 0 else f"index(by=...)[{i}]"): name
            for i, name in enumerate(self._index)
        }
        keys = {("key" if i == 0 else f"key[{i}]"): key for i, key in enumerate(self._key)}
        time = {} if self._time is None else {"time": self._time}
        return {**time, **keys, **join, **identity}

    def __repr__(self) -> str:
        """Show name, time and key."""
        time = "" if self._time is None else f", time={shown([self._time])}"
        return f"stream(name={self._name!r}{time}, key=({shown(self._key)}))"


@dataclass(frozen=True, eq=False, repr=False)
class Windowed:
    """A stream cut into windows; all but ``aggregate`` and ``keepRows`` give a copy."""

    _stream: Stream
    _kind: WindowKind
    _closeOn: CloseOn = "watermark"
    _fillGaps: bool | Duration = False
    _early: PaneTrigger = USUAL
    _onTime: bool = True
    _late: PaneTrigger = USUAL
    _skipUnchanged: bool = False
    _mode: AccumulationMode | None = None

    def lateness(self, allowed: Duration | int | None) -> Windowed:
        """Say how long a window still takes messages, as ``Stream.lateness`` does."""
        return replace(self, _stream=self._stream.lateness(allowed))

    def retain(
        self,
        *,
        time: Duration | None = None,
        messages: int | None = None,
        windows: int | None = None,
    ) -> Windowed:
        """Say how much of the past is kept, as ``Stream.retain`` does."""
        kept = self._stream.retain(time=time, messages=messages, windows=windows)
        return replace(self, _stream=kept)

    def trigger(
        self,
        *,
        early: Firing | None = None,
        onTime: bool = True,
        late: Firing | None = None,
        skipUnchanged: bool = False,
    ) -> Windowed:
        """Say when a window fires. None is the default of each.

        A trigger can also be a text, as in SQL: a period, ``"1000 messages"``, ``"each_batch"``.
        early: while the window is incomplete; ``Never()``. onTime: whether it fires when it
        completes. late: while a complete window still takes messages; ``EachBatch()``. Both are
        ``EachMessage()`` for ``keepRows``. skipUnchanged: no pane whose value is that of the
        window's last one.
        """
        first, last = firings("trigger", early=early, late=late)
        return replace(self, _early=first, _onTime=onTime, _late=last, _skipUnchanged=skipUnchanged)

    def accumulationMode(self, mode: Accumulation) -> Windowed:
        """Say what a window's panes hold; to be stated where a window can fire twice.

        mode: ``ACCUMULATING`` or, as in SQL, ``"accumulating"``; so the others.
        """
        return replace(self, _mode=accumulation(mode))

    def aggregate(self, *columns: Column) -> Output:
        """Aggregate each window of each key with Spark's own aggregates, for example ``F.sum``.

        Errors: SpecError with every problem of the description; JarNotFoundError.
        """
        return self._output(columns, self._aggregates(columns))

    def keepRows(self) -> Output:
        """Keep the messages themselves: each pane carries those that are new in its window.

        ``retain`` must be stated. A message comes out once, with the first window that takes it.
        What is kept can be asked for while the query runs, see ``state``. Panes have keys,
        ``window``, ``messages`` and ``pane``.

        Errors: SpecError with every problem of the description; JarNotFoundError.
        """
        return self._output((), [], keepsMessages=True)

    def _output(
        self, columns: Sequence[Column], found: list[SpecProblem], *, keepsMessages: bool = False
    ) -> Output:
        """Give the output, or every problem at once: of the arguments, of columns, of the spec."""
        stream, subject = self._stream, repr(self._kind)
        found = [*self._unstated(), *found, *missing(stream._df, stream._named())]
        try:
            spec = self._spec(keepsMessages=keepsMessages)
        except SpecError as refused:
            raise SpecError.of(subject, [*refused.problems, *found]) from None
        _jar.check(stream._df.sparkSession)
        about = stream._about()
        found = [*_sql.problems(stream._df, {**spec._fields(), "stream": about}), *found]
        if found:
            found += _sql.problems_of_columns(stream._df, stream._key, columns)
            raise SpecError.of(subject, found)
        return Output(
            spec,
            _aggregated=_sql.aggregation(stream._df, stream._key, columns, self._markers()),
            _stream=about,
            _hasOffsets=stream._rowId is not None,
        )

    def plot(self, messages: Messages | None = None) -> Picture:
        """Draw the windows of a few messages, and how long each takes late ones.

        ``messages`` as ``WindowKind.plot`` takes them: times, or positions; or by their stream.
        """
        return self._kind._plot(messages, self._stream._lateness)

    def _repr_html_(self) -> str:
        rows = [*self._stream._said(), ("windows", self._kind.describe())]
        return _html.card("", rows, self.plot())

    def __repr__(self) -> str:
        """Show stream and windows."""
        return f"{self._stream!r}.window({self._kind!r})"

    def _aggregates(self, columns: Sequence[Column]) -> list[SpecProblem]:
        """What is wrong with them."""
        if self._stream._index:
            return [problem("STORE_WITHOUT_MESSAGES")]
        if not columns:
            return [problem("AGGREGATE_NOT_STATED.QUERY")]
        strange = [value for value in columns if not is_column(value)]
        return [problem("AGGREGATE_NOT_COLUMN", value=repr(value)) for value in strange]

    def _unstated(self) -> list[SpecProblem]:
        """What the windows need of messages, and nobody has said."""
        found: list[SpecProblem] = []
        if isinstance(self._kind, Session) and self._kind.gap is None:
            found.append(problem("GAP_NOT_STATED.QUERY"))
        if self._stream._time is None and self._needs_time():
            found.append(problem("TIME_NOT_STATED.COLUMN"))
        return found

    def _spec(self, *, keepsMessages: bool) -> WindowOperatorSpec:
        return WindowOperatorSpec(
            window=self._kind,
            lateness=self._stream._lateness,
            early=self._early,
            onTime=self._onTime,
            late=self._late,
            accumulation=self._mode,
            skipUnchanged=self._skipUnchanged,
            closeOn=self._closeOn,
            fillGaps=self._fillGaps,
            retention=self._stream._retention,
            maxFuture=self._stream._maxFuture,
            keepsMessages=keepsMessages,
        )

    def _needs_time(self) -> bool:
        """Say whether ``time`` must be stated.

        Panes have one themselves; windows on positions and the one of everything need it for limits
        of time only.
        """
        if isinstance(self._kind, Policy | Inherit) or self._stream._shows_panes():
            return False
        limited = self._stream._retention.time is not None or self._stream._maxFuture is not None
        return limited or not (self._kind._on_positions or isinstance(self._kind, Global))

    def _markers(self) -> dict[str, str | Column]:
        """Expressions of a message that the JVM takes out of the aggregation."""
        markers: dict[str, str | Column] = {}
        if self._stream._time is not None:
            markers["time"] = self._stream._time
        if isinstance(self._kind, Session) and is_column(self._kind.gap):
            markers["gap"] = self._kind.gap
        identity = self._stream._rowId
        if identity is not None:
            markers["source"] = identity.source
            markers["partition"] = identity.partition
            markers["offset"] = identity.offset
        return markers


def stream(
    df: DataFrame,
    *,
    time: str | Column | None = None,
    key: str | Column | Sequence[str | Column] = (),
    rowId: RowId | None = None,
    watermark: Duration | ProcessingTimeWatermark | None = None,
    maxFuture: Duration | None = None,
    name: str = "messages",
    invalid: Invalid = "reject",
) -> Stream:
    """Describe a DataFrame, streaming or batch, classic or Connect, as messages.

    time: event time, a column name or Column of type timestamp; windows on positions, by
    policies and ``Global`` go without, and then without a watermark; panes of windows of time
    have the last instant in their window. key: what messages are grouped by; nulls are a key.
    rowId: the columns that identify a row, so that Windrow drops duplicates. watermark: how far
    the watermark stays behind the greatest event time, or behind the clock
    (``ProcessingTimeWatermark``); leave it out if the DataFrame has one. maxFuture: messages
    further ahead of processing time are rejected and do not move the watermark. name: in
    messages, metrics and rejected rows. invalid: what becomes of messages whose event time is
    missing, cannot be used or is beyond ``maxFuture``: ``"reject"`` hands them back, ``"fail"``
    ends the query at the first one with ``[MESSAGE_INVALID]``, which says where it stands in
    the input.

    Errors: SpecError with every problem of these values. Columns are looked up with the windows,
    by ``aggregate`` and ``keepRows``, and told together with what is wrong there.
    """
    if not is_data_frame(df):
        msg = f"stream(df): df must be a DataFrame, not {type(df).__name__}."
        raise TypeError(msg)
    behind = watermark if isinstance(watermark, ProcessingTimeWatermark) else None
    event = None if isinstance(watermark, ProcessingTimeWatermark) else watermark
    spans, wrong = _spans(watermark=event, maxFuture=maxFuture)
    if invalid not in get_args(Invalid):
        allowed = ", ".join(get_args(Invalid))
        unknown = problem("VALUE_UNKNOWN", name="invalid", value=invalid, allowed=allowed)
        wrong["invalid"] = unknown
    if wrong:
        given = {"watermark": watermark, "maxFuture": maxFuture, "invalid": invalid}
        call = ", ".join(f"{name}={given[name]!r}" for name in wrong)
        raise SpecError.of(f"stream({call})", list(wrong.values()))
    mark = behind or spans["watermark"]
    return Stream(df, time, as_tuple(key), rowId, mark, spans["maxFuture"], name, _invalid=invalid)


def _spans(**given: Duration | None) -> tuple[dict[str, str | None], dict[str, SpecProblem]]:
    """Canonical durations, and what is wrong with the others, by name."""
    read = {name: None if d is None else _duration.read(d) for name, d in given.items()}
    wrong = {n: span for n, span in read.items() if isinstance(span, SpecProblem)}
    spans = {n: _duration.show(span) if isinstance(span, int) else None for n, span in read.items()}
    return spans, wrong
