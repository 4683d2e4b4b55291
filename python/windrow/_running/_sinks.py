"""Sinks, and the function that writes a micro-batch to them."""

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
    """Write rows to a folder with one subfolder for each micro-batch, ``batch=<id>``.

    A micro-batch that Spark repeats after a crash overwrites its subfolder, so every row is stored
    exactly once. Read everything with ``spark.read.format(format).load(path)``; the column
    ``batch`` is the number of the micro-batch, so the rows must not have a column of this name. A
    micro-batch without rows writes no subfolder, except the first one after a start, which shows
    the columns. The folder belongs to one checkpoint. It must not be inside the folder of another
    sink or of the checkpoint, nor contain one.

    Args:
        path: The folder.
        format: A file format of Spark. The default is ``"parquet"``.

    Raises:
        SpecError: From ``start``: the format is not known (``FORMAT_NOT_FOUND``), cannot store the
            columns (``FORMAT_NOT_FOR_ROWS``), folders are nested (``FOLDERS_NESTED``), or the rows
            have a column ``batch`` (``NAME_TAKEN``).
        CheckpointError: From ``start``: the folder belongs to another query
            (``FILES_OF_ANOTHER_QUERY``).

    Example:
        >>> wr.Files("/data/panes/")
        Files('/data/panes')

    """

    path: str
    format: str = "parquet"

    def __post_init__(self) -> None:
        """Remove the slash at the end of the path."""
        object.__setattr__(self, "path", str(self.path).rstrip("/"))

    def __repr__(self) -> str:
        """Show as the call, without values that may be secret."""
        shown_format = None if self.format == "parquet" else self.format
        return call("Files", shown_path(self.path), format=shown_format)


Sink: TypeAlias = "str | Files | Upsert | Jdbc | KafkaTable | Callable[[DataFrame, int], None]"


@dataclass
class BatchWriter:
    """Write each kind of rows of a micro-batch to its sink; a class, so that Connect can pickle it.

    query: the id of the query, as the checkpoint stores it. checkpoint: its folder. is_first:
    whether no micro-batch has been written since the start; the first one may repeat an earlier one
    with other rows.
    """

    sinks: Mapping[str, Sink]
    query: str = ""
    checkpoint: str = ""
    is_first: bool = True

    def __call__(self, batch: DataFrame, batch_id: int) -> None:
        """Compute the full micro-batch once, and then write each part.

        Spark fails a micro-batch of which a sink reads only some partitions (``show``, ``isEmpty``,
        or nothing), because their state would not be committed. Counting reads all of them.
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
