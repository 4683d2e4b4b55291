"""Rows into a table of a database, each batch and its number in one transaction."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from windrow._bridge import _sql
from windrow._running._address import shown
from windrow._running._upsert import FindsRows, Upsert
from windrow._specs._frozen import call
from windrow.errors import SpecError, SpecProblem, problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

#: Columns of which a database has one for each field.
_OPEN = {"window", "pane"}


@dataclass(frozen=True, repr=False)
class Jdbc(FindsRows):
    """Write to a table of a database, by its JDBC address: ``"jdbc:postgresql://host/name"``.

    Each batch and its number go into the database in one transaction (table ``windrow_batches``),
    so that a batch that Spark repeats after a crash changes nothing. ``start`` creates the table if
    it does not exist. ``window`` and ``pane`` become a column for each of their fields
    (``window_start``, ``pane_timing``), other structs, arrays and maps JSON. The driver writes, by
    one connection.

    ``upsert``: keep one row for each window of a key, the last pane, as ``Upsert``; else add rows.
    ``on``: the columns by which a pane finds its row, as in ``Upsert``. ``options``: ``user``,
    ``password``, ``driver`` and other options of Spark's ``jdbc``, of which none is shown anywhere.
    The driver's JAR must be in ``spark.jars``. ``deadLetter``: a table of the same database for
    rows that ``table`` cannot store, for example a key longer than its column; without it such a
    row fails the query.

    Errors: WindrowError if the database refuses (JDBC_REFUSED) or cannot store a value
    (VALUE_NOT_STORABLE), SpecError if columns differ, CheckpointError if the checkpoint is older
    than the table.
    """

    url: str
    table: str
    upsert: bool = False
    on: str | Sequence[str] | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    deadLetter: str | None = None

    def __post_init__(self) -> None:
        """Refuse an address in the place of a table, whose name is shown."""
        super().__post_init__()
        if not str(self.url).startswith("jdbc:") or str(self.table).startswith("jdbc:"):
            raise SpecError.of("Jdbc(...)", [problem("JDBC_ADDRESS_MISSING")])

    def __repr__(self) -> str:
        """Show as the call, without what may be secret."""
        named = {"upsert": self.upsert or None, "on": self.on, "deadLetter": self.deadLetter}
        return call("Jdbc", shown(self.url), self.table, **named)

    @property
    def _as_upsert(self) -> Upsert | None:
        """How it finds the row of a window; None: rows are added."""
        return Upsert(self.table, self.on) if self.upsert else None

    def _clashes(self, kind: str, schema: StructType) -> Iterator[SpecProblem]:
        """Find columns that would have the same name in a database, which may ignore case."""
        from pyspark.sql.types import StructType

        flat = [
            (f"{one.name}_{inner}" if opened else one.name, opened)
            for one in schema.fields
            for opened in [one.name in _OPEN and isinstance(one.dataType, StructType)]
            for inner in (one.dataType.names if opened else [""])  # type: ignore[attr-defined]
        ]
        counts = Counter(name.lower() for name, _ in flat)
        for folded in sorted(name for name, count in counts.items() if count > 1):
            same = sorted((opened, name) for name, opened in flat if name.lower() == folded)
            yield problem("NAME_TAKEN.JDBC", rows=kind, name=same[0][1], other=same[-1][1])

    def _verify(self, spark: SparkSession, schema: StructType) -> None:
        """Refuse what cannot be written to, and create nothing."""
        self._save(spark.createDataFrame([], schema), {"onlyCheck": "true"})

    def _check(self, spark: SparkSession, schema: StructType) -> None:
        """Create the tables, or refuse what cannot be written to."""
        self._save(spark.createDataFrame([], schema))

    def _write(
        self, rows: DataFrame, batch_id: int, query: str, kind: str, checkpoint: str = ""
    ) -> None:
        """Write a batch; once or twice makes no difference.

        Args:
            rows: The rows.
            batch_id: The number of the batch.
            query: The id of the query.
            kind: The kind of rows.
            checkpoint: The folder of the checkpoint, which records by what its batches differ.

        """
        own = {"batch": str(batch_id), "query": query, "kind": kind}
        if checkpoint:
            own["checkpoint"] = checkpoint
        self._save(rows, own)

    def _save(self, rows: DataFrame, own: Mapping[str, str] | None = None) -> None:
        upsert = self._as_upsert
        by = {} if upsert is None else {"on": "\n".join(upsert._columns(rows.schema))}
        dead = {} if self.deadLetter is None else {"deadLetter": self.deadLetter}
        said = {f"windrow.{name}": value for name, value in {**(own or {}), **by, **dead}.items()}
        options = {**self.options, "url": self.url, "dbtable": self.table, **said}
        texts = {str(name): str(value) for name, value in options.items()}
        # Spark shows the options of a write in its log and pages, but for those with such names.
        writer = rows.write.format("windrow.spark.jdbc").option("windrow.secret", json.dumps(texts))
        with _sql.plain_errors():
            writer.mode("append").save()
