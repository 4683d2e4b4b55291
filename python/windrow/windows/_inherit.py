"""The windows of the panes in the input."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from windrow._specs import _json, _values
from windrow._specs._frozen import call
from windrow.errors import SpecProblem
from windrow.windows._kind import WindowKind


@dataclass(frozen=True, repr=False)
class Inherit(WindowKind):
    """The windows of the panes of another operator, grouped by another key.

    Use it to aggregate the results of an operator again in the same windows. If an earlier window
    is corrected, ``Inherit`` subtracts the old value and adds the new one. A window is complete
    when its pane on time has arrived and the watermark has passed its end.

    Args:
        column: The column of the panes that contains their window. The default is ``"window"``.

    Raises:
        SpecError: ``column`` is not a string (``NAME_NOT_UNDERSTOOD``).

    Example:
        >>> wr.Inherit()
        Inherit('window')

    """

    column: str = "window"

    def __post_init__(self) -> None:
        """Reject a value that is not a name."""
        self._settle()

    def __repr__(self) -> str:
        """Show as the call."""
        return call("Inherit", self.column)

    def describe(self) -> str:
        """Describe in words which windows exist, and which of them contain a row.

        Returns:
            One or two sentences. ``Output.explain`` shows them.

        """
        return f"For each key, the windows of the input panes, from their column {self.column!r}."

    def _unread(self) -> list[SpecProblem]:
        return _values.name("column", self.column)

    def _fields(self) -> _json.Fields:
        return {"kind": "inherit", "column": self.column}

    def _sample(self) -> list[int]:
        return [int(part * 60_000_000) for part in (0.0, 0.4, 0.9, 1.6, 2.5)]

    def _holding(self, at: Sequence[int]) -> list[tuple[int, int]]:  # noqa: ARG002  the panes have the windows
        return []
