"""The end of a bounded run, which a line of text in the checkpoint signals to the query."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_LINE = "end of input"


@dataclass(frozen=True)
class Ending:
    """The folder in a checkpoint that signals the end to its query (rule R71)."""

    spark: SparkSession
    folder: str

    @classmethod
    def create(cls, spark: SparkSession, checkpoint: str) -> Ending:
        """Create the folder, which must exist when the query starts."""
        ending = cls(spark, f"{checkpoint.rstrip('/')}/windrow/end")
        ending._append([])
        return ending

    def is_signaled(self) -> bool:
        """Return whether the end was signaled before."""
        return not _lines(self.spark, self.folder).isEmpty()

    def signal(self) -> None:
        """Signal the end of the input."""
        self._append([(_LINE,)])

    def _append(self, lines: list[tuple[str]]) -> None:
        frame = self.spark.createDataFrame(lines, "value string")
        frame.coalesce(1).write.mode("append").text(self.folder)


def is_stopped(spark: SparkSession, checkpoint: str) -> bool:
    """Return whether a run was stopped during a micro-batch: it is planned but not committed.

    Spark does not report this, nor whether a run was stopped between two micro-batches.
    """
    planned, done = (
        _last(spark, f"{checkpoint.rstrip('/')}/{log}") for log in ("offsets", "commits")
    )
    return planned > done


def _last(spark: SparkSession, log: str) -> int:
    """Return the number of the last entry of a log of micro-batches, or -1 if it is empty."""
    names = _lines(spark, log).select("_metadata.file_name").distinct().collect()
    return max((int(name) for (name,) in names if name.isdecimal()), default=-1)


def _lines(spark: SparkSession, folder: str) -> DataFrame:
    """Read the files of one folder, escaped because Spark reads paths as patterns."""
    return spark.read.text(re.sub(r"[\\{}\[\]*?]", r"\\\g<0>", folder))
