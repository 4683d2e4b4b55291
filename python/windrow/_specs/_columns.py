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
    """Whether it is a PySpark Column, of a classic session or of Connect."""
    return _is_pyspark(value, "Column")


def is_data_frame(value: object) -> TypeGuard[DataFrame]:
    """Whether it is a PySpark DataFrame, of a classic session or of Connect."""
    return _is_pyspark(value, "DataFrame")


def functions_of(df: DataFrame) -> ModuleType:
    """``pyspark.sql.functions`` of the kind of session that the DataFrame belongs to."""
    connect = is_connect(df)
    return import_module("pyspark.sql.connect.functions" if connect else "pyspark.sql.functions")


def is_connect(owner: object) -> bool:
    """Whether a DataFrame or session talks to a Spark Connect server."""
    return any(cls.__module__.startswith("pyspark.sql.connect") for cls in type(owner).__mro__)


def column(df: DataFrame, col: str | Column) -> Column:
    """Turn a name into a Column of the DataFrame's kind; a Column stays what it is.

    A star is a name here: it stands for one column, not for all.
    """
    starred = isinstance(col, str) and (col == "*" or col.endswith(".*"))
    named = f"{str(col)[:-1]}`*`" if starred else col
    made: Any = functions_of(df).col(named) if isinstance(named, str) else named
    return made  # type: ignore[no-any-return]


def as_tuple(cols: str | Column | Sequence[str | Column]) -> tuple[str | Column, ...]:
    """One name or Column, or several, as a tuple."""
    if isinstance(cols, str):
        return (cols,)
    return (cols,) if is_column(cols) else tuple(cast("Sequence[str | Column]", cols))


def missing(df: DataFrame, named: Mapping[str, object]) -> list[SpecProblem]:
    """Find names of arguments that are no columns. Names with dots or quotes are Spark's to judge.

    Nothing is found where the columns cannot be asked for (inside a pipeline).
    """
    names = {said: name for said, name in named.items() if isinstance(name, str)}
    columns = columns_of(df) if names else []
    if not columns:
        return []
    known = {column.lower() for column in columns}
    found = [
        problem("COLUMN_NOT_FOUND.ARGUMENT", argument=said, name=name, columns=", ".join(columns))
        for said, name in names.items()
        if name.lower() not in known and not set(".`") & set(name)
    ]
    return found + [
        problem("COLUMN_NOT_FOUND.DOT", argument=said, name=name, first=first)
        for said, name in names.items()
        for first, dot, _ in [name.partition(".")]
        if dot and name.lower() in known and first.lower() not in known
    ]


def columns_of(df: DataFrame) -> list[str]:
    """Give the names of columns; none where they cannot be asked for (inside a pipeline)."""
    from pyspark.errors import AnalysisException

    try:
        return df.columns
    except AnalysisException:
        return []


def quoted(name: str) -> str:
    """Give the name of a column as SQL, whatever is in it."""
    return f"`{name.replace('`', '``')}`"


def shown(cols: Iterable[str | Column]) -> str:
    """Names and expressions, for texts."""
    return ", ".join(col if isinstance(col, str) else str(col) for col in cols)


def _is_pyspark(value: object, name: str) -> bool:
    return any(
        cls.__name__ == name and cls.__module__.startswith("pyspark.sql")
        for cls in type(value).__mro__
    )
