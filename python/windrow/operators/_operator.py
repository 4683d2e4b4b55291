"""What all operators outside queries have in common."""

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

#: Names of columns and their values: a message, or a key.
Keys = Mapping[str, Any]
#: Takes a table of outputs, or refuses it by False.
Send = Callable[["pa.Table"], bool]

_LOG = logging.getLogger("windrow")


class StandaloneOperator(ABC):
    """Parent of the operators that run without a query, batch by batch. Not for several threads.

    Every call is one step: its messages are judged by the watermark before it, and nothing reads a
    clock. The first call opens the operator, in the active Spark session or a small local one that
    is started for it; ``with`` closes it. Override ``beforeProcess`` and ``beforeSend``.

    store: a folder in which ``flush`` keeps the state, by RocksDB, for one operator at a time; what
    was not flushed is gone with the operator. None: in memory. send: takes each table of outputs,
    or refuses it by False; without it outputs wait for ``getResult`` and ``flush``.
    """

    def __init__(
        self,
        spec: WindowOperatorSpec | JoinSpec | CoGroupSpec,
        *,
        store: str | None = None,
        send: Send | None = None,
    ) -> None:
        """Take the description; nothing starts."""
        self._check(spec)
        self._spec: Any = spec
        self._store = None if store is None else str(Path(store).absolute())
        self._send = send
        self._java: _gateway.Operator | None = None
        self._closed = False
        self._zone = "UTC"
        self._columns: dict[str, pa.Schema] = {}
        self._unshown: list[pa.Table] = []  # to beforeSend, or it failed on them
        self._outbox: list[pa.Table] = []
        self._selects = True
        self._filtered = 0

    # ---- life

    def init(self) -> None:
        """Open the state. Errors: SpecError with all that is wrong with names and aggregates."""
        if self._java is None:
            self._opened()

    def close(self) -> None:
        """Free the operator; what was not flushed is gone. Again is harmless."""
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

    # ---- messages

    def process(self, message: Keys, *, stream: str | None = None) -> None:
        """Apply one message and send what follows from it."""
        self.addMessage(message, stream=stream)

    def addMessage(self, message: Keys, *, stream: str | None = None) -> None:
        """Apply one message, a value for every column. Errors: as ``addMessages``."""
        named = self._named(stream)
        schema = self._schema(named)
        table = _values.of_message(message, schema, self._what(named), self._zone)
        self.addMessages(table, stream=stream)

    def addMessages(self, batch: pa.Table | pa.RecordBatch, *, stream: str | None = None) -> None:
        """Apply messages as one step, in the order of their event times.

        stream: which of the input streams, if there are several. Errors: MessageError with every
        column that does not fit; BackpressureError while the downstream is full; what an
        aggregate raises. Then nothing has changed.
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
        """False: the downstream is full, and no message is taken."""
        return self._selects

    @property
    def filteredCount(self) -> int:
        """Messages that ``beforeProcess`` withheld."""
        return self._filtered

    # ---- time

    def advanceWatermark(self, to: At, *, stream: str | None = None) -> None:
        """Move the watermark on; it never falls. Naive times are read as those of messages are.

        stream: that of one stream only; the operator's is the least, once all of them have one.
        While the downstream is full it waits, with what it would release.
        """
        self._opened()
        named = None if stream is None else self._named(stream)
        self._move("advance", named, self._event_micros("to", to, named))

    def timeout(self, now: At) -> None:
        """Move processing time on; it never falls.

        First what was refused is sent again. If any of it is refused still, nothing else happens.
        """
        self.refresh(now)

    def refresh(self, now: At, watermark: At | None = None) -> None:
        """Move processing time on, and the watermark with it, as ``timeout`` does."""
        self._opened()
        mark = None if watermark is None else self._event_micros("watermark", watermark)
        self._move("timeout", self._micros("now", now), mark)

    def finish(self) -> None:
        """Say that the input is over: every window is complete."""
        self._move("finish")

    # ---- results

    def getResult(self) -> pa.Table:
        """Give a copy of the outputs that wait, in firing order."""
        self._fetch()
        if not self._outbox:
            self._unshown.append(_tables.read(self._call("outputs")))
            self._fetch()
        return _tables.concatenated(self._outbox)

    def getRejected(self) -> pa.Table:
        """Give the refused messages since they were last asked for.

        ``stream``, ``reason``, ``watermark`` and ``processing_time`` by which they were judged
        (null before the first), ``message``; of a join a struct with one field a stream.
        """
        return _tables.read(self._call("rejected"))

    def flush(self) -> None:
        """Take the outputs as received: persist what led to them, and forget them.

        Errors: what ``beforeSend`` raises, an aggregate whose value cannot be told; they wait on.
        """
        self._fetch()
        if self._send is None:
            self._taken()
        else:
            self._drained()

    def drain(self) -> bool:
        """Send what waits, and what a full downstream held back; whether messages can be taken."""
        self._move("drain")
        return self._selects

    def checkpoint(self) -> bytes:
        """Give the whole state, with the outputs that wait, as bytes for ``reset``.

        Nothing is persisted: a store keeps what the last ``flush`` left in it.
        """
        waiting = self.getResult()
        return _checkpoint.packed(self._call("checkpoint"), waiting, self._extra())

    def reset(self, checkpoint: bytes | None = None) -> None:
        """Drop what is there without a word, and go on from a checkpoint, or from nothing.

        A store keeps what it had until ``flush``. Errors: CheckpointError if the checkpoint is
        damaged or of another spec.
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
        """See messages before any check; what is left out is withheld, and counted.

        If messages have offsets, those of what is left out count as applied.
        """
        return batch

    def beforeSend(self, outputs: pa.Table) -> pa.Table:
        """See outputs before they are handed out; they may be changed or left out.

        What it raises comes out of the call, whose step is done. It sees them again in the next.
        """
        return outputs

    # ---- inside

    @abstractmethod
    def _check(self, spec: object) -> None:
        """Refuse what this operator is not made for."""

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

    def _call(self, method: str, *arguments: object) -> Any:  # noqa: ANN401  as the JVM gives it
        return self._opened().call(method, *arguments)

    def _micros(self, argument: str, at: At) -> int:
        return _times.micros(argument, at, self._zone)

    def _event_micros(self, argument: str, at: At, stream: str | None = None) -> int:
        """Of event time: what is naive is as it stands where the messages' time has no zone."""
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
        """Columns that messages of a stream have."""
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
        """Run one whole step: messages, then the watermark, judged at a processing time."""
        for stream, table in messages.items():
            self._call("add", stream, _tables.write(table))
        self._call("step", watermark, now)
        self._after()

    def _move(self, method: str, *arguments: object) -> None:
        """Let time go on, when what was refused is sent again."""
        self._drained()
        self._call(method, *arguments)
        self._after()

    def _after(self) -> None:
        """Hand over what a step has given."""
        if type(self).beforeSend is not StandaloneOperator.beforeSend:
            self._fetch()
        self._drained()

    def _fetch(self) -> None:
        """Take over the outputs that the JVM holds. What fails here comes again the next time."""
        if self._call("hasOutputs"):
            self._unshown.append(_tables.read(self._call("outputs")))
        while self._unshown:
            self._outbox.append(self.beforeSend(self._unshown[0]))
            del self._unshown[0]

    def _drained(self) -> bool:
        """Offer what waits to the downstream; whether none is left."""
        if self._send is not None:
            self._fetch()
            waiting = [table for table in self._outbox if table.num_rows]
            if waiting and not self._send(_tables.concatenated(waiting)):
                self._select(False)
            else:
                self._taken()
                self._select(True)
        return self._selects

    def _select(self, selects: bool) -> None:  # noqa: FBT001  what the selector says
        """Take messages, or none while the downstream is full."""
        self._selects = selects
        self._call("hold", not selects)

    def _taken(self) -> None:
        self._call("flush")
        self._outbox = []

    def _passed_on(self) -> pa.Table:
        """Give the outputs away; ``flush`` persists later what led to them."""
        outputs = self.getResult()
        self._call("forget")
        self._outbox = []
        return outputs

    def _extra(self) -> pa.Table:
        """What a checkpoint has beside the state and the outputs."""
        return _tables.arrow().table({})

    def _restore(self, extra: pa.Table) -> None:  # noqa: B027  most have nothing more to keep
        """Take what ``_extra`` gave."""

    def _key_schema(self) -> pa.Schema:
        """Columns of the key."""
        return _tables.read(self._call("keyColumns")).schema

    def _key(self, keys: Keys | None) -> bytes | None:
        """One row of the key's columns; None: all keys."""
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
