"""Calls a user's function for each pane, in a Python worker of Spark.

Functions of this module are pickled with their code, so that workers do not need this package.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from numbers import Real
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa


def calling(
    function: Callable[..., Any], over: str, returns: pa.DataType
) -> Callable[[pa.Array], pa.Array]:
    """Return a function that replaces the rows of each pane by the user's result.

    It takes a list of structs for each pane, in which each field is a column, or null for a row
    that is not a pane. It returns a struct of the result, the error in one line, and its traceback.
    """

    def call(rows: pa.Array) -> pa.Array:
        import pyarrow as pa

        results: list[Any] = []
        failed: tuple[int, str, str] | None = None
        for columns in _panes(rows, over):
            value = None
            if columns is not None and failed is None:
                try:
                    value = _plain(function(*columns), returns)
                except Exception as error:  # noqa: BLE001  a user's function raises anything
                    failed = (len(results), *_failure(error))
            results.append(value)
        if failed is None:
            try:
                made = pa.array(results, returns)
            except (pa.ArrowException, TypeError, ValueError, OverflowError):
                failed = _misfit(results, returns)
        errors: list[list[str | None]] = [[None] * len(results), [None] * len(results)]
        if failed is not None:
            made = pa.nulls(len(results), returns)
            errors[0][failed[0]], errors[1][failed[0]] = failed[1:]
        texts = [pa.array(one, pa.string()) for one in errors]
        return pa.StructArray.from_arrays([made, *texts], ["value", "error", "traceback"])

    return call


def _panes(rows: pa.Array, over: str) -> Iterator[list[Any] | None]:
    """Yield the columns of each pane, or None for a null. No value of Arrow is copied."""
    cells = rows.values
    parts = [_cutter(cells.field(at), over) for at in range(cells.type.num_fields)]
    bounds = rows.offsets.to_pylist()
    for at, there in enumerate(rows.is_valid().to_pylist()):
        start, end = bounds[at], bounds[at + 1]
        yield [part(start, end) for part in parts] if there else None


def _cutter(column: pa.Array, over: str) -> Callable[[int, int], Any]:
    """Return a function that returns a range of a column, in the library of the user's choice.

    A pane must not depend on others. The entire column is therefore converted at once only if it
    has no nulls, which would change the type of all.
    """
    if over == "pandas":
        import pandas as pd

        if column.null_count == 0:
            values = column.to_pandas().array
            return lambda start, end: pd.Series(values[start:end])
        return lambda start, end: column.slice(start, end - start).to_pandas()
    if over == "polars":
        import polars as pl

        return lambda start, end: pl.Series(column.slice(start, end - start))
    return lambda start, end: column.slice(start, end - start)


class _Misfit(Exception):  # noqa: N818  never leaves this module
    """A result that does not fit the declared type."""


def _plain(value: Any, returns: pa.DataType) -> Any:  # noqa: ANN401
    """Return a value as Arrow accepts it, or raise an error if Arrow would accept a wrong one."""
    import pyarrow as pa

    if isinstance(value, pa.Scalar):
        value = value.as_py()
    if type(value).__name__ in ("NAType", "NaTType"):
        return None
    if pa.types.is_timestamp(returns) and isinstance(value, datetime):
        if (returns.tz is None) != (value.tzinfo is None):
            raise _Misfit(f"a datetime {'without' if returns.tz else 'with'} a time zone")
    elif pa.types.is_integer(returns) and isinstance(value, Real) and not float(value).is_integer():
        raise _Misfit("a number with a fraction")
    elif pa.types.is_map(returns) and isinstance(value, dict):
        return list(value.items())
    elif pa.types.is_struct(returns) and value is not None:
        return _struct(value, [returns.field(at).name for at in range(returns.num_fields)])
    return value


def _struct(value: Any, names: Sequence[str]) -> dict[str, Any]:  # noqa: ANN401
    """Return a struct by names, from a dictionary, a row, or a tuple with all fields."""
    if isinstance(value, dict):
        if set(value) != set(names):
            raise _Misfit(f"a dict with the keys {', '.join(map(repr, value))}")
        return value
    if not isinstance(value, tuple) or len(value) != len(names):
        size = f" and length {len(value)}" if isinstance(value, tuple) else ""
        raise _Misfit(f"a value of type {type(value).__name__}{size}")
    named = list(getattr(value, "__fields__", getattr(value, "_fields", names)))
    if set(named) != set(names):
        raise _Misfit(f"a row with the fields {', '.join(map(repr, named))}")
    return dict(zip(named, value, strict=True))


def _misfit(results: Sequence[Any], returns: pa.DataType) -> tuple[int, str, str]:
    """Return the place of the first result that Arrow does not accept, and its error."""
    import pyarrow as pa

    for place, value in enumerate(results):
        try:
            pa.array([value], returns)
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            return place, *_failure(_Misfit(f"a value of type {type(value).__name__}"))
    msg = "each result fits, but not all of them together"
    raise TypeError(msg)


def _failure(error: Exception) -> tuple[str, str]:
    """Return the error in one line, and the traceback without the frames of this module."""
    if isinstance(error, _Misfit):
        return f"it returned {error}, which does not fit its type in returns", ""
    trace = error.__traceback__.tb_next if error.__traceback__ else None
    lines = traceback.format_exception(type(error), error, trace)
    summary = f"{type(error).__name__}: {error}".splitlines()[0]
    return summary, "".join(lines).rstrip()
