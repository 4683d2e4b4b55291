"""Rows into a table of a database, each batch and its number in one transaction."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from windrow._bridge import _sql
from windrow._running._upsert import FindsRows, Upsert, last_of_each
from windrow._specs._frozen import call

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType


@dataclass(frozen=True, repr=False)
class Jdbc(FindsRows):
    """A table of a database, by its JDBC address: ``"jdbc:postgresql://host/name"``.

    Each batch and its number go into it in one transaction (table ``windrow_batches``), so that a
    batch that comes again after a crash changes nothing. The table is made if it is not there;
    ``window`` and ``pane`` become a column for each of their fields (``window_start``,
    ``pane_timing``), other structs, arrays and maps JSON. The driver writes, by one connection.

    ``upsert``: of panes, one row for each window of a key, the last that holds, as ``Upsert``; else
    all rows are added. ``on``: as of ``Upsert``. ``options``: ``user``, ``password``, ``driver``
    and what else Spark's ``jdbc`` takes. The driver's JAR must be in ``spark.jars``.

    Errors: WindrowError (JDBC_REFUSED), SpecError where columns differ, CheckpointError if the
    checkpoint was turned back behind the table.
    """

    url: str
    table: str
    upsert: bool = False
    on: str | Sequence[str] | None = None
    options: Mapping[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        """Show as the call, without what may be secret."""
        url = re.split("[?;]", self.url, maxsplit=1)[0]
        return call("Jdbc", url, self.table, upsert=self.upsert or None, on=self.on)

    @property
    def as_upsert(self) -> Upsert | None:
        """How it finds the row of a window; None: rows are added."""
        return Upsert(self.table, self.on) if self.upsert else None

    def check(self, spark: SparkSession, schema: StructType) -> None:
        """Make the tables, or refuse what cannot be written to."""
        with _sql.plain_errors():
            self._save(spark.createDataFrame([], schema))

    def write(
        self, rows: DataFrame, batch_id: int, query: str, kind: str, checkpoint: str = ""
    ) -> None:
        """Bring a batch into the table; once or twice makes no difference.

        checkpoint: where the query's is, which says by what its batches differ.
        """
        upsert = self.as_upsert
        held = rows if upsert is None else last_of_each(rows, upsert.columns(rows.schema))
        own = {"batch": str(batch_id), "query": query, "sink": f"{kind} {self.table}"}
        if checkpoint:
            own["checkpoint"] = checkpoint
        with _sql.plain_errors():
            self._save(held, own)

    def _save(self, rows: DataFrame, own: Mapping[str, str] | None = None) -> None:
        upsert = self.as_upsert
        by = {} if upsert is None else {"on": "\n".join(upsert.columns(rows.schema))}
        said = {f"windrow.{name}": value for name, value in {**(own or {}), **by}.items()}
        options = {**self.options, "url": self.url, "dbtable": self.table, **said}
        rows.write.format("windrow.spark.jdbc").options(**options).mode("append").save()
