"""The columns that identify a row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import Column


@dataclass(frozen=True, kw_only=True)
class RowId:
    """The columns that identify a row, as names or Columns, so that Windrow drops duplicates.

    source: name of the source, for example the topic. partition: partition of the source, a whole
    number. offset: position in the partition, a whole number.
    """

    source: str | Column
    partition: str | Column
    offset: str | Column


#: The columns of Spark's Kafka source.
KAFKA = RowId(source="topic", partition="partition", offset="offset")
