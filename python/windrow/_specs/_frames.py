"""What is no DataFrame, but has some."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NoReturn


class HasFrames:
    """Parent of outputs: who asks one for ``show`` is told where its DataFrames are."""

    _frames: ClassVar[tuple[str, ...]] = ()

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            """Refuse what is not there."""
            kind = type(self).__name__
            msg = f"{kind!r} object has no attribute {name!r}"
            if not name.startswith("_"):
                frames = " and ".join(f".{frame}" for frame in self._frames)
                msg += f"; its rows are DataFrames: {frames}, for example .{self._frames[0]}.{name}"
            raise AttributeError(msg, name=name, obj=self)
