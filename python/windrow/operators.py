"""The checked description of a windowed aggregation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Literal, Self

from windrow import _check, _duration, _json, _spec_json
from windrow._duration import UNSTATED, Duration, Unstated
from windrow._retention import NOT_STATED, Retention
from windrow.errors import SpecError, expect
from windrow.triggers import EACH_STEP, NEVER, AccumulationMode, PaneTrigger
from windrow.windows import Offsets, Session, WindowKind

#: What completes a window: the watermark, or the first message of its key past its end.
Completion = Literal["watermark", "first_message_beyond"]


@dataclass(frozen=True, kw_only=True, repr=False)
class WindowOperatorSpec:
    """What an operator does, apart from the data: it exists only without problems.

    window: what the windows are. lateness: how long after its end, in event time, a window still
    takes messages; None: without end; for ``Offsets`` a number of offsets. It must be stated for
    windows of time. early: while a window is incomplete; onTime: whether it fires when it
    completes; late: while it still takes messages. accumulation: must be stated where a window
    can fire twice. fireOnlyUpdated: no pane whose value is that of the last one. fillGaps: also
    windows without messages fire, between those with some. retention: how much of the past is
    kept. maxFuture: messages further ahead of processing time are rejected. startOffsets: the
    first offset of each source partition, for windows on offsets; kept as sorted pairs.

    Errors: SpecError with every problem.
    """

    window: WindowKind
    lateness: Duration | int | Unstated | None = UNSTATED
    early: PaneTrigger = NEVER
    onTime: bool = True
    late: PaneTrigger = EACH_STEP
    accumulation: AccumulationMode | None = None
    fireOnlyUpdated: bool = False
    complete: Completion = "watermark"
    fillGaps: bool = False
    retention: Retention = NOT_STATED
    maxFuture: Duration | None = None
    startOffsets: Mapping[int, int] | tuple[tuple[int, int], ...] = ()

    def __post_init__(self) -> None:
        """Check everything, and keep one form of what can be said in several."""
        _expect_types(self)
        found = _check.problems(self)
        if found:
            raise SpecError.of(repr(self.window), found)
        settled: dict[str, object] = {
            "lateness": _settled_lateness(self),
            "early": self.early._settled(),
            "late": self.late._settled(),
            "startOffsets": tuple(sorted(dict(self.startOffsets).items())),
        }
        if self.maxFuture is not None:
            settled["maxFuture"] = _duration.show(_duration.micros(self.maxFuture))
        if isinstance(self.window, Session) and not isinstance(self.window.gap, str):
            settled["window"] = Session(None)
        for name, value in settled.items():
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        """Show as the call, without what is as it is by default."""
        said = [field for field in fields(self) if getattr(self, field.name) != field.default]
        shown = [f"{field.name}={getattr(self, field.name)!r}" for field in said]
        return f"WindowOperatorSpec({', '.join(shown)})"

    def toJson(self) -> str:
        """Write as one JSON object, durations in microseconds."""
        return _json.write(self._fields())

    @classmethod
    def fromJson(cls, text: str) -> Self:
        """Read what ``toJson`` wrote. Errors: SpecError with all problems."""
        reader = _json.Reader(text)
        values = _spec_json.read(reader)
        reader.raise_if_refused(f"{cls.__name__}.fromJson")
        return cls(**values)

    def _fields(self) -> dict[str, object]:
        return _spec_json.write(self)


def _settled_lateness(spec: WindowOperatorSpec) -> str | int | Unstated | None:
    if spec.lateness is UNSTATED:
        return UNSTATED
    allowed = _check.lateness(spec)
    assert isinstance(allowed, int)
    if allowed == _duration.ENDLESS:
        return None
    return allowed if isinstance(spec.window, Offsets) else _duration.show(allowed)


def _expect_types(spec: WindowOperatorSpec) -> None:
    """Refuse values of other types before they lead to strange errors."""
    expect("window=", spec.window, WindowKind)
    for name in ("early", "late"):
        expect(f"{name}=", getattr(spec, name), PaneTrigger)
    for name in ("onTime", "fireOnlyUpdated", "fillGaps"):
        expect(f"{name}=", getattr(spec, name), bool)
    expect("accumulation=", spec.accumulation, AccumulationMode, type(None))
    expect("retention=", spec.retention, Retention)
