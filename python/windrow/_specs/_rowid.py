"""The columns that identify a row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from windrow.errors import SpecProblem, problem

if TYPE_CHECKING:
    from pyspark.sql import Column


@dataclass(frozen=True, kw_only=True)
class RowId:
    """The columns that identify a row, so that Windrow drops duplicates.

    Args:
        source: The name of the source, for example the topic: the name of a column, or a Column.
        partition: The partition of the source, an integer.
        offset: The position in the partition, an integer.

    Example:
        >>> wr.KAFKA
        RowId(source='topic', partition='partition', offset='offset')

    """

    source: str | Column
    partition: str | Column
    offset: str | Column


#: The columns of Spark's Kafka source, for ``stream(rowId=wr.KAFKA)``.
KAFKA = RowId(source="topic", partition="partition", offset="offset")


def problems(row_id: object) -> list[SpecProblem]:
    """Return the problem of a value that is neither a RowId nor None."""
    if row_id is None or isinstance(row_id, RowId):
        return []
    return [problem("ROWID_NOT_UNDERSTOOD.VALUE", value=repr(row_id))]
