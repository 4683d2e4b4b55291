"""The operator that joins streams."""

from __future__ import annotations

from typing import TYPE_CHECKING

from windrow.errors import expect
from windrow.operators._join import JoinSpec, refuse_of_query
from windrow.operators._operator import Keys, Send, StandaloneOperator
from windrow.operators._times import At

if TYPE_CHECKING:
    import pyarrow as pa


class StreamStreamJoinOperator(StandaloneOperator):
    """Joins two and more streams.

    ``getResult``: the equal columns once, then a struct for each stream by its name, null where a
    row has no message of it; of semi and anti joins the first stream's only.
    """

    def __init__(
        self, spec: JoinSpec, *, store: str | None = None, send: Send | None = None
    ) -> None:
        """Take the description; nothing starts. Errors: SpecError if it is for another operator."""
        super().__init__(spec, store=store, send=send)

    @property
    def spec(self) -> JoinSpec:
        """What the operator does."""
        spec: JoinSpec = self._spec
        return spec

    def _check(self, spec: object) -> None:
        expect(f"{type(self).__name__}(spec)", spec, JoinSpec)
        refuse_of_query(spec)

    def getMessages(
        self,
        start: At | None,
        end: At | None,
        *,
        stream: str,
        joinKeys: Keys | None = None,
    ) -> pa.Table:
        """Give the messages of a stream in a closed range, in order; None: open.

        Of event time, or by whole numbers of offsets. joinKeys: a value for every equal column.
        """
        self._opened()
        return self._messages(self._named(stream), start, end, joinKeys)
