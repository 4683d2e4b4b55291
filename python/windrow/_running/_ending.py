"""The end of a bounded run: told to a query by a line of text in its checkpoint."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

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
        only = re.sub(r"[\\{}\[\]*?]", r"\\\g<0>", self.folder)  # Spark reads paths as patterns
        return not self.spark.read.text(only).isEmpty()

    def tell(self) -> None:
        """Say that all is in."""
        self._append([(_LINE,)])

    def _append(self, lines: list[tuple[str]]) -> None:
        frame = self.spark.createDataFrame(lines, "value string")
        frame.coalesce(1).write.mode("append").text(self.folder)
