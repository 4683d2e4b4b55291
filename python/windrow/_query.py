"""Starting one query that writes to several sinks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from windrow import _sql
from windrow._sinks import Sink, _write
from windrow.errors import SpecError, SpecProblem

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

_NO_DATA = "spark.sql.streaming.noDataMicroBatches.enabled"
_BOUNDED = {"availableNow", "once"}


def start(
    output: DataFrame,
    sinks: Mapping[str, Sink | None],
    *,
    checkpoint: str,
    queryTrigger: Mapping[str, Any] | None,
    name: str | None,
    hasPeriods: bool,
) -> StreamingQuery:
    """Write each kind of rows of ``output`` to its sink; None: rows are counted only.

    hasPeriods: the query begins batches without data, which ``availableNow`` must not wait for.

    Errors: SpecError if there is nothing to write to, or nothing to wait for.
    """
    if all(sink is None for sink in sinks.values()):
        wrong = SpecProblem("SINK_NOT_STATED", f"say {'=, '.join(sinks)}= or several.")
        raise SpecError.of("start(...)", [wrong])
    if not output.isStreaming:
        wrong = SpecProblem("NOT_STREAMING", f"the input is a batch; write .{next(iter(sinks))}.")
        raise SpecError.of("start(...)", [wrong])
    writer = output.writeStream.option("checkpointLocation", checkpoint)
    if name is not None:
        writer = writer.queryName(name)
    if queryTrigger is not None:
        writer = writer.trigger(**queryTrigger)
    bounded = queryTrigger is not None and not queryTrigger.keys().isdisjoint(_BOUNDED)
    with _sql.plain_errors(), _ending_with_data(output.sparkSession, bounded and hasPeriods):
        return writer.foreachBatch(PartWriter(sinks)).start()


@contextmanager
def _ending_with_data(spark: SparkSession, needed: bool) -> Iterator[None]:  # noqa: FBT001
    """Have a query that starts here run no batch without data, or it would never end."""
    before = spark.conf.get(_NO_DATA) if needed else None
    if needed:
        spark.conf.set(_NO_DATA, "false")
    try:
        yield
    finally:
        if before is not None:
            spark.conf.set(_NO_DATA, before)


@dataclass(frozen=True)
class PartWriter:
    """Writes each kind of rows of a batch to its sink; a class, so that Connect can send it."""

    sinks: Mapping[str, Sink | None]

    def __call__(self, batch: DataFrame, batch_id: int) -> None:
        """Compute the batch once and whole, then write each part.

        Spark refuses a batch of which a sink reads only some partitions (``show``, ``isEmpty``,
        nothing): their state would not be committed. Counting reads them all.
        """
        batch.persist()
        try:
            counting = (f"count_if(kind = '{kind}') AS {kind}" for kind in self.sinks)
            counts = batch.selectExpr(*counting).collect()[0]
            for kind, sink in self.sinks.items():
                if sink is not None and (counts[kind] or batch_id == 0 or callable(sink)):
                    part = batch.where(f"kind = '{kind}'").select(f"{kind}.*")
                    _write(part, sink, batch_id)
        finally:
            batch.unpersist()
