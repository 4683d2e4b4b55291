"""Python values as Arrow columns; values that would change are rejected."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from windrow._specs import _zones
from windrow.errors import SpecProblem, problem
from windrow.operators import _tables
from windrow.operators._fitting import fits

if TYPE_CHECKING:
    import pyarrow as pa


def of_message(message: Mapping[str, Any], schema: pa.Schema, what: str, zone: str) -> pa.Table:
    """Return a table with one row; datetimes without a zone are in ``zone``.

    Raises:
        MessageError: A column is missing, unknown, or of another type. The error lists every
            problem.

    """
    found = _tables.names(list(message), schema)
    columns = {}
    for field in schema:
        columns[field.name], wrong = column([message.get(field.name)], field, zone)
        found += wrong
    if not found:
        found += _tables.nulls(columns, schema)
    _tables.raise_if(what, found)
    return _tables.arrow().table(list(columns.values()), schema=_tables.nullable(schema))


def column(values: list[object], field: pa.Field, zone: str) -> tuple[Any, list[SpecProblem]]:
    """Return a column of Python values, and the problems; naive datetimes are in ``zone``."""
    pa = _tables.arrow()
    known = [_aware(value, field.type, zone) for value in values]
    inside = (_names_inside(value, field.type, field.name) for value in known)
    found = next(filter(None, inside), [])
    try:
        if not all(_fits(value, field.type) for value in known):
            raise OverflowError  # noqa: TRY301  as Arrow does for integers
        return pa.array(known, field.type), found
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError):
        kinds = " or ".join(dict.fromkeys(type(one).__name__ for one in values if one is not None))
        misfit = problem(
            "TYPE_NOT_ALLOWED.VALUE",
            column=field.name,
            type=kinds,
            expected=_tables.shown(field.type),
        )
        return None, [*found, misfit]


def _aware(value: object, kind: pa.DataType, zone: str) -> object:
    """Return the value with its naive times in the zone, and its maps as pairs."""
    types = _tables.arrow().types
    if isinstance(value, Mapping) and types.is_struct(kind):
        inside = {field.name: field.type for field in kind}
        return {
            name: _aware(one, inside[name], zone) if name in inside else one
            for name, one in value.items()
        }
    if types.is_map(kind) and isinstance(value, Mapping):
        value = list(value.items())
    if types.is_map(kind) and isinstance(value, list | tuple):
        return [_aware_pair(one, kind, zone) for one in value]
    if isinstance(value, list | tuple) and types.is_list(kind):
        return [_aware(one, kind.value_type, zone) for one in value]
    if isinstance(value, datetime) and value.tzinfo is None and getattr(kind, "tz", None):
        return value.replace(tzinfo=_zones.tzinfo_of(zone))
    return value


def _aware_pair(value: object, kind: pa.MapType, zone: str) -> object:
    if isinstance(value, Mapping) and value.keys() == {"key", "value"}:
        value = (value["key"], value["value"])
    if not (isinstance(value, list | tuple) and len(value) == 2):  # noqa: PLR2004  key and value
        return value  # Arrow rejects it
    key, item = value
    return (_aware(key, kind.key_type, zone), _aware(item, kind.item_type, zone))


def _items(value: object, kind: pa.DataType) -> Iterator[tuple[object, pa.DataType]] | None:
    """Return the items of a list or map with their types, or None for other values."""
    types = _tables.arrow().types
    if not isinstance(value, list | tuple):
        return None
    if types.is_list(kind):
        return ((one, kind.value_type) for one in value)
    if types.is_map(kind):
        pairs = (one for one in value if isinstance(one, tuple))
        of = (kind.key_type, kind.item_type)
        return (one for pair in pairs for one in zip(pair, of, strict=False))
    return None


def _names_inside(value: object, kind: pa.DataType, path: str) -> list[SpecProblem]:
    """Return the problems of missing or unknown fields of structs, at any depth."""
    types = _tables.arrow().types
    items = _items(value, kind)
    if items is not None:
        found = (_names_inside(one, of, path) for one, of in items)
        return next(filter(None, found), [])
    if not (isinstance(value, Mapping) and types.is_struct(kind)):
        return []
    problems = _tables.names([f"{path}.{name}" for name in value], _tables.inside(path, kind))
    for field in kind:
        one = value.get(field.name)
        problems += _names_inside(one, field.type, f"{path}.{field.name}")
    return problems


def _fits(value: object, kind: pa.DataType) -> bool:
    """Return whether a value loses at most its last digits, at any depth."""
    types = _tables.arrow().types
    items = _items(value, kind)
    if items is not None:
        return all(_fits(one, of) for one, of in items)
    if isinstance(value, Mapping) and types.is_struct(kind):
        return all(_fits(value.get(field.name), field.type) for field in kind)
    return fits(value, kind)
