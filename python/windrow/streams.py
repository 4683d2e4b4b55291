"""Describing a windowed aggregation: ``stream(...)``, ``.window(...)``, ``.aggregate(...)``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from windrow import _duration, _jar, _sql
from windrow._columns import as_tuple, is_column, is_data_frame, missing, shown
from windrow._duration import Duration
from windrow.errors import SpecError, SpecProblem
from windrow.operators import WindowOperatorSpec
from windrow.results import Output
from windrow.triggers import AccumulationMode, EachStep, PaneTrigger
from windrow.windows import Session, WindowKind

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


@dataclass(frozen=True, kw_only=True)
class Offset:
    """What identifies a message, so that a replay of it has no effect: names or Columns."""

    source: str | Column
    partition: str | Column
    offset: str | Column


#: The columns of Spark's Kafka source.
KAFKA = Offset(source="topic", partition="partition", offset="offset")


@dataclass(frozen=True, eq=False, repr=False)
class Stream:
    """Messages and what is known of them; every method gives a copy. Made by ``stream``."""

    _df: DataFrame
    _time: str | Column
    _key: tuple[str | Column, ...]
    _offset: Offset | None
    _watermark: str | None
    _maxFuture: str | None
    _name: str
    _lateness: str | None = None

    def lateness(self, allowed: Duration) -> Stream:
        """Say how long after its end, in event time, a window still takes messages."""
        return replace(self, _lateness=_duration.canonical(allowed, f"lateness({allowed!r})"))

    def window(self, kind: WindowKind) -> Windowed:
        """Say what the windows are."""
        _expect("window(kind)", kind, WindowKind)
        return Windowed(self, kind)

    def _named(self) -> dict[str, object]:
        """Columns by the argument that says them."""
        offset = {} if self._offset is None else vars(self._offset)
        keys = {("key" if i == 0 else f"key[{i}]"): key for i, key in enumerate(self._key)}
        return {"time": self._time, **keys, **offset}

    def __repr__(self) -> str:
        """Show name, time and key."""
        return f"stream(name={self._name!r}, time={shown([self._time])}, key=({shown(self._key)}))"


@dataclass(frozen=True, eq=False, repr=False)
class Windowed:
    """A stream cut into windows; every method but ``aggregate`` gives a copy."""

    _stream: Stream
    _kind: WindowKind
    _late: PaneTrigger = field(default_factory=EachStep)
    _mode: AccumulationMode | None = None

    def lateness(self, allowed: Duration) -> Windowed:
        """Say how long after its end, in event time, a window still takes messages."""
        return replace(self, _stream=self._stream.lateness(allowed))

    def trigger(self, *, late: PaneTrigger | None = None) -> Windowed:
        """Say when a complete window fires again. None: the default, ``EachStep()``."""
        _expect("trigger(late=...)", late, PaneTrigger, type(None))
        return replace(self, _late=late or EachStep())

    def accumulate(self, mode: AccumulationMode) -> Windowed:
        """Say what a window's later panes hold; to be stated where a window can fire twice."""
        _expect("accumulate(mode)", mode, AccumulationMode)
        return replace(self, _mode=mode)

    def aggregate(self, *columns: Column) -> Output:
        """Aggregate each window of each key with Spark's own aggregates, for example ``F.sum``.

        Errors: SpecError with every problem of the description; JarNotFoundError.
        """
        spec = self._checked(columns)
        stream = self._stream
        _jar.check(stream._df.sparkSession)
        aggregated = _sql.aggregation(stream._df, stream._key, columns, self._markers())
        watermark = None if stream._watermark is None else _duration.micros(stream._watermark)
        return Output(
            spec,
            _aggregated=aggregated,
            _stream={"name": stream._name, "watermark": watermark},
            _about=f"stream '{stream._name}', time {shown([stream._time])}"
            + (f", by {shown(stream._key)}" if stream._key else ", without a key"),
        )

    def __repr__(self) -> str:
        """Show stream and windows."""
        return f"{self._stream!r}.window({self._kind!r})"

    def _checked(self, columns: Sequence[Column]) -> WindowOperatorSpec:
        """Check all that can be checked without the JVM, all problems at once."""
        found: list[SpecProblem] = []
        if isinstance(self._kind, Session) and self._kind.gap is None:
            text = "say Session('30 minutes'), or Session(a Column) for a gap of each message."
            found.append(SpecProblem("GAP_NOT_STATED", text))
        if not columns:
            text = "say aggregate(...) with at least one of Spark's aggregates."
            found.append(SpecProblem("AGGREGATE_NOT_STATED", text))
        strange = [value for value in columns if not is_column(value)]
        if strange:
            text = f"{strange[0]!r} is no Column; say for example F.sum('price')."
            found.append(SpecProblem("AGGREGATE_NOT_COLUMN", text))
        found += missing(self._stream._df, self._stream._named())
        spec = None
        try:
            spec = WindowOperatorSpec(
                window=self._kind,
                lateness=self._stream._lateness,
                late=self._late,
                accumulation=self._mode,
                maxFuture=self._stream._maxFuture,
            )
        except SpecError as refused:
            found = [*refused.problems, *found]
        if spec is None or found:
            raise SpecError.of(repr(self._kind), found)
        return spec

    def _markers(self) -> dict[str, str | Column]:
        """Expressions of a message that the JVM takes out of the aggregation."""
        markers: dict[str, str | Column] = {"time": self._stream._time}
        if isinstance(self._kind, Session) and is_column(self._kind.gap):
            markers["gap"] = self._kind.gap
        offset = self._stream._offset
        if offset is not None:
            markers["source"] = offset.source
            markers["partition"] = offset.partition
            markers["offset"] = offset.offset
        return markers


def stream(
    df: DataFrame,
    *,
    time: str | Column,
    key: str | Column | Sequence[str | Column] = (),
    offset: Offset | None = None,
    watermark: Duration | None = None,
    maxFuture: Duration | None = None,
    name: str = "messages",
) -> Stream:
    """Describe a DataFrame, streaming or batch, classic or Connect, as messages.

    time: event time, a column name or Column of type timestamp. key: what messages are grouped
    by; nulls are a key. offset: identity of a message, so that replays have no effect.
    watermark: how far the watermark stays behind the greatest event time; leave it out if the
    DataFrame has one. maxFuture: messages further ahead of processing time are rejected and do
    not move the watermark. name: in messages, metrics and rejected rows.

    Errors: SpecError with every problem.
    """
    if not is_data_frame(df):
        msg = f"stream() takes a DataFrame, not {type(df).__name__}"
        raise TypeError(msg)
    spans = _spans(watermark=watermark, maxFuture=maxFuture)
    return Stream(df, time, as_tuple(key), offset, spans["watermark"], spans["maxFuture"], name)


def _spans(**given: Duration | None) -> dict[str, str | None]:
    """Canonical durations, all problems at once."""
    read = {name: None if d is None else _duration.read(d) for name, d in given.items()}
    wrong = {n: span for n, span in read.items() if isinstance(span, SpecProblem)}
    if wrong:
        call = ", ".join(f"{name}={given[name]!r}" for name in wrong)
        raise SpecError.of(f"stream({call})", list(wrong.values()))
    return {n: _duration.show(span) if isinstance(span, int) else None for n, span in read.items()}


def _expect(call: str, value: object, *kinds: type) -> None:
    """Refuse a value of another type before it leads to a strange error elsewhere."""
    if not isinstance(value, kinds):
        names = " or ".join(kind.__name__ for kind in kinds if kind is not type(None))
        msg = f"{call} takes {names}, not {value!r}"
        raise TypeError(msg)
