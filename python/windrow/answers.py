"""Answers to a lookup stream from the state of a query, inside that query."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from windrow._bridge import _sql
from windrow._running._query import start
from windrow._specs import _json
from windrow._specs._columns import is_column, is_data_frame, missing
from windrow.errors import SpecError, problem

if TYPE_CHECKING:
    from os import PathLike

    from pyspark.sql import Column, DataFrame
    from pyspark.sql.streaming.query import StreamingQuery

    from windrow._running._sinks import Sink

__all__ = ["Answers"]

Asked = Literal["messages", "windows"]
Values = Mapping[str, "str | Column"]


@dataclass(frozen=True, eq=False, repr=False)
class Answers:
    """A lookup stream and its answers, as DataFrames.

    ``Output.getMessages`` and ``Output.getWindows`` create it. Each lookup row is answered in its
    own micro-batch, from the state at the end of that micro-batch. Each DataFrame that you write
    separately is a query with its own state, so use ``start`` to write several from one query.

    Example:
        ::

            asked = orders.getMessages(calls, "since", "time", key={"id": "customer"})
            asked.start(answers="answers", panes="orders", checkpoint="checkpoint")

    """

    _tables: tuple[DataFrame, DataFrame]
    _fields: Mapping[str, Any] = field(kw_only=True)

    @cached_property
    def answers(self) -> DataFrame:
        """Return the lookup rows with their answers.

        Returns:
            A DataFrame with the columns of the lookup stream, and ``messages`` or ``windows``, an
            array. Messages are structs of the columns of the input, sorted by (time, source,
            partition, offset) or by offset. Windows are structs of ``window``, ``first_offset``,
            ``last_offset``, ``is_complete``, and ``count``, sorted by (start, end).

        """
        return self._part("answers")

    @cached_property
    def panes(self) -> DataFrame:
        """Return the panes of the operator that stores the rows.

        Returns:
            A DataFrame with the key columns, ``window``, ``messages``, and ``pane``.

        """
        return self._part("panes")

    @cached_property
    def rejected(self) -> DataFrame:
        """Return the rejected rows, unchanged and with the reason.

        Returns:
            A DataFrame with ``stream``, ``reason``, ``watermark``, ``processing_time``, and
            ``message``. ``watermark`` is the one by which the row was judged: that of the
            micro-batch before.

        """
        return self._part("rejected")

    @cached_property
    def output(self) -> DataFrame:
        """Return answers, panes, and rejected rows in one DataFrame.

        Returns:
            A DataFrame with ``kind`` (``'answers'``, ``'panes'``, or ``'rejected'``) and a struct
            for each kind, of which one is not null.

        """
        return self._part("all")

    def start(
        self,
        *,
        checkpoint: str | PathLike[str],
        answers: Sink | None = None,
        panes: Sink | None = None,
        rejected: Sink | None = None,
        availableNow: bool = False,
        processingTime: str | None = None,
        drain: bool = False,
        name: str | None = None,
    ) -> StreamingQuery:
        """Start one query that writes answers, panes, and rejected rows to their sinks.

        Sinks and checks are those of ``Output.start``. ``Upsert`` is not accepted, because a pane
        of stored rows contains only the new part.

        Args:
            checkpoint: The folder in which Spark stores the progress and the state of the query.
            answers: The sink of the answers.
            panes: The sink of the panes.
            rejected: The sink of the rejected rows.
            availableNow: Stop after all rows that exist at the start. The default is False.
            processingTime: The interval between micro-batches, for example ``"10 seconds"``. None
                starts a micro-batch as soon as the last one has ended.
            drain: With ``availableNow``, complete every window after the last row. The default is
                False.
            name: The name of the query in Spark's UI and in metrics. None uses its id.

        Returns:
            Spark's handle of the running query.

        Raises:
            SpecError: The query cannot start. The error lists every problem, for example
                ``SINK_NOT_STATED`` or ``UPSERT_OF_PARTS``.
            CheckpointError: The checkpoint belongs to another query (``SPEC_CHANGED``) or cannot be
                read.

        Example:
            ::

                asked.start(answers="answers", panes="orders", checkpoint="checkpoint")

        """
        return start(
            self._part,
            {"answers": answers, "panes": panes, "rejected": rejected},
            checkpoint=checkpoint,
            availableNow=availableNow,
            processingTime=processingTime,
            name=name,
            drain=drain,
            panes={"parts": "true"},
        )

    def _part(self, part: _sql.Part) -> DataFrame:
        return _sql.apply(self._tables, self._fields, part)


@dataclass(frozen=True)
class Keeper:
    """The operator that answers: its aggregation, and the fields of its spec."""

    aggregated: DataFrame
    fields: _json.Fields


def ask(
    keeper: Keeper,
    asked: Asked,
    lookups: DataFrame,
    *,
    start: str | Column | None,
    end: str | Column | None,
    key: Values | None,
    by: Values | None = None,
) -> Answers:
    """Look up the rows of a lookup stream in the state of an operator.

    Raises:
        SpecError: A column is wrong. The error lists every problem.
        TypeError: ``lookups`` is not a DataFrame.

    """
    if not is_data_frame(lookups):
        msg = f"lookups must be a DataFrame, not {type(lookups).__name__}."
        raise TypeError(msg)
    bounds: dict[str, str | Column | None] = {"start": start, "end": end}
    keys = {"key": key or {}, "by": by or {}}
    named = bounds | {f"{which}[{n!r}]": v for which, of in keys.items() for n, v in of.items()}
    strange = {
        n: v for n, v in named.items() if not (v is None or isinstance(v, str) or is_column(v))
    }
    found = [problem("NOT_A_COLUMN", name=n, value=repr(v)) for n, v in strange.items()]
    found += missing(lookups, {n: v for n, v in named.items() if n not in strange})
    if found:
        raise SpecError.of(f"get{asked.capitalize()}(...)", found)
    marks = {n: v for n, v in bounds.items() if v is not None}
    marks |= {f"key{i}": v for i, v in enumerate(keys["key"].values())}
    marks |= {f"by{i}": v for i, v in enumerate(keys["by"].values())}
    question = {
        "what": asked,
        "key": list(keys["key"]),
        "by": list(keys["by"]),
    }
    made = Answers(
        (keeper.aggregated, _sql.marked(lookups, marks)),
        _fields={**keeper.fields, "ask": question},
    )
    made.answers  # noqa: B018  raises here, where the mistake is
    return made
