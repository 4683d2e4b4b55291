"""Panes into a table that has one row for each window of a key: the last that holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from windrow._bridge import _sql
from windrow._specs._columns import functions_of, quoted
from windrow._specs._frozen import call
from windrow.errors import SpecError, SpecProblem, problem
from windrow.policies import Partitions, Policy
from windrow.windows import Over

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

    from windrow.windows import WindowKind

_CONDITIONS = {"UNSUPPORTED_FEATURE.TABLE_OPERATION", "TABLE_OR_VIEW_NOT_FOUND"}


class FindsRows:
    """Parent of what finds a window's row by columns, of which none at all are the usual ones."""

    on: str | Sequence[str] | None

    def __post_init__(self) -> None:
        """Read the columns once."""
        if self.on is not None and not isinstance(self.on, str):
            object.__setattr__(self, "on", list(self.on) or None)


@dataclass(frozen=True, repr=False)
class Upsert(FindsRows):
    """A table that Spark can ``MERGE`` into (Delta, Iceberg), with the columns of the panes.

    ``on``: the columns by which a pane finds the row that it takes the place of; None: the key
    and ``window``, of ``Over`` the key and ``message``. A retraction that no pane follows deletes.
    ``create``: the format, ``"delta"`` or ``"iceberg"``, in which ``start`` makes a table that is
    not there; True: that of its catalog; False: it must be there.
    """

    table: str
    on: str | Sequence[str] | None = None
    create: bool | str = False

    def __repr__(self) -> str:
        """Show as the call."""
        return call("Upsert", self.table, on=self.on, create=self.create or None)

    @property
    def as_upsert(self) -> Upsert:
        """How it finds the row of a window."""
        return self

    def columns(self, schema: StructType) -> list[str]:
        """Give the columns by which rows are found, of panes with these columns."""
        if self.on is None:
            names = schema.fieldNames()
            own = "message" if "message" in names else "window"
            return [*names[: names.index("window")], own]
        return [self.on] if isinstance(self.on, str) else list(self.on)

    def problems(self, schema: StructType) -> list[SpecProblem]:
        """Say which of ``on`` the panes lack."""
        known = ", ".join(schema.fieldNames())
        return [
            problem("COLUMN_NOT_FOUND.ARGUMENT", argument="on", name=name, columns=known)
            for name in self.columns(schema)
            if name not in schema.fieldNames()
        ]

    def unclear(self, kind: WindowKind, *, identified: bool) -> list[SpecProblem]:
        """Say why key and window do not tell which row is a pane's, where ``on`` says nothing.

        identified: no two messages are alike.
        """
        condition = ""
        if isinstance(kind, Over) and not identified:
            condition = "UPSERT_ROW_UNCLEAR.OVER"
        elif isinstance(kind, Policy) and kind.limit != Partitions():
            condition = "UPSERT_ROW_UNCLEAR.LIMITS"
        if not condition or self.on is not None:
            return []
        return [problem(condition, sink=repr(self))]

    def of_parts(self) -> SpecProblem:
        """Say why panes that hold only what is new cannot go into it."""
        return problem("UPSERT_OF_PARTS", sink=repr(self))

    def check(self, spark: SparkSession, schema: StructType) -> None:
        """Make the table if that is wanted, and refuse one that cannot take the panes.

        Found by merging none. Errors: SpecError.
        """
        from pyspark.errors import AnalysisException, UnsupportedOperationException

        none, made = spark.createDataFrame([], schema), False
        try:
            with _sql.unlogged():
                made = self.create is not False and self._make(none)
                self.merge(none)
        except (AnalysisException, UnsupportedOperationException) as refused:
            said = str(refused).strip().splitlines()[0]
            code = (
                "TABLE_NOT_MERGEABLE" if refused.getCondition() in _CONDITIONS else "TABLE_DIFFERS"
            )
            found = problem(code, table=self.table, said=said)
            if made:
                spark.sql(f"DROP TABLE {_identifier(self.table)}")
            raise SpecError.of("start(...)", [found]) from None

    def _make(self, none: DataFrame) -> bool:
        """Make the table if it is not there, and say whether it was made."""
        if none.sparkSession.catalog.tableExists(self.table):
            return False
        writer = none.writeTo(self.table)
        (writer.using(self.create) if isinstance(self.create, str) else writer).create()
        return True

    def merge(self, panes: DataFrame) -> None:
        """Bring the last panes of a batch into the table; once or twice makes no difference."""
        on = self.columns(panes.schema)
        found = " AND ".join(f"{_named('held', one)} <=> {_named('came', one)}" for one in on)
        panes.sparkSession.sql(
            f"MERGE INTO {_identifier(self.table)} AS held USING {{came}} AS came ON {found} "
            "WHEN MATCHED AND came.pane.is_retraction THEN DELETE "
            "WHEN MATCHED THEN UPDATE SET * "
            "WHEN NOT MATCHED AND NOT came.pane.is_retraction THEN INSERT *",
            came=last_of_each(panes, on),
        )


def _identifier(name: str) -> str:
    """Give a name as SQL: no text of the user's stands in the merge, which could be more."""
    return f"IDENTIFIER({_sql.text(name)})"


def _named(table: str, column: str) -> str:
    return _identifier(f"{table}.{quoted(column)}")


def last_of_each(panes: DataFrame, on: Sequence[str]) -> DataFrame:
    """Give of each window the pane that holds, or the retraction after which none does."""
    functions = functions_of(panes)
    last = functions.max_by(
        functions.struct(*(functions.col(quoted(name)) for name in panes.columns)),
        functions.struct("pane.index", "pane.is_retraction"),
    )
    by = [functions.col(quoted(name)).alias(f"on{i}") for i, name in enumerate(on)]
    return panes.groupBy(*by).agg(last.alias("last")).select("last.*")
