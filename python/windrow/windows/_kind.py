"""The parent of all kinds of windows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, fields
from datetime import datetime
from typing import Any, ClassVar

from windrow._markup._svg import Picture
from windrow._specs import _json, _values
from windrow._specs._frozen import call, same
from windrow.errors import SpecError, SpecProblem

NONE = "0 seconds"

#: Lines of bars; further windows are only counted.
LANES = 24

#: Event times or positions, or a mapping from the names of streams to them.
Messages = Sequence[datetime | str | int] | Mapping[str, Sequence[datetime | str | int]]


class WindowKind(ABC):
    """The parent of all kinds of windows.

    A kind is a value: it compares, hashes, and prints as its call. A duration is a string (``"90
    seconds"``) or a ``timedelta`` and is stored as its shortest exact text. Integers count rows or
    offsets.

    Example:
        >>> wr.Tumbling("60 seconds") == wr.Tumbling("1 minute")
        True
        >>> wr.Tumbling("60 seconds")
        Tumbling('1 minute')

    """

    _on_positions: ClassVar[bool] = False

    #: Fields for which rows can be counted instead, see ``_duration.read``.
    _counted: ClassVar[Mapping[str, str]] = {}

    @abstractmethod
    def describe(self) -> str:
        """Describe in words which windows exist, and which of them contain a row.

        Returns:
            One or two sentences. ``Output.explain`` shows them.

        """

    def plot(self, messages: Messages | None = None) -> Picture:
        """Draw the windows of a few rows.

        Args:
            messages: Event times, as datetimes or ISO strings; times without a zone are UTC.
                Windows on positions take integers: sequence numbers, or offsets for ``OffsetRange``
                and ``OffsetSession``. A mapping from the names of streams to times draws a line for
                each stream, as in a co-group. None draws sample rows.

        Returns:
            The picture as SVG; ``str`` returns its text, and a notebook displays it.

        Raises:
            TypeError: A value is not of the kind that the windows need.
            ValueError: A string is not an ISO time.

        Example:
            >>> times = ["2025-01-01 09:00:10", "2025-01-01 09:01:30"]
            >>> str(wr.Tumbling("1 minute").plot(times))[:4]
            '<svg'

        """
        return self._plot(messages)

    def _plot(
        self, messages: Messages | None, lateness: object = 0, silence: int | None = None
    ) -> Picture:
        """Draw the windows, how long each accepts late rows, and the gaps of ``fillGaps``."""
        from windrow._drawing import _kinds

        return _kinds.plot(self, messages, lateness, silence)

    def toJson(self) -> str:
        """Return the kind as JSON.

        Returns:
            One JSON object, with durations in microseconds.

        Example:
            >>> wr.Tumbling("1 minute").toJson()
            '{"kind":"tumbling","size":60000000,"start_time":0}'

        """
        return _json.write(self._fields())

    def _repr_html_(self) -> str:
        return str(self.plot())

    def _durations(self) -> Sequence[str]:
        """Return the names of the fields that are durations."""
        return ()

    def _counts(self) -> Sequence[str]:
        """Return the names of the fields that are integers."""
        return ()

    @abstractmethod
    def _fields(self) -> _json.Fields: ...

    @abstractmethod
    def _sample(self) -> list[int]:
        """Return sample times in microseconds, or positions, that show how the kind works."""

    @abstractmethod
    def _holding(self, at: Sequence[int]) -> list[tuple[int, int]]:
        """Return the windows that contain at least one of the times or positions, in order."""

    def _by_name(self, at: Sequence[int]) -> dict[str, list[tuple[int, int]]]:
        """Return the windows of ``_holding`` by name; the name is empty if they have none."""
        return {"": self._holding(at)}

    def _gaps(self, at: Sequence[int], silence: int) -> Iterator[tuple[int, int]]:  # noqa: ARG002
        """Yield the windows without rows that ``fillGaps`` emits, up to the last row (rule R3)."""
        yield from ()

    def _unseen(self) -> list[str]:
        """Return sentences about settings that times alone do not show."""
        return []

    def _settle(self) -> None:
        """Replace durations by their shortest texts, or raise an error for invalid values."""
        given = as_given(self)
        found = _values.settle(
            self, durations=self._durations(), counts=self._counts(), counted=self._counted
        )
        found += self._unread()
        if found:
            raise SpecError.of(given, found)

    def _unread(self) -> list[SpecProblem]:
        """Return further problems of the values."""
        return []


def as_given(kind: Any) -> str:  # noqa: ANN401  any of the dataclasses
    """Show the kind as a call with the name of every field, for values that are not understood."""
    given = {field.name: getattr(kind, field.name) for field in fields(kind)}
    plain = {f.name: f.default for f in fields(kind) if f.default is not MISSING}
    return call(
        type(kind).__name__, **{n: v for n, v in given.items() if not same(v, plain.get(n))}
    )
