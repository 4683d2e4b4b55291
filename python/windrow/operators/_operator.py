"""The parent of all operators that run without a query."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from windrow._bridge import _gateway
from windrow.errors import failure
from windrow.operators import _checkpoint, _tables, _times, _values
from windrow.operators._times import At

if TYPE_CHECKING:
    import pyarrow as pa

    from windrow.operators._cogroup import CoGroupSpec
    from windrow.operators._join import JoinSpec
    from windrow.operators._spec import WindowOperatorSpec

#: A row or a key, as column names and values.
Keys = Mapping[str, Any]
#: Receives a table of outputs, and returns False to refuse it.
Send = Callable[["pa.Table"], bool]

_LOG = logging.getLogger("windrow")


class StandaloneOperator(ABC):
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
        self._spec: Any = spec
        self._store = None if store is None else str(Path(store).absolute())
        self._send = send
        self._java: _gateway.Operator | None = None
        self._closed = False
        self._zone = "UTC"
        self._columns: dict[str, pa.Schema] = {}
        self._unshown: list[pa.Table] = []  # not yet passed to beforeSend, or it failed
        self._outbox: list[pa.Table] = []
        self._selects = True
        self._filtered = 0

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
        self._closed = True
        if self._java is not None:
            self._java.close()
            self._java = None
            self._unshown, self._outbox = [], []

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
        self._fetch()
        if not self._outbox:
            self._unshown.append(_tables.read(self._call("outputs")))
            self._fetch()
        return _tables.concatenated(self._outbox)

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
        self._fetch()
        if self._send is None:
            self._taken()
        else:
            self._drained()

    def drain(self) -> bool:
        """Send the waiting outputs, and those that a full consumer held back.

        Returns:
            Whether the operator accepts rows.

        """
        self._move("drain")
        return self._selects

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
        waiting = self.getResult()
        return _checkpoint.packed(self._call("checkpoint"), waiting, self._extra())

    def reset(self, checkpoint: bytes | None = None) -> None:
        """Discard the current state without emitting anything, and restore a checkpoint.

        The store is not changed until ``flush``.

        Args:
            checkpoint: The result of ``checkpoint``. None (the default) starts with empty state.

        Raises:
            CheckpointError: The checkpoint is damaged (``STATE_DAMAGED``) or of another spec
                (``SPEC_CHANGED``).

        """
        self._opened()
        state, waiting, extra = (
            (None, None, None) if checkpoint is None else _checkpoint.unpacked(checkpoint)
        )
        self._call("reset", state)
        self._unshown = []
        self._outbox = [] if waiting is None else [waiting]
        self._select(self._send is None or waiting is None or not waiting.num_rows)
        if extra is not None:
            self._restore(extra)
        if self._selects:
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
            outputs: The outputs of a step.

        Returns:
            The outputs to send. The default returns ``outputs``.

        """
        return outputs

    # ---- internals

    @abstractmethod
    def _check(self, spec: object) -> None:
        """Reject a spec that is for another operator."""

    def _opened(self) -> _gateway.Operator:
        if self._closed:
            raise failure("NOT_OPEN.CLOSED", operator=type(self).__name__)
        if self._java is None:
            from windrow.operators import _session

            _tables.arrow()
            spark = _session.session()
            self._java = _gateway.Operator(spark, self._spec.toJson(), self._store)
            self._zone = str(spark.conf.get("spark.sql.session.timeZone"))
        return self._java

    def _call(self, method: str, *arguments: object) -> Any:  # noqa: ANN401  as the JVM returns it
        return self._opened().call(method, *arguments)

    def _micros(self, argument: str, at: At) -> int:
        return _times.micros(argument, at, self._zone)

    def _event_micros(self, argument: str, at: At, stream: str | None = None) -> int:
        """Return an event time in microseconds, in UTC if the event time of rows lacks a zone."""
        plain = self._call("isTimeWithoutZone", stream or self._spec._streams[0])
        return _times.micros(argument, at, "UTC" if plain else self._zone)

    def _named(self, stream: str | None) -> str:
        streams: tuple[str, ...] = self._spec._streams
        if stream is None and len(streams) == 1:
            return streams[0]
        if stream not in streams:
            text = f"stream is {stream!r}; it must be one of {', '.join(map(repr, streams))}."
            raise ValueError(text)
        return stream

    def _what(self, stream: str) -> str:
        return f"messages of stream {stream!r}"

    def _schema(self, stream: str) -> pa.Schema:
        """Return the columns of the rows of a stream."""
        self._opened()
        if stream not in self._columns:
            self._columns[stream] = _tables.read(self._call("inputColumns", stream)).schema
        return self._columns[stream]

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

    def _move(self, method: str, *arguments: object) -> None:
        """Advance the time, after refused outputs were sent again."""
        self._drained()
        self._call(method, *arguments)
        self._after()

    def _after(self) -> None:
        """Pass on the outputs of a step."""
        if type(self).beforeSend is not StandaloneOperator.beforeSend:
            self._fetch()
        self._drained()

    def _fetch(self) -> None:
        """Fetch the outputs of the JVM; if a hook fails, the next call tries again."""
        if self._call("hasOutputs"):
            self._unshown.append(_tables.read(self._call("outputs")))
        while self._unshown:
            self._outbox.append(self.beforeSend(self._unshown[0]))
            del self._unshown[0]

    def _drained(self) -> bool:
        """Send the waiting outputs, and return whether none are left."""
        if self._send is not None:
            self._fetch()
            waiting = [table for table in self._outbox if table.num_rows]
            if waiting and not self._send(_tables.concatenated(waiting)):
                self._select(False)
            else:
                self._taken()
                self._select(True)
        return self._selects

    def _select(self, selects: bool) -> None:  # noqa: FBT001  the state of the selector
        """Accept rows, or none while the consumer is full."""
        self._selects = selects
        self._call("hold", not selects)

    def _taken(self) -> None:
        self._call("flush")
        self._outbox = []

    def _passed_on(self) -> pa.Table:
        """Remove and return the outputs; a later ``flush`` stores the state that led to them."""
        outputs = self.getResult()
        self._call("forget")
        self._outbox = []
        return outputs

    def _extra(self) -> pa.Table:
        """Return the parts of a checkpoint in addition to state and outputs."""
        return _tables.arrow().table({})

    def _restore(self, extra: pa.Table) -> None:  # noqa: B027  most operators lack further state
        """Restore the result of ``_extra``."""

    def _key_schema(self) -> pa.Schema:
        """Return the columns of the key."""
        return _tables.read(self._call("keyColumns")).schema

    def _key(self, keys: Keys | None) -> bytes | None:
        """Return one row with the columns of the key, or None for all keys."""
        if keys is None:
            return None
        table = _values.of_message(keys, self._key_schema(), "the key", self._zone)
        return _tables.write(table)

    def _messages(
        self, stream: str, start: At | None, end: At | None, keys: Keys | None
    ) -> pa.Table:
        by_offset = _times.is_position(start) or _times.is_position(end)
        ends = [
            at if at is None or by_offset else self._event_micros(name, at, stream)
            for name, at in (("start", start), ("end", end))
        ]
        return _tables.read(self._call("messages", stream, *ends, by_offset, self._key(keys)))
