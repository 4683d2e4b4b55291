"""What a lookup stream gets of the messages that a query keeps, inside that query."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from windrow._bridge import _sql
from windrow._running._jdbc import Jdbc
from windrow._running._kafka import KafkaTable
from windrow._running._query import start
from windrow._running._upsert import Upsert
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
    """A lookup stream with what it asked for, as DataFrames of new rows, never changed ones.

    Made by ``Output.getMessages`` and ``Output.getWindows``. A row is answered in the micro-batch
    that it comes with, by what is kept once the messages of that micro-batch are in. Each DataFrame
    that is written alone is a query with its own state; ``start`` shares one.
    """

    _tables: tuple[DataFrame, DataFrame]
    _fields: Mapping[str, Any] = field(kw_only=True)

    @cached_property
    def answers(self) -> DataFrame:
        """The columns of the lookup stream, then ``messages`` or ``windows``, an array.

        Messages are structs of the input's columns, in order of (time, source, partition, offset)
        or of offset. Windows are structs by (start, end): ``window``, ``first_offset``,
        ``last_offset``, ``is_complete``, ``count``.
        """
        return self._part("answers")

    @cached_property
    def panes(self) -> DataFrame:
        """Keys, ``window``, ``messages`` and ``pane``, as those of the operator that is asked."""
        return self._part("panes")

    @cached_property
    def rejected(self) -> DataFrame:
        """What entered no window: stream, reason, watermark, processing_time, message.

        ``watermark`` is the one by which the row was judged: that of the micro-batch before.
        """
        return self._part("rejected")

    @cached_property
    def output(self) -> DataFrame:
        """All in one: ``kind`` ('answers', 'panes', 'rejected'), a struct of each, one not null."""
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
        """Start one query that writes answers, panes and rejected rows to their sinks.

        Arguments are those of ``Output.start``.
        """
        upsert = panes._as_upsert if isinstance(panes, Upsert | Jdbc | KafkaTable) else None
        return start(
            # Described again, because settings of the session may have changed.
            self._part("accepted" if rejected is None else "all"),
            {"answers": answers, "panes": panes, "rejected": rejected},
            checkpoint=checkpoint,
            availableNow=availableNow,
            processingTime=processingTime,
            name=name,
            drain=drain,
            wrong=[] if upsert is None else [upsert._of_parts()],
        )

    def _part(self, part: _sql.Part) -> DataFrame:
        return _sql.apply(self._tables, self._fields, part)


@dataclass(frozen=True)
class Keeper:
    """The operator that is asked: what it aggregates, and the fields of its spec."""

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
    """Put the questions of a lookup stream to an operator.

    Errors: SpecError with every problem.
    """
    if not is_data_frame(lookups):
        msg = f"lookups must be a DataFrame, not {type(lookups).__name__}."
        raise TypeError(msg)
    said: dict[str, str | Column | None] = {"start": start, "end": end}
    keys = {"key": key or {}, "by": by or {}}
    named = said | {f"{which}[{n!r}]": v for which, of in keys.items() for n, v in of.items()}
    strange = {
        n: v for n, v in named.items() if not (v is None or isinstance(v, str) or is_column(v))
    }
    found = [problem("NOT_A_COLUMN", name=n, value=repr(v)) for n, v in strange.items()]
    found += missing(lookups, {n: v for n, v in named.items() if n not in strange})
    if found:
        raise SpecError.of(f"get{asked.capitalize()}(...)", found)
    marks = {n: v for n, v in said.items() if v is not None}
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
    made.answers  # noqa: B018  mistakes show where they are made
    return made
