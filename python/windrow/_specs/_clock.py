"""The watermark that goes by the clock."""

from __future__ import annotations

from dataclasses import dataclass

from windrow._specs import _duration, _values
from windrow._specs._duration import Duration
from windrow.errors import SpecError


@dataclass(frozen=True, repr=False)
class ProcessingTimeWatermark:
    """The watermark is the processing time less ``delay``, also when nothing comes (SEMANTICS R52).

    Its query goes on without data, as one with a period does.
    """

    delay: Duration

    def __post_init__(self) -> None:
        """Refuse what is no duration."""
        given = repr(self)
        found = _values.settle(self, durations=["delay"])
        if found:
            raise SpecError.of(given, found)

    def __repr__(self) -> str:
        """Show as the call."""
        return f"ProcessingTimeWatermark({self.delay!r})"

    @property
    def micros(self) -> int:
        """The delay in microseconds."""
        return _duration.micros(self.delay)
