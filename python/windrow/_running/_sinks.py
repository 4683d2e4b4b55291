"""Where the rows of a batch go."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from windrow._running._address import shown_path
from windrow._running._jdbc import Jdbc
from windrow._running._kafka import KafkaTable
from windrow._running._upsert import Upsert
from windrow._specs._frozen import call

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True, repr=False)
class Files:
    """A folder with one folder for each batch, ``batch=<id>``, which a replay overwrites.

    Read all of it with ``spark.read.format(format).load(path)``; the batch's number is the column
    ``batch``, so no column of the rows may be called that. Batches without rows leave no folder,
    but for the first after a start, which shows the columns. The folder is one checkpoint's own. It
    is neither inside the folder of another sink or of the checkpoint, nor around one.
    """

    path: str
    format: str = "parquet"

    def __post_init__(self) -> None:
        """Take the slash at the end away."""
        object.__setattr__(self, "path", str(self.path).rstrip("/"))

    def __repr__(self) -> str:
        """Show as the call, without what may be secret."""
        shown_format = None if self.format == "parquet" else self.format
        return call("Files", shown_path(self.path), format=shown_format)


Sink: TypeAlias = "str | Files | Upsert | Jdbc | KafkaTable | Callable[[DataFrame, int], None]"


@dataclass
class BatchWriter:
    """Writes each kind of rows of a batch to its sink; a class, so that Connect can send it.

    query: its id, as the checkpoint keeps it. checkpoint: where that is. is_first: no batch
    came since the start; the first may have come before, with other rows.
    """

    sinks: Mapping[str, Sink]
    query: str = ""
    checkpoint: str = ""
    is_first: bool = True

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
                if counts[kind] or self.is_first or callable(sink):
                    part = batch.where(f"kind = '{kind}'").select(f"{kind}.*")
                    _write(part, sink, batch_id, kind, self.query, self.checkpoint)
            self.is_first = False
        finally:
            batch.unpersist()


def _write(
    rows: DataFrame,
    sink: Sink,
    batch_id: int,
    kind: str = "",
    query: str = "",
    checkpoint: str = "",
) -> None:
    if isinstance(sink, str):
        rows.write.mode("append").saveAsTable(sink)
    elif isinstance(sink, Upsert):
        sink._merge(rows)
    elif isinstance(sink, KafkaTable):
        sink._write(rows)
    elif isinstance(sink, Jdbc):
        sink._write(rows, batch_id, query, kind, checkpoint)
    elif isinstance(sink, Files):
        folder = f"{sink.path}/batch={batch_id}"
        rows.write.mode("overwrite").format(sink.format).save(folder)
    else:
        sink(rows, batch_id)
