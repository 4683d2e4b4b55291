"""Messages as Arrow tables of exactly the columns that an operator takes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from windrow.errors import MessageError, SpecProblem, failure, problem
from windrow.operators import _times

if TYPE_CHECKING:
    import pyarrow as pa


_LARGEST_FLOAT = (2 - 2**-23) * 2.0**127


def arrow() -> Any:  # noqa: ANN401  pyarrow has no types
    """Give pyarrow. Errors: WindrowError if it is not installed."""
    try:
        import pyarrow as pa
        import pyarrow.compute
    except ImportError:
        raise failure("PYARROW_MISSING") from None
    return pa


def read(stream: bytes) -> pa.Table:
    """Read a table from the bytes of an Arrow stream."""
    pa = arrow()
    with pa.ipc.open_stream(pa.py_buffer(stream)) as reader:
        return reader.read_all()


def write(table: pa.Table) -> bytes:
    """Write a table as the bytes of an Arrow stream."""
    pa = arrow()
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


def concatenated(tables: list[pa.Table]) -> pa.Table:
    """Put tables of one schema one after another; at least one."""
    return arrow().concat_tables(tables)


def of_message(message: Mapping[str, Any], schema: pa.Schema, what: str, zone: str) -> pa.Table:
    """Make a table of one row; naive datetimes are of the zone.

    Errors: MessageError with every column that is missing, unknown or of another type.
    """
    found = _names(list(message), schema)
    columns = {}
    for field in schema:
        columns[field.name], wrong = column([message.get(field.name)], field, zone)
        found += wrong
    if not found:
        found += _nulls(columns, schema)
    raise_if(what, found)
    return arrow().table(list(columns.values()), schema=nullable(schema))


def column(values: list[object], field: pa.Field, zone: str) -> tuple[Any, list[SpecProblem]]:
    """Make a column of values of Python, with what is wrong; naive datetimes are of the zone."""
    pa = arrow()
    known = [_aware(value, field.type, zone) for value in values]
    inside = (_names_inside(value, field.type, field.name) for value in known)
    found = next(filter(None, inside), [])
    try:
        if not all(_fits(value, field.type) for value in known):
            raise OverflowError  # noqa: TRY301  as Arrow does with whole numbers
        return pa.array(known, field.type), found
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError):
        kinds = " or ".join(dict.fromkeys(type(one).__name__ for one in known if one is not None))
        misfit = problem(
            "TYPE_NOT_ALLOWED.VALUE",
            column=field.name,
            type=kinds,
            expected=shown(field.type),
        )
        return None, [*found, misfit]


def conformed(
    batch: pa.Table | pa.RecordBatch, schema: pa.Schema, what: str, zone: str
) -> pa.Table:
    """Give the columns of the schema, in its order and types; naive times are of the zone.

    What loses nothing is converted: other widths and units, naive times, large and dictionary
    encoded columns; a double is rounded where the column is a float. Errors: MessageError with
    every column that is missing, unknown, of another type, or null where the schema forbids it.
    """
    pa = arrow()
    if not isinstance(batch, pa.Table | pa.RecordBatch):
        text = f"messages are {type(batch).__name__}; they must be a pyarrow Table or RecordBatch."
        raise TypeError(text)
    found = _names(batch.schema.names, schema)
    columns: dict[str, Any] = {}
    for field in schema:
        if field.name not in batch.schema.names:
            continue
        given = batch.column(field.name)
        inside = _names_of_types(given.type, field.type, field.name)
        found += inside
        if inside:
            continue
        column = _converted(given, field.type, zone)
        if column is None:
            loses = _loses(given.type, field.type)
            found.append(
                problem(
                    "TYPE_NOT_ALLOWED.LOSS" if loses else "TYPE_NOT_ALLOWED.TYPE",
                    column=field.name,
                    type=shown(given.type),
                    expected=shown(field.type),
                )
            )
        else:
            columns[field.name] = column
    found += _nulls(columns, schema)
    raise_if(what, found)
    return pa.table([columns[name] for name in schema.names], schema=nullable(schema))


def shown(kind: pa.DataType) -> str:
    """Name a type as Arrow does."""
    return str(kind).replace("tz=", "")


def _names(given: list[str], schema: pa.Schema) -> list[SpecProblem]:
    allowed = ", ".join(f"{field.name} {shown(field.type)}" for field in schema)
    missing = [name for name in schema.names if name not in given]
    unknown = [name for name in given if name not in schema.names]
    twice = dict.fromkeys(name for name in given if given.count(name) > 1)
    return [
        *(problem("COLUMN_MISSING", name=name, allowed=allowed) for name in missing),
        *(problem("COLUMN_UNKNOWN", name=name, allowed=allowed) for name in unknown),
        *(problem("NAME_TWICE.MESSAGES", name=name) for name in twice),
    ]


def _names_of_types(given: pa.DataType, kind: pa.DataType, path: str) -> list[SpecProblem]:
    """Find fields of structs that are missing or unknown, at any depth."""
    types = arrow().types
    lists = (types.is_list, types.is_large_list)
    if any(test(given) for test in lists) and types.is_list(kind):
        return _names_of_types(given.value_type, kind.value_type, path)
    if not (types.is_struct(given) and types.is_struct(kind)):
        return []
    theirs = {one.name: one for one in given}
    found = _names([f"{path}.{one.name}" for one in given], _at(path, kind))
    for field in kind:
        if field.name in theirs:
            where = f"{path}.{field.name}"
            found += _names_of_types(theirs[field.name].type, field.type, where)
    return found


def _names_inside(value: object, kind: pa.DataType, path: str) -> list[SpecProblem]:
    """Find the same in a value of Python."""
    types = arrow().types
    if isinstance(value, list | tuple) and types.is_list(kind):
        found = (_names_inside(one, kind.value_type, path) for one in value)
        return next(filter(None, found), [])
    if not (isinstance(value, Mapping) and types.is_struct(kind)):
        return []
    problems = _names([f"{path}.{name}" for name in value], _at(path, kind))
    for field in kind:
        inside = value.get(field.name)
        problems += _names_inside(inside, field.type, f"{path}.{field.name}")
    return problems


def _at(path: str, kind: pa.DataType) -> pa.Schema:
    return arrow().schema([field.with_name(f"{path}.{field.name}") for field in kind])


def _fits(value: object, kind: pa.DataType) -> bool:
    """Whether a value of Python loses none but last digits, where Arrow does not say."""
    types = arrow().types
    if isinstance(value, Mapping) and types.is_struct(kind):
        return all(_fits(value.get(field.name), field.type) for field in kind)
    if isinstance(value, list | tuple) and types.is_list(kind):
        return all(_fits(one, kind.value_type) for one in value)
    if isinstance(value, float) and types.is_integer(kind):
        return value.is_integer()
    if isinstance(value, float) and types.is_float32(kind) and math.isfinite(value):
        return abs(value) <= _LARGEST_FLOAT
    return True


def _nulls(columns: Mapping[str, Any], schema: pa.Schema) -> list[SpecProblem]:
    return [
        problem("NULL_NOT_ALLOWED", column=field.name)
        for field in schema
        if not field.nullable and field.name in columns and columns[field.name].null_count
    ]


def nullable(schema: pa.Schema) -> pa.Schema:
    """Give the schema with nulls allowed."""
    return arrow().schema([field.with_nullable(True) for field in schema])


def raise_if(what: str, found: list[SpecProblem]) -> None:
    """Refuse messages. Errors: MessageError."""
    if found:
        few = f"{len(found)} problems in {what}: " if len(found) > 1 else ""
        text = " ".join(map(str, found)) if few else f"[{found[0].code}] {what}: {found[0].text}"
        raise MessageError(few + text, found)


def _converted(column: Any, kind: pa.DataType, zone: str) -> Any:  # noqa: ANN401  Arrow's arrays
    """Give the column in another type, or None where that could lose something."""
    pa = arrow()
    types = pa.types
    if column.type == kind:
        return column
    if types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    given = column.type
    try:
        if types.is_null(given):
            return column.cast(kind)
        if types.is_timestamp(given) and types.is_timestamp(kind):
            if given.tz is None and kind.tz is not None:
                column = _assumed(column, zone)
            elif given.tz is not None and kind.tz is None:
                return None
            return column.cast(kind, safe=True)
        if types.is_struct(given) and types.is_struct(kind):
            cast = _converted_fields(column, kind, zone)
        else:
            cast = column.cast(kind, safe=True) if _is_alike(given, kind) else None
        return None if cast is None or _overflows(column, cast) else cast
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None


def _converted_fields(column: Any, kind: pa.DataType, zone: str) -> Any:  # noqa: ANN401  Arrow's arrays
    pa = arrow()
    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    fields = [
        _converted(pa.compute.struct_field(whole, field.name), field.type, zone) for field in kind
    ]
    if any(field is None for field in fields):
        return None
    return pa.StructArray.from_arrays(fields, fields=list(kind), mask=whole.is_null())


def _overflows(column: Any, cast: Any) -> bool:  # noqa: ANN401  Arrow's arrays
    """Whether a number has become infinite."""
    if not arrow().types.is_float32(cast.type):
        return False
    compute = arrow().compute
    same = compute.equal(compute.is_inf(column), compute.is_inf(cast))
    return compute.all(same).as_py() is False


def _assumed(column: Any, zone: str) -> Any:  # noqa: ANN401  Arrow's arrays
    """Give naive times an instant; of a time that comes twice the earlier one, as Spark does."""
    pa = arrow()
    of = _times.tzinfo_of(zone)
    if not isinstance(of, timezone):
        return pa.compute.assume_timezone(column, zone, ambiguous="earliest")
    ahead = pa.scalar(of.utcoffset(None), pa.duration("us"))
    unit = column.type.unit
    return pa.compute.subtract(column, ahead.cast(pa.duration(unit))).cast(
        pa.timestamp(unit, "UTC")
    )


def _is_alike(given: pa.DataType, kind: pa.DataType) -> bool:
    """Whether values of one type can be values of the other, as far as types can tell."""
    pa = arrow()
    types = pa.types
    texts = (types.is_string, types.is_large_string, types.is_string_view)
    alike = [
        (types.is_integer, types.is_integer),
        (types.is_floating, types.is_floating),
        (types.is_decimal, types.is_decimal),
        (types.is_duration, types.is_duration),
        (lambda one: any(test(one) for test in texts), types.is_string),
        (lambda one: types.is_binary(one) or types.is_large_binary(one), types.is_binary),
        (types.is_nested, types.is_nested),
    ]
    return any(left(given) and right(kind) for left, right in alike)


def _loses(given: pa.DataType, kind: pa.DataType) -> bool:
    """Whether types fit, but a value does not."""
    types = arrow().types
    return _is_alike(given, kind) or (types.is_timestamp(given) and types.is_timestamp(kind))


def _aware(value: object, kind: pa.DataType, zone: str) -> object:
    types = arrow().types
    if isinstance(value, Mapping) and types.is_struct(kind):
        inside = {field.name: field.type for field in kind}
        return {
            name: _aware(one, inside[name], zone) if name in inside else one
            for name, one in value.items()
        }
    if isinstance(value, list | tuple) and types.is_list(kind):
        return [_aware(one, kind.value_type, zone) for one in value]
    if isinstance(value, datetime) and value.tzinfo is None and getattr(kind, "tz", None):
        return value.replace(tzinfo=_times.tzinfo_of(zone))
    return value
