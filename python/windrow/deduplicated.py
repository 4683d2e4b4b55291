"""The rows that a deduplication keeps, as DataFrames."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from windrow._bridge import _jar, _sql
from windrow._drawing import _html
from windrow._running._query import start
from windrow._running._sinks import Sink
from windrow._specs import _duration, _json
from windrow._specs._columns import missing
from windrow._specs._duration import UNSTATED, Duration
from windrow._specs._frames import HasFrames
from windrow._specs._frozen import call
from windrow.errors import SpecError, SpecProblem, problem
from windrow.triggers import Accumulation, accumulation

if TYPE_CHECKING:
    from os import PathLike

    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.query import StreamingQuery

    from windrow.streams import Stream


#: The row of each group of duplicates that ``dedup`` keeps.
Keep = Literal["first", "last"]


@dataclass(frozen=True, eq=False, repr=False)
class DedupOutput(HasFrames):
    """The rows that a deduplication keeps, as DataFrames.

    ``Stream.dedup`` creates it. Each DataFrame that you write separately is a query with its own
    state, so use ``start`` to write rows and rejected rows from one query.

    Example:
        ::

            once.start(rows="orders", rejected="rejected", checkpoint="checkpoint")

    """

    _described: DataFrame = field(kw_only=True)
    _spec: _json.Fields = field(kw_only=True)
    _shown: str = field(kw_only=True)
    _frames = ("rows", "rejected")

    @cached_property
    def rows(self) -> DataFrame:
        """Return the kept rows.

        Returns:
            A DataFrame with the columns of the input. Each row is emitted once: a first row in the
            micro-batch in which it arrives, and a last row when no row can replace it any longer.
            With ``accumulationMode=wr.ACCUMULATING_AND_RETRACTING`` a last row is emitted at once,
            and the column ``is_retraction`` is true for a row that withdraws an emitted one.

        Example:
            Order 1 is sent twice, and its copy is dropped::

                batch  time      id  price
                1      09:00:10  1   2.0
                2      09:00:50  2   4.0

        """
        return self._part("rows")

    @cached_property
    def rejected(self) -> DataFrame:
        """Return the rejected rows, unchanged and with the reason.

        Returns:
            A DataFrame with ``stream``, ``reason`` (``DUPLICATE``, ``INVALID_TIME``,
            ``TOO_FAR_AHEAD``, or ``TOO_LATE``), ``watermark``, ``processing_time``, and
            ``message``, a struct of the columns of the input.

        Example:
            The copy of order 1::

                batch  stream    reason     watermark  time      id  price
                2      messages  DUPLICATE  09:00:00   09:00:10  1   2.0

        """
        return self._part("rejected")

    @cached_property
    def output(self) -> DataFrame:
        """Return kept rows and rejected rows in one DataFrame.

        Returns:
            A DataFrame with ``kind`` (``'rows'`` or ``'rejected'``) and a struct for each kind, of
            which one is not null.

        """
        return self._part("all")

    def explain(self) -> None:
        """Print which rows are duplicates, and how long Windrow remembers a row."""
        print(self._explained())  # noqa: T201

    def _explained(self) -> str:
        return _sql.explained(self.output, self._spec)

    def _repr_html_(self) -> str:
        return _html.explanation(self._explained())

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
        """Start one query that writes kept rows and rejected rows to their sinks.

        Sinks and checks are those of ``Output.start``.

        Args:
            checkpoint: The folder in which Spark stores the progress and the state of the query.
            rows: The sink of the kept rows.
            rejected: The sink of the rejected rows, which include the duplicates.
            availableNow: Stop after all rows that exist at the start. The default is False.
            processingTime: The interval between micro-batches, for example ``"10 seconds"``. None
                starts a micro-batch as soon as the last one has ended.
            drain: With ``availableNow``, end the input after the last row. Rows that arrive
                afterwards are late. The default is False.
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

                once.start(rows="orders", rejected="rejected", checkpoint="checkpoint")

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

    def __repr__(self) -> str:
        """Show the stream and the call."""
        return self._shown

    def _part(self, part: _sql.JoinPart) -> DataFrame:
        return _sql.apply([self._described], self._spec, part)


def deduplicated(
    stream: Stream,
    within: Duration,
    orderBy: tuple[str, ...],
    keep: Keep,
    mode: Accumulation | None,
) -> DedupOutput:
    """Return the output, or raise all problems of arguments, columns, and spec in one error."""
    kept = None if keep == "first" else keep
    subject = call("dedup", within, orderBy=orderBy or None, keep=kept, accumulationMode=mode)
    spans, found = _spans(within=within, lateness=stream._lateness)
    order = {f"orderBy[{i}]" if i else "orderBy": name for i, name in enumerate(orderBy)}
    found += [*_unsupported(stream), *missing(stream._df, {**stream._named(), **order})]
    about = stream._about()
    spec = {
        "operator": "dedup",
        "time_unit": "us",
        **({"order_by": list(orderBy)} if orderBy else {}),
        **({"keep": kept} if kept is not None else {}),
        **({"accumulation": accumulation(mode).value} if mode is not None else {}),
        **spans,
        "stream": about,
    }
    if stream._maxFuture is not None:
        spec["max_future"] = _duration.micros(stream._maxFuture)
    _jar.check(stream._df.sparkSession)
    if len(spans) == (1 if stream._lateness is UNSTATED else 2):
        found = [*_sql.problems(stream._df, spec), *found]
    if found:
        raise SpecError.of(subject, found)
    return DedupOutput(
        _described=_sql.aggregation(stream._df, stream._key, (), stream._markers()),
        _spec=spec,
        _shown=f"{stream!r}.{subject}",
    )


def _spans(**given: object) -> tuple[dict[str, int | None], list[SpecProblem]]:
    """Return the microseconds of the durations that are set, by name, and all problems."""
    spans: dict[str, int | None] = {}
    found: list[SpecProblem] = []
    for name, span in given.items():
        if span is UNSTATED:
            continue
        read = None if span is None and name == "lateness" else _duration.read(span)
        if isinstance(read, SpecProblem):
            found.append(read._of(name))
        else:
            spans[name] = read
    return spans, found


def _unsupported(stream: Stream) -> list[SpecProblem]:
    """Return a problem for each setting of the stream that is missing or has no effect."""
    limits = {name: limit for name, limit in vars(stream._retention).items() if limit is not None}
    found = [
        problem("VALUE_NOT_SUPPORTED.DEDUP", name=f"retain({name})", value=limit)
        for name, limit in limits.items()
    ]
    if not stream._key:
        found.append(problem("KEY_NOT_STATED.DEDUP"))
    if stream._time is None and not stream._shows_panes():
        found.append(problem("TIME_NOT_STATED.COLUMN"))
    if stream._index:
        found.append(problem("STORE_WITHOUT_MESSAGES"))
    return found
