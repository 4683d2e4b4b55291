"""A window for each distinct set of rows (KIP-450)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Self

from windrow._specs import _duration, _json
from windrow._specs._duration import Duration
from windrow._specs._frozen import call
from windrow.errors import SpecError, problem
from windrow.windows._kind import WindowKind

GRANULARITY = "1 millisecond"

#: Names in other engines for the distance between windows that start at regular intervals.
_STEPS = ("step", "slide", "slideDuration")


@dataclass(frozen=True, repr=False)
class Sliding(WindowKind):
    """Windows for each distinct set of rows that are within ``size`` of each other.

    This is Kafka Streams' ``SlidingWindows`` (KIP-450). For windows that start at regular
    intervals, which Spark, Flink, and Beam call sliding, use ``Hopping``. For a moving average at
    each row, use ``Over``. A row at t creates the window ``[t - size, t]``, and the window of
    ``size`` that starts one ``granularity`` after t if it contains a row. Both ends are inclusive.

    Args:
        size: The length of a window, for example ``"5 minutes"``. A size of 0 creates a window for
            each time.
        granularity: The unit to which event times are rounded down. It must divide size and
            lateness. The default is ``"1 millisecond"``. A coarse granularity turns sliding windows
            into tumbling ones.

    Raises:
        SpecError: A value is not a duration (``DURATION_NOT_UNDERSTOOD``,
            ``DURATION_WITHOUT_UNIT``), or you passed a step (``SLIDING_STEP``).

    Example:
        >>> wr.Sliding("5 minutes")
        Sliding('5 minutes', granularity='1 millisecond')
        >>> try:
        ...     wr.Sliding("1 hour", step="10 minutes")
        ... except wr.SpecError as error:
        ...     print(error.problems[0].code)
        SLIDING_STEP

    """

    size: Duration
    granularity: Duration = field(default=GRANULARITY, kw_only=True)

    def __new__(cls, *given: object, **named: object) -> Self:
        """Reject a step, and point to ``Hopping``."""
        found = [name for name in _STEPS if name in named]
        if found:
            hopping = "wr.Hopping(size, step=...)"
            raise SpecError.of(
                call("Sliding", *given, **named),
                [problem("SLIDING_STEP", name=found[0], hopping=hopping)],
            )
        return object.__new__(cls)

    def __post_init__(self) -> None:
        """Reject a value that is not a size."""
        self._settle()

    def __repr__(self) -> str:
        """Show as the call."""
        return call("Sliding", self.size, granularity=self.granularity)

    def describe(self) -> str:
        """Describe in words which windows exist, and which of them contain a row.

        Returns:
            One or two sentences. ``Output.explain`` shows them.

        """
        return (
            f"For each key, windows of {self.size}, start and last inclusive: one that ends "
            f"at each row, and one that starts {self.granularity} after each row, unless it is "
            "empty. No two windows contain the same rows."
        )

    def _durations(self) -> Sequence[str]:
        return "size", "granularity"

    def _fields(self) -> _json.Fields:
        return {"kind": "sliding"} | {
            n: _duration.micros(getattr(self, n)) for n in self._durations()
        }

    def _sample(self) -> list[int]:
        size = max(_duration.micros(self.size), 5 * _duration.micros(self.granularity))
        return [int(part * size) for part in (0.0, 0.4, 0.9, 2.3)]

    def _holding(self, at: Sequence[int]) -> list[tuple[int, int]]:
        size, step = _duration.micros(self.size), max(_duration.micros(self.granularity), 1)
        times = sorted({time // step * step for time in at})
        starts = sorted({start for time in times for start in (time - size, time + step)})
        windows: dict[tuple[int, int], int] = {}
        for start in starts:
            held = bisect_left(times, start), bisect_right(times, start + size)
            if held[0] < held[1]:
                windows.setdefault(held, start)
        return [(start, start + size) for start in windows.values()]
