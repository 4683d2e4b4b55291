"""The parent of all operators that run without a query."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Self

from windrow.operators import _tables, _values
from windrow.operators._jvm import Keys
from windrow.operators._steps import Send, Steps
from windrow.operators._times import At

if TYPE_CHECKING:
    import pyarrow as pa

    from windrow.operators._cogroup import CoGroupSpec
    from windrow.operators._join import JoinSpec
    from windrow.operators._spec import WindowOperatorSpec


class StandaloneOperator(Steps):
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

    def __init__(
        self,
        spec: WindowOperatorSpec | JoinSpec | CoGroupSpec,
        *,
        store: str | None = None,
        send: Send | None = None,
    ) -> None:
        """Store the description; nothing starts."""
        self._check(spec)
        super().__init__(spec, store, send)

    # ---- lifecycle

    def init(self) -> None:
        """Open the state, which the first call does otherwise.

        Raises:
            SpecError: Names or aggregates are wrong. The error lists every problem.
            OperatorError: The operator is closed (``NOT_OPEN``), or its store cannot be opened
                (``STORE_NOT_OPENED``).
            WindrowError: pyarrow is not installed (``PYARROW_MISSING``), or the session is one of
                Spark Connect (``NO_JVM``).

        """
        if self._java is None:
            self._opened()

    def close(self) -> None:
        """Free the operator in the JVM; state that was not flushed is lost.

        A second call does nothing.
        """
        self._freed()

    def __enter__(self) -> Self:
        """Open the operator."""
        self.init()
        return self

    def __exit__(self, *raised: object) -> None:
        """Close the operator."""
        self.close()

    def __repr__(self) -> str:
        """Show as the call."""
        return f"{type(self).__name__}({self._spec!r})"

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

    @property
    def acceptsInput(self) -> bool:
        """Return whether the operator accepts rows.

        Returns:
            False while its consumer is full.

        """
        return self._send is None or self._java is None or bool(self._call("acceptsInput"))

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

    # ---- results

    def getResult(self) -> pa.Table:
        """Return a copy of the waiting outputs, in the order of emission.

        The outputs stay until ``flush``, so you can call it repeatedly.

        Returns:
            An Arrow table; the class of the operator lists its columns.

        Example:
            ::

                panes = operator.getResult()
                panes.schema.names  # ['symbol', 'window', 'top', 'n', 'pane']

        """
        waiting = self._waiting()
        return waiting if waiting.num_rows else self.beforeSend(waiting)

    def getRejected(self) -> pa.Table:
        """Return the rejected rows since the last call.

        Returns:
            An Arrow table with ``stream``, ``reason``, ``watermark``, ``processing_time`` (null
            before the first ``timeout``), and ``message``; for a join a struct with a field for
            each stream.

        Example:
            ::

                operator.getRejected().column("reason").to_pylist()  # ['TOO_LATE']

        """
        return _tables.read(self._call("rejected"))

    def flush(self) -> None:
        """Confirm that the outputs were received: store the state, and remove them.

        With ``send``, waiting outputs are sent first. If ``beforeSend`` or an aggregate raises an
        error, the outputs stay.
        """
        if self._deliver():
            self._known = []
            self._call("flush")

    def drain(self) -> bool:
        """Send the waiting outputs, and those that a full consumer held back.

        Returns:
            Whether the operator accepts rows.

        """
        self._move("drain")
        return self.acceptsInput

    def checkpoint(self) -> bytes:
        """Return the full state with the waiting outputs, for ``reset``.

        The store is not changed: it holds the state of the last ``flush``.

        Returns:
            The state as bytes.

        Example:
            ::

                kept = operator.checkpoint()
                other.reset(kept)

        """
        self._show()
        more = self._extra()
        kept: bytes = self._call("checkpoint", None if more is None else _tables.write(more))
        return kept

    def reset(self, checkpoint: bytes | None = None) -> None:
        """Discard the current state without emitting anything, and restore a checkpoint.

        Without ``send``, the store is not changed until ``flush``.

        Args:
            checkpoint: The result of ``checkpoint``. None (the default) starts with empty state.

        Raises:
            CheckpointError: The checkpoint is damaged (``STATE_DAMAGED``) or of another spec
                (``SPEC_CHANGED``).

        """
        self._known = []
        more = self._call("reset", checkpoint)
        if more:
            self._restore(_tables.read(more))
        if self.acceptsInput:
            self._after()

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

    def beforeSend(self, outputs: pa.Table) -> pa.Table:
        """See the outputs before they are sent; override it to change or remove outputs.

        An error that it raises leaves the call, whose step is done. It sees the same outputs again
        in the next call.

        Args:
            outputs: The outputs that it has not seen.

        Returns:
            The outputs to send. The default returns ``outputs``.

        """
        return outputs

    # ---- internals

    @abstractmethod
    def _check(self, spec: object) -> None:
        """Reject a spec that is for another operator."""

    def _is_hooked(self) -> bool:
        return getattr(self.beforeSend, "__func__", None) is not StandaloneOperator.beforeSend
