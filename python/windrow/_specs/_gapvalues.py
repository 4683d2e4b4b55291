"""The values of windows without rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from windrow._specs import _duration
from windrow._specs._duration import Duration
from windrow.errors import SpecError, SpecProblem

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
        if at_most is None:
            return cls(tuple(named.items()))
        micros = _duration.read(at_most)
        if isinstance(micros, SpecProblem):
            raise SpecError.of("fillGaps", [micros._of("atMost")])
        return cls(tuple(named.items()), _duration.show(micros))

    def _fields(self) -> dict[str, object]:
        """Return the JSON fields, with durations in microseconds."""
        fields: dict[str, object] = {"methods": dict(self.methods)}
        if self.at_most is not None:
            fields["at_most"] = _duration.micros(self.at_most)
        return fields
