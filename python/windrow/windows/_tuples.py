"""Windows on positions: sequence numbers of a key, or offsets of a source partition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from windrow._specs import _json, _values
from windrow._specs._frozen import call
from windrow.windows._kind import LANES, WindowKind


@dataclass(frozen=True, repr=False)
class _Numbered(WindowKind):
    """``[first, last]``: ``n`` positions, and a window every ``step`` positions."""

    n: int
    step: int | None = field(default=None, kw_only=True)

    _on_positions: ClassVar[bool] = True
    _kind: ClassVar[str]
    _of: ClassVar[str]

    def __post_init__(self) -> None:
        """Reject a value that is not an integer."""
        self._settle()
        if self.step is None:
            object.__setattr__(self, "step", self.n)

    def __repr__(self) -> str:
        """Show as the call."""
        step = None if self.step == self.n else self.step
        return call(type(self).__name__, self.n, step=step)

    def describe(self) -> str:
        """Describe in words which windows exist, and which of them contain a row.

        Returns:
            One or two sentences. ``Output.explain`` shows them.

        """
        return f"{self._of}: windows of {self.n}, first and last inclusive, one every {self.step}."

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
    """Windows of a fixed number of rows of a key.

    Rows are numbered 0, 1, 2, … in the order in which Windrow accepts them. A window is emitted
    when its last row has arrived. Event time plays no role, so no row is late and you need no
    watermark.

    Args:
        n: The number of rows in a window.
        step: The number of rows between the starts of two windows. None (the default) means ``n``,
            so that windows do not overlap.

    Raises:
        SpecError: A value is not an integer (``COUNT_NOT_UNDERSTOOD``).

    Example:
        >>> wr.Count(3), wr.Count(20, step=5)
        (Count(3), Count(20, step=5))

    """

    _kind: ClassVar[str] = "count"
    _of: ClassVar[str] = "For each key, over its rows numbered 0, 1, 2, … in order of acceptance"


@dataclass(frozen=True, repr=False)
class OffsetRange(_Numbered):
    """Windows of a fixed number of offsets of a source partition.

    Windows start at the first offset of the partition, so windows of several streams can be
    aligned. Missing offsets count. The lateness is a number of offsets. ``stream(rowId=...)`` is
    required.

    Args:
        n: The number of offsets in a window.
        step: The number of offsets between the starts of two windows. None (the default) means
            ``n``.

    Raises:
        SpecError: A value is not an integer (``COUNT_NOT_UNDERSTOOD``).

    Example:
        >>> wr.OffsetRange(1000)
        OffsetRange(1000)

    """

    _kind: ClassVar[str] = "offset_range"
    _of: ClassVar[str] = "For each source partition, over its offsets from the start offset"


@dataclass(frozen=True, repr=False)
class OffsetSession(WindowKind):
    """Sessions of a key on the offsets of a source partition.

    A session ends when more than ``gap`` offsets of the partition pass without a row of the key.
    Missing offsets count as rows of other keys. No row is late, except one whose offset is not
    above the last offset of the partition. ``stream(rowId=...)`` is required.

    Args:
        gap: The number of offsets.

    Raises:
        SpecError: ``gap`` is not an integer (``COUNT_NOT_UNDERSTOOD``).

    Example:
        >>> wr.OffsetSession(10)
        OffsetSession(gap=10)

    """

    gap: int

    _on_positions: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Reject a value that is not an integer."""
        self._settle()

    def __repr__(self) -> str:
        """Show as the call."""
        return call("OffsetSession", gap=self.gap)

    def describe(self) -> str:
        """Describe in words which windows exist, and which of them contain a row.

        Returns:
            One or two sentences. ``Output.explain`` shows them.

        """
        return (
            "For each key and source partition, from the offset of the first row to that of the "
            f"last row before more than {self.gap} offsets pass without the key."
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
