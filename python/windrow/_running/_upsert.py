"""Write panes to a table that keeps the last valid pane of each window of a key."""

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
    """The parent of sinks that find the row of a window by columns."""

    on: str | Sequence[str] | None

    def __post_init__(self) -> None:
        """Read the columns once, because an iterator can be read only once."""
        if self.on is not None and not isinstance(self.on, str):
            object.__setattr__(self, "on", list(self.on) or None)


@dataclass(frozen=True, repr=False)
class Upsert(FindsRows):
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
        if isinstance(self.create, str) and self.create not in _FORMATS:
            found = problem("UPSERT_FORMAT_UNKNOWN", format=self.create)
            raise SpecError.of(f"Upsert({self.table!r})", [found])

    def __repr__(self) -> str:
        """Show as the call."""
        return call("Upsert", self.table, on=self.on, create=self.create or None)

    @property
    def _as_upsert(self) -> Upsert:
        """Return how to find the row of a window."""
        return self

    def _columns(self, schema: StructType) -> list[str]:
        """Return the columns by which the rows of such panes are found."""
        if self.on is None:
            return identity(schema)
        return [self.on] if isinstance(self.on, str) else list(self.on)

    def _problems(self, schema: StructType) -> list[SpecProblem]:
        """Return a problem for each column of ``on`` that the panes do not have."""
        known = ", ".join(schema.fieldNames())
        return [
            problem("COLUMN_NOT_FOUND.ARGUMENT", argument="on", name=name, columns=known)
            for name in self._columns(schema)
            if name not in schema.fieldNames()
        ]

    def _unclear(self, kind: WindowKind, *, identified: bool) -> list[SpecProblem]:
        """Return why key and window do not identify the row of a pane, if ``on`` is not set.

        identified: whether rows have an id, so that no two rows are equal.
        """
        condition = ""
        if isinstance(kind, Over) and not identified:
            condition = "UPSERT_ROW_UNCLEAR.OVER"
        elif isinstance(kind, Policy) and kind.limit != KeyLimits():
            condition = "UPSERT_ROW_UNCLEAR.LIMITS"
        # The numbers of such windows start at 0 again, so none of them is the newest.
        stated = self.on is not None and (not condition.endswith("LIMITS") or "window" in self.on)
        if not condition or stated:
            return []
        return [problem(condition, sink=repr(self))]

    def _of_message(self, kind: WindowKind, schema: StructType) -> list[SpecProblem]:
        """Reject a result column with the name of the column that identifies rows of ``Over``."""
        is_of_over = isinstance(kind, Over) or self.on is not None
        if is_of_over or "message" not in schema.fieldNames():
            return []
        return [problem("NAME_TAKEN.UPSERT", sink=repr(self))]

    def _competing(self, schema: StructType) -> list[SpecProblem]:
        """Return why windows cannot share a row if the sink cannot read the window of the row."""
        on = self._columns(schema)
        if self._problems(schema) or is_of_one_window(schema, on):
            return []
        return [problem("UPSERT_ROW_UNCLEAR.TOPIC", sink=repr(self))]

    def _of_parts(self) -> SpecProblem:
        """Return the problem of panes that contain only the new part."""
        return problem("UPSERT_OF_PARTS", sink=repr(self))

    def _verify(self, spark: SparkSession, schema: StructType) -> None:
        """Reject a table that cannot store the panes, by merging no rows; create nothing.

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
        """Create the table if requested, and reject one that cannot store the panes.

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
                reason = str(refused).strip().splitlines()[0]
                mergeable = refused.getCondition() not in _CONDITIONS
                code = "TABLE_DIFFERS" if mergeable else "TABLE_NOT_MERGEABLE"
                found = problem(code, table=self.table, said=reason)
            else:
                raise
            raise SpecError.of("start(...)", [found]) from None

    def _exists(self, spark: SparkSession) -> bool:
        from pyspark.errors import AnalysisException

        try:
            return bool(spark.catalog.tableExists(self.table))
        except AnalysisException:  # not a valid name, which the merge reports
            return False

    def _make(self, none: DataFrame) -> None:
        writer = none.writeTo(self.table)
        (writer.using(self.create) if isinstance(self.create, str) else writer).create()

    def _merge(self, panes: DataFrame) -> None:
        """Merge the last panes of a micro-batch into the table; a second time changes nothing."""
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
        """Return the panes that replace a row, and the retractions that delete one."""
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
    """Return a name as SQL, quoted so that a user's text cannot add to the statement."""
    return f"IDENTIFIER({_sql.text(name)})"


def _named(table: str, column: str) -> str:
    return _identifier(f"{table}.{quoted(column)}")
