"""Which messages of a join match and how long each waits, in words."""

from __future__ import annotations

from collections.abc import Mapping

from windrow import _duration
from windrow.operators import JoinSpec
from windrow.operators._check_join import ranges
from windrow.triggers import Every
from windrow.windows import Global, WindowKind

_ALONE = {
    "inner": "do not come out",
    "semi": "do not come out; others come once, with their first match",
    "left": "of the first stream come out with null for the other",
    "right": "of the second stream come out with null for the other",
    "full": "come out with null for the other",
    "anti": "of the first stream are all that comes out",
}


def text(spec: JoinSpec, watermarks: Mapping[str, int | None]) -> str:
    """Several lines; ``watermarks`` are the builder's delays in microseconds, None: as it was."""
    lines = {
        "streams": ", ".join(f"'{name}'" for name in spec.inputStreams),
        "watermark": f"the least of {_watermarks(watermarks)}; it moves after each micro-batch",
        "match": "; ".join([*_keys(spec), *_within(spec)]),
        "rows": _rows(spec),
        "alone": f"messages without a match {_ALONE[spec.how]}{_when(spec)}",
        "rejected": _rejected(spec),
        "queries": "rows, rejected and output written apart are queries of their own, "
        "each with its own state; start(...) shares one",
    }
    head = f"{spec.how} join of {len(spec.streams)} streams"
    return "\n".join([head, *(f"  {k:<10} {v}" for k, v in lines.items())])


def _watermarks(watermarks: Mapping[str, int | None]) -> str:
    return ", ".join(
        f"'{name}' as the DataFrame had it"
        if delay is None
        else f"greatest event time of '{name}' less {_duration.show(delay)}"
        for name, delay in watermarks.items()
    )


def _keys(spec: JoinSpec) -> list[str]:
    return [f"equal {', '.join(spec.on)}, null equals nothing"] if spec.on else []


def _within(spec: JoinSpec) -> list[str]:
    first = spec.inputStreams[0]
    if isinstance(spec.within, Global):
        return ["all that retention still holds"]
    if isinstance(spec.within, WindowKind):
        return [f"both in one of {spec.within!r}"]
    if spec.within is None:
        windows = [
            f"'{one.name}' as {one.window!r} shows it to the other"
            for one in spec.streams
            if one.window is not None
        ]
        return windows or ["all that retention still holds"]
    return [
        f"event time of '{name}' less that of '{first}' in "
        f"{spec.bounds[0]}{_duration.show(low)}, {_duration.show(high)}{spec.bounds[-1]}"
        for name, (low, high) in ranges(spec).items()
    ]


def _rows(spec: JoinSpec) -> str:
    if isinstance(spec.early, Every) and spec.early.period is not None:
        return f"every {spec.early.period} of processing time, each once"
    return "in the micro-batch of the later message, each once"


def _when(spec: JoinSpec) -> str:
    if spec.how in ("inner", "semi"):
        return ""
    later = "" if spec.lateness in ("0 seconds", None) else f" less {spec.lateness}"
    return f" once the watermark{later} has passed all that could match"


def _rejected(spec: JoinSpec) -> str:
    reasons = ["INVALID_TIME (no event time)"]
    if spec.maxFuture is not None:
        reasons.append(f"TOO_FAR_AHEAD (more than {spec.maxFuture} ahead of processing time)")
    if spec.lateness is not None:
        reasons.append(f"TOO_LATE (before the batch, the watermark was past it + {spec.lateness})")
    if spec.retention.time is not None or spec.retention.messages is not None:
        reasons.append("OUT_OF_RETENTION")
    return ", ".join(reasons)
