"""The rows of an operator: their columns, and the roles of these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

from windrow._specs import _rowid
from windrow._specs._columns import as_tuple
from windrow._specs._rowid import RowId
from windrow.errors import SpecProblem, problem

if TYPE_CHECKING:
    from windrow._specs import _json

Names = str | Sequence[str]


def as_names(given: Names) -> tuple[str, ...]:
    """Return one or more names as a tuple; ``problems`` checks the values."""
    return cast("tuple[str, ...]", as_tuple(given))


def problems(
    *,
    schema: object,
    time: object,
    rowId: object,
    columns: Mapping[str, tuple[object, ...]],
) -> list[SpecProblem]:
    """Return the problems of a stream; ``columns`` are lists of names or texts."""
    found: list[SpecProblem] = []
    if not isinstance(schema, str) or not schema.strip():
        found.append(problem("SCHEMA_NOT_STATED.STREAM"))
    named = {"time": (time,) if time is not None else (), **columns}
    if isinstance(rowId, RowId):
        named |= {f"rowId.{name}": (column,) for name, column in vars(rowId).items()}
    found += _rowid.problems(rowId)
    found += [
        problem("NAME_NOT_UNDERSTOOD", name=what, value=repr(value))
        for what, values in named.items()
        for value in values
        if not isinstance(value, str) or not value.strip()
    ]
    return found


def single(**streams: Sequence[str]) -> list[SpecProblem]:
    """Return a problem for several names, because an operator has at most one stream."""
    return [
        problem("STREAMS_TOO_MANY", name=name, count=len(given))
        for name, given in streams.items()
        if len(given) > 1
    ]


def write_row_id(row_id: RowId) -> _json.Fields:
    """Return the row id as fields."""
    return {name: str(column) for name, column in vars(row_id).items()}
