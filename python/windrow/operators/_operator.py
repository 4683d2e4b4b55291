"""The parent of all operators that run without a query."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING

from windrow.errors import failure
from windrow.operators import _tables, _times, _values
from windrow.operators._opened import Keys
from windrow.operators._outbox import Send, SendingOperator
from windrow.operators._times import At

if TYPE_CHECKING:
    import pyarrow as pa

    from windrow.operators._opened import Spec


_LOG = logging.getLogger("windrow")


class StandaloneOperator(SendingOperator):
    """The parent of all operators that run without a query, batch by batch.

    Each call is one step: its rows are judged by the watermark before it, and no clock is read. The
    first call opens the operator in the active Spark session, or starts a small local one. ``with``
    closes it. To see or change rows and outputs on their way, override ``beforeProcess`` and
    ``beforeSend``. An operator is not thread-safe.

    Args:
        spec: The description of the operator.
        store: A folder in which ``flush`` stores the state in RocksDB, for one operator at a time.
            State that was not flushed is lost when the operator is closed. None (the default) keeps
            the state in memory.
        send: A function that receives each table of outputs and returns False to refuse it. None
            (the default) keeps outputs for ``getResult`` and ``flush``.

    Raises:
        SpecError: The description is for another operator (``OPERATOR_DIFFERS``) or lacks a schema
            (``SCHEMA_NOT_STATED``).
        TypeError: The description is of another type.

    Example:
        ::

            with wr.AggregatedWindowOperator(spec) as operator:
                operator.addMessage({"symbol": "a", "time": "2025-01-01 09:00:10", "price": 1.0})
                operator.finish()
                operator.getResult().column("top").to_pylist()  # [1.0]

    """

    def __init__(self, spec: Spec, *, store: str | None = None, send: Send | None = None) -> None:
        """Store the description; nothing starts."""
        super().__init__(spec, store=store, send=send)
        self._filtered = 0

    # ---- rows

    def process(self, message: Keys, *, stream: str | None = None) -> None:
        """Apply one row, and send the outputs that follow from it.

        Args:
            message: A value for every column.
            stream: The name of the input stream, if there are several. None selects the only one.

        Raises:
            MessageError: A column does not fit. The error lists every problem.
            BackpressureError: The consumer is full (``DOWNSTREAM_FULL``).

        """
        self.addMessage(message, stream=stream)

    def addMessage(self, message: Keys, *, stream: str | None = None) -> None:
        """Apply one row as one step.

        Args:
            message: A value for every column.
            stream: The name of the input stream, if there are several. None selects the only one.

        Raises:
            MessageError: A column does not fit. The error lists every problem.
            BackpressureError: The consumer is full (``DOWNSTREAM_FULL``).

        Example:
            ::

                operator.addMessage({"symbol": "b", "time": "2025-01-01 09:01:05", "price": 9.0})

        """
        named = self._named(stream)
        schema = self._schema(named)
        table = _values.of_message(message, schema, self._what(named), self._zone)
        self.addMessages(table, stream=stream)

    def addMessages(self, batch: pa.Table | pa.RecordBatch, *, stream: str | None = None) -> None:
        """Apply a table of rows as one step, in the order of their event times.

        If the call fails, the state is unchanged.

        Args:
            batch: The rows, with the columns of the schema in any order.
            stream: The name of the input stream, if there are several. None selects the only one.

        Raises:
            MessageError: A column does not fit (``COLUMN_MISSING``, ``COLUMN_UNKNOWN``,
                ``TYPE_NOT_ALLOWED``, ``NULL_NOT_ALLOWED``). The error lists every problem.
            BackpressureError: The consumer is full (``DOWNSTREAM_FULL``).
            ValueError: ``stream`` is not the name of an input stream.
            TypeError: ``batch`` is not an Arrow table.

        Example:
            ::

                operator.addMessages(pa.table({"symbol": ["a"], "time": [time], "price": [1.0]}))

        """
        self._apply(batch, stream)
        self._after()

    def _apply(self, batch: pa.Table | pa.RecordBatch, stream: str | None) -> None:
        named = self._named(stream)
        schema = self._schema(named)
        self._refuse_if_full()
        table = _tables.conformed(batch, schema, self._what(named), self._zone)
        kept = self.beforeProcess(table)
        if kept is not table:
            kept = _tables.conformed(kept, schema, f"beforeProcess of {named}", self._zone)
        self._call("add", named, _tables.write(kept))
        if kept is not table:
            self._call("offered", named, _tables.write(table))
        self._call("step", None, None)
        self._filtered += max(0, table.num_rows - kept.num_rows)

    @property
    def acceptsInput(self) -> bool:
        """Return whether the operator accepts rows.

        Returns:
            False while its consumer is full.

        """
        return self._selects

    @property
    def filteredCount(self) -> int:
        """Return the number of rows that ``beforeProcess`` has removed.

        Returns:
            The number of rows since the operator was created.

        """
        return self._filtered

    # ---- time

    def advanceWatermark(self, to: At, *, stream: str | None = None) -> None:
        """Advance the watermark, so that complete windows emit panes; it never moves back.

        While the consumer is full, the watermark waits with the panes that it would release.

        Args:
            to: The watermark: a datetime or a string. Times without a zone are read as those of
                rows.
            stream: The input stream whose watermark moves. None moves that of all. The watermark of
                the operator is the least of all streams, once each of them has one.

        Raises:
            ValueError: ``to`` is not a time, or ``stream`` is not an input stream.
            TypeError: ``to`` is an integer, which would be an offset.

        Example:
            ::

                operator.advanceWatermark("2025-01-01 09:01:00")

        """
        self._opened()
        named = None if stream is None else self._named(stream)
        self._move("advance", named, self._event_micros("to", to, named))

    def timeout(self, now: At) -> None:
        """Advance the processing time; it never moves back.

        Outputs that the consumer refused are sent again first. If it refuses them again, nothing
        else happens.

        Args:
            now: The processing time: a datetime or a string.

        Raises:
            ValueError: ``now`` is not a time.
            TypeError: ``now`` is an integer.

        """
        self.refresh(now)

    def refresh(self, now: At, watermark: At | None = None) -> None:
        """Advance the processing time and the watermark together, as ``timeout`` does.

        Args:
            now: The processing time: a datetime or a string.
            watermark: The watermark. None (the default) leaves it as it is.

        Raises:
            ValueError: A value is not a time.
            TypeError: A value is an integer.

        """
        self._opened()
        mark = None if watermark is None else self._event_micros("watermark", watermark)
        self._move("timeout", self._micros("now", now), mark)

    def finish(self) -> None:
        """End the input, so that every window completes.

        Rows that you add afterwards are late.
        """
        self._move("finish")

    # ---- hooks

    def beforeProcess(self, batch: pa.Table) -> pa.Table:
        """See the rows before they are checked; override it to change or remove rows.

        Removed rows are counted in ``filteredCount``. If rows have offsets, those of removed rows
        count as processed.

        Args:
            batch: The rows of a call.

        Returns:
            The rows to process. The default returns ``batch``.

        """
        return batch

    # ---- internals

    def _refuse_if_full(self) -> None:
        if not self._selects:
            waiting = sum(table.num_rows for table in self._outbox)
            _LOG.warning("%s received rows while its downstream is full", type(self).__name__)
            raise failure("DOWNSTREAM_FULL", name=type(self).__name__, waiting=waiting)

    def _follow(
        self,
        messages: Mapping[str, pa.Table],
        *,
        watermark: int | None = None,
        now: int | None = None,
    ) -> None:
        """Run one full step: rows, then the watermark, judged at a processing time."""
        for stream, table in messages.items():
            self._call("add", stream, _tables.write(table))
        self._call("step", watermark, now)
        self._after()

    def _messages(
        self, stream: str, start: At | None, end: At | None, keys: Keys | None
    ) -> pa.Table:
        by_offset = _times.is_position(start) or _times.is_position(end)
        ends = [
            at if at is None or by_offset else self._event_micros(name, at, stream)
            for name, at in (("start", start), ("end", end))
        ]
        return _tables.read(self._call("messages", stream, *ends, by_offset, self._key(keys)))
