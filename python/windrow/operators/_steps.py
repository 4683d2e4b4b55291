"""The steps of an operator: rows go to the JVM through a hook, and outputs to their consumer."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING

from windrow.errors import BackpressureError
from windrow.operators import _tables
from windrow.operators._jvm import JvmOperator

if TYPE_CHECKING:
    import pyarrow as pa

#: Receives a table of outputs, and returns False to reject it.
Send = Callable[["pa.Table"], bool]

_LOG = logging.getLogger("windrow")


class Steps(JvmOperator, ABC):
    """The steps of an operator. Outputs wait in the JVM until the consumer has them."""

    def __init__(self, spec: object, store: str | None, send: Send | None) -> None:
        """Store the description; nothing starts."""
        super().__init__(spec, store, sends=send is not None)
        self._send = send
        self._filtered = 0
        #: The waiting tables that ``getResult`` has read already.
        self._known: list[pa.Table] = []

    @abstractmethod
    def beforeProcess(self, batch: pa.Table) -> pa.Table:
        """Return the rows to process."""

    @abstractmethod
    def beforeSend(self, outputs: pa.Table) -> pa.Table:
        """Return the outputs to send."""

    @abstractmethod
    def _is_hooked(self) -> bool:
        """Return whether ``beforeSend`` is overridden."""

    def _apply(self, batch: pa.Table | pa.RecordBatch, stream: str | None) -> None:
        named = self._named(stream)
        schema = self._schema(named)
        if self._send is not None:
            self._require_room()
        table = _tables.conformed(batch, schema, self._what(named), self._zone)
        kept = self.beforeProcess(table)
        offered = None
        if kept is not table:
            kept = _tables.conformed(kept, schema, f"beforeProcess of {named}", self._zone)
            offered = _tables.write(table)
        self._call("process", named, _tables.write(kept), offered)
        self._filtered += max(0, table.num_rows - kept.num_rows)

    def _require_room(self) -> None:
        try:
            self._call("requireRoom")
        except BackpressureError:
            _LOG.warning("%s received rows while its downstream is full", type(self).__name__)
            raise

    def _move(self, method: str, *arguments: object) -> None:
        """Advance the time, after earlier outputs were sent again."""
        has_room = self._deliver()
        self._call(method, *arguments)
        if has_room:
            self._after()

    def _after(self) -> None:
        """Pass on the outputs of a step."""
        self._deliver()

    def _show(self) -> None:
        """Pass new outputs through ``beforeSend``; if it fails, the next call tries again."""
        if self._is_hooked():
            new = self._call("newOutputs")
            if new is not None:
                shown = self.beforeSend(_tables.read(new))
                self._call("replaceNew", _tables.write(shown), shown.num_rows)

    def _deliver(self) -> bool:
        """Send the waiting outputs, and return whether the consumer accepted all of them."""
        self._show()
        unsent = None if self._send is None else self._call("unsent")
        if self._send is None or unsent is None:
            return True
        accepts = bool(self._send(_tables.read(unsent)))
        self._known = []
        self._call("answer", accepts)
        return accepts

    def _waiting(self) -> pa.Table:
        """Return all waiting outputs; only those that are new come from the JVM."""
        self._show()
        new = _tables.streams(self._call("waiting", len(self._known)))
        if not new:
            return _tables.joined(self._known)
        if new[0].num_rows:
            self._known += new
        return _tables.joined(self._known or new)

    def _passed_on(self) -> pa.Table:
        """Remove and return the outputs; a later ``flush`` stores the state that led to them."""
        self._show()
        self._known = []
        return _tables.read(self._call("outputs"))

    def _extra(self) -> pa.Table | None:
        """Return the parts of a checkpoint in addition to state and outputs."""
        return None

    def _restore(self, extra: pa.Table) -> None:
        """Restore the result of ``_extra``."""
