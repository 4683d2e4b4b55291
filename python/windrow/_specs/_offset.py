"""Where the identity of a message stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import Column


@dataclass(frozen=True, kw_only=True)
class Offset:
    """What identifies a message, so that a replay of it has no effect: names or Columns."""

    source: str | Column
    partition: str | Column
    offset: str | Column


#: The columns of Spark's Kafka source.
KAFKA = Offset(source="topic", partition="partition", offset="offset")
