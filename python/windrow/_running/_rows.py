"""The output of operators that emit rows instead of panes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from windrow._bridge import _sql
from windrow._markup import _html
from windrow._running._query import start
from windrow._running._sinks import Sink
from windrow._specs import _json
from windrow._specs._frames import HasFrames

if TYPE_CHECKING:
    from os import PathLike

    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.query import StreamingQuery


class RowsOutput(HasFrames, ABC):
    """The rows and rejected rows of an operator, as DataFrames."""

    _frames = ("rows", "rejected")

    @abstractmethod
    def _part(self, part: _sql.JoinPart) -> DataFrame:
        """Return one kind of rows, or all of them."""

    @abstractmethod
    def _explained(self) -> str:
        """Return the text of ``explain``."""

    @cached_property
    def output(self) -> DataFrame:
        """Return rows and rejected rows in one DataFrame.

        Returns:
            A DataFrame with ``kind`` (``'rows'`` or ``'rejected'``) and a struct for each kind, of
            which one is not null.

        """
        return self._part("all")

    def explain(self) -> None:
        """Print which rows are emitted, when, and how long Windrow stores a row."""
        print(self._explained())  # noqa: T201

    def start(
        self,
        *,
        checkpoint: str | PathLike[str],
        rows: Sink | None = None,
        rejected: Sink | None = None,
        availableNow: bool = False,
        processingTime: str | None = None,
        drain: bool = False,
        name: str | None = None,
    ) -> StreamingQuery:
        """Start one query that writes rows and rejected rows to their sinks.

        Sinks and checks are those of ``Output.start``.

        Args:
            checkpoint: The folder in which Spark stores the progress and the state of the query.
            rows: The sink of the rows.
            rejected: The sink of the rejected rows.
            availableNow: Stop after all rows that exist at the start. The default is False.
            processingTime: The interval between micro-batches, for example ``"10 seconds"``. None
                starts a micro-batch as soon as the last one has ended.
            drain: With ``availableNow``, end the input after the last row: rows that wait are
                emitted, and rows that arrive afterwards are late. The default is False.
            name: The name of the query in Spark's UI and in metrics. None uses its id.

        Returns:
            Spark's handle of the running query.

        Raises:
            SpecError: The query cannot start. The error lists every problem, for example
                ``SINK_NOT_STATED`` or ``UPSERT_NOT_OF_PANES``.
            CheckpointError: The checkpoint belongs to another query (``SPEC_CHANGED``) or cannot be
                read.

        Example:
            ::

                output.start(rows="rows", rejected="rejected", checkpoint="checkpoint")

        """
        return start(
            self._part,
            {"rows": rows, "rejected": rejected},
            checkpoint=checkpoint,
            availableNow=availableNow,
            processingTime=processingTime,
            name=name,
            drain=drain,
        )


@dataclass(frozen=True, eq=False, repr=False)
class StreamRows(RowsOutput):
    """The rows and rejected rows of an operator over one stream."""

    _described: DataFrame = field(kw_only=True)
    _spec: _json.Fields = field(kw_only=True)
    _shown: str = field(kw_only=True)

    def _explained(self) -> str:
        return _sql.explained(self.output, self._spec)

    def _repr_html_(self) -> str:
        return _html.explanation(self._explained())

    def __repr__(self) -> str:
        """Show the stream and the call."""
        return self._shown

    def _part(self, part: _sql.JoinPart) -> DataFrame:
        return _sql.apply([self._described], self._spec, part)
