"""Combine several streams in one query: ``join``, ``asofJoin``, and ``cogroup``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from windrow import errors
from windrow._bridge import _jar, _sql
from windrow._bridge._pairs import joined, read, shown
from windrow._specs._clock import ProcessingTimeWatermark
from windrow._specs._columns import column, missing
from windrow._specs._duration import UNSTATED, Duration, Unstated
from windrow._specs._retention import NOT_STATED, Retention
from windrow._specs._rowid import RowId
from windrow.errors import SpecError, SpecProblem, problem
from windrow.joined import Given, JoinOutput, fields
from windrow.operators import JoinSpec, JoinStream
from windrow.operators._input import Names, as_names
from windrow.operators._join import AsOf, Bounds, Direction, Expect, JoinName, Range
from windrow.streams import Invalid, Stream
from windrow.triggers import EACH_BATCH, EACH_MESSAGE, USUAL, Firing, PaneTrigger, firings
from windrow.windowed import Windowed
from windrow.windows import WindowKind

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from windrow._bridge._pairs import Condition

T = TypeVar("T")


def join(
    *streams: Stream | Windowed,
    on: Names = (),
    within: Range | WindowKind | Mapping[str, Range] | None = None,
    how: JoinName = "inner",
    bounds: Bounds = "[]",
    early: Firing | None = None,
    expect: Expect = "large",
    condition: Condition | None = None,
) -> JoinOutput:
    """Join two or more streams, all streaming or all batch.

    Use a join if a result needs matching rows of several streams, for example orders and their
    shipments. Each stream has its own watermark, and the least of them counts. The streams must
    have different names (``stream(name=...)``), because the names become the columns of the result.
    ``stream(key=...)`` is not used here. Lateness, retention, ``maxFuture``, and ``invalid`` are
    set on the streams and must be the same for all of them.

    Args:
        streams: The streams, in order. A windowed stream declares the windows of that side.
        on: The columns that all streams have and that must be equal. Null is not equal to anything.
        within: Which event times match. A range ``(low, high)``: the event time of a row, less that
            of the row of the first stream, is in this range; a mapping sets a range for each stream
            by name. A kind of windows: both rows must be in one window. ``Global()``: every pair
            matches that retention still holds. None: the streams bring windows of their own
            (``Stream.window``).
        how: ``"inner"`` (the default), ``"left"``, ``"right"``, ``"full"``, ``"semi"``, or
            ``"anti"``; Spark's other names such as ``"left_outer"`` are accepted too. With more
            than two streams it is the kind of each join: ``(a LEFT JOIN b) LEFT JOIN c``.
        bounds: Whether the range includes its ends: ``"[]"`` (the default), ``"[)"``, ``"(]"``, or
            ``"()"``.
        early: When rows are emitted: with each message (the default), or ``Every(period)``.
        expect: How many rows of other keys are in a range: ``"large"`` (the default) stores the
            rows of each key separately, ``"small"`` stores the rows of all keys together.
        condition: A further condition on the rows of a pair, as SQL or as a Column, for example
            ``"s.amount >= o.amount"``. Rows that do not fulfill it, or for which it is null, do not
            match. A mapping sets the condition of each stream that is joined; an outer join of more
            than two streams requires it.

    Returns:
        The output. Its ``rows`` have the equal columns once, and a struct for each stream.

    Raises:
        SpecError: The description cannot run. The error lists every problem, for example
            ``STREAM_TWICE``, ``RANGE_NOT_UNDERSTOOD``, ``OPTION_DIFFERS``,
            ``CONDITION_NOT_SUPPORTED``, or ``OUTER_JOIN_OF_MANY``.
        UnboundedJoinError: The rows of a stream would be stored forever (``UNBOUNDED_JOIN``).
        JarNotFoundError: The session does not have Windrow's JAR (``JAR_NOT_LOADED``), or it has
            the JAR of another version (``JAR_VERSION``).
        TypeError: An argument is not a stream.

    Example:
        ::

            o = wr.stream(orders, time="time", watermark="0 seconds", name="o").lateness("0 s")
            s = wr.stream(ships, time="time", watermark="0 seconds", name="s").lateness("0 s")
            pairs = wr.join(o, s, on="id", within=("0 minutes", "5 minutes"), how="left")

        Order 1 was shipped after three minutes, and order 2 was not shipped::

            id  o         s
            1   09:00:00  09:03:00
            2   09:00:00  null

    """
    for one in streams:
        errors.expect("join(*streams)", one, Stream, Windowed)
    firing = EACH_MESSAGE if early is None else firings("join", early=early)[0]
    return _output(
        streams,
        as_names(on),
        within,
        how,
        firing,
        bounds=bounds,
        expect=expect,
        condition=condition,
    )


def asofJoin(
    left: Stream,
    right: Stream,
    *,
    on: Names = (),
    tolerance: Duration | None = None,
    direction: Direction = "backward",
    how: JoinName = "left",
    early: Firing | None = None,
) -> JoinOutput:
    """Join each row of a stream with the row of another stream that is nearest in event time.

    Use an as-of join if the times of the two streams differ, for example for the last quote before
    each trade. A row is emitted in its micro-batch. If a nearer row arrives later, the row is
    retracted and emitted again. Lateness, ``maxFuture``, and ``invalid`` are set on the streams
    and must be the same for both; their names become the columns of the result.

    Args:
        left: The stream whose rows are joined.
        right: The stream in which the nearest row is searched for.
        on: The columns that both streams have and that must be equal. Null is not equal to
            anything.
        tolerance: How far apart the event times of the two rows can be, for example
            ``"5 seconds"``. Only ``"backward"`` can omit it: None then sets no limit.
        direction: Where the row of the right stream is: ``"backward"`` (the default) at or before
            the row of the left stream, ``"forward"`` at or after it, ``"nearest"`` on either side.
        how: ``"left"`` (the default) also returns rows without a partner, ``"inner"`` does not.
        early: ``EachBatch()`` (the default) emits a row in its micro-batch and corrects it.
            ``Never()`` emits each row once, when no nearer row can be accepted, and never corrects
            it.

    Returns:
        The output. Its ``rows`` have the equal columns once, a struct for each stream, and
        ``pane.is_retraction``, which is true for a row that withdraws an equal one.

    Raises:
        SpecError: The description cannot run. The error lists every problem, for example
            ``TOLERANCE_NOT_STATED``, ``STREAM_TWICE``, or ``OPTION_DIFFERS``.
        JarNotFoundError: The session does not have Windrow's JAR (``JAR_NOT_LOADED``), or it has
            the JAR of another version (``JAR_VERSION``).
        TypeError: An argument is not a stream.

    Example:
        ::

            t = wr.stream(trades, time="time", watermark="2 seconds", name="t").lateness("1 minute")
            q = wr.stream(quotes, time="time", watermark="2 seconds", name="q").lateness("1 minute")
            priced = wr.asofJoin(t, q, on="symbol", tolerance="5 seconds")

        The quote of 09:00:03 arrives after the trade of 09:00:04 was emitted::

            batch  symbol  t         q         pane.is_retraction
            1      W       09:00:04  09:00:01  false
            2      W       09:00:04  09:00:01  true
            2      W       09:00:04  09:00:03  false

    """
    for one in (left, right):
        errors.expect("asofJoin(left, right)", one, Stream)
    firing = EACH_BATCH if early is None else firings("asofJoin", early=early)[0]
    within = AsOf(direction=direction, tolerance=tolerance)
    return _output((left, right), as_names(on), within, how, firing)


def _output(
    streams: tuple[Stream | Windowed, ...],
    names: tuple[str, ...],
    within: Range | WindowKind | AsOf | Mapping[str, Range] | None,
    how: JoinName,
    early: PaneTrigger,
    *,
    bounds: Bounds = "[]",
    expect: Expect = "large",
    condition: Condition | None = None,
) -> JoinOutput:
    """Check the description of a join, and create its output."""
    plain = tuple(one._stream if isinstance(one, Windowed) else one for one in streams)
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
            early=early,
            expect=expect,
            lateness=common.lateness,  # type: ignore[arg-type]  # a number is refused
            retention=common.retention,
            maxFuture=common.maxFuture,
        )
    except SpecError as refused:
        raise SpecError.of("a join", [*refused.problems, *found]) from None
    conditions, of_conditions = read(condition, spec)
    found += of_conditions
    given = Given(
        {one._name: {} if common.clock else one._clock() for one in plain},
        common.clock,
        common.invalid,
        shown(conditions),
    )
    if plain:
        _jar.check(plain[0]._df.sparkSession)
        found = [*_sql.problems(plain[0]._df, fields(spec, given)), *found]
    if found:
        raise SpecError.of("a join", found)
    tables = [_table(one, names) for one in plain]
    return JoinOutput(spec, _tables=joined(tables, spec, conditions), _given=given)


def cogroup(*streams: Stream) -> Stream:
    """Combine several streams into one, so that their rows share windows.

    Use a co-group if a window should contain the rows of all streams, without pairing them. Each
    stream has its own watermark, and the least of them counts. For windows that do not need an
    event time, all streams may omit it.

    Args:
        streams: Two or more streams with different names and with keys of the same number and
            types. Their lateness, retention, and ``invalid`` must be the same. ``rowId`` is
            optional; the name of the stream is a part of its source.

    Returns:
        A stream whose rows have a struct for each stream by its name, of which one is not null:
        ``F.count("a.id")`` counts the rows of stream a. The key columns have the names of the first
        stream.

    Raises:
        SpecError: The streams do not fit together. The error lists every problem, for example
            ``STREAMS_TOO_FEW``, ``KEYS_DIFFER``, ``OPTION_DIFFERS``, or ``STREAM_TWICE``.
        JarNotFoundError: The session does not have Windrow's JAR (``JAR_NOT_LOADED``), or it has
            the JAR of another version (``JAR_VERSION``).
        TypeError: An argument is not a stream.

    Example:
        ::

            ads = wr.stream(ads, time="time", key="user", watermark="1 minute", name="ads")
            buys = wr.stream(buys, time="time", key="user", watermark="1 minute", name="buys")
            both = wr.cogroup(ads, buys).lateness("0 seconds").window(wr.Session("30 minutes"))
            both.aggregate(F.count("ads.id"), F.count("buys.id"))

    """
    for one in streams:
        errors.expect("cogroup(*streams)", one, Stream)
    found: list[SpecProblem] = []
    common = _Common.of(streams, found)
    if common.maxFuture is not None:
        found.append(problem("VALUE_NOT_SUPPORTED.MAX_FUTURE"))
    counts = list(dict.fromkeys(len(one._key) for one in streams))
    if len(streams) < 2:  # noqa: PLR2004  a co-group needs two
        found.append(problem("STREAMS_TOO_FEW.COGROUP", count=len(streams)))
    if len(counts) > 1:
        found.append(problem("KEYS_DIFFER", counts=" and ".join(map(str, counts))))
    found += _columns(streams, (), isTimed=any(one._time is not None for one in streams))
    if found:
        raise SpecError.of("a co-group", found)
    first = streams[0]
    _jar.check(first._df.sparkSession)
    tables = [_table(one, one._key) for one in streams]
    names = [{"name": one._name, **({} if common.clock else one._clock())} for one in streams]
    df = _sql.cogrouped(tables, {"streams": names, "keys": len(first._key)})
    shown = first._df.select(*(column(first._df, key) for key in first._key)).columns
    keys = (column(df, f"__windrow_of_key{i}").alias(name) for i, name in enumerate(shown))
    return replace(
        first,
        _df=df,
        _time=None if first._time is None else "__windrow_of_time",
        _key=tuple(keys),
        _rowId=_OF_COGROUP if any(one._rowId is not None for one in streams) else None,
        _watermark=common.clock,
        _name="_".join(one._name for one in streams),
        _lateness=common.lateness,
        _retention=common.retention,
        _invalid=common.invalid,
    )


_OF_COGROUP = RowId(
    source="__windrow_of_source", partition="__windrow_of_partition", offset="__windrow_of_offset"
)


@dataclass(frozen=True)
class _Common:
    """The settings that all streams of a join or co-group must share."""

    lateness: Duration | int | Unstated | None
    retention: Retention
    maxFuture: str | None
    invalid: Invalid
    clock: ProcessingTimeWatermark | None

    @classmethod
    def of(cls, streams: tuple[Stream, ...], found: list[SpecProblem]) -> _Common:
        """Read the settings from the streams, and add contradictions to ``found``."""
        lateness = {one._name: one._lateness for one in streams if one._lateness is not UNSTATED}
        future = {one._name: one._maxFuture for one in streams if one._maxFuture is not None}
        kept = {one._name: one._retention for one in streams}
        marks = {one._name: one._watermark for one in streams}
        clocked = any(isinstance(mark, ProcessingTimeWatermark) for mark in marks.values())
        clock = _alike("watermark", marks, None, found) if clocked else None
        return cls(
            _alike("lateness", lateness, UNSTATED, found),
            _alike("retention", kept, NOT_STATED, found),
            _alike("maxFuture", future, None, found),
            _alike("invalid", {one._name: one._invalid for one in streams}, "reject", found),
            clock if isinstance(clock, ProcessingTimeWatermark) else None,
        )


def _alike(what: str, given: Mapping[str, T], otherwise: T, found: list[SpecProblem]) -> T:
    values = list(given.values())
    if any(value != values[0] for value in values[1:]):
        each = ", ".join(f"{value!r} of '{name}'" for name, value in given.items())
        found.append(problem("OPTION_DIFFERS", name=what, values=each))
    return values[0] if values else otherwise


def _window(side: Stream | Windowed) -> WindowKind | None:
    return side._kind if isinstance(side, Windowed) else None


def _windows(sides: tuple[Stream | Windowed, ...]) -> list[SpecProblem]:
    """Return a problem for each trigger of a side, because its windows do not emit panes."""
    given = [
        (side, name)
        for side in sides
        if isinstance(side, Windowed)
        for name, is_set in {
            "trigger(...)": (side._early, side._onTime, side._late) != (USUAL, True, USUAL)
            or side._skipUnchanged,
            "accumulationMode(...)": side._mode is not None,
            "closeOn=...": side._closeOn != "watermark",
            "fillGaps=...": side._fillGaps is not False or side._gapValues is not None,
        }.items()
        if is_set
    ]
    return [
        problem("VALUE_NOT_SUPPORTED.JOIN_FIRES", stream=side._stream._name, name=name)
        for side, name in given
    ]


def _columns(
    streams: tuple[Stream, ...], on: tuple[str, ...], *, isTimed: bool = True
) -> list[SpecProblem]:
    """Return a problem for each name that is not a column, and for each missing event time."""
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


def _table(stream: Stream, keys: Sequence[str | Column]) -> DataFrame:
    """Return the columns of the rows, with marked columns for the JVM."""
    marked = stream._markers() | {f"key{i}": key for i, key in enumerate(keys)}
    return _sql.marked(stream._df, marked)
