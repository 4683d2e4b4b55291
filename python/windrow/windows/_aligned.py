"""Windows that depend on time alone, the same for every key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from windrow import _duration, _json, _picture, _values
from windrow._duration import Duration
from windrow._frozen import call
from windrow.errors import SpecProblem
from windrow.windows import _calendar
from windrow.windows._kind import NONE, WindowKind

_PARTS = (0.2, 0.7, 1.4, 2.0, 2.9)


@dataclass(frozen=True, repr=False)
class Tumbling(WindowKind):
    """``[start, end)`` windows side by side, aligned to ``offset`` from the epoch.

    With a ``zone`` the size is a number of days, weeks (from Monday), months or years, as the
    calendar of the zone has them, right across changes of its clocks; they are counted from
    1970-01-01 and there is no ``offset``. Months and years need a zone: a spec without is refused.
    """

    size: Duration
    offset: Duration = field(default=NONE, kw_only=True)
    zone: str | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        """Refuse what is no size."""
        if self.zone is not None or self._lacks_zone():
            size, zone = _calendar.parse(self.size), _calendar.zone(self.zone)
            if isinstance(size, tuple):
                object.__setattr__(self, "size", _calendar.show(*size))
            if isinstance(zone, str):
                object.__setattr__(self, "zone", zone)
        if not self._lacks_zone():
            self._settle()

    def __repr__(self) -> str:
        """Show as the call."""
        offset = None if self.offset == NONE else self.offset
        return call("Tumbling", self.size, offset=offset, zone=self.zone)

    def describe(self) -> str:
        """Say in words which windows there are and which of them hold a message."""
        if self.zone is not None or self._lacks_zone():
            aligned = f"as the calendar of {self.zone or 'a zone (not stated)'} has them"
        else:
            aligned = _aligned(self)
        return (
            f"Windows of {self.size} side by side, start included, end not, {aligned}. "
            "Every message is in one."
        )

    def _durations(self) -> Sequence[str]:
        return ("size", "offset") if self.zone is None else ("offset",)

    def _problems(self) -> list[SpecProblem]:
        if self._lacks_zone():
            calendar = _calendar.parse(self.size)
            unit = calendar[1] if isinstance(calendar, tuple) else ""
            text = f"a {unit} needs zone='Europe/Berlin' or another."
            return [SpecProblem("ZONE_NOT_STATED", text)]
        if self.zone is None:
            return _values.positive("size", self.size) + _values.duration("offset", self.offset)
        size, zone = _calendar.parse(self.size), _calendar.zone(self.zone)
        found = [size] if isinstance(size, SpecProblem) else _calendar.problems(*size)
        if isinstance(zone, SpecProblem):
            found.append(zone)
        if self.offset != NONE:
            text = "offset is for windows without a zone; those of the calendar start with it."
            found.append(SpecProblem("OFFSET_WITH_ZONE", text))
        return found

    def _lacks_zone(self) -> bool:
        """Whether the size is one that only a zone makes a length; a spec is refused for it."""
        if self.zone is not None or isinstance(_duration.read(self.size), int):
            return False
        return isinstance(_calendar.parse(self.size), tuple)

    def _fields(self) -> _json.Fields:
        if self.zone is None:
            self._settle()
            return {
                "kind": "tumbling",
                "size": _duration.micros(self.size),
                "offset": _duration.micros(self.offset),
            }
        count, unit = self._calendar()
        return {"kind": "calendar", "n": count, "unit": unit, "zone": self.zone}

    def _calendar(self) -> tuple[int, str]:
        calendar = _calendar.parse(self.size)
        assert isinstance(calendar, tuple)
        return calendar

    def _sample(self) -> list[int]:
        if isinstance(_duration.read(self.size), int):
            return _sample(self, _duration.micros(self.size))
        _, end = _calendar.window(0, *self._calendar(), self.zone or "Z")
        return [int(part * end) for part in _PARTS]

    def _holding(self, at: Sequence[int]) -> list[tuple[int, int]]:
        if self.zone is None and not self._lacks_zone():
            return _holding(self, at, _duration.micros(self.size))
        count, unit = self._calendar()
        return sorted({_calendar.window(time, count, unit, self.zone or "Z") for time in at})


@dataclass(frozen=True, repr=False)
class Hopping(WindowKind):
    """``[start, end)`` windows of ``size``, one every ``step``.

    The step need not divide the size. A step longer than the size leaves gaps, whose messages
    are counted and belong to no window.
    """

    size: Duration
    step: Duration = field(kw_only=True)
    offset: Duration = field(default=NONE, kw_only=True)

    def __post_init__(self) -> None:
        """Refuse what is no size or no step."""
        self._settle()

    def __repr__(self) -> str:
        """Show as the call."""
        offset = None if self.offset == NONE else self.offset
        return call("Hopping", self.size, step=self.step, offset=offset)

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

    def _durations(self) -> Sequence[str]:
        return "size", "step", "offset"

    def _problems(self) -> list[SpecProblem]:
        lengths = _values.positive("size", self.size)
        if self.step != self.size:  # one mistake, not two
            lengths += _values.positive("step", self.step, code="SIZE_NOT_POSITIVE")
        return lengths + _values.duration("offset", self.offset)

    def _fields(self) -> _json.Fields:
        return {"kind": "hopping"} | {
            n: _duration.micros(getattr(self, n)) for n in self._durations()
        }

    def _sample(self) -> list[int]:
        return _sample(self, _duration.micros(self.step))

    def _holding(self, at: Sequence[int]) -> list[tuple[int, int]]:
        return _holding(self, at, _duration.micros(self.step))


def _aligned(kind: Tumbling | Hopping) -> str:
    after = "" if kind.offset == NONE else f"{kind.offset} after "
    return f"aligned to {after}1970-01-01 00:00:00 UTC"


def _sample(kind: Tumbling | Hopping, step: int) -> list[int]:
    return [_duration.micros(kind.offset) + int(part * step) for part in _PARTS]


def _holding(kind: Tumbling | Hopping, times: Sequence[int], step: int) -> list[tuple[int, int]]:
    size, offset = _duration.micros(kind.size), _duration.micros(kind.offset)
    starts: set[int] = set()
    for time in times:
        last = (time - offset) // step
        first = (time - size - offset) // step + 1
        starts.update(
            range(max(first, last - _picture.LANES) * step + offset, last * step + offset + 1, step)
        )
    return [(start, start + size) for start in sorted(starts)]
