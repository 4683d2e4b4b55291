"""The operator on windows by policies, and the listeners of its events."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from windrow.errors import expect, failure
from windrow.operators import _tables
from windrow.operators._jvm import Keys
from windrow.operators._windows import WindowOperator

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class WindowEvent:
    """An event of the window of a key.

    Attributes:
        key: The key.
        event: ``INSERTION``, ``EVICTION``, ``TRIGGER``, ``INITIAL_FULL``, ``FINAL``, or
            ``PARTITION_EVICTION``.
        window: The number of the next pane of the window in its partition.
        sequence: 0, 1, … among the events of the partition.
        messages: The inserted rows (``INSERTION``), the evicted rows (``EVICTION``), or all rows in
            the window.

    Example:
        ::

            class Log(wr.WindowListener):
                def onEvent(self, event):
                    print(event.event, event.key)  # INSERTION {'symbol': 'a'}

    """

    key: Keys
    event: str
    window: int
    sequence: int
    messages: pa.Table


class WindowListener:
    """A listener of the events of an operator, which are passed after each call, in order.

    Override the methods that you need. A listener with state for each partition returns it from
    ``save`` when a checkpoint is created, and receives it in ``load``.

    Example:
        ::

            class Log(wr.WindowListener):
                def onEvent(self, event):
                    print(event.event)

            operator.addListener(Log())

    """

    def onEvent(self, event: WindowEvent) -> None:
        """Handle one event. The default does nothing.

        Args:
            event: The event.

        """

    def onDrain(self) -> None:
        """Handle the end of ``drain``. The default does nothing.

        Only this method may call ``evictPartition``.
        """

    def save(self, partition: Keys) -> bytes | None:
        """Return the state of a partition for a checkpoint. The default has none.

        Args:
            partition: The key.

        Returns:
            The state, or None.

        """

    def load(self, partition: Keys, state: bytes) -> None:
        """Restore the state of a partition from a checkpoint. The default does nothing.

        Args:
            partition: The key.
            state: The state that ``save`` returned.

        """


class PolicyWindowOperator(WindowOperator):
    """An operator on windows by policies: each key is a partition with its own window.

    Rows and processing time move the windows; event time is ignored. The rows of one call are
    applied in the order of source, partition, and offset if they have these, otherwise in the order
    of the table. ``getResult`` has the key, ``window`` (its number), the aggregates, and ``pane``.

    Example:
        ::

            ticks = wr.PolicyWindowOperator(
                wr.WindowOperatorSpec(
                    schema="symbol string, price double",
                    key="symbol",
                    window=wr.Policy.sliding(wr.ByCount(20), trigger=wr.ByDelta("price", 1.0)),
                    aggregates="avg(price) AS average",
                )
            )
            ticks.addMessages(pa.table({"symbol": ["a"] * 3, "price": [1.0, 2.0, 2.5]}))
            ticks.getResult().column("average").to_pylist()  # [1.5]

    """

    _takes = ("policy",)
    _listeners: tuple[WindowListener, ...] = ()
    _leaving: list[Keys] | None = None

    def addListener(self, listener: WindowListener) -> None:
        """Pass every later event to a listener.

        Args:
            listener: The listener.

        Raises:
            TypeError: ``listener`` is of another type.

        """
        expect("addListener(listener)", listener, WindowListener)
        self._call("listen")
        self._listeners = (*self._listeners, listener)

    def partitions(self) -> pa.Table:
        """Return the keys of the existing partitions.

        Returns:
            An Arrow table with the key columns.

        """
        return _tables.read(self._call("partitions"))

    def needsPartitionEviction(self) -> bool:
        """Return whether a limit of partitions is exceeded.

        Returns:
            True if partitions should be evicted.

        """
        return bool(self._call("needsPartitionEviction"))

    def evictPartition(self, key: Keys) -> None:
        """Remove the window of a key with its rows and its marks.

        Only a listener may call it, in ``onDrain``. The partition is removed when the drain ends.
        An unknown key is ignored.

        Args:
            key: A value for each key column.

        Raises:
            OperatorError: The operator is without a key (``NOT_KEYED``), or no drain is running
                (``NOT_IN_DRAIN``).

        """
        if not self.spec.key:
            raise failure("NOT_KEYED", operator="the operator")
        if self._leaving is None:
            raise failure("NOT_IN_DRAIN", operator="the operator")
        self._leaving.append(key)

    def drain(self) -> bool:
        """Send the waiting outputs, and call ``onDrain`` of the listeners.

        Returns:
            Whether the operator accepts rows.

        """
        super().drain()
        self._leaving = []
        try:
            for listener in self._listeners:
                listener.onDrain()
            keys = [self._key(key) for key in self._leaving]
        finally:
            self._leaving = None
        for key in keys:
            self._call("drain", key)
        self._after()
        return self.acceptsInput

    def _after(self) -> None:
        super()._after()
        if self._listeners:
            self._notify()

    def _notify(self) -> None:
        """Pass events to the listeners; an error in one of them does not affect the others."""
        events = [self._event(row) for row in self._happened()]
        failures = []
        for event in events:
            for listener in self._listeners:
                try:
                    listener.onEvent(event)
                except Exception as failed:  # noqa: BLE001  raised below
                    failures.append(failed)
        if failures:
            raise failures[0]

    def _happened(self) -> list[dict[str, Any]]:
        """Return the rows of the events, each with its messages as a separate table."""
        table = _tables.read(self._call("happened"))
        messages = table.column("messages")
        rows: list[dict[str, Any]] = table.drop_columns("messages").to_pylist()
        pa = _tables.arrow()
        for row, some in zip(rows, messages, strict=True):
            row["messages"] = pa.Table.from_struct_array(some.values)
        return rows

    def _event(self, row: dict[str, Any]) -> WindowEvent:
        key = {name: row[name] for name in self._key_schema().names}
        number = row["window"]["number"]
        return WindowEvent(key, row["event"], number, row["sequence"], row["messages"])

    # ---- state of listeners

    def _extra(self) -> pa.Table:
        """Return a row for each state of a listener: its number, the key, and the bytes."""
        pa = _tables.arrow()
        keys = self.partitions().to_pylist()
        states = [
            (number, key, state)
            for key in keys
            for number, listener in enumerate(self._listeners)
            for state in (listener.save(key),)
            if state is not None
        ]
        kind = pa.struct(list(self._key_schema()))
        return pa.table(
            {
                "listener": pa.array([number for number, _, _ in states], pa.int64()),
                "key": pa.array([key for _, key, _ in states], kind),
                "state": pa.array([state for _, _, state in states], pa.binary()),
            }
        )

    def _restore(self, extra: pa.Table) -> None:
        for row in extra.to_pylist():
            if row["listener"] < len(self._listeners):
                self._listeners[row["listener"]].load(row["key"] or {}, row["state"])
