"""The rows of a join, as DataFrames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

from windrow._bridge import _sql
from windrow._markup import _html
from windrow._markup._svg import Picture
from windrow._running._rows import RowsOutput
from windrow._specs import _json
from windrow.operators import JoinSpec

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from windrow._specs._clock import ProcessingTimeWatermark
    from windrow.streams import Invalid


@dataclass(frozen=True)
class Given:
    """The settings of the streams of a join that its spec does not contain.

    watermarks: the settings of the watermark of each stream, by its name; empty with a clock.
    conditions: the further conditions of the join, as text.
    """

    watermarks: Mapping[str, dict[str, int]]
    clock: ProcessingTimeWatermark | None
    invalid: Invalid
    conditions: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False, repr=False)
class JoinOutput(RowsOutput):
    """The rows of a join, as DataFrames.

    ``wr.join`` creates it. Each DataFrame that you write separately is a query with its own state,
    so use ``start`` to write rows and rejected rows from one query.

    Attributes:
        spec: The description of the join.

    Example:
        ::

            pairs.start(rows="pairs", rejected="rejected", checkpoint="checkpoint")

    """

    spec: JoinSpec
    _tables: tuple[DataFrame, ...] = field(kw_only=True)
    _given: Given = field(kw_only=True)

    @cached_property
    def rows(self) -> DataFrame:
        """Return the joined rows.

        Returns:
            A DataFrame with the equal columns once, a struct for each stream by its name, and
            ``window`` if the streams are joined by one: the first window that contains all rows of
            the pair. The window of a session is not shown, because the session may still grow. The
            struct of a stream is null if the row has no partner there. Semi and anti joins have
            only the struct of the first stream. As-of joins also have ``pane.is_retraction``, which
            is true for a row that withdraws an equal one.

        Example:
            A left join of orders and shipments::

                id  o         s
                1   09:00:00  09:03:00
                2   09:00:00  null

        """
        return self._part("rows")

    @cached_property
    def rejected(self) -> DataFrame:
        """Return the rejected rows, unchanged and with the reason.

        Returns:
            A DataFrame with ``stream``, ``reason``, ``watermark``, ``processing_time``, and
            ``message``, a struct with a struct for each stream by its name, of which one is not
            null. If a stream contains panes of other operators, their rejected rows are included:
            ``message`` is null for such a row, and the column with the name of that operator
            contains the row.

        """
        return self._part("rejected")

    def _explained(self) -> str:
        return _sql.explained(self.output, self._fields())

    def _repr_html_(self) -> str:
        return _html.explanation(self._explained(), self.plot())

    def plot(self, messages: Mapping[str, Sequence[datetime | str | int]] | None = None) -> Picture:
        """Draw which rows of one key are joined, which stay unmatched, and which are dropped.

        Args:
            messages: Event times by stream, as datetimes or ISO strings; times without a zone are
                UTC. None draws sample rows.

        Returns:
            The picture as SVG. A notebook displays it.

        Raises:
            SpecError: A name is not the name of a stream (``STREAM_UNKNOWN``).

        """
        return self.spec.plot(messages)

    def __repr__(self) -> str:
        """Show the spec of the join."""
        return f"JoinOutput({self.spec!r})"

    def _part(self, part: _sql.JoinPart) -> DataFrame:
        return _sql.apply(self._tables, self._fields(), part)

    def _fields(self) -> _json.Fields:
        return fields(self.spec, self._given)


def fields(spec: JoinSpec, given: Given) -> _json.Fields:
    """Return the fields of the spec, with the settings of its streams."""
    clock = {} if given.clock is None else given.clock._fields
    streams: _json.Fields = {"streams": dict(given.watermarks), "invalid": given.invalid}
    if given.conditions:
        streams = {**streams, "conditions": list(given.conditions)}
    return {**spec._fields(), "input": {"on": list(spec.on), **clock, **streams}}
