"""Operators on windows: a value for each, or the messages themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from windrow.errors import SpecError, expect, problem
from windrow.operators import _tables, _times
from windrow.operators._operator import Keys, Send, StandaloneOperator
from windrow.operators._spec import OperatorKind, WindowOperatorSpec
from windrow.operators._times import At

if TYPE_CHECKING:
    import pyarrow as pa

_NAMES = {
    "aggregate": "AggregatedWindowOperator",
    "full_state": "FullStateWindowOperator",
    "policy": "PolicyWindowOperator",
}
_SAYS = {
    "aggregate": "the spec has aggregates",
    "full_state": "the spec has no aggregates",
    "policy": "the spec has windows of policies",
}


class WindowOperator(StandaloneOperator):
    """Parent of both operators on windows."""

    _takes: tuple[OperatorKind, ...]

    def __init__(
        self, spec: WindowOperatorSpec, *, store: str | None = None, send: Send | None = None
    ) -> None:
        """Take the description; nothing starts. Errors: SpecError if it is for another operator."""
        super().__init__(spec, store=store, send=send)

    @property
    def spec(self) -> WindowOperatorSpec:
        """What the operator does."""
        spec: WindowOperatorSpec = self._spec
        return spec

    def _check(self, spec: object) -> None:
        expect(f"{type(self).__name__}(spec)", spec, WindowOperatorSpec)
        assert isinstance(spec, WindowOperatorSpec)
        found = None
        if spec.schema is None:
            found = problem("SCHEMA_NOT_STATED.OPERATOR")
        elif spec._operator not in self._takes:
            said, name = _SAYS[spec._operator], _NAMES[spec._operator]
            found = problem("OPERATOR_DIFFERS", said=said, operator=name)
        if found:
            raise SpecError.of(type(self).__name__, [found])


class AggregatedWindowOperator(WindowOperator):
    """A value for each window, by Spark's own aggregates; messages are not kept.

    ``getResult``: key, ``window``, aggregates, for ``Over`` the ``message``, and ``pane``.
    """

    _takes = ("aggregate",)


class FullStateWindowOperator(WindowOperator):
    """Keeps its messages: panes carry those that are new, and queries see what retention holds.

    ``getResult``: key, ``window``, ``messages`` and ``pane``.
    """

    _takes = ("full_state",)

    def getWindow(self, key: Keys, start: At) -> pa.Table:
        """Give the window of a key that begins at ``start``: one row as of getWindows, or none."""
        found = self.getWindows(start, start, key=key)
        pa = _tables.arrow()
        begins = pa.compute.struct_field(found.column("window"), 0)
        micros = pa.compute.cast(begins, pa.int64())
        return found.filter(pa.compute.equal(micros, self._bound("start", start)))

    def _bound(self, name: str, at: At) -> int:
        """Of windows on positions a position, else microseconds."""
        if self.spec.window._on_positions and _times.is_position(at):
            return int(at)  # type: ignore[arg-type]
        return self._event_micros(name, at)

    def getWindows(self, start: At | None, end: At | None, *, key: Keys | None = None) -> pa.Table:
        """Give the windows that overlap a closed range, in order; None: open.

        Of event time, or of positions where windows are of these.

        key, ``window``, ``first_offset`` and ``last_offset`` ever accepted, ``is_complete``,
        ``count`` of messages ever accepted. key: of one key only.
        """
        self._opened()
        ends = [
            None if at is None else self._bound(name, at)
            for name, at in (("start", start), ("end", end))
        ]
        return _tables.read(self._call("windows", *ends, self._key(key)))

    def getMessages(
        self,
        start: At | None,
        end: At | None,
        *,
        joinKeys: Keys | None = None,
        key: Keys | None = None,
    ) -> pa.Table:
        """Give the messages of a closed range, in order; None: open.

        Of event time, or by whole numbers of offsets. joinKeys, key: of one key only; both
        name all columns of the key, and if both are given they are the same.
        """
        if joinKeys is not None and key is not None and dict(joinKeys) != dict(key):
            msg = f"joinKeys {dict(joinKeys)} and key {dict(key)} must be equal."
            raise ValueError(msg)
        keys = joinKeys if joinKeys is not None else key
        self._opened()
        return self._messages(self._named(None), start, end, keys)
