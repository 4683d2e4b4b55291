"""The engine that runs a real query: each step is a micro-batch of a file, with a checkpoint."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windrow._bridge import _sql
from windrow._running._settings import having
from windrow._running._sinks import sinks_json
from windrow._specs._instants import iso, read
from windrow.advising import Advice, advise
from windrow.errors import SpecError, from_text, problem
from windrow.stores import State
from windrow.testing._turns import Turn

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.query import StreamingQuery
    from pyspark.sql.types import DataType


#: Settings for small micro-batches, one for each step.
_SETTINGS: Mapping[str, str] = {
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.streaming.noDataMicroBatches.enabled": "false",
    "spark.sql.streaming.stateStore.providerClass": (
        "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    ),
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
}


class QueryEngine:
    """Run a streaming query over files of a local folder, which its server must be able to read."""

    def __init__(self, output: DataFrame, sources: Path, folder: Path, now: int) -> None:
        """Start the query; raises the errors of ``start``."""
        self._output = output
        self._schema = output.schema
        self._sources = sources
        self._out = folder / "out"
        self._checkpoint = str(folder / "checkpoint")
        self._files = 0
        self._read = 1  # the first micro-batch only shows the columns
        self._now = now - 1
        self._mark: int | None = None
        self._query = self._started()
        self._step(Turn(self._now))

    def run(self, turns: Sequence[Turn]) -> None:
        """Run micro-batches, each to its end."""
        for turn in turns:
            if turn.mark is not None:
                self._check(turn.mark)
            self._step(turn)

    def _step(self, turn: Turn) -> None:
        self._set_clock(turn.now)
        self._write(turn)
        with _plain(self._query):
            self._query.processAllAvailable()

    def steps(self) -> int:
        """Return the number of micro-batches so far, without the first one, which has no rows."""
        return self._files - 1

    def outputs(self) -> list[dict[str, Any]]:
        """Read the files since the last call."""
        import pyarrow.parquet as pq

        found: list[dict[str, Any]] = []
        for number in range(self._read, self._files):
            folder = self._out / f"batch={number}"
            for file in sorted(folder.glob("*.parquet")):
                rows = pq.read_table(file, partitioning=None).to_pylist()
                found += [
                    {"step": number - 1, **_with_intervals(row, self._schema)} for row in rows
                ]
        self._read = self._files
        return found

    def watermark(self) -> int | None:
        """Return the watermark of the last micro-batch in milliseconds, or None."""
        text = self._clock()
        if text is not None:  # a run that has just started does not report it
            self._mark = round(read(text).timestamp() * 1000)
        return self._mark or None

    def hasWatermark(self) -> bool:
        """Return whether the query has a watermark of event time."""
        self.watermark()
        return self._mark is not None

    def kept(self, what: str, operator: str | None) -> DataFrame:
        """Return the stored state from the checkpoint."""
        return State(self._checkpoint, operator)._kept(what)

    def advise(self, catch: float) -> Advice:
        """Recommend an allowed lateness."""
        return advise(self._checkpoint, catch)

    def restart(self) -> None:
        """Stop the query, and start it from its checkpoint."""
        self.watermark()
        self._query.stop()
        self._query = self._started()

    def close(self) -> None:
        """Stop the query."""
        self._query.stop()

    def _started(self) -> StreamingQuery:
        spark = self._output.sparkSession
        writer = _Writer(str(self._out))
        sinks = _sql.sinks_table(spark, sinks_json(dict.fromkeys(self._output.columns[1:], writer)))
        _sql.continues([self._output, sinks], checkpoint=self._checkpoint)
        with having(spark, _SETTINGS), _sql.plain_errors():
            stream = self._output.writeStream.option("checkpointLocation", self._checkpoint)
            query = stream.foreachBatch(writer).start()
        self._query = query
        self._set_clock(self._now)
        return query

    def _set_clock(self, now: int) -> None:
        """Set the clock of the query."""
        self._now = now
        self._clock(f", millis => {now}L")

    def _clock(self, more: str = "") -> str | None:
        """Return the watermark of the last micro-batch as text."""
        call = f"_windrow_clock(query => '{self._query.id}'{more})"
        spark = self._output.sparkSession
        with having(spark, {"spark.windrow.testing": "true"}), _sql.plain_errors():
            (row,) = spark.sql(f"SELECT * FROM {call}").collect()  # noqa: S608
        text: str | None = row.watermark
        return text

    def _check(self, mark: int) -> None:
        there = self.watermark()
        if there is not None and mark < there * 1000:
            found = [problem("WATERMARK_BACK", to=iso(mark), watermark=iso(there * 1000))]
            raise SpecError.of("advanceWatermark(...)", found)

    def _write(self, turn: Turn) -> None:
        """Create a file atomically; Spark reads older files first."""
        folder = self._sources / turn.stream
        file = folder / f"{self._files:09}"
        hidden = folder / f".{self._files:09}"
        if turn.table is None:
            hidden.write_text("-" if turn.mark is None else str(turn.mark))
        else:
            import pyarrow.parquet as pq

            pq.write_table(turn.table, hidden)
        os.utime(hidden, (1_700_000_000 + self._files,) * 2)
        hidden.rename(file)
        self._files += 1


class _Writer:
    """Write each micro-batch to a folder of its number; a class, so that Connect can pickle it."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def __call__(self, batch: DataFrame, batch_id: int) -> None:
        batch.write.mode("overwrite").parquet(f"{self._folder}/batch={batch_id}")


def _with_intervals(value: Any, kind: DataType) -> Any:  # noqa: ANN401
    """Return a value with its day-time intervals, which Parquet stores as integers."""
    from pyspark.sql.types import ArrayType, DayTimeIntervalType, MapType, StructType

    if value is None:
        return None
    if isinstance(kind, DayTimeIntervalType):
        return timedelta(microseconds=value)
    if isinstance(kind, StructType):
        return {field.name: _with_intervals(value[field.name], field.dataType) for field in kind}
    if isinstance(kind, ArrayType):
        return [_with_intervals(one, kind.elementType) for one in value]
    if isinstance(kind, MapType):
        of = (kind.keyType, kind.valueType)
        return [tuple(map(_with_intervals, pair, of)) for pair in value]
    return value


@contextmanager
def _plain(query: StreamingQuery) -> Iterator[None]:
    """Raise the error that ended a query without its trace, if it is an error of Windrow."""
    from pyspark.errors import StreamingQueryException

    try:
        yield
    except StreamingQueryException as failed:
        found = re.search(r"\[[A-Z][A-Z0-9_]*\] [^\n]*", str(query.exception() or failed))
        ours = None if found is None else from_text(found[0])
        if ours is None:
            raise
        raise ours from None
