"""Panes into a table that has one row for each window of a key: the last that holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from windrow._bridge import _gateway, _sql
from windrow._running._last_panes import (
    MARK_LENGTH,
    WITHDRAWN,
    identity,
    is_of_one_window,
    last_of_each,
    newest_of_each,
    place,
)
from windrow._specs._columns import functions_of, quoted
from windrow._specs._frozen import call
from windrow.errors import SpecError, SpecProblem, problem
from windrow.policies import KeyLimits, Policy
from windrow.windows import Over

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

    from windrow.windows import WindowKind

#: Formats that Spark can MERGE into.
_FORMATS = {"delta", "iceberg"}
_OWN = "__windrow_"
_NO_FORMAT = "DATA_SOURCE_NOT_FOUND"
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
    """Keep the last pane of each window in a table that Spark can ``MERGE`` into.

    A retraction that no pane follows deletes the row.

    ``table`` has the columns of the panes. ``on``: the columns by which a pane finds the row that
    it replaces; None: the key and ``window``, of ``Over`` the key and ``message``. If they leave
    out a part of these, the newest window has the row: that of the greatest end, then of the
    greatest start. ``create``: the format, ``"delta"`` or ``"iceberg"``, in which ``start`` creates
    a table that does not exist; True: that of its catalog; False: it must exist.
    """

    table: str
    on: str | Sequence[str] | None = None
    create: bool | str = False

    def __post_init__(self) -> None:
        """Refuse a format that Spark cannot merge into."""
        super().__post_init__()
        if isinstance(self.create, str) and self.create not in _FORMATS:
            found = problem("UPSERT_FORMAT_UNKNOWN", format=self.create)
            raise SpecError.of(f"Upsert({self.table!r})", [found])

    def __repr__(self) -> str:
        """Show as the call."""
        return call("Upsert", self.table, on=self.on, create=self.create or None)

    @property
    def _as_upsert(self) -> Upsert:
        """How it finds the row of a window."""
        return self

    def _columns(self, schema: StructType) -> list[str]:
        """Give the columns by which rows are found, of panes with these columns."""
        if self.on is None:
            return identity(schema)
        return [self.on] if isinstance(self.on, str) else list(self.on)

    def _problems(self, schema: StructType) -> list[SpecProblem]:
        """Say which of ``on`` the panes lack."""
        known = ", ".join(schema.fieldNames())
        return [
            problem("COLUMN_NOT_FOUND.ARGUMENT", argument="on", name=name, columns=known)
            for name in self._columns(schema)
            if name not in schema.fieldNames()
        ]

    def _unclear(self, kind: WindowKind, *, identified: bool) -> list[SpecProblem]:
        """Say why key and window do not tell which row is a pane's, where ``on`` says nothing.

        identified: no two messages are alike.
        """
        condition = ""
        if isinstance(kind, Over) and not identified:
            condition = "UPSERT_ROW_UNCLEAR.OVER"
        elif isinstance(kind, Policy) and kind.limit != KeyLimits():
            condition = "UPSERT_ROW_UNCLEAR.LIMITS"
        # Windows that begin again at 0 have no newest one.
        stated = self.on is not None and (not condition.endswith("LIMITS") or "window" in self.on)
        if not condition or stated:
            return []
        return [problem(condition, sink=repr(self))]

    def _of_message(self, kind: WindowKind, schema: StructType) -> list[SpecProblem]:
        """Refuse a result that is called as the column by which rows of `Over` are found."""
        is_of_over = isinstance(kind, Over) or self.on is not None
        if is_of_over or "message" not in schema.fieldNames():
            return []
        return [problem("NAME_TAKEN.UPSERT", sink=repr(self))]

    def _competing(self, schema: StructType) -> list[SpecProblem]:
        """Say why windows cannot share a row where the row cannot be asked for its window."""
        on = self._columns(schema)
        if self._problems(schema) or is_of_one_window(schema, on):
            return []
        return [problem("UPSERT_ROW_UNCLEAR.TOPIC", sink=repr(self))]

    def _of_parts(self) -> SpecProblem:
        """Say why panes that hold only what is new cannot go into it."""
        return problem("UPSERT_OF_PARTS", sink=repr(self))

    def _verify(self, spark: SparkSession, schema: StructType) -> None:
        """Refuse a table that cannot take the panes, found by merging none; create nothing.

        Raises:
            SpecError: With the reason.

        """
        none = spark.createDataFrame([], schema)
        if self.create is not False and not self._exists(spark):
            if isinstance(self.create, str):
                self._try(lambda: spark.read.format(str(self.create)).load(), only_format=True)
        else:
            self._try(lambda: self._merge(none))

    def _check(self, spark: SparkSession, schema: StructType) -> None:
        """Create the table if that is wanted, and refuse one that cannot take the panes.

        Raises:
            SpecError: With the reason.

        """
        none = spark.createDataFrame([], schema)
        made = self.create is not False and not self._exists(spark)
        try:
            if made:
                self._try(lambda: self._make(none))
            self._try(lambda: self._merge(none))
        except SpecError:
            if made:
                spark.sql(f"DROP TABLE IF EXISTS {_identifier(self.table)}")
            raise

    def _try(self, work: Callable[[], object], *, only_format: bool = False) -> None:
        from pyspark.errors import (
            AnalysisException,
            PySparkException,
            UnsupportedOperationException,
        )

        failures: tuple[type[Exception], ...] = (PySparkException, *_gateway.untranslated())
        try:
            with _sql.unlogged():
                work()
        except failures as refused:
            if _NO_FORMAT in str(refused):
                found = problem("UPSERT_FORMAT_MISSING", table=self.table, format=self.create)
            elif only_format:
                return
            elif isinstance(refused, AnalysisException | UnsupportedOperationException):
                said = str(refused).strip().splitlines()[0]
                mergeable = refused.getCondition() not in _CONDITIONS
                code = "TABLE_DIFFERS" if mergeable else "TABLE_NOT_MERGEABLE"
                found = problem(code, table=self.table, said=said)
            else:
                raise
            raise SpecError.of("start(...)", [found]) from None

    def _exists(self, spark: SparkSession) -> bool:
        from pyspark.errors import AnalysisException

        try:
            return bool(spark.catalog.tableExists(self.table))
        except AnalysisException:  # no name, which the merge tells
            return False

    def _make(self, none: DataFrame) -> None:
        writer = none.writeTo(self.table)
        (writer.using(self.create) if isinstance(self.create, str) else writer).create()

    def _merge(self, panes: DataFrame) -> None:
        """Bring the last panes of a batch into the table; once or twice makes no difference."""
        on = self._columns(panes.schema)
        found = " AND ".join(f"{_named('held', one)} <=> {_named('came', one)}" for one in on)
        panes.sparkSession.sql(
            f"MERGE INTO {_identifier(self.table)} AS held USING {{came}} AS came ON {found} "
            "WHEN MATCHED AND came.pane.is_retraction THEN DELETE "
            "WHEN MATCHED THEN UPDATE SET * "
            "WHEN NOT MATCHED AND NOT came.pane.is_retraction THEN INSERT *",
            came=self._winners(panes, on),
        )

    def _winners(self, panes: DataFrame, on: list[str]) -> DataFrame:
        """Give the panes that take a row's place, and retractions of rows."""
        if is_of_one_window(panes.schema, on):
            return last_of_each(panes, on)
        functions, held = functions_of(panes), f"{_OWN}held"
        there = panes.sparkSession.table(self.table).select(
            *(functions.col(quoted(name)).alias(f"{_OWN}on{i}") for i, name in enumerate(on)),
            place(functions, panes.schema).alias(held),
        )
        newest = newest_of_each(panes, on)
        same = [newest[quoted(name)].eqNullSafe(there[f"{_OWN}on{i}"]) for i, name in enumerate(on)]
        mark = functions.right(functions.col(held), functions.lit(MARK_LENGTH))
        replaced = functions.array_contains(functions.col(WITHDRAWN), mark)
        newer = place(functions, panes.schema) >= functions.col(held)
        wins = functions.col(held).isNull() | replaced
        wins |= ~functions.col("pane.is_retraction") & newer
        found = newest.join(there, same, "left").where(wins)
        return found.select(*(newest[quoted(name)] for name in panes.columns))


def _identifier(name: str) -> str:
    """Give a name as SQL: no text of the user's stands in the merge, which could be more."""
    return f"IDENTIFIER({_sql.text(name)})"


def _named(table: str, column: str) -> str:
    return _identifier(f"{table}.{quoted(column)}")
