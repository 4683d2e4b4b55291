"""The connection of an operator to the JVM, which runs it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windrow._bridge import _gateway
from windrow.errors import failure
from windrow.operators import _tables, _times, _values
from windrow.operators._times import At

if TYPE_CHECKING:
    import pyarrow as pa

#: A row or a key, as column names and values.
Keys = Mapping[str, Any]


class JvmOperator:
    """An operator that runs in the JVM; times, keys, and rows are converted on their way."""

    def __init__(self, spec: object, store: str | None, *, sends: bool) -> None:
        """Store the description; nothing starts."""
        self._spec: Any = spec
        self._store = None if store is None else str(Path(store).absolute())
        self._sends = sends
        self._java: _gateway.Operator | None = None
        self._closed = False
        self._zone = "UTC"
        self._constants: dict[tuple[str, ...], Any] = {}

    def _opened(self) -> _gateway.Operator:
        if self._closed:
            raise failure("NOT_OPEN.CLOSED", operator=type(self).__name__)
        if self._java is None:
            from windrow.operators import _session

            _tables.arrow()
            spark = _session.session()
            name = type(self).__name__
            self._java = _gateway.Operator(
                spark, self._spec.toJson(), self._store, name, sends=self._sends
            )
            self._zone = str(spark.conf.get("spark.sql.session.timeZone"))
        return self._java

    def _freed(self) -> None:
        self._closed = True
        if self._java is not None:
            self._java.close()
            self._java = None

    def _call(self, method: str, *arguments: object) -> Any:  # noqa: ANN401  as the JVM returns it
        return self._opened().call(method, *arguments)

    def _constant(self, method: str, *arguments: str) -> Any:  # noqa: ANN401  as the JVM returns it
        """Call a method whose result never changes, only once; return the schema of a table."""
        self._opened()
        called = (method, *arguments)
        if called not in self._constants:
            given = self._call(*called)
            is_table = isinstance(given, bytes)
            self._constants[called] = _tables.read(given).schema if is_table else given
        return self._constants[called]

    def _micros(self, argument: str, at: At) -> int:
        return _times.micros(argument, at, self._zone)

    def _event_micros(self, argument: str, at: At, stream: str | None = None) -> int:
        """Return an event time in microseconds, in UTC if the event time of rows lacks a zone."""
        plain = self._constant("isTimeWithoutZone", stream or self._spec._streams[0])
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
        schema: pa.Schema = self._constant("inputColumns", stream)
        return schema

    def _key_schema(self) -> pa.Schema:
        """Return the columns of the key."""
        schema: pa.Schema = self._constant("keyColumns")
        return schema

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
