"""Aggregates that Spark does not have: ``topN(...)``, ``previous(...)``."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from windrow._specs import _values
from windrow._specs._columns import as_tuple, is_connect
from windrow.errors import SpecError, problem

if TYPE_CHECKING:
    from pyspark.sql import Column


def topN(  # noqa: N802  named like Spark's functions
    n: int,
    *,
    orderBy: str | Column | Sequence[str | Column],  # noqa: N803
    of: str | Column | None = None,
) -> Column:
    """Return the first rows of a window in an order, as an array.

    Rows that are equal in the order are sorted by ``of``, so the result does not depend on which
    row arrived first. The state contains only these rows. The aggregate also works in Spark's own
    ``groupBy``.

    Args:
        n: The number of rows, from 1 to 10,000.
        orderBy: One or more columns by which rows are compared. The greatest is first, unless you
            pass a sort order such as ``F.asc("price")``.
        of: The value that the array contains for each row, for example
            ``F.struct("id", "price")``. None stands for all columns of the row.

    Returns:
        An aggregate: an array of at most ``n`` values. It is empty if a window has no rows.

    Raises:
        SpecError: ``n`` is not an integer (``COUNT_NOT_UNDERSTOOD``), or there is no order
            (``TOP_N``). If ``n`` is not in its range, ``aggregate`` raises ``TOP_N``.

    Example:
        The greatest two of three orders::

            top = wr.topN(2, orderBy="price", of=F.struct("id", "price"))
            windows.aggregate(top.alias("top"))  # top is [{3, 9.0}, {1, 5.0}]

    """
    orders = as_tuple(orderBy)
    found = _values.count("n", n) + ([] if orders else [problem("TOP_N.ORDER")])
    if found:
        raise SpecError.of("topN", found)
    F = _functions(of, *orders)  # noqa: N806
    value = F.struct("*") if of is None else of
    return _called(F, "windrow_top_n", F.lit(n), value, *orders)


def previous(value: str | Column, n: int = 1) -> Column:
    """Return the value of an earlier row of the key, by event time: SQL's ``lag``.

    A late row corrects the panes of the rows that follow it.

    Args:
        value: The column or expression to read from the earlier row.
        n: How many rows before, from 1 to 10,000. The default is the row directly before.

    Returns:
        An aggregate for the windows of ``Over(rows=…)`` with more than ``n`` rows. It is null if
        there is no such row.

    Raises:
        SpecError: ``n`` is not an integer (``COUNT_NOT_UNDERSTOOD``). For other windows,
            ``aggregate`` raises ``PREVIOUS_ROW``.

    Example:
        How much each price differs from the one before::

            change = F.last("price") - wr.previous("price")
            orders.window(wr.Over(rows=2)).aggregate(change.alias("change"))

    """
    found = _values.count("n", n)
    if found:
        raise SpecError.of("previous", found)
    F = _functions(value)  # noqa: N806
    return _called(F, "windrow_previous", value, F.lit(n))


def _functions(*columns: object) -> ModuleType:
    """Return the module of Spark's functions for the kind of these columns."""
    connect = any(is_connect(column) for column in columns)
    return import_module("pyspark.sql.connect.functions" if connect else "pyspark.sql.functions")


def _called(F: ModuleType, name: str, *arguments: str | Column) -> Column:  # noqa: N803
    """Call a function of SQL."""
    columns = [F.col(one) if isinstance(one, str) else one for one in arguments]
    made: Column = F.call_function(name, *columns)
    return made
