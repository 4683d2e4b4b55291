"""Rows as Arrow tables with exactly the columns of an operator."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timezone
from inspect import signature
from typing import TYPE_CHECKING, Any

from windrow._specs import _zones
from windrow.errors import MessageError, SpecProblem, failure, problem

if TYPE_CHECKING:
    import pyarrow as pa


def arrow() -> Any:  # noqa: ANN401  pyarrow has no types
    """Return pyarrow.

    Raises:
        WindrowError: It is not installed (``PYARROW_MISSING``).

    """
    try:
        import pyarrow as pa
        import pyarrow.compute
    except ImportError:
        raise failure("PYARROW_MISSING") from None
    return pa


def in_utc(convert: Callable[..., object]) -> dict[str, Any]:
    """Return the argument that makes PySpark convert times in UTC; PySpark 4.1 lacks it."""
    return {"timezone": "UTC"} if "timezone" in signature(convert).parameters else {}


def read(table: bytes) -> pa.Table:
    """Read a table from the bytes of one or more Arrow streams of the same schema."""
    return joined(streams(table))


def streams(table: bytes) -> list[pa.Table]:
    """Read the table of each Arrow stream."""
    pa = arrow()
    source = pa.BufferReader(table)
    tables = []
    while source.tell() < source.size():
        tables.append(pa.ipc.open_stream(source).read_all())
    return tables


def joined(tables: list[pa.Table]) -> pa.Table:
    """Return the rows of at least one table of the same schema; nothing is copied."""
    return arrow().concat_tables(tables)


def write(table: pa.Table) -> bytes:
    """Return a table as the bytes of an Arrow stream."""
    pa = arrow()
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


def conformed(
    batch: pa.Table | pa.RecordBatch, schema: pa.Schema, what: str, zone: str
) -> pa.Table:
    """Return the columns of the schema in its order and types; naive times are in ``zone``.

    Lossless conversions are made: other widths and units, times without a zone, and large and
    dictionary-encoded columns. A double is rounded if the column is a float.

    Raises:
        MessageError: A column is missing, unknown, of another type, or null although the schema
            forbids it. The error lists every problem.

    """
    pa = arrow()
    if not isinstance(batch, pa.Table | pa.RecordBatch):
        text = f"messages has the type {type(batch).__name__}. Pass a pyarrow Table or RecordBatch."
        raise TypeError(text)
    found = names(batch.schema.names, schema)
    columns: dict[str, Any] = {}
    for field in schema:
        if field.name not in batch.schema.names:
            continue
        given = batch.column(field.name)
        misnamed = _names_of_types(given.type, field.type, field.name)
        found += misnamed
        if misnamed:
            continue
        column = _converted(given, field.type, zone)
        if column is None:
            loses = _is_alike(given.type, field.type)
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
    found += nulls(columns, schema)
    raise_if(what, found)
    return pa.table([columns[name] for name in schema.names], schema=nullable(schema))


def shown(kind: pa.DataType) -> str:
    """Return the name of a type in Arrow."""
    return str(kind).replace("tz=", "")


def names(given: list[str], schema: pa.Schema) -> list[SpecProblem]:
    """Return a problem for each name that is missing, unknown, or duplicate."""
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
    """Return the problems of missing or unknown fields of structs, at any depth."""
    types = arrow().types
    if _is_list(given) and types.is_list(kind):
        return _names_of_types(given.value_type, kind.value_type, path)
    if types.is_map(given) and types.is_map(kind):
        of_keys = _names_of_types(given.key_type, kind.key_type, path)
        return of_keys + _names_of_types(given.item_type, kind.item_type, path)
    if not (types.is_struct(given) and types.is_struct(kind)):
        return []
    theirs = {one.name: one for one in given}
    found = names([f"{path}.{one.name}" for one in given], inside(path, kind))
    for field in kind:
        if field.name in theirs:
            where = f"{path}.{field.name}"
            found += _names_of_types(theirs[field.name].type, field.type, where)
    return found


def inside(path: str, kind: pa.DataType) -> pa.Schema:
    """Return the fields of a struct, with their paths as names."""
    return arrow().schema([field.with_name(f"{path}.{field.name}") for field in kind])


def nulls(columns: Mapping[str, Any], schema: pa.Schema) -> list[SpecProblem]:
    """Return a problem for each column with a null that is not allowed."""
    return [
        problem("NULL_NOT_ALLOWED", column=field.name)
        for field in schema
        if not field.nullable and field.name in columns and columns[field.name].null_count
    ]


def nullable(schema: pa.Schema) -> pa.Schema:
    """Return the schema with nulls allowed."""
    return arrow().schema([field.with_nullable(True) for field in schema])


def raise_if(what: str, found: list[SpecProblem]) -> None:
    """Raise MessageError if there are problems."""
    if found:
        few = f"{len(found)} problems in {what}: " if len(found) > 1 else ""
        text = " ".join(map(str, found)) if few else f"[{found[0].code}] {what}: {found[0].text}"
        raise MessageError(few + text, found)


def _converted(column: Any, kind: pa.DataType, zone: str) -> Any:  # noqa: ANN401  Arrow's arrays
    """Return the column in another type, or None if a value could be lost."""
    pa = arrow()
    types = pa.types
    if column.type == kind:
        return column
    if types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    given = column.type
    if not (types.is_null(given) or _is_alike(given, kind)):
        return None
    try:
        if types.is_timestamp(given):
            return _converted_time(column, kind, zone)
        if types.is_nested(given):
            array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
            return _converted_nested(array, kind, zone)
        cast = column.cast(kind, safe=True)
        return None if _overflows(column, cast) else cast
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None


def _converted_time(column: Any, kind: pa.DataType, zone: str) -> Any:  # noqa: ANN401  Arrow's arrays
    given = column.type
    if given.tz is None and kind.tz is not None:
        column = _assumed(column, zone)
    elif given.tz is not None and kind.tz is None:
        return None
    return column.cast(kind, safe=True)


def _converted_nested(array: Any, kind: pa.DataType, zone: str) -> Any:  # noqa: ANN401  Arrow's arrays
    pa = arrow()
    if pa.types.is_struct(kind):
        return _converted_fields(array, kind, zone)
    if pa.types.is_list(kind):
        items = _converted(array.flatten(), kind.value_type, zone)
        return None if items is None else pa.ListArray.from_arrays(_offsets(array), items, kind)
    given = array.type
    pairs = array.cast(pa.list_(pa.struct([("key", given.key_type), ("value", given.item_type)])))
    pair = pa.struct([("key", kind.key_type), ("value", kind.item_type)])
    items = _converted(pairs.flatten(), pair, zone)
    if items is None:
        return None
    return pa.MapArray.from_arrays(_offsets(pairs), items.field(0), items.field(1), kind)


def _converted_fields(array: Any, kind: pa.DataType, zone: str) -> Any:  # noqa: ANN401  Arrow's arrays
    pa = arrow()
    fields = [
        _converted(pa.compute.struct_field(array, field.name), field.type, zone) for field in kind
    ]
    if any(field is None for field in fields):
        return None
    return pa.StructArray.from_arrays(fields, fields=list(kind), mask=array.is_null())


def _offsets(lists: Any) -> Any:  # noqa: ANN401  Arrow's arrays
    """Return the start of each list in the flattened items; null for a null list."""
    pa = arrow()
    lengths = pa.compute.list_value_length(lists)
    ends = pa.compute.cumulative_sum(pa.compute.fill_null(lengths, 0).cast(pa.int32()))
    starts = pa.concat_arrays([pa.array([0], pa.int32()), ends])
    is_list = pa.concat_arrays([lists.is_valid(), pa.array([True])])
    return pa.compute.if_else(is_list, starts, None)


def _overflows(column: Any, cast: Any) -> bool:  # noqa: ANN401  Arrow's arrays
    """Return whether a number has become infinite."""
    if not arrow().types.is_float32(cast.type):
        return False
    compute = arrow().compute
    same = compute.equal(compute.is_inf(column), compute.is_inf(cast))
    return compute.all(same).as_py() is False


def _assumed(column: Any, zone: str) -> Any:  # noqa: ANN401  Arrow's arrays
    """Convert times without a zone to instants, as Spark does.

    An ambiguous time is the earlier one. A time that clocks skip is moved forward by the skipped
    length.
    """
    pa = arrow()
    of = _zones.tzinfo_of(zone)
    if isinstance(of, timezone):
        ahead = pa.scalar(of.utcoffset(None), pa.duration("us"))
        unit = column.type.unit
        return pa.compute.subtract(column, ahead.cast(pa.duration(unit))).cast(
            pa.timestamp(unit, "UTC")
        )
    known = pa.compute.assume_timezone(
        column, str(of), ambiguous="earliest", nonexistent="earliest"
    )
    left_out = pa.compute.subtract(column, pa.compute.local_timestamp(known))
    return pa.compute.add(known, left_out)


def _is_alike(given: pa.DataType, kind: pa.DataType) -> bool:
    """Return whether values of one type may fit another type."""
    pa = arrow()
    types = pa.types
    texts = (types.is_string, types.is_large_string, types.is_string_view)
    alike = [
        (types.is_integer, types.is_integer),
        (types.is_floating, types.is_floating),
        (types.is_decimal, types.is_decimal),
        (types.is_duration, types.is_duration),
        (types.is_timestamp, types.is_timestamp),
        (lambda one: any(test(one) for test in texts), types.is_string),
        (lambda one: types.is_binary(one) or types.is_large_binary(one), types.is_binary),
        (types.is_struct, types.is_struct),
        (_is_list, types.is_list),
        (types.is_map, types.is_map),
    ]
    return any(left(given) and right(kind) for left, right in alike)


def _is_list(kind: pa.DataType) -> bool:
    types = arrow().types
    tests = (types.is_list, types.is_large_list, types.is_fixed_size_list)
    return any(test(kind) for test in tests)
