"""The watermark that follows the clock."""

from __future__ import annotations

from dataclasses import dataclass

from windrow._specs import _duration, _values
from windrow._specs._duration import Duration
from windrow.errors import SpecError


@dataclass(frozen=True, repr=False)
class ProcessingTimeWatermark:
    """A watermark that follows the clock: the processing time less a delay.

    It advances even if no rows arrive, so windows of a silent source complete. Its query keeps
    running without data. Joins and co-groups do not accept it. (Rule R52.)

    Args:
        delay: How far the watermark is behind the clock, for example ``"5 minutes"``.

    Raises:
        SpecError: ``delay`` is not a duration (``DURATION_NOT_UNDERSTOOD``,
            ``DURATION_WITHOUT_UNIT``).

    Example:
        >>> wr.ProcessingTimeWatermark("300 seconds")
        ProcessingTimeWatermark('5 minutes')

    """

    delay: Duration

    def __post_init__(self) -> None:
        """Reject a value that is not a duration."""
        given = repr(self)
        found = _values.settle(self, durations=["delay"])
        if found:
            raise SpecError.of(given, found)

    def __repr__(self) -> str:
        """Show as the call."""
        return f"ProcessingTimeWatermark({self.delay!r})"

    @property
    def micros(self) -> int:
        """Return the delay in microseconds.

        Returns:
            The number of microseconds.

        """
        return _duration.micros(self.delay)
