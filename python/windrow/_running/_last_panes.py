"""Find the pane that a table keeps if it has one row for each value of some columns.

As `LastPanes` in Scala (rule B3).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from windrow._running._exact_json import exact_json
from windrow._specs._columns import functions_of, quoted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import StructType

#: Name of the column with the marks of the windows that a batch withdrew.
WITHDRAWN = "__windrow_withdrawn"
#: The number of hexadecimal digits of a mark, which is the end of a place.
MARK_LENGTH = 64


def identity(panes: StructType) -> list[str]:
    """Return the columns that identify a window of a key."""
    names = panes.fieldNames()
    own = "message" if "message" in names else "window"
    return [*names[: names.index("window")], own]


def is_of_one_window(panes: StructType, on: Sequence[str]) -> bool:
    """Return whether each row found by these columns has one window; else windows compete."""
    if "window" not in panes.fieldNames() or list(on) == ["message"]:
        return True
    return set(identity(panes)) <= set(on)


def last_of_each(panes: DataFrame, on: Sequence[str]) -> DataFrame:
    """Return the last pane for each value of ``on``, or the retraction that removes it."""
    functions = functions_of(panes)
    order = functions.struct("pane.index", "pane.is_retraction")
    last = functions.max_by(_whole(functions, panes), order)
    return panes.groupBy(*_named(functions, on)).agg(last.alias("last")).select("last.*")


def newest_of_each(panes: DataFrame, on: Sequence[str]) -> DataFrame:
    """Return the pane of the newest window for each value of ``on``, and the column WITHDRAWN.

    If a batch has only retractions for a value, the newest retraction is returned.
    """
    functions, last = functions_of(panes), last_of_each(panes, identity(panes.schema))
    gone = functions.col("pane.is_retraction")
    order, row = place(functions, panes.schema), _whole(functions, last)

    def greatest(which: Column) -> Column:
        made: Column = functions.max_by(functions.when(which, row), functions.when(which, order))
        return made

    marks = functions.collect_set(functions.when(gone, mark(functions, panes.schema)))
    return (
        last.groupBy(*_named(functions, on))
        .agg(
            functions.coalesce(greatest(~gone), greatest(gone)).alias("last"),
            marks.alias(WITHDRAWN),
        )
        .select("last.*", WITHDRAWN)
    )


def place(functions: ModuleType, panes: StructType) -> Column:
    """Return text that sorts windows: by end, start, index of the pane, and mark."""
    struct: Any = panes["window"].dataType
    window = {field.name: field.dataType.typeName() for field in struct}

    def edge(*names: str) -> Column:
        for name in names:
            if name in window:
                column = functions.col(f"window.{name}")
                return _sortable(functions, column, is_number=window[name] == "long")
        made: Column = functions.lit("")
        return made

    index = _sortable(functions, functions.col("pane.index"), is_number=True)
    edges = edge("end", "last", "number"), edge("start", "first")
    made: Column = functions.concat(*edges, index, mark(functions, panes))
    return made


def mark(functions: ModuleType, panes: StructType) -> Column:
    """Return a digest of a window and its key."""
    made: Column = functions.sha2(exact_json(functions, panes, identity(panes)), 256)
    return made


def _sortable(functions: ModuleType, column: Column, *, is_number: bool) -> Column:
    number = column if is_number else functions.unix_micros(column.cast("timestamp"))
    flipped = number.bitwiseXOR(functions.lit(-(2**63)))
    digits = functions.lpad(functions.hex(flipped), 16, "0")
    made: Column = functions.coalesce(digits, functions.lit("-" * 16))
    return made


def _whole(functions: ModuleType, panes: DataFrame) -> Column:
    made: Column = functions.struct(*(functions.col(quoted(name)) for name in panes.columns))
    return made


def _named(functions: ModuleType, on: Sequence[str]) -> list[Column]:
    return [functions.col(quoted(name)).alias(f"on{i}") for i, name in enumerate(on)]
