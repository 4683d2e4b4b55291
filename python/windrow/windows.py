"""What the windows are. All bounds are event time; ``end`` is exclusive.

The kinds are values: they compare, hash, print as their call and go through JSON and back.
Durations are text ("90 seconds") or ``timedelta`` and are kept in their shortest exact text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Self

from windrow import _duration, _json, _picture
from windrow._columns import is_column
from windrow._duration import Duration
from windrow.errors import SpecError, SpecProblem

if TYPE_CHECKING:
    from pyspark.sql import Column

_NONE = "0 seconds"


class WindowKind:
    """Parent of the kinds of windows."""

    def describe(self) -> str:
        """Say in words which windows there are and which of them hold a message."""
        raise NotImplementedError

    def plot(self, messages: Sequence[datetime | str] | None = None) -> _picture.Picture:
        """Draw the windows of a few messages.

        ``messages`` are event times, as datetimes or ISO text (naive ones: UTC); without them
        some are made up. A notebook shows the picture; ``str`` gives its SVG.
        """
        times = self._sample_times() if messages is None else _picture.micros(messages)
        return _picture.draw(repr(self), times, self._holding(times), dated=messages is not None)

    def toJson(self) -> str:
        """Write as one JSON object, durations in microseconds."""
        return _json.write(self._fields())

    @classmethod
    def fromJson(cls, text: str) -> Self:
        """Read what ``toJson`` wrote. Errors: SpecError with all problems."""
        reader = _json.Reader(text)
        kind = read_kind(reader, reader.fields)
        if kind is not None and not isinstance(kind, cls):
            reader.refuse("WINDOW_UNKNOWN", f"the text describes {kind!r}.")
        reader.raise_if_refused(f"{cls.__name__}.fromJson")
        assert isinstance(kind, cls)
        return kind

    def _repr_html_(self) -> str:
        return str(self.plot())

    def _fields(self) -> _json.Fields:
        raise NotImplementedError

    def _sample_times(self) -> list[int]:
        """Made-up event times in microseconds that show what is special about the kind."""
        raise NotImplementedError

    def _holding(self, times: Sequence[int]) -> list[tuple[int, int]]:
        """Windows that hold at least one of the times, in order."""
        raise NotImplementedError


@dataclass(frozen=True, repr=False)
class Tumbling(WindowKind):
    """``[start, end)`` windows side by side, aligned to ``offset`` from the epoch."""

    size: Duration
    offset: Duration = field(default=_NONE, kw_only=True)

    def __post_init__(self) -> None:
        """Refuse what is no size."""
        _canonise(self, size=self.size, offset=self.offset)

    def __repr__(self) -> str:
        """Show as the call."""
        return _call(self, size=self.size, offset=self.offset)

    def describe(self) -> str:
        """Say in words which windows there are and which of them hold a message."""
        return (
            f"Windows of {self.size} side by side, start included, end not, {_aligned(self)}. "
            "Every message is in one."
        )

    def _fields(self) -> _json.Fields:
        size, offset = _duration.micros(self.size), _duration.micros(self.offset)
        return {"kind": "tumbling", "size": size, "offset": offset}

    def _sample_times(self) -> list[int]:
        return _aligned_sample(self, _duration.micros(self.size))

    def _holding(self, times: Sequence[int]) -> list[tuple[int, int]]:
        return _aligned_holding(self, times, _duration.micros(self.size))


@dataclass(frozen=True, repr=False)
class Hopping(WindowKind):
    """``[start, end)`` windows of ``size``, one every ``step``.

    The step need not divide the size. A step longer than the size leaves gaps, whose messages
    are counted and belong to no window.
    """

    size: Duration
    step: Duration = field(kw_only=True)
    offset: Duration = field(default=_NONE, kw_only=True)

    def __post_init__(self) -> None:
        """Refuse what is no size or no step."""
        _canonise(self, size=self.size, step=self.step, offset=self.offset)

    def __repr__(self) -> str:
        """Show as the call."""
        return _call(self, size=self.size, step=self.step, offset=self.offset)

    def describe(self) -> str:
        """Say in words which windows there are and which of them hold a message."""
        size, step = _duration.micros(self.size), _duration.micros(self.step)
        bounds = f"Windows of {self.size}, start included, end not, one every {self.step}"
        if size < step:
            gap = _duration.show(step - size)
            held = f"Between two lie {gap} in no window: a message there is counted, not rejected."
        elif size % step:
            held = f"A message is in {size // step} or {size // step + 1} of them."
        else:
            held = f"A message is in {size // step} of them."
        return f"{bounds}, {_aligned(self)}. {held}"

    def _fields(self) -> _json.Fields:
        names = ("size", "step", "offset")
        return {"kind": "hopping"} | {n: _duration.micros(getattr(self, n)) for n in names}

    def _sample_times(self) -> list[int]:
        return _aligned_sample(self, _duration.micros(self.step))

    def _holding(self, times: Sequence[int]) -> list[tuple[int, int]]:
        return _aligned_holding(self, times, _duration.micros(self.step))


@dataclass(frozen=True, repr=False, eq=False)
class Session(WindowKind):
    """``[first, last + gap)``: messages of a key at most ``gap`` apart share a session.

    ``gap`` is a duration, or a Column of day-time interval or of whole microseconds: then every
    message brings its own. A Column is equal to itself only, and does not go into JSON: what
    is read back has the gap None, "of each message".
    """

    gap: Duration | Column | None

    def __post_init__(self) -> None:
        """Refuse what is no gap."""
        if self.gap is None or is_column(self.gap):
            return
        micros = _duration.read(self.gap)
        if isinstance(micros, SpecProblem):
            raise SpecError.of(f"Session(gap={self.gap!r})", [micros])
        object.__setattr__(self, "gap", _duration.show(micros))
        if micros <= 0:
            text = f"gap is '{self.gap}'; it must be longer than 0 microseconds."
            raise SpecError.of(repr(self), [SpecProblem("GAP_NOT_POSITIVE", text)])

    def __eq__(self, other: object) -> bool:
        """Compare the gaps; Columns (whose ``==`` builds an expression) by identity."""
        if not isinstance(other, Session):
            return NotImplemented
        if isinstance(self.gap, str) and isinstance(other.gap, str):
            return self.gap == other.gap
        return self.gap is other.gap

    def __hash__(self) -> int:
        """Fit ``__eq__``."""
        return hash(self.gap if isinstance(self.gap, str) else id(self.gap))

    def __repr__(self) -> str:
        """Show as the call."""
        return f"Session({self.gap!r})" if isinstance(self.gap, str) else _OF_MESSAGE

    def describe(self) -> str:
        """Say in words which windows there are and which of them hold a message."""
        gap = self.gap if isinstance(self.gap, str) else "the message's own gap"
        return (
            f"For each key, from a first message to {gap} after the last. Messages at most "
            "that far apart share a session; a message between two sessions merges them."
        )

    def _fields(self) -> _json.Fields:
        gap = _duration.micros(self.gap) if isinstance(self.gap, str) else None
        return {"kind": "session", "gap": gap}

    def _sample_times(self) -> list[int]:
        return [int(part * self._gap_micros()) for part in (0.0, 0.7, 1.5, 3.5, 4.1)]

    def _holding(self, times: Sequence[int]) -> list[tuple[int, int]]:
        gap = self._gap_micros()
        sessions: list[tuple[int, int]] = []
        for time in sorted(times):
            if sessions and time <= sessions[-1][1]:
                sessions[-1] = (sessions[-1][0], time + gap)
            else:
                sessions.append((time, time + gap))
        return sessions

    def _gap_micros(self) -> int:
        """Gap to draw with; a minute stands for gaps that only the messages know."""
        return _duration.micros(self.gap) if isinstance(self.gap, str) else 60_000_000


def read_kind(reader: _json.Reader, fields: object) -> WindowKind | None:
    """Read the kind that JSON fields describe; None, with a problem noted, if they are broken."""
    if not isinstance(fields, dict):
        text = "window is missing; say for example Tumbling('1 minute')."
        reader.refuse("WINDOW_NOT_STATED", text)
        return None
    kind = fields.get("kind", "")
    if kind not in _NEEDED:
        allowed = ", ".join(_NEEDED)
        reader.refuse("WINDOW_UNKNOWN", f"window.kind is '{kind}'; allowed are {allowed}.")
        return None
    for name in _NEEDED[kind]:
        if fields.get(name) is None:
            text = f"window.{name} is missing; it is a duration."
            reader.refuse(f"{name.upper()}_NOT_STATED", text)
    spans = {name: reader.span(fields, name) for name in ("size", "step", "offset", "gap")}
    try:
        return None if reader.problems else _make(kind, spans)
    except SpecError as refused:
        reader.problems.extend(refused.problems)
        return None


_NEEDED = {"tumbling": ("size",), "hopping": ("size", "step"), "session": ()}


def _make(kind: str, spans: dict[str, str | None]) -> WindowKind:
    if kind == "session":
        return Session(spans["gap"])
    size, offset = spans["size"] or _NONE, spans["offset"] or _NONE
    if kind == "tumbling":
        return Tumbling(size, offset=offset)
    return Hopping(size, step=spans["step"] or _NONE, offset=offset)


def _canonise(kind: Tumbling | Hopping, **given: Duration) -> None:
    """Put canonical texts in place of what was given, or name all that is wrong with it."""
    spans = {name: _duration.read(value) for name, value in given.items()}
    found = [span for span in spans.values() if isinstance(span, SpecProblem)]
    for name, span in spans.items():
        if isinstance(span, int):
            object.__setattr__(kind, name, _duration.show(span))
            if span <= 0 and name != "offset":
                text = f"{name} is '{_duration.show(span)}'; it must be longer than 0 microseconds."
                found.append(SpecProblem("SIZE_NOT_POSITIVE", text))
    if any(isinstance(span, SpecProblem) for span in spans.values()):
        raise SpecError.of(_call(kind, named=True, **given), found)
    if found:
        raise SpecError.of(repr(kind), found)


def _call(kind: WindowKind, *, named: bool = False, **given: Duration) -> str:
    """Show as a call: the size without its name unless ``named``, a zero offset left out."""
    shown = {n: v for n, v in given.items() if n != "offset" or v != _NONE}
    parts = [repr(v) if n == "size" and not named else f"{n}={v!r}" for n, v in shown.items()]
    return f"{type(kind).__name__}({', '.join(parts)})"


def _aligned(kind: Tumbling | Hopping) -> str:
    after = "" if kind.offset == _NONE else f"{kind.offset} after "
    return f"aligned to {after}1970-01-01 00:00:00 UTC"


def _aligned_sample(kind: Tumbling | Hopping, step: int) -> list[int]:
    offset = _duration.micros(kind.offset)
    return [offset + int(part * step) for part in (0.2, 0.7, 1.4, 2.0, 2.9)]


def _aligned_holding(
    kind: Tumbling | Hopping, times: Sequence[int], step: int
) -> list[tuple[int, int]]:
    size, offset = _duration.micros(kind.size), _duration.micros(kind.offset)
    starts: set[int] = set()
    for time in times:
        last = (time - offset) // step
        first = (time - size - offset) // step + 1
        starts.update(
            range(max(first, last - _picture.LANES) * step + offset, last * step + offset + 1, step)
        )
    return [(start, start + size) for start in sorted(starts)]


_OF_MESSAGE = "Session(gap of each message)"
