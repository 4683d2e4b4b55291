"""What every kind of window can do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import MISSING, fields
from datetime import datetime
from typing import Any, ClassVar, Self

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

    @classmethod
    def fromJson(cls, text: str) -> Self:
        """Read what ``toJson`` wrote. Errors: SpecError with all problems."""
        reader = _json.Reader(text)
        kind = read_kind(reader, reader.fields, more={"time_unit"})
        if kind is not None and not isinstance(kind, cls):
            reader.refuse("WINDOW_UNKNOWN.OTHER", window=repr(kind))
        reader.raise_if_refused(f"{cls.__name__}.fromJson")
        assert isinstance(kind, cls)
        return kind

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


_Read = Callable[[_json.Reader, _json.Fields], WindowKind]

# Of each kind in JSON its fields, and what reads them; its file says so.
_KINDS: dict[str, tuple[frozenset[str], _Read]] = {}


def reads(kind: str, *fields: str) -> Callable[[_Read], _Read]:
    """Have a function read the windows that are called ``kind`` in JSON.

    It gives them unchecked, whatever it can of them; problems of reading go to the reader.
    """

    def registered(read: _Read) -> _Read:
        _KINDS[kind] = frozenset({"kind", *fields}), read
        return read

    return registered


def read_kind(
    reader: _json.Reader, fields: object, *, more: Collection[str] = ()
) -> WindowKind | None:
    """Read the kind that JSON fields describe, unchecked; None if problems were noted.

    ``more`` names fields that are somebody else's business.
    """
    if not isinstance(fields, dict):
        reader.refuse("WINDOW_NOT_STATED")
        return None
    kind = fields.get("kind", "")
    if not isinstance(kind, str) or kind not in _KINDS:
        reader.refuse("WINDOW_UNKNOWN.KIND", kind=kind, allowed=", ".join(_KINDS))
        return None
    before = len(reader.problems)
    own = {name: value for name, value in fields.items() if name not in more}
    names, read = _KINDS[kind]
    reader.known(own, f"a window of kind {kind}", names)
    made = read(reader, fields)
    return made if len(reader.problems) == before else None


def read_span(reader: _json.Reader, fields: _json.Fields, name: str) -> str | None:
    """Read a duration that must be there."""
    return reader.need(fields, name, "a duration", reader.span)


def read_count(reader: _json.Reader, fields: _json.Fields, name: str) -> int | None:
    """Read a whole number that must be there."""
    return reader.need(fields, name, "a whole number", reader.count)
