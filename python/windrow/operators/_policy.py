"""The operator on windows by policies, and who hears of its events."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from windrow.errors import expect, failure
from windrow.operators import _tables
from windrow.operators._operator import Keys
from windrow.operators._windows import WindowOperator

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class WindowEvent:
    """Something that happened to the window of a key.

    event: INSERTION, EVICTION, TRIGGER, INITIAL_FULL, FINAL or PARTITION_EVICTION. window: its
    number in the partition, that of its next pane. sequence: 0, 1, … among the events of the
    partition. messages: that came (INSERTION), that leave (EVICTION), or all that are inside.
    """

    key: Keys
    event: str
    window: int
    sequence: int
    messages: pa.Table


class WindowListener:
    """Hears of the events of an operator after each call, in order. Override what is of use.

    A listener with a state of its own for each partition gives it by ``save``, whenever a
    checkpoint is made, and takes it by ``load``.
    """

    def onEvent(self, event: WindowEvent) -> None:
        """Hear of one event."""

    def onDrain(self) -> None:
        """Hear that ``drain`` ends; here, and only here, partitions may be evicted."""

    def save(self, partition: Keys) -> bytes | None:
        """Give the state that belongs to a partition; None: there is none."""

    def load(self, partition: Keys, state: bytes) -> None:
        """Take the state that was saved for a partition."""


class PolicyWindowOperator(WindowOperator):
    """Windows by policies: each key is a partition with a window of its own.

    Moved by messages and by processing time; event time plays no part. Messages of one call are
    applied by source, partition and offset, where they have them, else as they stand.

    ``getResult``: key, ``window`` (its number), aggregates and ``pane``.
    """

    _takes = ("policy",)
    _listeners: tuple[WindowListener, ...] = ()
    _leaving: list[Keys] | None = None

    def addListener(self, listener: WindowListener) -> None:
        """Tell a listener of every event from now on."""
        expect("addListener(listener)", listener, WindowListener)
        self._call("listen")
        self._listeners = (*self._listeners, listener)

    def partitions(self) -> pa.Table:
        """Give the keys of the partitions that there are."""
        return _tables.read(self._call("partitions"))

    def needsPartitionEviction(self) -> bool:
        """Say whether a limit of partitions asks for an eviction."""
        return bool(self._call("needsPartitionEviction"))

    def evictPartition(self, key: Keys) -> None:
        """Drop a key's window, contents and marks; nothing if there is none.

        To be called by a listener in its ``onDrain``; it is done as the drain ends.
        """
        if not self.spec.key:
            raise failure("NOT_KEYED", operator="the operator")
        if self._leaving is None:
            raise failure("NOT_IN_DRAIN", operator="the operator")
        self._leaving.append(key)

    def drain(self) -> bool:
        """Send what waits, and let the listeners end; whether messages can be taken."""
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
            self._tell()

    def _tell(self) -> None:
        """Hand events over; one listener that fails does not keep others from hearing."""
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
        """Rows of the events, each with its messages as a table of its own."""
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

    # ---- what listeners keep

    def _extra(self) -> pa.Table:
        """One row for every state of a listener: its number, the key, the bytes."""
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
