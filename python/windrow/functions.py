"""Aggregates that Spark does not have, such as ``topN(...)``, and functions of your own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Literal

from windrow._calling import _aggregate
from windrow._specs import _duration, _values
from windrow._specs._columns import as_tuple, called, functions_for
from windrow._specs._duration import Duration
from windrow.errors import SpecError, problem

if TYPE_CHECKING:
    from pyspark.sql import Column
    from pyspark.sql.types import DataType


def aggregate(
    *, returns: str | DataType, over: Literal["arrow", "pandas", "polars"] | None = None
) -> Callable[[Callable[..., Any]], Callable[..., Column]]:
    """Turn a Python function over the rows of a window into an aggregate.

    Windrow calls the function for each pane, with one argument for each column that you pass. An
    argument contains the values of the pane's rows, ordered by event time. The state of the query
    contains these columns of all rows of a window. The function must return the same result for
    the same rows, because Windrow calls it again for a retraction and Spark for a repeated
    micro-batch. It needs PySpark 4.1 or later and pyarrow, and it is not available in Scala and
    SQL.

    Args:
        returns: The type of the result, for example ``"double"``, ``"low double, high double"``
            for a struct, or a ``DataType``. A struct is returned as a dict or a tuple, and a date
            as a ``date``: a ``datetime`` is not accepted.
        over: The type of the arguments: ``"arrow"`` for ``pyarrow.Array``, ``"pandas"`` for
            ``pandas.Series``, or ``"polars"`` for ``polars.Series``. None reads it from the
            annotations of the parameters. Values are converted as by ``pyarrow.Array.to_pandas``,
            so integers with a null are floats in pandas.

    Returns:
        A decorator. Call the decorated function with the names of columns, or with Columns; it
        returns an aggregate. Its attribute ``__wrapped__`` is your function.

    Raises:
        SpecError: The decorated object is not a function, its library is not installed, or it is
            called with the wrong number of columns or for another PySpark
            (``AGGREGATE_FUNCTION``); ``over`` is another word (``VALUE_UNKNOWN``).
        WindrowError: pyarrow is not installed (``PYARROW_MISSING``).

    If the function raises an exception or returns a value of another type, the query ends with
    ``AGGREGATE_FUNCTION_FAILED``, which names the key and the window and shows the traceback of
    the function.

    Example:
        The average price of two trades, 2.0 for a volume of 1 and 5.0 for a volume of 2::

            @wr.aggregate(returns="double")
            def vwap(price: pd.Series, volume: pd.Series) -> float:
                return (price * volume).sum() / volume.sum()

            windows.aggregate(F.sum("volume"), vwap("price", "volume").alias("vwap"))  # vwap is 4.0

    """
    return _aggregate.decorator(returns, over)


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
    F = functions_for(of, *orders)  # noqa: N806
    value = F.struct("*") if of is None else of
    return called(F, "windrow_top_n", F.lit(n), value, *orders)


def lag(value: str | Column, n: int = 1) -> Column:
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
            ``aggregate`` raises ``LAG``.

    Example:
        How much each price differs from the one before::

            change = F.last("price") - wr.lag("price")
            orders.window(wr.Over(rows=2)).aggregate(change.alias("change"))

    """
    found = _values.count("n", n)
    if found:
        raise SpecError.of("lag", found)
    F = functions_for(value)  # noqa: N806
    return called(F, "windrow_lag", value, F.lit(n))


def timeWeightedAverage(  # noqa: N802
    value: str | Column, time: str | Column | None = None, *, carry: bool | Duration = False
) -> Column:
    """Return the average of a value, weighted by the time for which it holds.

    Each value holds until the next row. The last value holds until the end of the window if the
    window is tumbling or hopping and is complete. In other windows and in early panes it holds for
    no time. A window whose rows all have one time has the value of that time.

    Args:
        value: A number. Rows in which it is null are ignored. Of several values at one time, the
            greatest counts.
        time: The time of a row. None stands for the event time of the stream. Pass it in Spark's
            own ``groupBy``, which has no event time.
        carry: True lets the last value of the key before a window hold from the start of the
            window. A duration such as ``"1 hour"`` limits how long before the start this value
            may be. A late row corrects the windows that carry its value. The state contains the
            last value of each key, with True forever. Requires tumbling windows, or hopping
            windows with a step of at most their size.

    Returns:
        An aggregate: a double, or null for a window without values.

    Raises:
        SpecError: The accumulation mode is DISCARDING, there is no time, or ``carry`` is set for
            other windows, with a time, or to a text that is not a positive duration. ``aggregate``
            raises ``OVER_TIME``.

    Example:
        A price of 10.0 at 09:00:00 and of 20.0 at 09:00:45, in a window of one minute::

            mean = wr.timeWeightedAverage("price")
            windows.aggregate(mean.alias("mean"))  # mean is 12.5; F.avg returns 15.0

        If the next price is 40.0 at 09:01:30, the price of 20.0 holds for half of its minute::

            mean = wr.timeWeightedAverage("price", carry=True)
            windows.aggregate(mean.alias("mean"))  # 30.0; without carry it is 40.0

    """
    return _over_time("windrow_time_weighted_average", value, time, carry=carry)


def timeInState(  # noqa: N802
    state: str | Column, time: str | Column | None = None, *, carry: bool | Duration = False
) -> Column:
    """Return the seconds that each state lasted, as a map.

    A state lasts until the next row. The last state lasts until the end of the window if the window
    is tumbling or hopping and is complete. In other windows and in early panes it lasts for no
    time.

    Args:
        state: A text, integer, decimal, boolean, date, or timestamp. Rows in which it is null are
            ignored. Of several states at one time, the greatest counts.
        time: The time of a row. None stands for the event time of the stream. Pass it in Spark's
            own ``groupBy``, which has no event time.
        carry: True lets the last state of the key before a window last from the start of the
            window. A duration such as ``"1 hour"`` limits how long before the start this state
            may be. A late row corrects the windows that carry its state. The state of the query
            contains the last state of each key, with True forever. Requires tumbling windows, or
            hopping windows with a step of at most their size.

    Returns:
        An aggregate: a map from each state to its seconds, as doubles. It is empty for a window
        without states.

    Raises:
        SpecError: The accumulation mode is DISCARDING, there is no time, or ``carry`` is set for
            other windows, with a time, or to a text that is not a positive duration. ``aggregate``
            raises ``OVER_TIME``.

    Example:
        A machine that is "on" from 09:00:00 and "off" from 09:00:45, in a window of one minute::

            seconds = wr.timeInState("status")
            windows.aggregate(seconds.alias("seconds"))  # {"off": 15.0, "on": 45.0}

        In the next minute it is "on" from 09:01:20, so it was "off" for 20 seconds before::

            seconds = wr.timeInState("status", carry=True)
            windows.aggregate(seconds.alias("seconds"))  # {"off": 20.0, "on": 40.0}

    """
    return _over_time("windrow_time_in_state", state, time, carry=carry)


def increase(
    counter: str | Column, time: str | Column | None = None, *, carry: bool | Duration = False
) -> Column:
    """Return the increase of a counter between the first and the last row of a window.

    A value that is less than the one before it shows that the counter restarted at 0, so the whole
    value is an increase. Nothing is extrapolated to the bounds of the window.

    Args:
        counter: A number that only grows, except when it restarts at 0. Rows in which it is null
            are ignored. Of several values at one time, the greatest counts.
        time: The time of a row. None stands for the event time of the stream. Pass it in Spark's
            own ``groupBy``, which has no event time.
        carry: True adds the increase from the last value of the key before a window to its first
            value, so that the increases of consecutive windows add up. A duration such as ``"1
            hour"`` limits how long before the start this value may be. A late row corrects the
            windows that follow it. The state contains the last value of each key, with True
            forever. Requires tumbling windows, or hopping windows with a step of at most their
            size.

    Returns:
        An aggregate: a long for integers, otherwise a double. It is 0 for a single row, and null
        for a window without values.

    Raises:
        SpecError: The accumulation mode is DISCARDING, there is no time, or ``carry`` is set for
            other windows, with a time, or to a text that is not a positive duration. ``aggregate``
            raises ``OVER_TIME``.

    Example:
        A server counts 100, 130, 20, and 50 requests; it restarted after the second row::

            requests = wr.increase("requests")
            windows.aggregate(requests.alias("requests"))  # 30 + 20 + 30 is 80

        If the window before it ends with 90 requests, its increase contains 10 more::

            requests = wr.increase("requests", carry=True)
            windows.aggregate(requests.alias("requests"))  # 10 + 30 + 20 + 30 is 90

    """
    return _over_time("windrow_increase", counter, time, carry=carry)


def _over_time(
    name: str, value: str | Column, time: str | Column | None, *, carry: object = False
) -> Column:
    """Call an aggregate over time."""
    columns = [value] if time is None else [value, time]
    F = functions_for(*columns)  # noqa: N806
    if isinstance(carry, timedelta):
        carry = _duration.canonical(carry, name)
    if not isinstance(carry, bool | str):  # any other literal would be the time
        found = problem("OVER_TIME.CARRY_LIMIT", function=name, value=repr(carry))
        raise SpecError.of(name, [found])
    if carry is not False and time is not None:
        raise SpecError.of(name, [problem("OVER_TIME.CARRY_TIME")])
    return called(F, name, *columns, *([] if carry is False else [F.lit(carry)]))
