"""Operators on windows: with an aggregate for each window, or with the rows themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from windrow.errors import SpecError, expect, problem
from windrow.operators import _tables, _times
from windrow.operators._described import DescribedOperator
from windrow.operators._jvm import Keys
from windrow.operators._spec import OperatorKind, WindowOperatorSpec
from windrow.operators._times import At

if TYPE_CHECKING:
    import pyarrow as pa

_NAMES = {
    "aggregate": "AggregatedWindowOperator",
    "full_state": "FullStateWindowOperator",
    "policy": "PolicyWindowOperator",
}
_REASONS = {
    "aggregate": "the spec has aggregates",
    "full_state": "the spec has no aggregates",
    "policy": "the spec has windows of policies",
}


class WindowOperator(DescribedOperator[WindowOperatorSpec]):
    """The parent of all operators on windows.

    Args:
        spec: The description of the operator, with a schema.
        store: A folder in which ``flush`` stores the state. None (the default) keeps it in memory.
        send: A function that receives each table of outputs and returns False to refuse it. None
            (the default) keeps outputs for ``getResult``.

    Raises:
        SpecError: The spec is for another operator (``OPERATOR_DIFFERS``) or lacks a schema
            (``SCHEMA_NOT_STATED``).
        TypeError: The spec is of another type.

    """

    _takes: tuple[OperatorKind, ...]

    def _check(self, spec: object) -> None:
        expect(f"{type(self).__name__}(spec)", spec, WindowOperatorSpec)
        assert isinstance(spec, WindowOperatorSpec)
        found = None
        if spec.schema is None:
            found = problem("SCHEMA_NOT_STATED.OPERATOR")
        elif spec._operator not in self._takes:
            reason, name = _REASONS[spec._operator], _NAMES[spec._operator]
            found = problem("OPERATOR_DIFFERS", why=reason, operator=name)
        if found:
            raise SpecError.of(type(self).__name__, [found])


class AggregatedWindowOperator(WindowOperator):
    """An operator that emits an aggregate for each window, and does not store rows.

    Aggregates are Spark's own, as SQL. ``getResult`` has the key, ``window``, the aggregates,
    ``message`` for ``Over``, and ``pane``.

    Example:
        ::

            with wr.AggregatedWindowOperator(spec) as operator:
                operator.addMessage({"symbol": "a", "time": "2025-01-01 09:00:10", "price": 1.0})
                operator.finish()
                operator.getResult().column("top").to_pylist()  # [1.0]

    """

    _takes = ("aggregate",)


class FullStateWindowOperator(WindowOperator):
    """An operator that stores its rows, so that panes contain them and queries see them.

    ``getResult`` has the key, ``window``, ``messages``, and ``pane``.

    Example:
        ::

            orders = wr.FullStateWindowOperator(
                wr.WindowOperatorSpec(
                    schema="id bigint, time timestamp, item string",
                    time="time",
                    key="id",
                    window=wr.Tumbling("1 minute"),
                    lateness="0 seconds",
                    retention=wr.Retention(time="1 hour"),
                )
            )
            orders.getMessages("2025-01-01 09:00:00", None, joinKeys={"id": 9})

    """

    _takes = ("full_state",)

    def getWindow(self, key: Keys, start: At) -> pa.Table:
        """Return the window of a key that starts at a time or position.

        Args:
            key: A value for each key column.
            start: The start of the window.

        Returns:
            An Arrow table with one row as in ``getWindows``, or without rows.

        Raises:
            MessageError: The key does not fit (``COLUMN_MISSING``, ``COLUMN_UNKNOWN``,
                ``TYPE_NOT_ALLOWED``).

        """
        found = self.getWindows(start, start, key=key)
        pa = _tables.arrow()
        begins = pa.compute.struct_field(found.column("window"), 0)
        micros = pa.compute.cast(begins, pa.int64())
        return found.filter(pa.compute.equal(micros, self._bound("start", start)))

    def _bound(self, name: str, at: At) -> int:
        """Return a position for windows on positions, else microseconds."""
        if self.spec.window._on_positions and _times.is_position(at):
            return int(at)  # type: ignore[arg-type]
        return self._event_micros(name, at)

    def getWindows(
        self, start: At | None = None, end: At | None = None, *, key: Keys | None = None
    ) -> pa.Table:
        """Return the windows that overlap a range, in order.

        Args:
            start: The start of the range: an event time, or a position for windows on positions.
                Both ends are inclusive. None leaves the end open.
            end: The end of the range, in the same way.
            key: A value for each key column. None selects all keys.

        Returns:
            An Arrow table with the key, ``window``, ``first_offset``, ``last_offset``,
            ``is_complete``, and ``count``. The offsets and the count are those of all rows that the
            window has ever accepted.

        Raises:
            MessageError: The key does not fit (``COLUMN_MISSING``, ``COLUMN_UNKNOWN``,
                ``TYPE_NOT_ALLOWED``).

        Example:
            ::

                orders.getWindows(None, None).column("count").to_pylist()  # [1, 1]

        """
        self._opened()
        ends = [
            None if at is None else self._bound(name, at)
            for name, at in (("start", start), ("end", end))
        ]
        return _tables.read(self._call("windows", *ends, self._key(key)))

    def getMessages(
        self,
        start: At | None = None,
        end: At | None = None,
        *,
        joinKeys: Keys | None = None,
        key: Keys | None = None,
    ) -> pa.Table:
        """Return the stored rows of a range, in order.

        Args:
            start: The first event time, or the first offset as an integer. Both ends are inclusive.
                None leaves the end open.
            end: The last event time or offset.
            joinKeys: A value for each key column. None selects all keys.
            key: The same as ``joinKeys``. If both are set, they must be equal.

        Returns:
            An Arrow table with the columns of the rows.

        Raises:
            ValueError: ``joinKeys`` and ``key`` differ.
            MessageError: The key does not fit (``COLUMN_MISSING``, ``COLUMN_UNKNOWN``,
                ``TYPE_NOT_ALLOWED``).

        Example:
            ::

                found = orders.getMessages("2025-01-01 09:00:00", None, joinKeys={"id": 9})
                found.column("item").to_pylist()  # ['tea']

        """
        if joinKeys is not None and key is not None and dict(joinKeys) != dict(key):
            msg = f"joinKeys {dict(joinKeys)} and key {dict(key)} must be equal."
            raise ValueError(msg)
        keys = joinKeys if joinKeys is not None else key
        self._opened()
        return self._messages(self._named(None), start, end, keys)
