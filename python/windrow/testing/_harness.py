"""Run a user's pipeline step by step."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, get_args

from windrow._specs._instants import instant, iso
from windrow.advising import Advice
from windrow.errors import SpecError, failure, problem
from windrow.operators import _times
from windrow.operators._times import At
from windrow.testing import _rows, _transcript
from windrow.testing._core import CoreEngine
from windrow.testing._pipeline import ONLY, Pipeline, built, columns
from windrow.testing._query import QueryEngine
from windrow.testing._rows import Rows, Table
from windrow.testing._transcript import Recording
from windrow.testing._turns import CONTROL, END, Engine, Turn

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

What = Literal["windows", "messages", "keys", "pending"]


class Harness:
    """A pipeline that a test runs step by step.

    ``wr.testing.harness`` creates it, and ``with`` closes it. Each ``add`` is a micro-batch: its
    rows are judged by the watermark before it, and their own watermark takes effect in one more
    micro-batch without rows, as in a query. Steps run when you ask for output.

    Example:
        ::

            with wr.testing.harness(minutes, spark, schema="time timestamp, price double") as h:
                h.add({"time": "2025-01-01 09:00:10", "price": 2.0})
                h.advanceWatermark("2025-01-01 09:01:00")
                print(h.panes())

    """

    def __init__(
        self,
        pipeline: Pipeline,
        spark: SparkSession,
        schemas: Mapping[str, Any],
        *,
        engine: Literal["core", "query"],
        now: At,
    ) -> None:
        """Build the pipeline over empty streams."""
        self._zone = str(spark.conf.get("spark.sql.session.timeZone"))
        self._now = _times.micros("now", now, self._zone) // 1000
        self._fresh = True
        self._pending: list[Turn] = []
        self._came: dict[str, Table] = {}
        self._recording = Recording()
        self._closed = False
        self._folder = Path(tempfile.mkdtemp(prefix="windrow-testing-"))
        sources = self._folder / "sources"
        try:
            self._columns = {name: columns(spark, one) for name, one in schemas.items()}
            self._made, output = built(pipeline, spark, schemas, sources)
            self._engine: Engine = (
                CoreEngine(output, sources)
                if engine == "core"
                else QueryEngine(output, sources, self._folder, self._now)
            )
        except BaseException:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise

    # ---- steps

    def add(self, rows: Rows, *, to: str | None = None) -> Self:
        """Add rows in one micro-batch.

        Args:
            rows: A dict, a tuple in the order of the columns, a list of these, or a table of Arrow,
                pandas, or Spark. Columns that a dict leaves out are null. Times can be strings;
                without a zone they are in the time zone of the session.
            to: The name of the stream, if there are several. None selects the only one.

        Returns:
            The harness, so that calls can be chained.

        Raises:
            MessageError: A column does not fit, and no row was added. The error lists every
                problem.
            ValueError: ``to`` is not the name of a stream.

        Example:
            ::

                h.add({"time": "2025-01-01 09:00:10", "product": "tea", "price": 2.0})

        """
        stream = self._named(to)
        what = "rows" if stream == ONLY else f"rows of {stream!r}"
        table = _rows.table(rows, self._columns[stream], what, self._zone)
        self._turn(stream, table)
        self._turn()
        return self

    def advanceWatermark(self, to: At) -> Self:
        """Advance the watermark of all streams, so that due windows emit panes.

        Args:
            to: The watermark: a datetime or a string, cut to milliseconds.

        Returns:
            The harness, so that calls can be chained.

        Raises:
            SpecError: The pipeline lacks a watermark of event time (``WATERMARK_UNUSED``), or the
                watermark would move back (``WATERMARK_BACK``), which is reported with the output at
                the latest.
            ValueError: ``to`` is not a time.

        Example:
            ::

                h.advanceWatermark("2025-01-01 09:01:00")

        """
        micros = _times.micros("to", to, self._zone)
        self._require_watermark("advanceWatermark(...)")
        self._turn(mark=micros - micros % 1000)
        self._turn()
        return self

    def advanceProcessingTime(self, to: At) -> Self:
        """Advance the clock, so that periods end and partitions age.

        The clock also moves one millisecond for each micro-batch.

        Args:
            to: The processing time: a datetime or a string.

        Returns:
            The harness, so that calls can be chained.

        Raises:
            SpecError: The clock would move back (``CLOCK_BACK``).
            ValueError: ``to`` is not a time.

        """
        millis = _times.micros("to", to, self._zone) // 1000
        if millis < self._next():
            found = problem("CLOCK_BACK", to=iso(millis * 1000), now=iso(self._now * 1000))
            raise SpecError.of("advanceProcessingTime(...)", [found])
        self._turn(now=millis)
        return self

    def finish(self) -> Self:
        """End the input: every window completes, as at the end of a bounded run.

        Returns:
            The harness, so that calls can be chained.

        Raises:
            SpecError: The pipeline lacks a watermark of event time (``WATERMARK_UNUSED``).

        """
        self._require_watermark("finish()")
        self._turn(mark=END)
        self._turn()
        return self

    def _require_watermark(self, call: str) -> None:
        self._open()
        if not self._engine.hasWatermark():
            raise SpecError.of(call, [problem("WATERMARK_UNUSED")])

    def restart(self) -> Self:
        """Stop the query, and continue it from its stored state.

        Returns:
            The harness, so that calls can be chained.

        """
        self._run()
        self._engine.restart()
        self._recording.restarts.append(len(self._recording.turns))
        return self

    # ---- output

    def panes(self) -> Table:
        """Return the panes since the last call, in the order of emission.

        Returns:
            A list of dicts, which prints as a table, with the columns of ``Output.panes``.

        """
        return self._taken("panes")

    def rows(self) -> Table:
        """Return the rows of a join, a deduplication, or a pattern since the last call.

        Returns:
            A list of dicts, which prints as a table, with the columns of ``rows`` of the output.

        """
        return self._taken("rows")

    def rejected(self) -> Table:
        """Return the rejected rows since the last call, with their reasons.

        Returns:
            A list of dicts, which prints as a table, with the columns of ``Output.rejected``.

        """
        return self._taken("rejected")

    def events(self) -> Table:
        """Return the events of windows by policies since the last call.

        Returns:
            A list of dicts, which prints as a table, with the columns of ``Output.events``.

        """
        return self._taken("events")

    def state(self, what: What = "windows", *, operator: str | None = None) -> Table:
        """Return the stored state: open windows, stored rows, stored keys, or pending panes.

        Args:
            what: ``"windows"`` (the default), ``"messages"``, ``"keys"``, or ``"pending"``.
            operator: The name of the stream, if there are several operators. None selects the only
                one.

        Returns:
            A list of dicts, as ``getWindows``, ``getMessages``, ``getKeys``, or ``pending`` of
            ``wr.state`` returns.

        Raises:
            ValueError: ``what`` is another word.
            OperatorError: The pipeline does not store rows (``NO_MESSAGE_STORE``), or has no
                windows (``NO_WINDOWS``).

        """
        if what not in get_args(What):
            text = f"what is {what!r}; it must be one of {', '.join(map(repr, get_args(What)))}."
            raise ValueError(text)
        self._run()
        kept = self._engine.kept(what, operator)
        return Table.of(kept.toArrow().to_pylist(), self._zone)

    def transcript(
        self, name: str, *, value: str, aggregates: Mapping[str, str], time: str = "time"
    ) -> str:
        """Return the steps and the output of the test as one line of JSON.

        Attach the line to the report of a fault: ``scripts/replay FILE --check`` in a checkout of
        Windrow runs it. A transcript supports one key, one time, and one value for each row.

        Args:
            name: The id of the case.
            value: The column of the value.
            aggregates: For each column of the panes its function of the value: ``count``, ``sum``,
                ``min``, ``max``, ``avg``, ``median``, ``collect``, or ``first``.
            time: The column of the event time. The default is ``"time"``.

        Returns:
            The case as JSON.

        Raises:
            SpecError: The test cannot be written as a transcript, or the engine is not ``"core"``
                (``TRANSCRIPT_NOT_POSSIBLE``).

        Example:
            ::

                h.transcript("late-order", value="price", aggregates={"price": "avg"})

        """
        self._run()
        if not isinstance(self._engine, CoreEngine):
            found = problem("TRANSCRIPT_NOT_POSSIBLE", what="a query. Pass engine='core'")
            raise SpecError.of("transcript(...)", [found])
        marks = self._engine.watermarks()
        named = {"value": value, "time": time, "aggregates": aggregates}
        return _transcript.case(name, self._made, self._recording, marks, **named)  # type: ignore[arg-type]

    def advise(self, catch: float = 0.999) -> Advice:
        """Recommend an allowed lateness from the rows of the test, as ``wr.advise`` does.

        Args:
            catch: The share of rows to accept, above 0 and at most 1. The default is 0.999.

        Returns:
            The advice.

        Raises:
            SpecError: The windows are not counted (``ADVICE_NOT_KEPT``), or ``catch`` is out of
                range (``SHARE_NOT_UNDERSTOOD``).

        """
        self._run()
        return self._engine.advise(catch)

    @property
    def watermark(self) -> datetime | None:
        """Return the current watermark.

        Returns:
            A datetime in UTC, or None before the first watermark.

        """
        self._run()
        millis = self._engine.watermark()
        return None if millis is None else _at(millis)

    # ---- lifecycle

    def close(self) -> None:
        """Stop the pipeline, and remove its files. A second call does nothing."""
        if not self._closed:
            self._closed = True
            self._engine.close()
            shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self) -> Self:
        """Return the harness."""
        return self

    def __exit__(self, *raised: object) -> None:
        """Close the harness."""
        self.close()

    def _open(self) -> None:
        if self._closed:
            raise failure("NOT_OPEN.CLOSED", operator="the harness")

    def _named(self, stream: str | None) -> str:
        if stream is None and len(self._columns) == 1:
            return next(iter(self._columns))
        if stream not in self._columns:
            names = ", ".join(map(repr, self._columns))
            text = f"to is {stream!r}; it must be one of {names}."
            raise ValueError(text)
        return stream

    def _next(self) -> int:
        return self._now if self._fresh else self._now + 1

    def _turn(
        self,
        stream: str = CONTROL,
        table: pa.Table | None = None,
        *,
        mark: int | None = None,
        now: int | None = None,
    ) -> None:
        self._open()
        self._now = self._next() if now is None else now
        self._fresh = False
        self._pending.append(Turn(self._now, stream, table, mark))

    def _run(self) -> None:
        """Run the pending steps."""
        self._open()
        turns, self._pending = self._pending, []
        if not turns:
            return
        try:
            self._engine.run(turns)
        except SpecError:  # a watermark moved back; the micro-batches before it ran
            self._record(turns[: self._engine.steps() - len(self._recording.turns)])
            raise
        self._record(turns)

    def _record(self, turns: list[Turn]) -> None:
        """Store micro-batches that ran, and what they emitted."""
        emitted = self._engine.outputs()
        self._recording.turns += turns
        self._recording.emitted += emitted
        for row in emitted:
            kind = row["kind"]
            self._came.setdefault(kind, Table()).extend(Table.of([row[kind]], self._zone))

    def _taken(self, kind: str) -> Table:
        self._run()
        return self._came.pop(kind, Table())


def _at(millis: int) -> datetime:
    return instant(millis * 1000)
