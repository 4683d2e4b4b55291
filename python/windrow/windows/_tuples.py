"""Windows on positions: sequence numbers of a key, offsets of a source partition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from windrow._drawing._windows import LANES
from windrow._specs import _json, _values
from windrow._specs._frozen import call
from windrow.windows._kind import WindowKind


@dataclass(frozen=True, repr=False)
class _Numbered(WindowKind):
    """``[first, last]``: ``n`` positions, one window every ``step``, by default ``n``."""

    n: int
    step: int | None = field(default=None, kw_only=True)

    _on_positions: ClassVar[bool] = True
    _kind: ClassVar[str]
    _of: ClassVar[str]

    def __post_init__(self) -> None:
        """Refuse what is no number."""
        self._settle()
        if self.step is None:
            object.__setattr__(self, "step", self.n)

    def __repr__(self) -> str:
        """Show as the call."""
        step = None if self.step == self.n else self.step
        return call(type(self).__name__, self.n, step=step)

    def describe(self) -> str:
        """Say in words which windows there are and which of them hold a message."""
        return f"{self._of}: windows of {self.n}, first and last included, one every {self.step}."

    def _counts(self) -> Sequence[str]:
        return _values.stated(self, "n", "step") if self.step != self.n else ("n",)

    def _fields(self) -> _json.Fields:
        return {"kind": self._kind, "n": self.n, "step": self.step}

    def _sample(self) -> list[int]:
        return list(range(min(2 * self.n + 1, 2 * LANES)))

    def _holding(self, at: Sequence[int]) -> list[tuple[int, int]]:
        step = max(self.step or self.n, 1)
        starts: set[int] = set()
        for position in at:
            last = position // step
            first = max(0, (position - self.n) // step + 1, last - LANES)
            starts.update(range(first * step, last * step + 1, step))
        return [(start, start + self.n - 1) for start in sorted(starts)]


@dataclass(frozen=True, repr=False)
class Count(_Numbered):
    """``[first, last]``: ``n`` messages of a key, one window every ``step`` (``n`` if left out).

    Messages have the sequence numbers 0, 1, 2, … in order of acceptance. A window fires on time
    once its last message is in; nothing is late.
    """

    _kind: ClassVar[str] = "count"
    _of: ClassVar[str] = (
        "For each key, by the numbers 0, 1, 2, … of its messages in order of acceptance"
    )


@dataclass(frozen=True, repr=False)
class OffsetRange(_Numbered):
    """``[first, last]``: ``n`` offsets of a source partition, one window every ``step``.

    Windows begin at the partition's start offset, so those of several streams can be aligned;
    missing offsets count. Lateness is a whole number of offsets.
    """

    _kind: ClassVar[str] = "offset_range"
    _of: ClassVar[str] = "For each source partition, by offset from its start offset on"


@dataclass(frozen=True, repr=False)
class OffsetSession(WindowKind):
    """``[first, last]`` offsets: ends when more than ``gap`` rows of the partition lack the key.

    Offsets are counted; missing ones are messages that lack the key. Nothing is late but an
    offset that does not exceed the partition's last.
    """

    gap: int

    _on_positions: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Refuse what is no number."""
        self._settle()

    def __repr__(self) -> str:
        """Show as the call."""
        return call("OffsetSession", gap=self.gap)

    def describe(self) -> str:
        """Say in words which windows there are and which of them hold a message."""
        return (
            "For each key and source partition, from the offset of a first message to that of the "
            f"last before more than {self.gap} offsets pass without the key."
        )

    def _counts(self) -> Sequence[str]:
        return ("gap",)

    def _fields(self) -> _json.Fields:
        return {"kind": "offset_session", "gap": self.gap}

    def _sample(self) -> list[int]:
        return [0, self.gap, 2 * self.gap + 1, 4 * self.gap + 3, 5 * self.gap + 3]

    def _holding(self, at: Sequence[int]) -> list[tuple[int, int]]:
        sessions: list[tuple[int, int]] = []
        for offset in sorted(at):
            if sessions and offset - sessions[-1][1] - 1 <= self.gap:
                sessions[-1] = (sessions[-1][0], offset)
            else:
                sessions.append((offset, offset))
        return sessions
