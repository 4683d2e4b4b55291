"""Watermarks: of event time, and of processing time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from windrow._specs import _duration, _values
from windrow._specs._duration import Duration
from windrow._specs._frozen import Shown
from windrow.errors import SpecError, problem

if TYPE_CHECKING:
    from pyspark.sql import Column


@dataclass(frozen=True, repr=False, eq=False)
class EventTimeWatermark(Shown):
    """A watermark that follows event time, with settings for inputs that differ in speed.

    The delay alone is the same as a duration in ``wr.stream(watermark=...)``. Add ``by`` if the
    partitions of a source are read at different speeds, for example while a query catches up: the
    watermark then follows the partition that is furthest behind, so that its rows are not late. Add
    ``idle`` if an input of a join or of a co-group, or a partition, can be silent for a long time.
    (Rule R107.)

    Args:
        delay: How far the watermark stays behind the greatest event time, for example ``"10
            seconds"``.
        by: The column with the partition of a row, for example ``"partition"`` of Spark's Kafka
            source. None gives all rows one watermark.
        partitions: The number of partitions. The watermark does not advance until the run has read
            rows of this many, or ``idle`` has passed. The default is 1.
        idle: The processing time without rows after which a partition, or an input, no longer holds
            back the watermark, for example ``"2 minutes"``. None waits without a limit.

    Raises:
        SpecError: A duration is not valid (``DURATION_NOT_UNDERSTOOD``, ``DURATION_WITHOUT_UNIT``),
            ``delay`` is negative (``WATERMARK_NEGATIVE``), ``idle`` is not positive
            (``IDLE_NOT_POSITIVE``), or ``partitions`` is not a number (``COUNT_NOT_UNDERSTOOD``),
            not from 1 to 10,000 (``WATERMARK_PARTITIONS_COUNT``), or set without ``by``
            (``WATERMARK_SETTING_ALONE``).

    Example:
        >>> wr.EventTimeWatermark("10 seconds", by="partition", partitions=8, idle="2 minutes")
        EventTimeWatermark('10 seconds', by='partition', partitions=8, idle='2 minutes')

    """

    delay: Duration
    by: str | Column | None = None
    partitions: int | None = None
    idle: Duration | None = None

    def __post_init__(self) -> None:
        """Reject values that the JVM would reject, all at once."""
        given = repr(self)
        spans = ["delay"] if self.idle is None else ["delay", "idle"]
        counts = [] if self.partitions is None else ["partitions"]
        found = _values.settle(self, durations=spans, counts=counts)
        if not found and _duration.micros(self.delay) < 0:
            found.append(problem("WATERMARK_NEGATIVE", name="delay", value=self.delay))
        if not found and self.idle is not None and _duration.micros(self.idle) <= 0:
            found.append(problem("IDLE_NOT_POSITIVE", value=self.idle))
        if self.partitions is not None and self.by is None:
            found.append(problem("WATERMARK_SETTING_ALONE", name="partitions", other="by"))
        if _values.is_count(self.partitions) and not 1 <= self.partitions <= _MOST:
            found.append(problem("WATERMARK_PARTITIONS_COUNT", value=self.partitions, most=_MOST))
        if found:
            raise SpecError.of(given, found)

    @property
    def _fields(self) -> dict[str, int]:
        """Return the settings for the JVM, with durations in microseconds."""
        idle = {} if self.idle is None else {"idle": _duration.micros(self.idle)}
        partitions = {} if self.by is None else {"watermark_partitions": self.partitions or 1}
        return {"watermark": _duration.micros(self.delay), **idle, **partitions}

    @property
    def _shown(self) -> str:
        """Return what the watermark is, in words."""
        each = "" if self.by is None else " of each partition"
        idle = "" if self.idle is None else f", idle after {self.idle}"
        return f"greatest event time{each} minus {self.delay}{idle}"


#: The most partitions of an input, as in the JVM.
_MOST = 10_000


@dataclass(frozen=True, repr=False)
class ProcessingTimeWatermark(Shown):
    """A watermark that follows the clock: the processing time less a delay.

    It advances even if no rows arrive, so windows of a silent source complete. Its query keeps
    running without data. If one stream of a join or a co-group has it, all must have the same one.
    (Rule R52.)

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

    @property
    def _fields(self) -> dict[str, int]:
        """Return the setting for the JVM, in microseconds."""
        return {"processing_time_watermark": _duration.micros(self.delay)}

    @property
    def _shown(self) -> str:
        """Return what the watermark is, in words."""
        return f"processing time minus {self.delay}"
