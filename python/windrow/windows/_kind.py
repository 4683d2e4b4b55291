"""What every kind of window can do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import MISSING, fields
from datetime import datetime
from typing import Any, ClassVar, Self

from windrow import _duration, _json, _picture, _values
from windrow._columns import is_column
from windrow._frozen import call
from windrow.errors import SpecError, SpecProblem

NONE = "0 seconds"


class WindowKind(ABC):
    """Parent of the kinds of windows."""

    _on_positions: ClassVar[bool] = False

    @abstractmethod
    def describe(self) -> str:
        """Say in words which windows there are and which of them hold a message."""

    def plot(self, messages: Sequence[datetime | str | int] | None = None) -> _picture.Picture:
        """Draw the windows of a few messages.

        ``messages`` are event times, as datetimes or ISO text (naive ones: UTC); for windows on
        positions whole numbers: sequence numbers, for ``Offsets`` and ``TupleSession`` offsets.
        Without them some are made up. A notebook shows the picture; ``str`` gives its SVG.
        """
        axis = self._axis(dated=messages is not None)
        at = self._sample() if messages is None else axis.read(messages)
        return _picture.draw(repr(self), at, self._holding(at), axis)

    def toJson(self) -> str:
        """Write as one JSON object, durations in microseconds."""
        return _json.write(self._fields())

    @classmethod
    def fromJson(cls, text: str) -> Self:
        """Read what ``toJson`` wrote. Errors: SpecError with all problems."""
        from windrow.windows._read import read_kind

        reader = _json.Reader(text)
        kind = read_kind(reader, reader.fields, more={"time_unit"})
        if kind is not None and not isinstance(kind, cls):
            reader.refuse("WINDOW_UNKNOWN", f"the text describes {kind!r}.")
        reader.raise_if_refused(f"{cls.__name__}.fromJson")
        assert isinstance(kind, cls)
        kind._settle()
        return kind

    def _repr_html_(self) -> str:
        return str(self.plot())

    def _durations(self) -> Sequence[str]:
        """Names of the fields that are durations."""
        return ()

    @abstractmethod
    def _problems(self) -> list[SpecProblem]:
        """Everything wrong with the bounds, also with what is no duration or number at all."""

    @abstractmethod
    def _fields(self) -> _json.Fields: ...

    @abstractmethod
    def _sample(self) -> list[int]:
        """Made-up times in microseconds, or positions, that show what is special."""

    @abstractmethod
    def _holding(self, at: Sequence[int]) -> list[tuple[int, int]]:
        """Windows that hold at least one of the times or positions, in order."""

    def _axis(self, *, dated: bool) -> _picture.Axis:
        if self._on_positions:
            return _picture.POSITIONS
        return _picture.DATES if dated else _picture.LENGTHS

    def _settle(self) -> None:
        """Put canonical texts in place of what was given, or name all that is wrong with it."""
        given = as_given(self)
        for name in self._durations():
            micros = _duration.read(getattr(self, name))
            if isinstance(micros, int):
                object.__setattr__(self, name, _duration.show(micros))
        found = self._problems()
        if found:
            unread = any(problem.code in _values.UNREAD for problem in found)
            raise SpecError.of(given if unread else repr(self), found)


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
