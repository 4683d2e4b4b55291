"""What comes out: panes, rejected rows, and a running query."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from windrow._bridge import _sql
from windrow._drawing import _html
from windrow._drawing._svg import Picture
from windrow._running._jdbc import Jdbc
from windrow._running._kafka import KafkaTable
from windrow._running._query import PACE, start
from windrow._running._sinks import Files, Sink
from windrow._running._upsert import Upsert
from windrow._specs import _duration, _json
from windrow._specs._frames import HasFrames
from windrow.answers import Answers, Keeper, ask
from windrow.errors import SpecError, SpecProblem, problem
from windrow.operators import WindowOperatorSpec
from windrow.policies import Policy
from windrow.triggers import DISCARDING
from windrow.windows._kind import Messages

if TYPE_CHECKING:
    from os import PathLike

    from pyspark.sql import Column, DataFrame
    from pyspark.sql.streaming.query import StreamingQuery

__all__ = ["Files", "Jdbc", "KafkaTable", "Output", "Upsert"]


@dataclass(frozen=True, eq=False, repr=False)
class Output(HasFrames):
    """Results of a windowed aggregation, as DataFrames of new rows, never changed ones.

    Each DataFrame that is written alone is a query with its own state; ``start`` shares one.
    """

    spec: WindowOperatorSpec
    _aggregated: DataFrame = field(kw_only=True)
    _stream: Mapping[str, object] = field(kw_only=True)
    _hasOffsets: bool = field(kw_only=True)
    _frames = ("panes", "rejected")

    @cached_property
    def panes(self) -> DataFrame:
        """Keys, ``window``, aggregates or ``messages``, and ``pane``.

        ``pane`` has timing, index, is_last and is_retraction.
        """
        return self._part("panes")

    @cached_property
    def rejected(self) -> DataFrame:
        """Rejected rows: stream, reason, watermark, processing_time, message.

        ``watermark`` is the one by which the row was judged: that of the micro-batch before.

        If the input has panes of other operators, their rejected rows are here, too. ``message`` is
        null for such a row, and the column with the name of its ``stream`` has the row.
        """
        return self._part("rejected")

    @cached_property
    def events(self) -> DataFrame:
        """Of windows by policies: keys, ``window``, event, sequence, messages.

        event: INSERTION, EVICTION, TRIGGER, INITIAL_FULL, FINAL or PARTITION_EVICTION. window: the
        number of its next pane. sequence: 0, 1, … among the events of a key, from 0 again in the
        batch after its partition has left. messages: that came, that leave, or all that are inside.
        """
        return self._part("events")

    @cached_property
    def output(self) -> DataFrame:
        """All in one: ``kind`` ('panes', 'rejected', 'events'), a struct of each, one not null."""
        return self._part("all")

    def getMessages(
        self,
        lookups: DataFrame,
        start: str | Column | None,
        end: str | Column | None,
        *,
        by: Mapping[str, str | Column] | None = None,
        key: Mapping[str, str | Column] | None = None,
    ) -> Answers:
        """Answer each row of a lookup stream with the messages that its key keeps, in one query.

        start, end: columns of ``lookups``, a closed range: timestamps, or whole numbers, which are
        offsets; None is open, and so is null. key: for each key column what it must be; left
        out, the columns of ``lookups`` that are called alike. by: for each column of
        ``index(by=...)`` the value that it must have; without an index, for each key column.

        A row is answered in the micro-batch that it comes with, by what is kept once the messages
        of that micro-batch are in and what leaves with its watermark has left: as ``state`` would
        tell it then. Rows that are to wait for messages that may still come need a join.

        For ``keepRows()``. Errors: SpecError with every problem.
        """
        keys = {"by": by, "key": key}
        return ask(self._keeper(), "messages", lookups, start=start, end=end, **keys)

    def getWindows(
        self,
        lookups: DataFrame,
        start: str | Column | None,
        end: str | Column | None,
        *,
        key: Mapping[str, str | Column] | None = None,
    ) -> Answers:
        """Answer each row of a lookup stream with the windows of its key that overlap a range.

        Bounds are timestamps, or positions for windows on positions; the rest as ``getMessages``.
        """
        return ask(self._keeper(), "windows", lookups, start=start, end=end, key=key)

    def _keeper(self) -> Keeper:
        return Keeper(self._aggregated, self._fields())

    def explain(self) -> None:
        """Print what each window waits for, and how messages travel.

        A notebook shows the same, with ``plot()``.
        """
        print(_sql.explained(self.output, self._fields()))  # noqa: T201

    def plot(self, messages: Messages | None = None) -> Picture:
        """Draw the windows of a few messages, and how long each takes late ones.

        ``messages`` as ``WindowKind.plot`` takes them: times, or positions; or by their stream.
        """
        return self.spec.window._plot(messages, self.spec.lateness)

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
        """Start one query that writes panes, rejected rows and events to their sinks.

        A sink is a table's name, ``Files(path)``, whose folder is this checkpoint's own, a function
        (DataFrame, batch id), ``Jdbc(url, table)``, or for panes ``Upsert(table)``, which keeps the
        last pane of each window of a key. Rows without a sink are counted only. ``availableNow``:
        stop after all rows that are there; ``processingTime``: start a micro-batch so often, for
        example ``"10 seconds"``; both as in Spark's ``DataStreamWriter.trigger``. After a crash the
        last batch comes again with its id: ``Files`` overwrite it, ``Jdbc`` knows it, tables take
        it twice unless their format prevents it. With periods of processing time a query goes on
        without data, each second if ``processingTime`` is not set; ``processAllAvailable`` would
        wait for it for ever, ``availableNow`` ends with the last batch of data all the same.

        ``drain``: with ``availableNow``, once all that is there is in, every window completes; the
        call returns when only this is left to run, and ``status`` counts both parts. It must be
        said from the first start of a checkpoint on; what comes after it is late.
        """
        if events is not None and not isinstance(self.spec.window, Policy):
            raise SpecError.of("start(...)", [problem("NO_EVENTS")])
        self._warn_of_long_steps(availableNow, processingTime)
        return start(
            # Described again, because settings of the session may have changed.
            self._part("accepted" if rejected is None else "all"),
            {"panes": panes, "rejected": rejected, "events": events},
            checkpoint=checkpoint,
            availableNow=availableNow,
            processingTime=processingTime,
            name=name,
            drain=drain,
            wrong=self._of_upsert(panes),
        )

    def _of_upsert(self, sink: Sink | None) -> list[SpecProblem]:
        """Say why panes cannot be found by the columns of a sink."""
        upsert = sink._as_upsert if isinstance(sink, Upsert | Jdbc | KafkaTable) else None
        if upsert is None:
            return []
        schema = self.panes.schema
        found = upsert._problems(schema)
        found += upsert._unclear(self.spec.window, identified=self._hasOffsets)
        found += upsert._of_message(self.spec.window, schema)
        if isinstance(sink, KafkaTable):
            found += upsert._competing(schema)
        if self.spec.accumulation is DISCARDING:
            found.append(upsert._of_parts())
        return found

    def _warn_of_long_steps(self, availableNow: object, processingTime: object) -> None:
        """Warn if a period ends more often than steps begin (SEMANTICS R57)."""
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
        """Show what is aggregated."""
        return f"Output({self.spec!r} over {self._stream['shown']})"

    def _part(self, part: _sql.Part) -> DataFrame:
        return _sql.apply([self._aggregated], self._fields(), part)

    def _fields(self) -> _json.Fields:
        return {**self.spec._fields(), "stream": self._stream}
