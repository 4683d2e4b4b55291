"""What every kind of window can do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields
from datetime import datetime
from typing import Any, ClassVar

from windrow._drawing import _axis, _pairs, _windows
from windrow._drawing._svg import Picture
from windrow._specs import _duration, _json, _values
from windrow._specs._columns import is_column
from windrow._specs._frozen import call
from windrow.errors import SpecError, SpecProblem

NONE = "0 seconds"

#: Event times or positions; or these by the name of their stream.
Messages = Sequence[datetime | str | int] | Mapping[str, Sequence[datetime | str | int]]


class WindowKind(ABC):
    """Parent of the kinds of windows."""

    _on_positions: ClassVar[bool] = False

    #: Fields in whose place messages can be counted, see ``_duration.read``.
    _counted: ClassVar[Mapping[str, str]] = {}

    @abstractmethod
    def describe(self) -> str:
        """Say in words which windows there are and which of them hold a message."""

    def plot(self, messages: Messages | None = None) -> Picture:
        """Draw the windows of a few messages.

        ``messages`` are event times, as datetimes or ISO text (naive ones: UTC); for windows on
        positions whole numbers: sequence numbers, for ``OffsetRange`` and ``OffsetSession``
        offsets. Without them some are made up. A notebook shows the picture; ``str`` gives its SVG.
        With messages by the name of their stream, as those of a co-group, each has its own line.
        """
        return self._plot(messages)

    def _plot(self, messages: Messages | None, lateness: object = 0) -> Picture:
        """Draw with how long windows take late messages, as a stream states it."""
        if isinstance(messages, Mapping):
            return self._plot_streams(messages)
        axis = self._axis(dated=messages is not None)
        at = self._sample() if messages is None else axis.read(messages)
        return _windows.draw(repr(self), at, self._holding(at), axis, self._units(lateness))

    def _plot_streams(self, messages: Mapping[str, Sequence[datetime | str | int]]) -> Picture:
        axis = self._axis(dated=True)
        times = {name: axis.read(own) for name, own in messages.items()}
        windows = self._holding([time for own in times.values() for time in own])
        more = 1 if axis.whole else 0
        return _pairs.draw(
            repr(self),
            _pairs.Pairs(
                times,
                paired={(n, i) for n, own in enumerate(times.values()) for i in range(len(own))},
                windows=[(start, end + more) for start, end in windows],
                together="message",
            ),
            axis,
        )

    def _units(self, lateness: object) -> int:
        """A lateness in the numbers of the axis; 0: there is none, or none was stated."""
        read = lateness if isinstance(lateness, int) else _duration.read(lateness)
        if lateness is None:
            return _duration.ENDLESS
        is_of_axis = isinstance(lateness, int) == self._on_positions
        return read if isinstance(read, int) and is_of_axis else 0

    def toJson(self) -> str:
        """Write as one JSON object, durations in microseconds."""
        return _json.write(self._fields())

    def _repr_html_(self) -> str:
        return str(self.plot())

    def _durations(self) -> Sequence[str]:
        """Names of the fields that are durations."""
        return ()

    def _counts(self) -> Sequence[str]:
        """Names of the fields that are whole numbers."""
        return ()

    @abstractmethod
    def _fields(self) -> _json.Fields: ...

    @abstractmethod
    def _sample(self) -> list[int]:
        """Made-up times in microseconds, or positions, that show what is special."""

    @abstractmethod
    def _holding(self, at: Sequence[int]) -> list[tuple[int, int]]:
        """Windows that hold at least one of the times or positions, in order."""

    def _axis(self, *, dated: bool) -> _axis.Axis:
        if self._on_positions:
            return _axis.POSITIONS
        return _axis.DATES if dated else _axis.LENGTHS

    def _settle(self) -> None:
        """Put shortest texts in place of what was given, or say what is no duration or number."""
        given = as_given(self)
        found = _values.settle(
            self, durations=self._durations(), counts=self._counts(), counted=self._counted
        )
        found += self._unread()
        if found:
            raise SpecError.of(given, found)

    def _unread(self) -> list[SpecProblem]:
        """What else cannot be written."""
        return []


def as_given(kind: Any) -> str:  # noqa: ANN401  any of the dataclasses
    """Show as a call with every name, for values that are not understood."""
    given = {field.name: getattr(kind, field.name) for field in fields(kind)}
    plain = {f.name: f.default for f in fields(kind) if f.default is not MISSING}
    return call(
        type(kind).__name__, **{n: v for n, v in given.items() if not _same(v, plain.get(n))}
    )


def _same(value: object, other: object) -> bool:
    """Compare two values; a Column, whose ``==`` builds an expression, only by identity."""
    return value is other or (not is_column(value) and value == other)
