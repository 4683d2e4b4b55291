"""The operator in the JVM, which the first call opens."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from windrow._bridge import _gateway
from windrow.errors import failure
from windrow.operators import _tables, _times, _values
from windrow.operators._times import At

if TYPE_CHECKING:
    import pyarrow as pa

    from windrow.operators._cogroup import CoGroupSpec
    from windrow.operators._join import JoinSpec
    from windrow.operators._spec import WindowOperatorSpec

    Spec: TypeAlias = WindowOperatorSpec | JoinSpec | CoGroupSpec

#: A row or a key, as column names and values.
Keys = Mapping[str, Any]


class OpenedOperator(ABC):
    """An operator in the JVM, with the columns of its rows and its keys."""

    def __init__(self, spec: Spec, store: str | None) -> None:
        """Store the description; nothing starts."""
        self._check(spec)
        self._spec: Any = spec
        self._store = None if store is None else str(Path(store).absolute())
        self._java: _gateway.Operator | None = None
        self._closed = False
        self._zone = "UTC"
        self._columns: dict[str, pa.Schema] = {}

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

    def _key_schema(self) -> pa.Schema:
        """Return the columns of the key."""
        return _tables.read(self._call("keyColumns")).schema

    def _key(self, keys: Keys | None) -> bytes | None:
        """Return one row with the columns of the key, or None for all keys."""
        if keys is None:
            return None
        table = _values.of_message(keys, self._key_schema(), "the key", self._zone)
        return _tables.write(table)
