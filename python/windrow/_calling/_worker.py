"""Calls a user's function for each pane, in a Python worker of Spark.

Functions of this module and of ``_fitting`` are pickled with their code, so that workers do not
need this package.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from numbers import Real
from typing import TYPE_CHECKING, Any

from windrow.operators._fitting import fits

if TYPE_CHECKING:
    import pyarrow as pa


def calling(
    function: Callable[..., Any], over: str, returns: pa.DataType
) -> Callable[[pa.Array], pa.Array]:
    """Return a function that replaces the rows of each pane by the user's result.

    It takes a list of structs for each pane, in which each field is a column, or null for a row
    that is not a pane. It returns a struct of the result, the error in one line, and its traceback.
    A failure is an error only for its own pane, and only if the query reads the value of the pane.
    """

    def call(rows: pa.Array) -> pa.Array:
        import pyarrow as pa

        results: list[Any] = []
        failures: list[tuple[str, str] | None] = []
        for columns in _panes(rows, over):
            value, failure = None, None
            if columns is not None:
                try:
                    value = _plain(function(*columns), returns)
                except Exception as error:  # noqa: BLE001  a user's function raises anything
                    failure = _failure(error)
            results.append(value)
            failures.append(failure)
        try:
            made = pa.array(results, returns)
        except Exception:  # noqa: BLE001  Arrow calls methods of the values
            _remove_misfits(results, failures, returns)
            made = pa.array(results, returns)
        texts = [[one and one[at] for one in failures] for at in range(2)]
        parts = [made, *(pa.array(one, pa.string()) for one in texts)]
        return pa.StructArray.from_arrays(parts, ["value", "error", "traceback"])

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
    elif type(value).__module__ == "numpy" and value.dtype.kind in "mM":
        value = value.astype(value.dtype.str.replace("[ns]", "[us]")).tolist()  # times of Python
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return None
    if pa.types.is_struct(returns):
        named = _struct(value, [field.name for field in returns])
        return {field.name: _plain(named[field.name], field.type) for field in returns}
    if pa.types.is_map(returns):
        pairs = value.items() if isinstance(value, Mapping) else map(_pair, _items(value))
        key, item = returns.key_type, returns.item_type
        return [(_plain(name, key), _plain(one, item)) for name, one in pairs]
    if pa.types.is_list(returns):
        return [_plain(one, returns.value_type) for one in _items(value)]
    if pa.types.is_timestamp(returns) and isinstance(value, datetime):
        if (returns.tz is None) != (value.tzinfo is None):
            raise _Misfit(f"a datetime {'without' if returns.tz else 'with'} a time zone")
    elif not fits(value, returns):
        has_fraction = pa.types.is_integer(returns) and isinstance(value, Real | Decimal)
        raise _Misfit("a number with a fraction") if has_fraction else _of_type(value)
    return value


def _of_type(value: object) -> _Misfit:
    return _Misfit(f"a value of type {type(value).__name__}")


def _items(value: Any) -> list[Any]:  # noqa: ANN401
    """Return the items by position, because Arrow would read a pandas Series by its labels."""
    is_frame = hasattr(value, "columns")
    if is_frame or isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise _of_type(value)
    return list(value)


def _pair(value: Any) -> Sequence[Any]:  # noqa: ANN401
    """Return the key and the value of an entry of a map."""
    if isinstance(value, Mapping) and value.keys() == {"key", "value"}:
        return value["key"], value["value"]
    if not isinstance(value, list | tuple) or len(value) != 2:  # noqa: PLR2004  key and value
        raise _Misfit(f"a map with an entry of type {type(value).__name__}")
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


def _remove_misfits(
    results: list[Any], failures: list[tuple[str, str] | None], returns: pa.DataType
) -> None:
    """Replace each result that Arrow does not accept by its failure."""
    import pyarrow as pa

    for place, value in enumerate(results):
        try:
            pa.array([value], returns)
        except Exception:  # noqa: BLE001  Arrow calls methods of the values
            results[place] = None
            failures[place] = _failure(_of_type(value))


def _failure(error: Exception) -> tuple[str, str]:
    """Return the error in one line, and the traceback without the frames of this module."""
    if isinstance(error, _Misfit):
        return f"it returned {error}, which does not fit its type in returns", ""
    trace = error.__traceback__.tb_next if error.__traceback__ else None
    lines = traceback.format_exception(type(error), error, trace)
    summary = f"{type(error).__name__}: {error}".splitlines()[0]
    return summary, "".join(lines).rstrip()
