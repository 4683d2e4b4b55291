"""Read the state of a running or stopped query: ``state(...)``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from windrow._bridge import _jar, _sql
from windrow.operators._session import existing, session

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["State", "state"]

At = datetime | str | int
Keys = Mapping[str, Any]


@dataclass(frozen=True)
class State:
    """The state of a query, as its last committed micro-batch left it.

    ``wr.state`` creates it. Each call reads the checkpoint again and does not disturb the query. A
    DataFrame shows the last micro-batch that was committed when you created it. Spark keeps the
    state of the last 100 micro-batches, so read the DataFrame before these have passed. Times are
    datetimes or strings; without a zone they are in the time zone of the session. Integers are
    offsets or sequence numbers. A range includes both ends, and None leaves an end open.

    Attributes:
        checkpoint: The folder of the checkpoint.
        operator: The name of the stream, or None.

    Example:
        ::

            state = wr.state("checkpoint")
            state.getWindows("2025-01-01 09:00:00", None).show()
            state.getMessages(1000, 1999)  # by offset, if the stream has rowId=...
            state.pending()

    """

    checkpoint: str
    operator: str | None = None

    def getWindows(
        self, start: At | None = None, end: At | None = None, *, key: Keys | None = None
    ) -> DataFrame:
        """Return the stored windows that overlap a range, sorted by (start, end).

        Args:
            start: The start of the range. None leaves it open.
            end: The end of the range. None leaves it open.
            key: A value for each key column, as a mapping. None selects all keys.

        Returns:
            A DataFrame with the key columns, ``window``, ``first_offset``, ``last_offset``,
            ``is_complete``, and the aggregates so far. If the query stores rows, ``count`` is the
            number of rows that the window has ever accepted, in place of the aggregates. The
            offsets are null for aggregates.

        Raises:
            OperatorError: The operator does not have windows, for example a join (``NO_WINDOWS``).
            SpecError: A bound or a key is not valid (``BOUND_NOT_UNDERSTOOD``, ``KEYS_NOT_THOSE``).
            CheckpointError: The checkpoint cannot be read (``CHECKPOINT_NOT_FOUND``,
                ``STATE_DAMAGED``).

        Example:
            ::

                state = wr.state("checkpoint")
                state.getWindows("2025-01-01 09:00:00", None, key={"product": "tea"})

        """
        return self._ask("windows", start=start, end=end, key=key)

    def getMessages(
        self,
        start: At | None = None,
        end: At | None = None,
        *,
        by: Keys | None = None,
        key: Keys | None = None,
    ) -> DataFrame:
        """Return the stored rows of a range, in order.

        For a stream of a join, for a pattern, and for ``dedup(keep="last")``, these are the rows
        that the operator still stores.

        Args:
            start: The first event time or offset. None leaves it open.
            end: The last event time or offset. None leaves it open.
            by: A value for each column of ``index(by=...)``; without an index for each key column,
                for a join for each column of ``on``. None selects all rows.
            key: A value for each key column, as a mapping. None selects all keys.

        Returns:
            A DataFrame with the columns of the input.

        Raises:
            OperatorError: The query does not store rows (``NO_MESSAGE_STORE``).
            SpecError: A bound or a key is not valid (``BOUND_NOT_UNDERSTOOD``, ``KEYS_NOT_THOSE``).
            CheckpointError: The checkpoint cannot be read (``CHECKPOINT_NOT_FOUND``,
                ``STATE_DAMAGED``).

        Example:
            ::

                state = wr.state("checkpoint")
                state.getMessages("2025-01-01 08:59:00", "2025-01-01 09:00:59", by={"id": 9})

        """
        keys = {"by": by, "key": key}
        return self._ask("messages", start=start, end=end, **keys)

    def getKeys(self, *, key: Keys | None = None) -> DataFrame:
        """Return what a deduplication or a search for a pattern stores of each key.

        Use it to find out how long a key is remembered, which keys need much state, and which
        matches a late row can still retract.

        Args:
            key: A value for each key column, as a mapping. None selects all keys.

        Returns:
            A DataFrame with the key columns and:

            * ``first_time``, ``last_time``: the event times of the first and the last stored row;
            * ``times``: the number of event times that a deduplication remembers;
            * ``rows``, ``bytes``: the number of stored rows, and their size;
            * ``matches``: the emitted matches of a pattern that a late row can retract, each with
              ``start``, ``end``, and the ``names`` of its rows;
            * ``watermark``: for a deduplication, the least one that removes the key; for a pattern,
              the least one at which its matches or stored rows change if no more rows arrive.

        Raises:
            SpecError: A key is not valid (``KEYS_NOT_THOSE``).
            CheckpointError: The operator has windows or is a join (``KEYS_NOT_LISTED``), or the
                checkpoint cannot be read (``CHECKPOINT_NOT_FOUND``, ``STATE_DAMAGED``).

        Example:
            ::

                wr.state("checkpoint").getKeys(key={"id": 1})

            Order 1 is remembered until the watermark is after 10:09:10::

                id  first_time  last_time  times  rows  bytes  watermark
                1   09:59:10    09:59:10   1      0     0      10:09:10.000001

        """
        return self._ask("keys", key=key)

    def pending(self) -> DataFrame:
        """Return the panes that will be emitted if no more rows arrive.

        Use it to find out why a window has not been emitted yet.

        Returns:
            A DataFrame with the key columns, ``window``, ``timing``, and either ``watermark``, the
            least one that emits the pane, or ``processing_time``, the end of a period. For a join,
            the rows that are unmatched or wait for a period: ``on``, a struct for each stream (only
            the first for semi and anti joins), ``watermark``, and ``processing_time``. For
            ``dedup(keep="last")`` without retractions, the rows that wait: the key columns,
            ``message``, and ``watermark``. For a pattern, the keys whose matches or stored rows
            will change: the key columns and ``watermark``.

        Raises:
            CheckpointError: The checkpoint cannot be read (``CHECKPOINT_NOT_FOUND``,
                ``STATE_DAMAGED``).

        """
        return self._ask("pending")

    def restartOffsets(self) -> DataFrame:
        """Return the offsets from which to read the sources again if the state is lost.

        Returns:
            A DataFrame with ``source``, ``partition``, and ``offset``. For a join, ``source`` is
            the name of the stream.

        Raises:
            OperatorError: The query does not store rows (``NO_MESSAGE_STORE``).
            CheckpointError: The checkpoint cannot be read (``CHECKPOINT_NOT_FOUND``,
                ``STATE_DAMAGED``).

        """
        return self._ask("restart_offsets")

    def _kept(self, what: str) -> DataFrame:
        """Return all stored windows, messages, or keys, or else everything that is pending."""
        named = {"windows": self.getWindows, "messages": self.getMessages, "keys": self.getKeys}
        return named.get(what, self.pending)()

    def _ask(self, what: str, **given: At | Keys | None) -> DataFrame:
        function = what if what in ("pending", "restart_offsets") else f"get_{what}"
        others: dict[str, Any] = {}
        arguments = [f"checkpoint => {_sql.text(self.checkpoint)}"]

        def placed(name: str, value: object) -> str:
            """Return the value as SQL, or else a parameter, which the parser of Delta 4 drops."""
            literal = _sql.literal(value)
            if literal is None:
                others[name] = value
            return literal or f":{name}"

        for name, value in {"operator": self.operator, **given}.items():
            if isinstance(value, Mapping):
                fields = []
                for i, (field, item) in enumerate(value.items()):
                    fields += [_sql.text(field), placed(f"{name}_{i}", item)]
                arguments.append(f"{name} => named_struct({', '.join(fields)})")
            elif value is not None:
                arguments.append(f"{name} => {placed(name, value)}")
        spark = _session()
        _jar.check(spark)
        with _sql.plain_errors():
            query = f"SELECT * FROM windrow_{function}({', '.join(arguments)})"  # noqa: S608
            found = spark.sql(query, others)
            _sql.analyse(found)
        return found


def _session() -> SparkSession:
    """Return the current session, classic or Connect, or start a small local one."""
    return existing() or session()


def state(checkpoint: str | PathLike[str], *, operator: str | None = None) -> State:
    """Open the state of a running or stopped query by its checkpoint.

    The query is not interrupted. Use it to debug a window that was not emitted, or to answer
    questions about recent rows without a second copy of the data.

    Args:
        checkpoint: The folder of the checkpoint.
        operator: The name of the stream, if the query has several operators; for a join the name of
            one of its streams. None selects the only operator.

    Returns:
        The state, with methods that return DataFrames.

    Raises:
        CheckpointError: The folder is not a checkpoint (``CHECKPOINT_NOT_FOUND``), is empty
            (``CHECKPOINT_EMPTY``), does not contain state of Windrow (``NO_WINDROW_STATE``), cannot
            be read (``STATE_DAMAGED``), or has several operators (``OPERATOR_NOT_CLEAR``).
        JarNotFoundError: The session does not have Windrow's JAR (``JAR_NOT_LOADED``).

    Example:
        ::

            wr.state("checkpoint").getWindows(None, None).show()
            wr.state("checkpoint", operator="orders").getMessages(None, None)  # of a join

    """
    looked = State(fspath(checkpoint), operator)
    looked.pending()
    return looked
