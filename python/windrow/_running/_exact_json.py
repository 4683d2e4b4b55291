"""JSON that identifies a record, so only equal values have equal texts.

As `ExactJson` in Scala. By default Spark writes times in milliseconds and in the zone of the
session, omits nulls, and writes all bytes that are not valid text alike.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from windrow._specs._columns import quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import ModuleType

    from pyspark.sql import Column
    from pyspark.sql.types import DataType, StructType

_MICROS = "yyyy-MM-dd'T'HH:mm:ss.SSSSSS"
_OPTIONS = {
    "ignoreNullFields": "false",
    "timeZone": "UTC",
    "timestampFormat": f"{_MICROS}XXX",
    "timestampNTZFormat": _MICROS,
}

#: Not a character, so a valid text never starts with it.
_BYTES = "\uffff"


def exact_json(functions: ModuleType, schema: StructType, names: Sequence[str]) -> Column:
    """Return JSON of some columns."""
    types = {field.name: field.dataType for field in schema}
    fields = (
        _as_text(functions, functions.col(quoted(name)), types[name]).alias(name) for name in names
    )
    made: Column = functions.to_json(functions.struct(*fields), _OPTIONS)
    return made


def _as_text(functions: ModuleType, column: Column, of: DataType) -> Column:
    """Replace strings that are not valid text by hexadecimal digits."""
    from pyspark.sql.types import ArrayType, MapType, StringType, StructType

    def text(kind: DataType) -> Callable[[Column], Column]:
        return lambda one: _as_text(functions, one, kind)

    made = column
    if isinstance(of, StringType):
        plain = column.cast("string")
        digits = functions.concat(functions.lit(_BYTES), functions.lower(functions.hex(plain)))
        made = functions.when(functions.is_valid_utf8(plain), plain).otherwise(digits)
    elif isinstance(of, StructType) and _has_strings(of):
        fields = (text(one.dataType)(column.getField(one.name)).alias(one.name) for one in of)
        made = functions.when(column.isNotNull(), functions.struct(*fields))
    elif isinstance(of, ArrayType) and _has_strings(of):
        made = functions.transform(column, text(of.elementType))
    elif isinstance(of, MapType) and _has_strings(of):
        key, value = text(of.keyType), text(of.valueType)
        made = functions.transform_values(column, lambda _, one: value(one))
        made = functions.transform_keys(made, lambda one, _: key(one))
    return made


def _has_strings(of: DataType) -> bool:
    from pyspark.sql.types import ArrayType, MapType, StringType, StructType

    if isinstance(of, StructType):
        return any(_has_strings(field.dataType) for field in of)
    if isinstance(of, ArrayType):
        return _has_strings(of.elementType)
    if isinstance(of, MapType):
        return _has_strings(of.keyType) or _has_strings(of.valueType)
    return isinstance(of, StringType)
