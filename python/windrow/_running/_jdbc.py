"""Write rows to a table of a database, each micro-batch and its number in one transaction."""

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

#: Structs that become a database column for each field.
_OPEN = {"window", "pane"}


@dataclass(frozen=True, repr=False)
class Jdbc(FindsRows):
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
        if not str(self.url).startswith("jdbc:") or str(self.table).startswith("jdbc:"):
            raise SpecError.of("Jdbc(...)", [problem("JDBC_ADDRESS_MISSING")])

    def __repr__(self) -> str:
        """Show as the call, without values that may be secret."""
        named = {"upsert": self.upsert or None, "on": self.on, "deadLetter": self.deadLetter}
        return call("Jdbc", shown(self.url), self.table, **named)

    @property
    def _as_upsert(self) -> Upsert | None:
        """Return how to find the row of a window, or None if rows are added."""
        return Upsert(self.table, self.on) if self.upsert else None

    def _clashes(self, kind: str, schema: StructType) -> Iterator[SpecProblem]:
        """Return columns that would have the same name in a database that ignores case."""
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
        """Reject a table that cannot be written to; create nothing."""
        self._save(spark.createDataFrame([], schema), {"onlyCheck": "true"})

    def _check(self, spark: SparkSession, schema: StructType) -> None:
        """Create the tables, or reject one that cannot be written to."""
        self._save(spark.createDataFrame([], schema))

    def _write(
        self, rows: DataFrame, batch_id: int, query: str, kind: str, checkpoint: str = ""
    ) -> None:
        """Write a micro-batch. Writing it twice has the same result as writing it once.

        Args:
            rows: The rows.
            batch_id: The number of the micro-batch.
            query: The id of the query.
            kind: The kind of rows.
            checkpoint: The folder of the checkpoint, whose logs distinguish a repeated micro-batch
                from another one with the same number.

        """
        own = {"batch": str(batch_id), "query": query, "kind": kind}
        if checkpoint:
            own["checkpoint"] = checkpoint
        self._save(rows, own)

    def _save(self, rows: DataFrame, own: Mapping[str, str] | None = None) -> None:
        upsert = self._as_upsert
        by = {} if upsert is None else {"on": "\n".join(upsert._columns(rows.schema))}
        dead = {} if self.deadLetter is None else {"deadLetter": self.deadLetter}
        settings = {
            f"windrow.{name}": value for name, value in {**(own or {}), **by, **dead}.items()
        }
        options = {**self.options, "url": self.url, "dbtable": self.table, **settings}
        texts = {str(name): str(value) for name, value in options.items()}
        # Spark shows the options of a write in its log and UI, except those with such names.
        writer = rows.write.format("windrow.spark.jdbc").option("windrow.secret", json.dumps(texts))
        with _sql.plain_errors():
            writer.mode("append").save()
