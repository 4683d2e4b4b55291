"""The output of a windowed stream: panes, rejected rows, and the running query."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from windrow._bridge import _sql
from windrow._markup import _html
from windrow._markup._svg import Picture
from windrow._running._query import PACE, start
from windrow._running._sinks import Files, Jdbc, KafkaTable, Sink, Upsert
from windrow._specs import _duration, _json
from windrow._specs._frames import HasFrames
from windrow._specs._gapvalues import silence
from windrow.answers import Answers, Keeper, ask
from windrow.operators import WindowOperatorSpec
from windrow.policies import KeyLimits, Policy
from windrow.triggers import DISCARDING
from windrow.windows import Over
from windrow.windows._kind import Messages

if TYPE_CHECKING:
    from os import PathLike

    from pyspark.sql import Column, DataFrame
    from pyspark.sql.streaming.query import StreamingQuery

__all__ = ["Files", "Jdbc", "KafkaTable", "Output", "Upsert"]


@dataclass(frozen=True, eq=False, repr=False)
class Output(HasFrames):
    """The results of a windowed stream, as DataFrames.

    ``Windowed.aggregate`` and ``Windowed.keepRows`` create it. The DataFrames only append rows: a
    correction is a new pane. Each DataFrame that you write separately is a query with its own
    state, so use ``start`` to write panes and rejected rows from one query.

    Attributes:
        spec: The description of the operator.

    Example:
        ::

            query = minutes.start(
                panes="minutes", rejected="rejected", checkpoint="checkpoint", availableNow=True
            )
            query.awaitTermination()

    """

    spec: WindowOperatorSpec
    _aggregated: DataFrame = field(kw_only=True)
    _stream: Mapping[str, object] = field(kw_only=True)
    _hasOffsets: bool = field(kw_only=True)
    _frames = ("panes", "rejected")

    @cached_property
    def panes(self) -> DataFrame:
        """Return the panes, one row for each emitted result of a window.

        Returns:
            A DataFrame with the key columns, ``window``, the aggregates or ``messages``, and
            ``pane``, a struct of ``timing`` (``EARLY``, ``ON_TIME``, or ``LATE``), ``index``,
            ``is_last``, and ``is_retraction``.

        Example:
            The panes of the average price of a minute, with a late order in micro-batch 4::

                batch  product  window          price  timing   index
                3      tea      09:00 to 09:01  3.0    ON_TIME  0
                4      tea      09:01 to 09:02  6.0    ON_TIME  0
                4      tea      09:00 to 09:01  5.0    LATE     1

        """
        return self._part("panes")

    @cached_property
    def rejected(self) -> DataFrame:
        """Return the rejected rows, unchanged and with the reason.

        If the input contains panes of other operators, their rejected rows are included.
        ``message`` is null for such a row, and the column with the name of its ``stream`` contains
        the row.

        Returns:
            A DataFrame with ``stream``, ``reason`` (``INVALID_TIME``, ``TOO_FAR_AHEAD``,
            ``TOO_LATE``, or ``OUT_OF_RETENTION``), ``watermark``, ``processing_time``, and
            ``message``, a struct of the columns of the input. ``watermark`` is the one by which the
            row was judged: that of the micro-batch before.

        Example:
            An order that is two hours late::

                batch  stream    reason    watermark  time      product  price
                4      messages  TOO_LATE  09:01:20   07:00:00  tea      1.0

        """
        return self._part("rejected")

    @cached_property
    def events(self) -> DataFrame:
        """Return the events of windows by policies.

        Returns:
            A DataFrame with the key columns, ``window``, ``event``, ``sequence``, and ``messages``.
            ``event`` is ``INSERTION``, ``EVICTION``, ``TRIGGER``, ``INITIAL_FULL``, ``FINAL``, or
            ``PARTITION_EVICTION``. ``window`` is the number of the next pane of the window.
            ``sequence`` counts the events of a key from 0, and starts at 0 again in the micro-batch
            after the partition of the key was removed. ``messages`` are the rows that were
            inserted, the rows that were evicted, or all rows in the window.

        """
        return self._part("events")

    @cached_property
    def output(self) -> DataFrame:
        """Return panes, rejected rows, and events in one DataFrame.

        Returns:
            A DataFrame with ``kind`` (``'panes'``, ``'rejected'``, or ``'events'``) and a struct
            for each kind, of which one is not null.

        """
        return self._part("all")

    def getMessages(
        self,
        lookups: DataFrame,
        start: str | Column | None = None,
        end: str | Column | None = None,
        *,
        by: Mapping[str, str | Column] | None = None,
        key: Mapping[str, str | Column] | None = None,
    ) -> Answers:
        """Add to each row of a lookup stream the rows that its key has stored.

        The lookup runs inside the query that stores the rows, so it needs no second copy of the
        data. Each lookup row is answered once, in its own micro-batch, from the state at the end of
        that micro-batch: its rows are included, and the rows that its watermark removes are not. If
        a lookup row should wait for rows that have not arrived yet, use a join. The output must be
        one of ``keepRows()``.

        Args:
            lookups: The lookup stream.
            start: The first event time, a timestamp column of ``lookups``, or the first offset, an
                integer. The range includes both ends. None and null leave the end open.
            end: The last event time or offset, in the same way.
            by: For each column of ``index(by=...)`` the value that it must have; without an index,
                for each key column. None selects by ``key``.
            key: For each key column the value that it must have. Key columns that are left out are
                taken from the columns of ``lookups`` with the same name.

        Returns:
            The answers. ``answers`` has the columns of ``lookups`` and ``messages``, an array of
            rows.

        Raises:
            SpecError: A column does not exist (``COLUMN_NOT_FOUND``, ``NOT_A_COLUMN``) or has
                another type (``KEY_TYPES_DIFFER``), an input is not a stream (``NOT_STREAMING``),
                or another value is wrong. The error lists every problem.
            OperatorError: The query does not store rows (``NO_MESSAGE_STORE``).
            TypeError: ``lookups`` is not a DataFrame.

        Example:
            ::

                calls = calls.withColumn("since", F.expr("time - INTERVAL 1 HOUR"))
                asked = orders.getMessages(calls, "since", "time", key={"id": "customer"})
                asked.answers  # the columns of the calls, and messages

        """
        keys = {"by": by, "key": key}
        return ask(self._keeper(), "messages", lookups, start=start, end=end, **keys)

    def getWindows(
        self,
        lookups: DataFrame,
        start: str | Column | None = None,
        end: str | Column | None = None,
        *,
        key: Mapping[str, str | Column] | None = None,
    ) -> Answers:
        """Add to each row of a lookup stream the windows of its key that overlap a range.

        Args:
            lookups: The lookup stream.
            start: The start of the range: a timestamp column, or an integer for windows on
                positions. None and null leave the end open.
            end: The end of the range, in the same way.
            key: For each key column the value that it must have. Key columns that are left out are
                taken from the columns of ``lookups`` with the same name.

        Returns:
            The answers. ``answers`` has the columns of ``lookups`` and ``windows``, an array of
            structs.

        Raises:
            SpecError: A column does not exist (``COLUMN_NOT_FOUND``, ``NOT_A_COLUMN``) or has
                another type. The error lists every problem.
            OperatorError: The query does not store rows (``NO_MESSAGE_STORE``).
            TypeError: ``lookups`` is not a DataFrame.

        Example:
            ::

                orders.getWindows(calls, None, "time", key={"id": "customer"}).answers

        """
        return ask(self._keeper(), "windows", lookups, start=start, end=end, key=key)

    def _keeper(self) -> Keeper:
        return Keeper(self._aggregated, self._fields())

    def explain(self) -> None:
        """Print when windows are emitted and removed, and how rows are shuffled.

        A notebook shows the same text together with ``plot()``.

        Example:
            ``minutes.explain()`` prints lines such as::

                watermark  greatest event time minus 10 seconds; it advances after each micro-batch
                on time    one pane when the watermark reaches the end of the window
                late       no panes; lateness is 0 seconds
                panes      all rows of the window so far

        """
        print(_sql.explained(self.output, self._fields()))  # noqa: T201

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
        gaps = silence(self.spec.gapValues, fill_gaps=self.spec.fillGaps)
        return self.spec.window._plot(messages, self.spec.lateness, gaps)

    def _repr_html_(self) -> str:
        return _html.explanation(_sql.explained(self.output, self._fields()), self.plot())

    def start(
        self,
        *,
        checkpoint: str | PathLike[str],
        panes: Sink | None = None,
        rejected: Sink | None = None,
        events: Sink | None = None,
        availableNow: bool = False,
        processingTime: str | None = None,
        drain: bool = False,
        name: str | None = None,
    ) -> StreamingQuery:
        """Start one query that writes panes, rejected rows, and events to their sinks.

        ``start`` checks the query, the checkpoint, and every sink before the query runs, so a
        mistake changes nothing. A sink is the name of a table, ``Files(path)``, ``Jdbc(url,
        table)``, or a function of a DataFrame and the batch id; for panes also ``Upsert(table)``
        and ``KafkaTable(servers, topic)``, which keep the last pane of each window of a key. Rows
        without a sink are only counted.

        After a crash Spark runs the last micro-batch again with the same id. ``Files`` overwrites
        its folder and ``Jdbc`` recognizes its number. A plain table then contains the micro-batch
        twice, unless its format prevents that.

        A query with a period of processing time keeps running without data: it starts a micro-batch
        every second, unless you set ``processingTime``. ``processAllAvailable`` would therefore
        wait forever. With ``availableNow`` such a query still ends with the last micro-batch of
        data.

        Args:
            checkpoint: The folder in which Spark stores the progress and the state of the query.
                Pass the same folder to continue the query.
            panes: The sink of the panes.
            rejected: The sink of the rejected rows.
            events: The sink of the events, for windows by policies only.
            availableNow: Stop after all rows that exist at the start. The default is False.
            processingTime: The interval between micro-batches, for example ``"10 seconds"``. None
                starts a micro-batch as soon as the last one has ended.
            drain: With ``availableNow``, complete every window after the last row. ``start`` then
                returns when only this last part remains, and ``status`` counts both parts. Set it
                from the first start of a checkpoint on. Rows that arrive afterwards are late. The
                default is False.
            name: The name of the query in Spark's UI and in metrics. None uses its id.

        Returns:
            Spark's handle of the running query.

        Raises:
            SpecError: The query cannot start. The error lists every problem, for example
                ``SINK_NOT_STATED``, ``SINK_NOT_UNDERSTOOD``, ``NO_EVENTS``, ``UPSERT_OF_PARTS``, or
                ``FOLDERS_NESTED``.
            CheckpointError: The checkpoint belongs to another query (``SPEC_CHANGED``), cannot be
                read, or was started with another ``drain`` (``DRAIN_LEFT_OUT``,
                ``DRAIN_NOT_STARTED``).

        Example:
            ::

                minutes.start(
                    panes=wr.Files("panes"),
                    rejected=wr.Files("rejected"),
                    checkpoint="checkpoint",
                    availableNow=True,
                ).awaitTermination()

        """
        self._warn_of_long_steps(availableNow, processingTime)
        return start(
            self._part,
            {"panes": panes, "rejected": rejected, "events": events},
            checkpoint=checkpoint,
            availableNow=availableNow,
            processingTime=processingTime,
            name=name,
            drain=drain,
            panes=self._traits(),
        )

    def _traits(self) -> dict[str, str]:
        """Return what decides whether a table can keep the last pane of each window (rule B3)."""
        kind = self.spec.window
        is_over, is_partial = isinstance(kind, Over), self.spec.accumulation is DISCARDING
        found = {"parts": str(is_partial).lower(), "message": str(is_over).lower()}
        if is_over and not self._hasOffsets:
            found["unclear"] = "UPSERT_ROW_UNCLEAR.OVER"
        elif isinstance(kind, Policy) and kind.limit != KeyLimits():
            found["unclear"] = "UPSERT_ROW_UNCLEAR.LIMITS"
        return found

    def _warn_of_long_steps(self, availableNow: object, processingTime: object) -> None:
        """Warn if a period is shorter than the interval of micro-batches (rule R57)."""
        if availableNow:
            return
        step = _duration.read(PACE["processingTime"] if processingTime is None else processingTime)
        for name, trigger in {"early": self.spec.early, "late": self.spec.late}.items():
            period = trigger._shortest_period()
            if period is not None and isinstance(step, int) and period < step:
                text = f"{name}={trigger!r} emits at most one pane in a micro-batch, and a "
                text += f"micro-batch starts every {_duration.show(step)}. Set a multiple of that."
                warnings.warn(text, UserWarning, stacklevel=3)

    def __repr__(self) -> str:
        """Show the aggregation."""
        return f"Output({self.spec!r} over {self._stream['shown']})"

    def _part(self, part: _sql.Part) -> DataFrame:
        return _sql.apply([self._aggregated], self._fields(), part)

    def _fields(self) -> _json.Fields:
        return {**self.spec._fields(), "stream": self._stream}
