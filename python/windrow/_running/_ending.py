"""The end of a bounded run: told to a query by a line of text in its checkpoint."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_LINE = "all is in"


@dataclass(frozen=True)
class Ending:
    """The folder of one checkpoint that tells its query the end, see SEMANTICS R71."""

    spark: SparkSession
    folder: str

    @classmethod
    def beside(cls, spark: SparkSession, checkpoint: str) -> Ending:
        """Make the folder, which a query must find when it starts."""
        ending = cls(spark, f"{checkpoint.rstrip('/')}/windrow/end")
        ending._append([])
        return ending

    def is_told(self) -> bool:
        """Whether the end was told before."""
        return not _lines(self.spark, self.folder).isEmpty()

    def tell(self) -> None:
        """Say that all is in."""
        self._append([(_LINE,)])

    def _append(self, lines: list[tuple[str]]) -> None:
        frame = self.spark.createDataFrame(lines, "value string")
        frame.coalesce(1).write.mode("append").text(self.folder)


def is_stopped(spark: SparkSession, checkpoint: str) -> bool:
    """Whether a run was stopped in a batch: it is planned in the checkpoint and not done.

    Spark itself does not say so, nor whether one was stopped between two batches.
    """
    planned, done = (
        _last(spark, f"{checkpoint.rstrip('/')}/{log}") for log in ("offsets", "commits")
    )
    return planned > done


def _last(spark: SparkSession, log: str) -> int:
    """Give the number of the last entry of a log of batches, -1 where there is none."""
    names = _lines(spark, log).select("_metadata.file_name").distinct().collect()
    return max((int(name) for (name,) in names if name.isdecimal()), default=-1)


def _lines(spark: SparkSession, folder: str) -> DataFrame:
    """Read the files of one folder; Spark takes paths for patterns."""
    return spark.read.text(re.sub(r"[\\{}\[\]*?]", r"\\\g<0>", folder))
