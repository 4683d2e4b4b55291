"""Outputs that contain DataFrames, but are not DataFrames themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NoReturn


class HasFrames:
    """The parent of outputs, whose error for ``show`` and the like names their DataFrames."""

    _frames: ClassVar[tuple[str, ...]] = ()

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            """Raise AttributeError, with a hint for attributes of DataFrames."""
            kind = type(self).__name__
            msg = f"{kind!r} object has no attribute {name!r}"
            if not name.startswith("_"):
                frames = " and ".join(f".{frame}" for frame in self._frames)
                msg += f"; its rows are DataFrames: {frames}, for example .{self._frames[0]}.{name}"
            raise AttributeError(msg, name=name, obj=self)
