"""The watermark that goes by the clock."""

from __future__ import annotations

from dataclasses import dataclass

from windrow import _duration
from windrow._duration import Duration
from windrow.errors import SpecError, SpecProblem


@dataclass(frozen=True, repr=False)
class BehindProcessingTime:
    """The watermark is the processing time less ``delay``, also when nothing comes (SEMANTICS R52).

    Its query goes on without data, as one with a period does.
    """

    delay: Duration

    def __post_init__(self) -> None:
        """Refuse what is no duration, or negative."""
        read = _duration.read(self.delay)
        if isinstance(read, SpecProblem):
            raise SpecError.of(f"BehindProcessingTime({self.delay!r})", [read])
        if read < 0:
            text = f"delay is {self.delay!r}; it must be '0 seconds' or longer."
            problem = SpecProblem("WATERMARK_NEGATIVE", text)
            raise SpecError.of(f"BehindProcessingTime({self.delay!r})", [problem])
        object.__setattr__(self, "delay", _duration.show(read))

    def __repr__(self) -> str:
        """Show as the call."""
        return f"BehindProcessingTime({self.delay!r})"

    @property
    def micros(self) -> int:
        """The delay in microseconds."""
        return _duration.micros(self.delay)
