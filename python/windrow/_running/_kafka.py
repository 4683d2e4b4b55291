"""Panes into a compacted topic of Kafka: of each window the last one, by its key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from windrow._running._upsert import FindsRows, Upsert, last_of_each
from windrow._specs._columns import functions_of, quoted
from windrow._specs._frozen import call

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_MICROS = "yyyy-MM-dd'T'HH:mm:ss.SSSSSS"

#: A null key must not look like no key, nor a window like one that is longer by a microsecond; and
#: a session in another zone writes the same.
_WHOLE = {
    "ignoreNullFields": "false",
    "timeZone": "UTC",
    "timestampFormat": f"{_MICROS}XXX",
    "timestampNTZFormat": _MICROS,
}


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
        return call("KafkaTable", self.servers, self.topic, on=self.on)

    @property
    def as_upsert(self) -> Upsert:
        """How it finds the record of a window."""
        return Upsert(self.topic, self.on)

    def records(self, panes: DataFrame) -> DataFrame:
        """Give ``key`` and ``value`` of the records of a batch of panes, one for each window."""
        functions, on = functions_of(panes), self.as_upsert.columns(panes.schema)
        last = last_of_each(panes, on)

        def json(names: Sequence[str]) -> Column:
            columns = (functions.col(quoted(name)) for name in names)
            made: Column = functions.to_json(functions.struct(*columns), _WHOLE)
            return made

        holds = functions.when(~functions.col("pane.is_retraction"), json(last.columns))
        return last.select(json(on).alias("key"), holds.alias("value"))

    def write(self, panes: DataFrame) -> None:
        """Send a batch."""
        to = {"kafka.bootstrap.servers": self.servers, "topic": self.topic, **self.options}
        self.records(panes).write.format("kafka").options(**to).save()
