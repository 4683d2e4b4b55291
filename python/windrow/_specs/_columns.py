"""Columns and names of columns, classic and Connect alike, without importing PySpark early."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeGuard, cast

from windrow.errors import SpecProblem, problem

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


def is_column(value: object) -> TypeGuard[Column]:
    """Return whether the value is a PySpark Column, of a classic session or of Connect."""
    return _is_pyspark(value, "Column")


def is_data_frame(value: object) -> TypeGuard[DataFrame]:
    """Return whether the value is a PySpark DataFrame, of a classic session or of Connect."""
    return _is_pyspark(value, "DataFrame")


def functions_of(df: DataFrame) -> ModuleType:
    """Return ``pyspark.sql.functions`` for the kind of session of the DataFrame."""
    connect = is_connect(df)
    return import_module("pyspark.sql.connect.functions" if connect else "pyspark.sql.functions")


def is_connect(owner: object) -> bool:
    """Return whether a DataFrame or session uses a Spark Connect server."""
    return any(cls.__module__.startswith("pyspark.sql.connect") for cls in type(owner).__mro__)


def functions_for(*columns: object) -> ModuleType:
    """Return the module of Spark's functions for the kind of these columns."""
    connect = any(is_connect(column) for column in columns)
    return import_module("pyspark.sql.connect.functions" if connect else "pyspark.sql.functions")


def called(F: ModuleType, name: str, *arguments: str | Column) -> Column:  # noqa: N803
    """Call a function of SQL."""
    columns = [F.col(one) if isinstance(one, str) else one for one in arguments]
    made: Column = F.call_function(name, *columns)
    return made


def column(df: DataFrame, col: str | Column) -> Column:
    """Return a Column of the DataFrame's kind for a name; a Column is returned unchanged.

    A star is a name here: it selects one column, not all.
    """
    starred = isinstance(col, str) and (col == "*" or col.endswith(".*"))
    named = f"{str(col)[:-1]}`*`" if starred else col
    made: Any = functions_of(df).col(named) if isinstance(named, str) else named
    return made  # type: ignore[no-any-return]


def as_tuple(cols: str | Column | Sequence[str | Column] | None) -> tuple[str | Column, ...]:
    """Return names or Columns as a tuple; None is none of them."""
    if cols is None:
        return ()
    if isinstance(cols, str):
        return (cols,)
    return (cols,) if is_column(cols) else tuple(cast("Sequence[str | Column]", cols))


def missing(df: DataFrame, named: Mapping[str, object]) -> list[SpecProblem]:
    """Return a problem for each argument that does not name a column.

    Names with dots or quotes are left to Spark. Inside a pipeline columns cannot be read, so the
    result is empty.
    """
    names = {argument: name for argument, name in named.items() if isinstance(name, str)}
    columns = columns_of(df) if names else []
    if not columns:
        return []
    known = {column.lower() for column in columns}
    found = [
        problem(
            "COLUMN_NOT_FOUND.ARGUMENT", argument=argument, name=name, columns=", ".join(columns)
        )
        for argument, name in names.items()
        if name.lower() not in known and not set(".`") & set(name)
    ]
    return found + [
        problem("COLUMN_NOT_FOUND.DOT", argument=argument, name=name, first=first)
        for argument, name in names.items()
        for first, dot, _ in [name.partition(".")]
        if dot and name.lower() in known and first.lower() not in known
    ]


def columns_of(df: DataFrame) -> list[str]:
    """Return the names of the columns; empty inside a pipeline, where they cannot be read."""
    from pyspark.errors import AnalysisException

    try:
        return df.columns
    except AnalysisException:
        return []


def quoted(name: str) -> str:
    """Return the name of a column as SQL, with any characters."""
    return f"`{name.replace('`', '``')}`"


def shown(cols: Iterable[str | Column]) -> str:
    """Return names and expressions as text."""
    return ", ".join(col if isinstance(col, str) else str(col) for col in cols)


def _is_pyspark(value: object, name: str) -> bool:
    return any(
        cls.__name__ == name and cls.__module__.startswith("pyspark.sql")
        for cls in type(value).__mro__
    )
