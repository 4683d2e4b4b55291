"""Find out why a query emits nothing: ``whyNoOutput(query)``."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from windrow._bridge import _jar
from windrow._running._query import expect_query
from windrow._watching._causes import Cause, Facts, causes
from windrow.stores import _session
from windrow.watching import status

if TYPE_CHECKING:
    from pyspark.sql.streaming.query import StreamingQuery

__all__ = ["Cause", "Diagnosis", "whyNoOutput"]

_NO_DATA = "spark.sql.streaming.noDataMicroBatches.enabled"


@dataclass(frozen=True)
class Diagnosis:
    """The causes why a query emits nothing, the one to treat first at the beginning.

    ``print`` shows two lines for each cause: its facts, and its remedy.

    Attributes:
        causes: The causes; empty if the figures show none.

    Example:
        >>> found = wr.Diagnosis((wr.Cause("NO_ROWS", "No rows.", "Check the sources."),))
        >>> print(found.codes)
        ('NO_ROWS',)

    """

    causes: tuple[Cause, ...]

    @property
    def codes(self) -> tuple[str, ...]:
        """Return the codes of the causes.

        Returns:
            The codes, in the order of the causes.

        """
        return tuple(cause.code for cause in self.causes)

    def __str__(self) -> str:
        """Show the causes in lines."""
        if not self.causes:
            return "The figures of the query show no reason. See docs/troubleshooting.md."
        return "\n".join(map(str, self.causes))


def whyNoOutput(
    query: StreamingQuery, *, checkpoint: str | PathLike[str] | None = None
) -> Diagnosis:
    """Explain why a query emits nothing, or nothing more.

    For a query with several operators, the causes are those of the first one that has emitted
    nothing. Windrow compares the figures of the last 100 micro-batches, the panes that wait in the
    state, the watermark of each input, and the settings of the session. It changes nothing, and the
    query keeps running. docs/troubleshooting.md lists all causes.

    Args:
        query: The query, as ``start`` returns it. It may have ended.
        checkpoint: The folder of its checkpoint. None takes it from the query. A client of Spark
            Connect cannot do that, so without it the panes in the state are not considered.

    Returns:
        The causes with their remedies.

    Raises:
        TypeError: ``query`` is not a query.
        JarNotFoundError: The session does not have Windrow's JAR (``JAR_NOT_LOADED``).

    Example:
        ``print(wr.whyNoOutput(query))`` shows::

            WATERMARK_NOT_REACHED: 1 pane waits in the state; the first is emitted at the watermark
            2025-01-01 09:05:00, but the watermark is 2025-01-01 09:03:30, and the newest row is of
            2025-01-01 09:04:00.
              -> Wait for a row of about 2025-01-01 09:05:30 or later: the watermark is 30 s behind
                 the newest row.

    """
    expect_query("whyNoOutput(query)", query)
    now = status(query)
    folder = _folder(query) if checkpoint is None else fspath(checkpoint)
    spark = _session()
    _jar.check(spark)
    facts = Facts(
        str(query.id),
        str(query.runId),
        now,
        # A query that waits for rows looks for them all the time, so its trigger is often active.
        isBusy=query.isActive and bool(query.status["isDataAvailable"]),
        runsWithoutData=str(spark.conf.get(_NO_DATA, "true")).lower() == "true",
        checkpoint=folder,
        now=datetime.now(UTC),
    )
    return Diagnosis(causes(spark, facts))


def _folder(query: StreamingQuery) -> str | None:
    """Return the folder of the checkpoint of a classic query."""
    java: Any = getattr(query, "_jsq", None)
    return None if java is None else str(java.streamingQuery().resolvedCheckpointRoot())
