"""Check whether a Python value keeps its meaning in a type of Arrow.

Spark's workers run this module, which is pickled with its code. It therefore uses no other module
of this package.
"""

from __future__ import annotations

import math
from datetime import datetime
from decimal import Decimal
from numbers import Number, Real
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

_LARGEST_FLOAT = (2 - 2**-23) * 2.0**127


def fits(value: object, kind: pa.DataType) -> bool:
    """Return whether a value loses at most its last digits, in cases that Arrow does not check.

    The value is not of a nested type.
    """
    from pyarrow import types

    if types.is_temporal(kind):
        return _is_time(value, kind)
    if types.is_integer(kind) and isinstance(value, Real | Decimal):  # also those of NumPy
        return math.isfinite(value) and value == int(value)  # type: ignore[arg-type]
    if types.is_float32(kind) and isinstance(value, float) and math.isfinite(value):
        return abs(value) <= _LARGEST_FLOAT
    return True


def _is_time(value: object, kind: pa.DataType) -> bool:
    """Return whether a value is a time of this type; a number has an unknown unit."""
    from pyarrow import types

    if isinstance(value, datetime):
        is_local = types.is_timestamp(kind) and kind.tz is None
        return not types.is_date(kind) and not (is_local and value.tzinfo is not None)
    return not isinstance(value, Number)
