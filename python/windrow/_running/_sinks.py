"""Sinks: how users describe them, and how the JVM reads them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, TypeAlias

from windrow._running._address import shown, shown_path, shown_servers
from windrow._specs import _json
from windrow._specs._frozen import call
from windrow.errors import SpecError, SpecProblem, expect, problem

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

#: Formats that Spark can MERGE into.
_FORMATS = {"delta", "iceberg"}


@dataclass(frozen=True, repr=False)
class Files:
    """Write rows to a folder with one subfolder for each micro-batch, ``batch=<id>``.

    A micro-batch that Spark repeats after a crash overwrites its subfolder, so every row is stored
    exactly once. Read everything with ``spark.read.format(format).load(path)``; the column
    ``batch`` is the number of the micro-batch, so the rows must not have a column of this name. A
    micro-batch without rows writes no subfolder, except the first one after a start, which shows
    the columns. The folder belongs to one checkpoint. It must not be inside the folder of another
    sink or of the checkpoint, nor contain one.

    Args:
        path: The folder.
        format: A file format of Spark. The default is ``"parquet"``.

    Raises:
        SpecError: From ``start``: the format is not known (``FORMAT_NOT_FOUND``), cannot store the
            columns (``FORMAT_NOT_FOR_ROWS``), folders are nested (``FOLDERS_NESTED``), or the rows
            have a column ``batch`` (``NAME_TAKEN``).
        CheckpointError: From ``start``: the folder belongs to another query
            (``FILES_OF_ANOTHER_QUERY``), or contains later micro-batches than the checkpoint, which
            is therefore an older copy (``BATCH_OF_THE_PAST``).
        TypeError: The path is not a string or a path.

    Example:
        >>> wr.Files("/data/panes/")
        Files('/data/panes')

    """

    path: str
    format: str = "parquet"

    def __post_init__(self) -> None:
        """Reject a value that is not a path, and remove the slash at the end."""
        expect("Files(path)", self.path, str, PathLike, example="'/data/panes'")
        object.__setattr__(self, "path", str(fspath(self.path)).rstrip("/"))

    def __repr__(self) -> str:
        """Show as the call, without values that may be secret."""
        shown_format = None if self.format == "parquet" else self.format
        return call("Files", shown_path(self.path), format=shown_format)

    def _fields(self) -> dict[str, Any]:
        return {"sink": "files", "path": self.path, "format": self.format}


class _FindsRows:
    """The parent of sinks that find the row of a window by columns."""

    on: str | Sequence[str] | None

    def __post_init__(self) -> None:
        """Read the columns once, because an iterator can be read only once."""
        if self.on is not None and not isinstance(self.on, str):
            names = list(self.on)
            for name in names:
                expect(f"{type(self).__name__}(on=...)", name, str)
            object.__setattr__(self, "on", names or None)

    def _by(self) -> list[str]:
        if self.on is None:
            return []
        return [self.on] if isinstance(self.on, str) else list(self.on)


@dataclass(frozen=True, repr=False)
class Upsert(_FindsRows):
    """Keep the last pane of each window in a table that Spark can ``MERGE`` into.

    Use it for a table that a dashboard reads: it has one row for each window of a key, and late
    rows update that row. A retraction that is not followed by a pane deletes the row. The table has
    the columns of the panes. Only for panes.

    Args:
        table: The name of the table.
        on: The columns by which a pane finds the row that it replaces. None (the default) uses the
            key and ``window``, for ``Over`` the key and ``message``. If ``on`` leaves out a part of
            these, several windows compete for a row and the newest one has it: the window with the
            greatest end, then with the greatest start.
        create: The format, ``"delta"`` or ``"iceberg"``, in which ``start`` creates a missing
            table. True uses the format of the catalog. False (the default) requires that the table
            exists.

    Raises:
        SpecError: The format is not supported (``UPSERT_FORMAT_UNKNOWN``); from ``start``, the
            table cannot be merged into (``TABLE_DIFFERS``, ``TABLE_NOT_MERGEABLE``), ``on`` is not
            clear (``UPSERT_ROW_UNCLEAR``), or the panes contain only the new part
            (``UPSERT_OF_PARTS``).

    Example:
        >>> wr.Upsert("minutes", create="delta")
        Upsert('minutes', create='delta')
        >>> wr.Upsert("current_prices", on="product")  # only the newest window of each product
        Upsert('current_prices', on='product')

    """

    table: str
    on: str | Sequence[str] | None = None
    create: bool | str = False

    def __post_init__(self) -> None:
        """Reject a format that Spark cannot merge into."""
        super().__post_init__()
        expect("Upsert(table)", self.table, str, example="'minutes'")
        if isinstance(self.create, str) and self.create not in _FORMATS:
            found = problem("UPSERT_FORMAT_UNKNOWN", format=self.create)
            raise SpecError.of(f"Upsert({self.table!r})", [found])

    def __repr__(self) -> str:
        """Show as the call."""
        return call("Upsert", self.table, on=self.on, create=self.create or None)

    def _fields(self) -> dict[str, Any]:
        create = self.create or None
        if create is True:
            create = ""  # the format of the catalog
        return {"sink": "upsert", "table": self.table, "on": self._by(), "create": create}


@dataclass(frozen=True, repr=False)
class Jdbc(_FindsRows):
    """Write rows to a table of a database.

    Each micro-batch and its number go into the database in one transaction (table
    ``windrow_batches``), so a micro-batch that Spark repeats after a crash changes nothing.
    ``start`` creates the table if it does not exist. ``window`` and ``pane`` become a column for
    each of their fields (``window_start``, ``pane_timing``); other structs, arrays, and maps become
    JSON. The driver writes all rows over one connection, and the JAR of the JDBC driver must be in
    ``spark.jars``.

    Args:
        url: The JDBC address, for example ``"jdbc:postgresql://host/name"``.
        table: The name of the table.
        upsert: Whether to keep one row for each window of a key, the last pane, as ``Upsert`` does.
            Only for panes. The default False adds a row for each pane.
        on: The columns by which a pane finds its row, as in ``Upsert``. None uses the key and
            ``window``.
        options: ``user``, ``password``, ``driver``, and other options of Spark's ``jdbc``. Windrow
            never shows their values.
        deadLetter: A table of the same database for rows that ``table`` cannot store, for example a
            key that is longer than its column. None (the default) fails the query at such a row.

    Raises:
        SpecError: The address or the table is not valid (``JDBC_ADDRESS_MISSING``); from ``start``,
            the columns differ (``TABLE_COLUMNS_DIFFER``) or a name is taken (``NAME_TAKEN``).
        WindrowError: From ``start`` or the query: the database refuses (``JDBC_REFUSED``) or cannot
            store a value (``VALUE_NOT_STORABLE``).
        CheckpointError: The checkpoint is older than the table (``BATCH_OF_THE_PAST``,
            ``BATCH_IS_ANOTHER``), or another run uses it (``BATCH_TAKEN``).

    Example:
        >>> wr.Jdbc("jdbc:postgresql://me:secret@db/shop", "minutes", upsert=True)
        Jdbc('jdbc:postgresql://…@db/shop', 'minutes', upsert=True)

    """

    url: str
    table: str
    upsert: bool = False
    on: str | Sequence[str] | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    deadLetter: str | None = None

    def __post_init__(self) -> None:
        """Reject an address in place of a table, because the name of a table is shown."""
        super().__post_init__()
        expect("Jdbc(url, table)", self.table, str, example="'minutes'")
        if not str(self.url).startswith("jdbc:") or str(self.table).startswith("jdbc:"):
            raise SpecError.of("Jdbc(...)", [problem("JDBC_ADDRESS_MISSING")])

    def __repr__(self) -> str:
        """Show as the call, without values that may be secret."""
        named = {"upsert": self.upsert or None, "on": self.on, "deadLetter": self.deadLetter}
        return call("Jdbc", shown(self.url), self.table, **named)

    def _fields(self) -> dict[str, Any]:
        return {
            "sink": "jdbc",
            "url": str(self.url),
            "table": str(self.table),
            "upsert": self.upsert,
            "on": self._by(),
            "options": _texts(self.options),
            "deadLetter": self.deadLetter,
        }


@dataclass(frozen=True, repr=False)
class KafkaTable(_FindsRows):
    """Keep the last pane of each window in a compacted Kafka topic (``cleanup.policy=compact``).

    The key of a record is JSON of the key columns and ``window``; its value is JSON of the pane, or
    null (a tombstone) if the window was withdrawn. After a crash the records of a micro-batch are
    sent again. Consumers that keep the last value of each key see every pane at least once and end
    with the right result. The session needs Spark's connector (``spark-sql-kafka-0-10``). Only for
    panes.

    Args:
        servers: The brokers (``kafka.bootstrap.servers``), for example ``"broker:9092"``.
        topic: The name of the topic.
        on: The columns of the record key, as in ``Upsert``. None uses the key and ``window``. The
            columns must include these, because a topic cannot be asked which window it holds.
        options: Further options of Spark's Kafka sink, for example ``kafka.max.request.size``.

    Raises:
        SpecError: From ``start``: ``on`` leaves out the window or a part of the key
            (``UPSERT_ROW_UNCLEAR``), or the panes contain only the new part (``UPSERT_OF_PARTS``).

    Example:
        >>> wr.KafkaTable("broker:9092", "minutes")
        KafkaTable('broker:9092', 'minutes')

    """

    servers: str
    topic: str
    on: str | Sequence[str] | None = None
    options: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Reject a topic that is not a name."""
        super().__post_init__()
        expect("KafkaTable(servers, topic)", self.topic, str, example="'minutes'")

    def __repr__(self) -> str:
        """Show as the call, without values that may be secret."""
        return call("KafkaTable", shown_servers(self.servers), self.topic, on=self.on)

    def _fields(self) -> dict[str, Any]:
        return {
            "sink": "kafka",
            "servers": self.servers,
            "topic": self.topic,
            "on": self._by(),
            "options": _texts(self.options),
        }


Sink: TypeAlias = "str | Files | Upsert | Jdbc | KafkaTable | Callable[[DataFrame, int], None]"


def problems_of_sinks(stated: Mapping[str, object]) -> Iterator[SpecProblem]:
    """Yield a problem for each sink that is not one."""
    for kind, sink in stated.items():
        if isinstance(sink, str) and sink.startswith("jdbc:"):
            yield problem("SINK_NOT_UNDERSTOOD", kind=kind, sink="the address of a database")
        elif isinstance(sink, type):  # callable too
            yield problem("SINK_NOT_UNDERSTOOD", kind=kind, sink=f"the class {sink.__name__}")
        elif not isinstance(sink, (str, Files, Upsert, Jdbc, KafkaTable)) and not callable(sink):
            # Show the type only, because the value may contain a password.
            yield problem("SINK_NOT_UNDERSTOOD", kind=kind, sink=f"a {type(sink).__name__}")


def sinks_json(sinks: Mapping[str, Sink | None], query: str = "", checkpoint: str = "") -> str:
    """Return the sinks by kind as JSON, which Scala's ``SinkJson`` reads.

    query: the id of the query, as the checkpoint stores it. checkpoint: its folder.
    """
    fields = {kind: None if sink is None else _fields(sink) for kind, sink in sinks.items()}
    return _json.write({"sinks": fields, "query": query, "checkpoint": checkpoint})


def _fields(sink: Sink) -> dict[str, Any]:
    if isinstance(sink, Files | Upsert | Jdbc | KafkaTable):
        return {**sink._fields(), "shown": repr(sink)}
    if isinstance(sink, str) and not sink.startswith("jdbc:"):
        return {"sink": "table", "name": sink}
    return {"sink": "function"}


def _texts(options: Mapping[str, object]) -> dict[str, str]:
    """Return options as Spark reads them."""
    texts = {True: "true", False: "false"}
    return {
        str(name): texts[value] if isinstance(value, bool) else str(value)
        for name, value in options.items()
    }
