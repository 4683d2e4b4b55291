"""Write panes to a compacted Kafka topic that keeps the last pane of each window."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from windrow._running._address import shown_servers
from windrow._running._exact_json import exact_json
from windrow._running._last_panes import last_of_each
from windrow._running._upsert import FindsRows, Upsert
from windrow._specs._columns import functions_of
from windrow._specs._frozen import call

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True, repr=False)
class KafkaTable(FindsRows):
    """Keep the last pane of each window in a compacted Kafka topic (``cleanup.policy=compact``).

    The key of a record is JSON of the key columns and ``window``; its value is JSON of the pane, or
    null (a tombstone) if the window was withdrawn. After a crash the records of a micro-batch are
    sent again. Consumers that keep the last value of each key see every pane at least once and end
    with the right result. The session needs Spark's connector (``spark-sql-kafka-0-10``). Only for
    panes.

    Args:
        servers: The brokers (``kafka.bootstrap.servers``), for example ``"broker:9092"``.
        topic: The name of the topic.
        on: The columns of the record key, as in ``Upsert``. None uses the key and ``window``. The
            columns must include these, because a topic cannot be asked which window it holds.
        options: Further options of Spark's Kafka sink, for example ``kafka.max.request.size``.

    Raises:
        SpecError: From ``start``: ``on`` leaves out the window or a part of the key
            (``UPSERT_ROW_UNCLEAR``), or the panes contain only the new part (``UPSERT_OF_PARTS``).

    Example:
        >>> wr.KafkaTable("broker:9092", "minutes")
        KafkaTable('broker:9092', 'minutes')

    """

    servers: str
    topic: str
    on: str | Sequence[str] | None = None
    options: Mapping[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        """Show as the call, without values that may be secret."""
        return call("KafkaTable", shown_servers(self.servers), self.topic, on=self.on)

    @property
    def _as_upsert(self) -> Upsert:
        """Return how to find the record of a window."""
        return Upsert(self.topic, self.on)

    def _records(self, panes: DataFrame) -> DataFrame:
        """Return ``key`` and ``value`` of the records of a micro-batch, one for each window."""
        functions, on = functions_of(panes), self._as_upsert._columns(panes.schema)
        last = last_of_each(panes, on)
        value = exact_json(functions, last.schema, last.columns)
        holds = functions.when(~functions.col("pane.is_retraction"), value)
        return last.select(
            exact_json(functions, last.schema, on).alias("key"), holds.alias("value")
        )

    def _write(self, panes: DataFrame) -> None:
        """Send a micro-batch."""
        to = {"kafka.bootstrap.servers": self.servers, "topic": self.topic, **self.options}
        self._records(panes).write.format("kafka").options(**to).save()
