"""What queries keep, looked into from outside."""

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
    """State of a running or stopped query, as the last batch that it committed left it.

    Every method reads the checkpoint anew and disturbs nothing; a DataFrame is of the batch that
    was the last when it was made. Times are datetimes or texts, naive ones of the session's zone;
    whole numbers are offsets or sequence numbers; None is open. Both ends belong to a range.

    Errors: CheckpointError if there is no such checkpoint or it cannot be read; SpecError.
    """

    checkpoint: str
    operator: str | None = None

    def getWindows(self, start: At | None, end: At | None, *, key: Keys | None = None) -> DataFrame:
        """Give the windows inside retention that overlap a range, by (start, end).

        Columns: keys, ``window``, ``first_offset`` and ``last_offset`` (null where aggregates are
        kept), ``is_complete``, then the aggregates so far, or ``count`` of the messages ever
        accepted where messages are kept. key: all key columns by name. Errors: OperatorError
        for a join, which keeps no windows.
        """
        return self._ask("windows", start=start, end=end, key=key)

    def getMessages(
        self,
        start: At | None,
        end: At | None,
        *,
        by: Keys | None = None,
        key: Keys | None = None,
    ) -> DataFrame:
        """Give the messages inside retention in a range, in order; the columns of the input.

        Of a stream of a join: those that it still keeps. by: values by name for all
        columns of ``index(by=...)``, else the key, of a join ``on``. key: all key columns. Errors:
        OperatorError if the query keeps no messages.
        """
        keys = {"by": by, "key": key}
        return self._ask("messages", start=start, end=end, **keys)

    def pending(self) -> DataFrame:
        """Give the firings that come if no more messages do.

        Columns: keys, ``window``, ``timing``, and ``watermark``, the least that brings the firing,
        or ``processing_time``, at which a period ends.

        Of a stream of a join: rows with a message of it, unmatched ones and ones that wait for a
        period. Columns: ``on``, a struct for each stream (of semi and anti joins the first),
        ``watermark`` and ``processing_time``.
        """
        return self._ask("pending")

    def restartOffsets(self) -> DataFrame:
        """Tell from where sources must be read again if the store is lost.

        Columns: ``source``, of a join the name of the stream, ``partition``, ``offset``. Errors:
        OperatorError if the query keeps no messages.
        """
        return self._ask("restart_offsets")

    def _ask(self, what: str, **said: At | Keys | None) -> DataFrame:
        function = what if what in ("pending", "restart_offsets") else f"get_{what}"
        values: dict[str, Any] = {}
        arguments = [f"checkpoint => {_sql.text(self.checkpoint)}"]

        def placed(name: str, value: object) -> str:
            """Write it into the query if that can be done, else hand it over beside."""
            if isinstance(value, str):
                return _sql.text(value)
            if isinstance(value, datetime):
                return f"TIMESTAMP '{value.isoformat(' ')}'"
            values[name] = value
            return f":{name}"

        for name, value in {"operator": self.operator, **said}.items():
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
            found = spark.sql(query, values)
            _sql.analyse(found)
        return found


def _session() -> SparkSession:
    """Give the session that there is, classic or Connect, or a small local one."""
    return existing() or session()


def state(checkpoint: str | PathLike[str], *, operator: str | None = None) -> State:
    """Look into a running or stopped query by its checkpoint, without stopping it.

    operator: the name of the stream, where the query has several operators; for a join the name of
    one of its streams.

    Errors: CheckpointError if there is no such checkpoint, it cannot be read, or it is not clear
    which operator or stream is meant.
    """
    looked = State(fspath(checkpoint), operator)
    looked.pending()
    return looked
