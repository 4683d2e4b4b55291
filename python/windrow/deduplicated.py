"""The rows that a deduplication keeps, as DataFrames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Literal, cast

from windrow._bridge import _jar, _sql
from windrow._markup import _html
from windrow._running._rows import StreamRows
from windrow._specs import _duration, _values
from windrow._specs._columns import as_tuple, missing
from windrow._specs._duration import UNSTATED, Duration
from windrow._specs._frozen import call
from windrow.errors import SpecError, SpecProblem, problem
from windrow.triggers import Accumulation, accumulation

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from windrow._markup._svg import Picture
    from windrow.streams import Stream


#: The row of each group of duplicates that ``dedup`` keeps.
Keep = Literal["first", "last"]


@dataclass(frozen=True, eq=False, repr=False)
class DedupOutput(StreamRows):
    """The rows that a deduplication keeps, as DataFrames.

    ``Stream.dedup`` creates it. Each DataFrame that you write separately is a query with its own
    state, so use ``start`` to write rows and rejected rows from one query.

    Example:
        ::

            once.start(rows="orders", rejected="rejected", checkpoint="checkpoint")

    """

    _call: str = field(kw_only=True)

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

    def plot(self, messages: Sequence[datetime | str] | None = None) -> Picture:
        """Draw the rows of one key in the order of their arrival, and which of them are kept.

        Each row is drawn as if it arrived in a micro-batch of its own. The event time alone
        decides, so ``orderBy`` and the lateness are not drawn.

        Args:
            messages: Event times in the order of arrival, as datetimes or ISO strings; times
                without a zone are UTC. None draws sample rows.

        Returns:
            The picture as SVG. A notebook displays it.

        Raises:
            TypeError: A value is not a datetime or a string.
            ValueError: A string is not an ISO time.

        Example:
            ::

                once = orders.lateness("1 hour").dedup("10 minutes")
                once.plot(["2025-01-01 09:00:10", "2025-01-01 09:04:30", "2025-01-01 09:30:00"])

            The caption is ``dedup('10 minutes'): 2 of 3 rows kept, …``.

        """
        from windrow._drawing import _kept

        within, last = cast("int", self._spec["within"]), self._spec.get("keep") == "last"
        return _kept.plot(self._call, messages, within, last=last)

    def _repr_html_(self) -> str:
        return _html.explanation(self._explained(), self.plot())


class HasDedup:
    """The deduplication of ``Stream``."""

    def dedup(
        self,
        within: Duration,
        *,
        orderBy: str | Sequence[str] = (),
        keep: Keep = "first",
        accumulationMode: Accumulation | None = None,
    ) -> DedupOutput:
        """Keep the first or the last row of each key, and drop its duplicates.

        A duplicate is a row whose event time differs by at most ``within`` from that of a kept row
        of its key, or with ``keep="last"`` from that of a row that follows it. A first row is
        emitted in the micro-batch in which it arrives, and a last row when the watermark has passed
        its event time by ``within`` plus the lateness. You must set a key and a lateness. A row
        that is late by more than the lateness is rejected with ``TOO_LATE``.

        Args:
            within: The greatest difference between the event times of duplicates, for example
                ``"10 minutes"``. Windrow remembers a row for this time plus the lateness.
            orderBy: Columns that decide between rows of one micro-batch with equal event time: the
                row with the least values is the first. With ``keep="last"`` they decide before the
                event time: the row with the greatest values is the last. By default the identity
                and the contents of the rows decide.
            keep: ``"first"`` or ``"last"``. The default is ``"first"``.
            accumulationMode: ``ACCUMULATING_AND_RETRACTING`` emits a last row at once, and retracts
                it when another one replaces it (column ``is_retraction``). None emits a row once.

        Returns:
            The output. Its ``rows`` are the kept rows, and ``rejected`` contains the duplicates
            with the reason ``DUPLICATE``.

        Raises:
            SpecError: The description cannot run. The error lists every problem, for example
                ``KEY_NOT_STATED``, ``LATENESS_NOT_STATED``, or ``COLUMN_NOT_FOUND``.
            JarNotFoundError: The session does not have Windrow's JAR (``JAR_NOT_LOADED``), or it
                has the JAR of another version (``JAR_VERSION``).

        Example:
            ::

                orders = wr.stream(df, time="time", key="id", watermark="1 minute")
                once = orders.lateness("1 hour").dedup("10 minutes")

            Order 1 is sent twice, and its copy arrives in the next micro-batch::

                batch  time      id  price
                1      09:00:10  1   2.0
                2      09:00:50  2   4.0

        """
        return deduplicated(cast("Stream", self), within, as_tuple(orderBy), keep, accumulationMode)


def deduplicated(
    stream: Stream,
    within: Duration,
    orderBy: tuple[object, ...],
    keep: Keep,
    mode: Accumulation | None,
) -> DedupOutput:
    """Return the output, or raise all problems of arguments, columns, and spec in one error."""
    kept = None if keep == "first" else keep
    subject = call("dedup", within, orderBy=orderBy or None, keep=kept, accumulationMode=mode)
    spans, found = _spans(within=within, lateness=stream._lateness)
    order = {f"orderBy[{i}]" if i else "orderBy": name for i, name in enumerate(orderBy)}
    found += [wrong for name, by in order.items() for wrong in _values.name(name, by)]
    found += [] if stream._key else [problem("KEY_NOT_STATED.DEDUP")]
    found += [*_unsupported(stream, "DEDUP"), *missing(stream._df, {**stream._named(), **order})]
    about = stream._about()
    spec = {
        "operator": "dedup",
        "time_unit": "us",
        **({"order_by": [by for by in orderBy if isinstance(by, str)]} if orderBy else {}),
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
        _call=subject,
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


def _unsupported(stream: Stream, operator: str) -> list[SpecProblem]:
    """Return a problem for each setting of the stream that is missing or has no effect.

    operator: DEDUP or MATCH.
    """
    limits = {name: limit for name, limit in vars(stream._retention).items() if limit is not None}
    found = [
        problem(f"VALUE_NOT_SUPPORTED.{operator}", name=f"retain({name})", value=limit)
        for name, limit in limits.items()
    ]
    if stream._time is None and not stream._shows_panes():
        found.append(problem("TIME_NOT_STATED.COLUMN"))
    if stream._index:
        found.append(problem("STORE_WITHOUT_MESSAGES"))
    return found
