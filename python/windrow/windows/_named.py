"""Several windows over the same rows, each with a name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from windrow._specs import _json
from windrow.windows._kind import WindowKind


@dataclass(frozen=True, repr=False)
class NamedWindows(WindowKind):
    """Several kinds of windows by name, sorted by name. ``Stream.windows`` creates it."""

    windows: tuple[tuple[str, WindowKind], ...]

    @classmethod
    def of(cls, windows: Mapping[str, WindowKind]) -> NamedWindows:
        """Return the windows of a mapping from names to kinds."""
        return cls(tuple(sorted(windows.items(), key=lambda one: one[0])))

    def __repr__(self) -> str:
        """Show as the call."""
        return f"windows({', '.join(f'{name}={kind!r}' for name, kind in self.windows)})"

    def describe(self) -> str:
        """Describe in words which windows exist, and which of them contain a row.

        Returns:
            The description of each window after its name. ``Output.explain`` shows them.

        """
        return " ".join(f"{name}: {kind.describe()}" for name, kind in self.windows)

    def _fields(self) -> _json.Fields:
        named = [{"name": name, "window": kind._fields()} for name, kind in self.windows]
        return {"kind": "named", "windows": named}

    def _sample(self) -> list[int]:
        return sorted({time for _, kind in self.windows for time in kind._sample()})

    def _holding(self, at: Sequence[int]) -> list[tuple[int, int]]:
        return [window for windows in self._by_name(at).values() for window in windows]

    def _unseen(self) -> list[str]:
        return [text for _, kind in self.windows for text in kind._unseen()]

    def _by_name(self, at: Sequence[int]) -> dict[str, list[tuple[int, int]]]:
        return {name: kind._holding(at) for name, kind in self.windows}
