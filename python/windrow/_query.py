"""Starting one query that writes to several sinks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from windrow import _sql
from windrow._sinks import BatchWriter, Sink
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

    Errors: SpecError if there is nothing to write to, or nothing to wait for; CheckpointError if
    the checkpoint was begun with what may not change.
    """
    stated = {kind: sink for kind, sink in sinks.items() if sink is not None}
    if not stated:
        wrong = SpecProblem("SINK_NOT_STATED", f"say {'=, '.join(sinks)}= or several.")
        raise SpecError.of("start(...)", [wrong])
    if not output.isStreaming:
        wrong = SpecProblem("NOT_STREAMING", f"the input is a batch; write .{next(iter(sinks))}.")
        raise SpecError.of("start(...)", [wrong])
    _sql.continues(output, checkpoint)
    writer = output.writeStream.option("checkpointLocation", checkpoint)
    if name is not None:
        writer = writer.queryName(name)
    if queryTrigger is not None:
        writer = writer.trigger(**queryTrigger)
    bounded = queryTrigger is not None and not queryTrigger.keys().isdisjoint(_BOUNDED)
    with _sql.plain_errors(), _ending_with_data(output.sparkSession, bounded and hasPeriods):
        return writer.foreachBatch(BatchWriter(stated)).start()


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
