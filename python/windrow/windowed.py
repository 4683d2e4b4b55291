"""Windows over a stream, and what becomes of their rows: ``.aggregate(...)``, ``.keepRows()``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from windrow._bridge import _jar, _sql
from windrow._markup import _html
from windrow._markup._svg import Picture
from windrow._specs._columns import is_column, missing
from windrow._specs._duration import Duration
from windrow._specs._gapvalues import GapFill, GapValues, silence
from windrow.errors import SpecError, SpecProblem, problem
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
from windrow.windows._named import NamedWindows

if TYPE_CHECKING:
    from pyspark.sql import Column

    from windrow.streams import Stream


@dataclass(frozen=True, eq=False, repr=False)
class Windowed:
    """A stream whose rows are grouped into windows.

    ``Stream.window`` and ``Stream.windows`` create it. ``aggregate`` and ``keepRows`` return the
    output; all other methods return a changed copy.

    Example:
        ::

            minutes = (
                wr.stream(orders, time="time", key="product", watermark="10 seconds")
                .lateness("10 minutes")
                .window(wr.Tumbling("1 minute"))
                .accumulationMode(wr.ACCUMULATING)
                .aggregate(F.avg("price").alias("price"))
            )

    """

    _stream: Stream
    _kind: WindowKind
    _closeOn: CloseOn = "watermark"
    _fillGaps: bool | Duration = False
    _early: PaneTrigger = USUAL
    _onTime: bool = True
    _late: PaneTrigger = USUAL
    _skipUnchanged: bool = False
    _mode: AccumulationMode | None = None
    _gapValues: GapValues | None = None

    def lateness(self, allowed: Duration | int | None) -> Windowed:
        """Set how long a window accepts late rows after its end.

        This is the same setting as ``Stream.lateness``.

        Args:
            allowed: Event time after the end of the window, for example ``"10 minutes"``; an
                integer counts offsets, for windows of ``OffsetRange``; None for no limit.

        Returns:
            A copy with this lateness.

        Raises:
            SpecError: ``allowed`` is not a duration (``DURATION_NOT_UNDERSTOOD``,
                ``DURATION_WITHOUT_UNIT``, ``DURATION_TOO_LONG``).

        """
        return replace(self, _stream=self._stream.lateness(allowed))

    def retain(
        self,
        *,
        time: Duration | None = None,
        messages: int | None = None,
        windows: int | None = None,
    ) -> Windowed:
        """Set how much of the past stays in the state.

        This is the same setting as ``Stream.retain``.

        Args:
            time: Event time before the watermark, for example ``"2 hours"``. None sets no limit.
            messages: The number of newest rows of each key. None sets no limit.
            windows: The number of newest windows of each key. None sets no limit.

        Returns:
            A copy with these limits.

        Raises:
            SpecError: A value is not a duration (``DURATION_NOT_UNDERSTOOD``) or not an integer
                (``COUNT_NOT_UNDERSTOOD``).

        """
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
        """Set when a window emits panes.

        Without a trigger a window emits one pane when it completes, and one at the end of each
        micro-batch that corrects it. A trigger can also be a string, as in SQL: a period such as
        ``"10 seconds"``, ``"1000 messages"``, ``"each_message"``, ``"each_batch"``, or ``"never"``.

        Args:
            early: When an incomplete window emits. None stands for the default: ``Never()``, with
                ``keepRows`` ``EachMessage()``.
            onTime: Whether a window emits when it completes. The default is True.
            late: When a complete window emits while it accepts late rows. None stands for the
                default: ``EachBatch()``, with ``keepRows`` ``EachMessage()``.
            skipUnchanged: Whether to leave out a pane whose value equals the last one of the
                window. The default is False.

        Returns:
            A copy with this trigger.

        Raises:
            SpecError: A string is not a trigger (``TRIGGER_UNKNOWN``).
            TypeError: A value is neither a trigger nor a duration.

        Example:
            ::

                minutes.trigger(early=wr.Every("10 seconds"), late=wr.EachBatch())
                minutes.trigger(early="10 seconds", late="each_batch")  # the same

        """
        first, last = firings("trigger", early=early, late=late)
        return replace(self, _early=first, _onTime=onTime, _late=last, _skipUnchanged=skipUnchanged)

    def accumulationMode(self, mode: Accumulation) -> Windowed:
        """Set the contents of a pane whose window was emitted before.

        You must set the mode if a window can be emitted twice, because the consumer of the panes
        has to know whether to replace the earlier value, add to it, or undo it.

        Args:
            mode: ``ACCUMULATING``, ``DISCARDING``, or ``ACCUMULATING_AND_RETRACTING``. The name in
                lower case, as in SQL, is accepted too, for example ``"accumulating"``.

        Returns:
            A copy with this mode.

        Raises:
            SpecError: The string is not a mode (``VALUE_UNKNOWN``).
            TypeError: The value is neither a mode nor a string.

        Example:
            The prices of one minute are 2.0 and 4.0, and then a late 9.0. The sum is emitted as::

                mode                         first pane  correction
                ACCUMULATING                 6.0         15.0
                DISCARDING                   6.0         9.0
                ACCUMULATING_AND_RETRACTING  6.0         a retraction of 6.0, then 15.0

        """
        return replace(self, _mode=accumulation(mode))

    def fillGaps(
        self, values: GapFill | Mapping[str, GapFill], *, atMost: Duration | None = None
    ) -> Windowed:
        """Set the values of windows without rows, and emit these windows.

        By default a window without rows has the aggregates of no rows, and it is emitted only with
        ``fillGaps`` of ``Stream.window``. The field ``pane.is_gap`` of each pane is true if its
        window has no rows.

        Args:
            values: ``"previous"`` carries the value of the key's last window with rows,
                ``"linear"`` interpolates between the last and the next one, and a number or a
                boolean is a constant. A mapping sets one of these for each result column by name;
                other columns keep the aggregates of no rows.
            atMost: How long after the end of a window with rows its values are carried, in event
                time, for example ``"1 hour"``. Required for ``"previous"`` and ``"linear"``. It is
                also how long windows without rows are emitted if ``fillGaps`` of
                ``Stream.window`` is not set.

        Returns:
            A copy with these values.

        Raises:
            SpecError: ``atMost`` is not a duration (``DURATION_NOT_UNDERSTOOD``), or the values do
                not fit the windows (``GAP_VALUES``; ``aggregate`` raises it) or columns (``panes``
                raises it).

        Example:
            ::

                minutes.fillGaps({"celsius": "previous"}, atMost="10 minutes")

            A sensor reports 20.5 at 09:00 and then nothing until 09:03::

                window          readings  celsius  is_gap
                09:00 to 09:01  1         20.5     false
                09:01 to 09:02  0         20.5     true
                09:02 to 09:03  0         20.5     true

        """
        return replace(self, _gapValues=GapValues.of(values, atMost))

    def aggregate(self, *columns: Column) -> Output:
        """Aggregate each window of each key with Spark's own aggregate functions.

        Args:
            columns: One or more aggregates, for example ``F.sum("price").alias("total")``.

        Returns:
            The output. Its ``panes`` have the key columns, ``window``, a column for each aggregate,
            and ``pane``.

        Raises:
            SpecError: The description cannot run. The error lists every problem, for example
                ``LATENESS_NOT_STATED``, ``ACCUMULATION_NOT_STATED``, or ``COLUMN_NOT_FOUND``.
            JarNotFoundError: The session does not have Windrow's JAR (``JAR_NOT_LOADED``), or it
                has the JAR of another version (``JAR_VERSION``).

        Example:
            ::

                minutes = (
                    wr.stream(orders, time="time", key="product", watermark="10 seconds")
                    .lateness("10 minutes")
                    .window(wr.Tumbling("1 minute"))
                    .accumulationMode(wr.ACCUMULATING)
                    .aggregate(F.avg("price").alias("price"))
                )

            A late order of 09:00:50 corrects the first minute::

                batch  product  window          price  timing   index
                3      tea      09:00 to 09:01  3.0    ON_TIME  0
                4      tea      09:01 to 09:02  6.0    ON_TIME  0
                4      tea      09:00 to 09:01  5.0    LATE     1

        """
        return self._output(columns, self._aggregates(columns))

    def keepRows(self) -> Output:
        """Keep the rows themselves instead of an aggregate.

        Each pane contains the rows that are new in its window. A row is emitted once, with the
        first window that accepts it. While the query runs you can query the stored rows with
        ``wr.state`` and ``Output.getMessages``. You must set ``retain``, because it limits the
        stored rows.

        Returns:
            The output. Its ``panes`` have the key columns, ``window``, ``messages`` (an array of
            rows), and ``pane``.

        Raises:
            SpecError: The description cannot run. The error lists every problem, for example
                ``RETENTION_NOT_STATED``.
            JarNotFoundError: The session does not have Windrow's JAR (``JAR_NOT_LOADED``), or it
                has the JAR of another version (``JAR_VERSION``).

        Example:
            ::

                orders = (
                    wr.stream(df, time="time", key="id", watermark="1 minute")
                    .lateness("5 minutes")
                    .retain(time="2 hours")
                    .window(wr.Tumbling("1 minute"))
                    .keepRows()
                )

        """
        return self._output((), [], keepsMessages=True)

    def _output(
        self, columns: Sequence[Column], found: list[SpecProblem], *, keepsMessages: bool = False
    ) -> Output:
        """Return the output, or raise all problems of arguments, columns, and spec in one error."""
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
        """Draw the windows of a few rows, and how long each window accepts late rows.

        Windows without rows, which ``fillGaps`` emits, are dashed.

        Args:
            messages: Event times, or positions for windows on positions, as in ``WindowKind.plot``;
                for a co-group a mapping from the name of a stream to its times. None draws sample
                rows.

        Returns:
            The picture as SVG. A notebook displays it.

        Raises:
            TypeError: A value is not of the kind that the windows need.

        """
        gaps = silence(self._gapValues, fill_gaps=self._fillGaps)
        return self._kind._plot(messages, self._stream._lateness, gaps)

    def _repr_html_(self) -> str:
        rows = [*self._stream._settings(), ("windows", self._kind.describe())]
        return _html.card("", rows, self.plot())

    def __repr__(self) -> str:
        """Show the stream and the windows."""
        kind = repr(self._kind)
        windows = kind if isinstance(self._kind, NamedWindows) else f"window({kind})"
        return f"{self._stream!r}.{windows}"

    def _aggregates(self, columns: Sequence[Column]) -> list[SpecProblem]:
        """Return the problems of the aggregates."""
        if self._stream._index:
            return [problem("STORE_WITHOUT_MESSAGES")]
        if not columns:
            return [problem("AGGREGATE_NOT_STATED.QUERY")]
        strange = [value for value in columns if not is_column(value)]
        return [problem("AGGREGATE_NOT_COLUMN", value=repr(value)) for value in strange]

    def _unstated(self) -> list[SpecProblem]:
        """Return a problem for each setting that the windows need and that is missing."""
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
            gapValues=self._gapValues,
            keepsMessages=keepsMessages,
        )

    def _needs_time(self) -> bool:
        """Return whether ``time`` must be set.

        Panes have a time of their own. Windows on positions and ``Global`` need it only if a limit
        of time is set.
        """
        if isinstance(self._kind, Policy | Inherit) or self._stream._shows_panes():
            return False
        limited = self._stream._retention.time is not None or self._stream._maxFuture is not None
        return limited or not (self._kind._on_positions or isinstance(self._kind, Global))

    def _markers(self) -> dict[str, str | Column]:
        """Return the expressions of a row that the JVM takes out of the aggregation."""
        markers = self._stream._markers()
        if isinstance(self._kind, Session) and is_column(self._kind.gap):
            markers["gap"] = self._kind.gap
        return markers
