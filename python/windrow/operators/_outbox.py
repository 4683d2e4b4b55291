"""The outputs of an operator, which wait until the caller or a consumer receives them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from windrow.operators import _checkpoint, _tables
from windrow.operators._opened import OpenedOperator

if TYPE_CHECKING:
    import pyarrow as pa

    from windrow.operators._opened import Spec

#: Receives a table of outputs, and returns False to refuse it.
Send = Callable[["pa.Table"], bool]


class SendingOperator(OpenedOperator):
    """An operator whose outputs wait to be received, or are sent to a consumer."""

    def __init__(self, spec: Spec, *, store: str | None = None, send: Send | None = None) -> None:
        """Store the description; nothing starts."""
        super().__init__(spec, store)
        self._send = send
        self._unshown: list[pa.Table] = []  # not yet passed to beforeSend, or it failed
        self._outbox: list[pa.Table] = []
        self._selects = True

    def close(self) -> None:
        """Free the operator in the JVM; state that was not flushed is lost.

        A second call does nothing.
        """
        super().close()
        self._unshown, self._outbox = [], []

    def getResult(self) -> pa.Table:
        """Return a copy of the waiting outputs, in the order of emission.

        The outputs stay until ``flush``, so you can call it repeatedly.

        Returns:
            An Arrow table; the class of the operator lists its columns.

        Example:
            ::

                panes = operator.getResult()
                panes.schema.names  # ['symbol', 'window', 'top', 'n', 'pane']

        """
        self._fetch()
        if not self._outbox:
            self._unshown.append(_tables.read(self._call("outputs")))
            self._fetch()
        return _tables.concatenated(self._outbox)

    def getRejected(self) -> pa.Table:
        """Return the rejected rows since the last call.

        Returns:
            An Arrow table with ``stream``, ``reason``, ``watermark``, ``processing_time`` (null
            before the first ``timeout``), and ``message``; for a join a struct with a field for
            each stream.

        Example:
            ::

                operator.getRejected().column("reason").to_pylist()  # ['TOO_LATE']

        """
        return _tables.read(self._call("rejected"))

    def flush(self) -> None:
        """Confirm that the outputs were received: store the state, and remove them.

        With ``send``, waiting outputs are sent first. If ``beforeSend`` or an aggregate raises an
        error, the outputs stay.
        """
        self._fetch()
        if self._send is None:
            self._taken()
        else:
            self._drained()

    def drain(self) -> bool:
        """Send the waiting outputs, and those that a full consumer held back.

        Returns:
            Whether the operator accepts rows.

        """
        self._move("drain")
        return self._selects

    def checkpoint(self) -> bytes:
        """Return the full state with the waiting outputs, for ``reset``.

        The store is not changed: it holds the state of the last ``flush``.

        Returns:
            The state as bytes.

        Example:
            ::

                kept = operator.checkpoint()
                other.reset(kept)

        """
        waiting = self.getResult()
        return _checkpoint.packed(self._call("checkpoint"), waiting, self._extra())

    def reset(self, checkpoint: bytes | None = None) -> None:
        """Discard the current state without emitting anything, and restore a checkpoint.

        The store is not changed until ``flush``.

        Args:
            checkpoint: The result of ``checkpoint``. None (the default) starts with empty state.

        Raises:
            CheckpointError: The checkpoint is damaged (``STATE_DAMAGED``) or of another spec
                (``SPEC_CHANGED``).

        """
        self._opened()
        state, waiting, extra = (
            (None, None, None) if checkpoint is None else _checkpoint.unpacked(checkpoint)
        )
        self._call("reset", state)
        self._unshown = []
        self._outbox = [] if waiting is None else [waiting]
        self._select(self._send is None or waiting is None or not waiting.num_rows)
        if extra is not None:
            self._restore(extra)
        if self._selects:
            self._after()

    def beforeSend(self, outputs: pa.Table) -> pa.Table:
        """See the outputs before they are sent; override it to change or remove outputs.

        An error that it raises leaves the call, whose step is done. It sees the same outputs again
        in the next call.

        Args:
            outputs: The outputs of a step.

        Returns:
            The outputs to send. The default returns ``outputs``.

        """
        return outputs

    def _move(self, method: str, *arguments: object) -> None:
        """Advance the time, after refused outputs were sent again."""
        self._drained()
        self._call(method, *arguments)
        self._after()

    def _after(self) -> None:
        """Pass on the outputs of a step."""
        if type(self).beforeSend is not SendingOperator.beforeSend:
            self._fetch()
        self._drained()

    def _fetch(self) -> None:
        """Fetch the outputs of the JVM; if a hook fails, the next call tries again."""
        if self._call("hasOutputs"):
            self._unshown.append(_tables.read(self._call("outputs")))
        while self._unshown:
            self._outbox.append(self.beforeSend(self._unshown[0]))
            del self._unshown[0]

    def _drained(self) -> bool:
        """Send the waiting outputs, and return whether none are left."""
        if self._send is not None:
            self._fetch()
            waiting = [table for table in self._outbox if table.num_rows]
            if waiting and not self._send(_tables.concatenated(waiting)):
                self._select(False)
            else:
                self._taken()
                self._select(True)
        return self._selects

    def _select(self, selects: bool) -> None:  # noqa: FBT001  the state of the selector
        """Accept rows, or none while the consumer is full."""
        self._selects = selects
        self._call("hold", not selects)

    def _taken(self) -> None:
        self._call("flush")
        self._outbox = []

    def _passed_on(self) -> pa.Table:
        """Remove and return the outputs; a later ``flush`` stores the state that led to them."""
        outputs = self.getResult()
        self._call("forget")
        self._outbox = []
        return outputs

    def _extra(self) -> pa.Table:
        """Return the parts of a checkpoint in addition to state and outputs."""
        return _tables.arrow().table({})

    def _restore(self, extra: pa.Table) -> None:
        """Restore the result of ``_extra``."""
