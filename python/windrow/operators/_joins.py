"""The operator that joins streams."""

from __future__ import annotations

from typing import TYPE_CHECKING

from windrow.errors import expect
from windrow.operators._described import DescribedOperator
from windrow.operators._join import JoinSpec, refuse_of_query
from windrow.operators._jvm import Keys
from windrow.operators._times import At

if TYPE_CHECKING:
    import pyarrow as pa


class StreamStreamJoinOperator(DescribedOperator[JoinSpec]):
    """An operator that joins two or more streams.

    ``getResult`` has the equal columns once, and a struct for each stream, null if the row has no
    partner there. Semi and anti joins have only the struct of the first stream.

    Args:
        spec: The description of the join, whose streams have schemas.
        store: A folder in which ``flush`` stores the state. None (the default) keeps it in memory.
        send: A function that receives each table of outputs and returns False to refuse it. None
            (the default) keeps outputs for ``getResult``.

    Raises:
        SpecError: A stream lacks a schema (``SCHEMA_NOT_STATED``).
        TypeError: The spec is of another type.

    Example:
        ::

            pairs = wr.StreamStreamJoinOperator(
                wr.JoinSpec(
                    streams=[
                        wr.JoinStream(name="o", schema="id bigint, time timestamp", time="time"),
                        wr.JoinStream(name="s", schema="id bigint, time timestamp", time="time"),
                    ],
                    on="id",
                    within=("0 minutes", "5 minutes"),
                    lateness="0 seconds",
                )
            )
            pairs.addMessages(orders, stream="o")

    """

    def _check(self, spec: object) -> None:
        expect(f"{type(self).__name__}(spec)", spec, JoinSpec)
        refuse_of_query(spec)

    def getMessages(
        self,
        start: At | None = None,
        end: At | None = None,
        *,
        stream: str,
        joinKeys: Keys | None = None,
    ) -> pa.Table:
        """Return the stored rows of a stream in a range, in order.

        Args:
            start: The first event time, or the first offset as an integer. Both ends are inclusive.
                None leaves the end open.
            end: The last event time or offset.
            stream: The name of the stream.
            joinKeys: A value for each column of ``on``. None selects all rows.

        Returns:
            An Arrow table with the columns of the rows.

        Raises:
            ValueError: ``stream`` is not the name of a stream.
            MessageError: The key does not fit (``COLUMN_MISSING``, ``COLUMN_UNKNOWN``,
                ``TYPE_NOT_ALLOWED``).

        """
        self._opened()
        return self._messages(self._named(stream), start, end, joinKeys)
