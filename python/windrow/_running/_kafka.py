"""Panes into a compacted topic of Kafka: of each window the last one, by its key."""

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
    """A compacted topic (``cleanup.policy=compact``) that holds the last pane of each window.

    A record's key is JSON of the key columns and ``window``, always written alike; its value is
    JSON of the pane, and null (a tombstone) where a window was withdrawn. A batch that comes again
    writes the same records again, after which the topic says the same: consumers that keep the last
    value of each key see each pane at least once, and end up right.

    ``servers``: ``kafka.bootstrap.servers``. ``on``: as of ``Upsert``. ``options``: what else
    Spark's Kafka sink takes, ``kafka.``… included. Spark's connector (``spark-sql-kafka-0-10``)
    must be in the session.
    """

    servers: str
    topic: str
    on: str | Sequence[str] | None = None
    options: Mapping[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        """Show as the call, without what may be secret."""
        return call("KafkaTable", shown_servers(self.servers), self.topic, on=self.on)

    @property
    def _as_upsert(self) -> Upsert:
        """How it finds the record of a window."""
        return Upsert(self.topic, self.on)

    def _records(self, panes: DataFrame) -> DataFrame:
        """Give ``key`` and ``value`` of the records of a batch of panes, one for each window."""
        functions, on = functions_of(panes), self._as_upsert._columns(panes.schema)
        last = last_of_each(panes, on)
        value = exact_json(functions, last.schema, last.columns)
        holds = functions.when(~functions.col("pane.is_retraction"), value)
        return last.select(
            exact_json(functions, last.schema, on).alias("key"), holds.alias("value")
        )

    def _write(self, panes: DataFrame) -> None:
        """Send a batch."""
        to = {"kafka.bootstrap.servers": self.servers, "topic": self.topic, **self.options}
        self._records(panes).write.format("kafka").options(**to).save()
