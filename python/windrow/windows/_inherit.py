"""The windows of panes that come in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from windrow._specs import _json, _values
from windrow._specs._frozen import call
from windrow.errors import SpecProblem
from windrow.windows._kind import WindowKind


@dataclass(frozen=True, repr=False)
class Inherit(WindowKind):
    """The windows of the panes of another operator: they are grouped anew, their windows stay.

    ``column`` of the panes holds their window. A retraction takes its pane out again. A window is
    complete when its pane on time has come and the watermark has passed its end.
    """

    column: str = "window"

    def __post_init__(self) -> None:
        """Refuse what is no name."""
        self._settle()

    def __repr__(self) -> str:
        """Show as the call."""
        return call("Inherit", self.column)

    def describe(self) -> str:
        """Say in words which windows there are and which of them hold a message."""
        return (
            f"For each key the windows of the panes that come in, in their column {self.column!r}."
        )

    def _unread(self) -> list[SpecProblem]:
        return _values.name("column", self.column)

    def _fields(self) -> _json.Fields:
        return {"kind": "inherit", "column": self.column}

    def _sample(self) -> list[int]:
        return [int(part * 60_000_000) for part in (0.0, 0.4, 0.9, 1.6, 2.5)]

    def _holding(self, at: Sequence[int]) -> list[tuple[int, int]]:  # noqa: ARG002  times do not say
        return []
