"""The values of windows without rows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from numbers import Integral, Real

from windrow._specs import _duration, _values
from windrow._specs._duration import Duration
from windrow.errors import SpecError, SpecProblem, problem

#: The value of a result column: "previous", "linear", or a constant.
GapFill = str | float | bool

#: Stands for all result columns.
EVERY = "*"


@dataclass(frozen=True)
class GapValues:
    """A method for each result column, as sorted pairs, and how long values are carried."""

    methods: tuple[tuple[str, GapFill], ...]
    at_most: str | None = None

    @classmethod
    def of(
        cls, values: GapFill | Mapping[str, GapFill], at_most: Duration | None = None
    ) -> GapValues:
        """Read the arguments of ``Windowed.fillGaps``."""
        named = values if isinstance(values, Mapping) else {EVERY: values}
        read = [(column, _method(value)) for column, value in named.items()]
        found = [wrong for column, _ in read for wrong in _values.name("fillGaps", column)]
        found += [method for _, method in read if isinstance(method, SpecProblem)]
        micros = None if at_most is None else _duration.read(at_most)
        if isinstance(micros, SpecProblem):
            found.append(micros._of("atMost"))
        if found:
            raise SpecError.of("fillGaps", found)
        methods = tuple((column, one) for column, one in read if not isinstance(one, SpecProblem))
        return cls(methods, _duration.show(micros) if isinstance(micros, int) else None)

    def _fields(self) -> dict[str, object]:
        """Return the JSON fields, with durations in microseconds."""
        fields: dict[str, object] = {"methods": dict(self.methods)}
        if self.at_most is not None:
            fields["at_most"] = _duration.micros(self.at_most)
        return fields


def silence(values: GapValues | None, *, fill_gaps: bool | Duration) -> int | None:
    """Return how long gaps follow a window with rows, in microseconds; None if there are none.

    values: the values of gaps. fill_gaps: the setting of the windows (rules R3 and R120).
    """
    if fill_gaps is False and values is not None:
        fill_gaps = True if values.at_most is None else values.at_most
    if isinstance(fill_gaps, bool):
        return _duration.ENDLESS if fill_gaps else None
    read = _duration.read(fill_gaps)
    return read if isinstance(read, int) and read > 0 else None


def _method(value: object) -> GapFill | SpecProblem:
    """Return a method or a constant as JSON can show it, or the problem."""
    if type(value).__module__ == "numpy" and hasattr(value, "item"):
        value = value.item()
    if isinstance(value, str | bool):
        return value
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real | Decimal) and math.isfinite(value):
        return int(value) if isinstance(value, Decimal) and value % 1 == 0 else float(value)
    return problem("GAP_VALUES.NOT_UNDERSTOOD", name="fillGaps", value=repr(value))
