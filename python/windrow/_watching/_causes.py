"""The facts about a query for the JVM, which decides why the query emits nothing."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from windrow._bridge import _sql
from windrow._specs import _instants
from windrow._watching._status import Status

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True)
class Cause:
    """A reason why a query emits nothing.

    Attributes:
        code: The name of the cause, for programs.
        meaning: The facts that show it.
        remedy: The action that solves it, or the event to wait for.

    Example:
        >>> print(wr.Cause("NO_ROWS", "The sources have delivered no rows.", "Check the sources."))
        NO_ROWS: The sources have delivered no rows.
          -> Check the sources.

    """

    code: str
    meaning: str
    remedy: str

    def __str__(self) -> str:
        """Show the cause and its remedy in two lines."""
        return f"{self.code}: {self.meaning}\n  -> {self.remedy}"


@dataclass(frozen=True)
class Facts:
    """The facts about a query.

    Attributes:
        id: The id of the query.
        runId: The id of its run.
        status: The figures of its micro-batches.
        isBusy: Whether a micro-batch with rows runs now.
        runsWithoutData: Whether Spark runs micro-batches without rows, which emit windows.
        checkpoint: The folder of its checkpoint, or None if it is not known.
        now: The time of the clock.

    """

    id: str
    runId: str
    status: Status
    isBusy: bool
    runsWithoutData: bool
    checkpoint: str | None
    now: datetime

    @property
    def json(self) -> str:
        """Return the facts as ``_windrow_causes`` reads them, with times in microseconds."""
        status = self.status
        return json.dumps(
            {
                "id": self.id,
                "runId": self.runId,
                "isActive": status.isActive,
                "error": status.error,
                "batch": None if status.last is None else status.last.batch,
                "counts": {name.lower(): count for name, count in status.totals.items()},
                "watermark": _micros(status.watermark),
                "newest": _micros(status.newest),
                "inputs": {name: _micros(time) for name, time in status.inputs.items()},
                "heldBackBy": status.heldBackBy,
                "quiet": dict(status.quiet),
                "operators": {name: dict(counts) for name, counts in status._operators.items()},
                "open": dict(status.openWindows),
                "isBusy": self.isBusy,
                "runsWithoutData": self.runsWithoutData,
                "checkpoint": self.checkpoint,
                "now": _micros(self.now),
            }
        )


def causes(spark: SparkSession, facts: Facts) -> tuple[Cause, ...]:
    """Return the causes, the one to treat first at the beginning."""
    call = f"_windrow_causes({_sql.text(facts.json)})"
    with _sql.plain_errors():
        rows = spark.sql(f"SELECT * FROM {call}").collect()  # noqa: S608
    return tuple(Cause(row.code, row.meaning, row.remedy) for row in rows)


def _micros(time: datetime | None) -> int | None:
    return None if time is None else _instants.micros(time)
