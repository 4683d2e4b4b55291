"""The matches of a pattern in the rows of a stream, as DataFrames."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, cast

from windrow._bridge import _jar, _sql
from windrow._running._rows import StreamRows
from windrow._specs import _duration
from windrow._specs._columns import is_column, missing
from windrow._specs._duration import UNSTATED, Duration
from windrow._specs._frozen import call
from windrow.deduplicated import _spans, _unsupported
from windrow.errors import SpecError

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from windrow.streams import Stream


#: Where the search for the next match begins.
After = Literal["past_last_row", "next_row"]


@dataclass(frozen=True, eq=False, repr=False)
class MatchOutput(StreamRows):
    """The matches of a pattern, as DataFrames.

    ``Stream.match`` creates it. Each DataFrame that you write separately is a query with its own
    state, so use ``start`` to write matches and rejected rows from one query.

    Example:
        ::

            found.start(rows="matches", rejected="rejected", checkpoint="checkpoint")

    """

    @cached_property
    def rows(self) -> DataFrame:
        """Return the matches.

        Returns:
            A DataFrame with the columns of the key, ``match``, and the measures. ``match`` is a
            struct with ``start`` and ``end``, the times of the first and the last row, and
            ``is_retraction``, which is true if the row withdraws an emitted match. Without
            measures, ``rows`` is an array of the matched rows, each with its ``name`` in the
            pattern and the ``row``.

        Example:
            A price that falls and then rises::

                batch  product  start  end    is_retraction  lowest  rows
                2      tea      09:01  09:03  false          1.0     3

        """
        return self._part("rows")

    @cached_property
    def rejected(self) -> DataFrame:
        """Return the rejected rows, unchanged and with the reason.

        Returns:
            A DataFrame with ``stream``, ``reason`` (``INVALID_TIME``, ``TOO_FAR_AHEAD``, or
            ``TOO_LATE``), ``watermark``, ``processing_time``, and ``message``, a struct of the
            columns of the input.

        Example:
            A row that is late by more than the lateness::

                batch  stream    reason    watermark  time      product  price
                3      messages  TOO_LATE  09:10:00   08:00:00  tea      2.0

        """
        return self._part("rejected")


class HasPatterns:
    """The search of ``Stream`` for patterns."""

    def match(
        self,
        pattern: str,
        *,
        define: Mapping[str, str | Column] | None = None,
        measures: Mapping[str, str] | None = None,
        within: Duration | None = None,
        after: After = "past_last_row",
    ) -> MatchOutput:
        """Find the matches of a pattern in the rows of each key, in the order of event time.

        A match is emitted when the watermark has passed the rows that decide it, at the latest
        ``within`` after its first row. A late row retracts the matches that no longer hold, and
        emits those that hold instead (``match.is_retraction``). A row that is late by more than the
        lateness is rejected with ``TOO_LATE``. You must set a lateness.

        Args:
            pattern: A regular expression whose letters are names of rows: ``A B`` (one after
                another), ``A | B``, ``A*``, ``A+``, ``A?``, ``A{2}``, ``A{2,3}``, and parentheses.
                A second ``?``, as in ``A+?``, prefers fewer rows. Case does not matter in names.
            define: The condition of each name, as SQL or as a Column. SQL can read the previous row
                of the key with ``PREV(price)``; it is null if there is none, or if it is more than
                ``within`` earlier. ``A.price`` or ``LAST(A.price)`` is the value of the last row of
                the name ``A`` in the match so far, ``FIRST(A.price)`` that of its first row, and
                ``FIRST(price)`` that of the first row of the match. A name without a condition
                matches every row.
            measures: The columns of a match, as SQL aggregates over its rows. ``sum(A.price)``
                reads only the rows of the name ``A``, ``sum(price)`` reads all. ``A.price`` is the
                value of the last row of ``A``. None emits the matched rows.
            within: The greatest time between the first and the last row of a match, for example
                ``"10 minutes"``. A stream requires it, a batch query does not.
            after: Where the search goes on after a match: ``"past_last_row"`` (the default), so
                that no row is in two matches, or ``"next_row"``, the row after the first one.

        Returns:
            The output. Its ``rows`` are the matches.

        Raises:
            SpecError: The description cannot run. The error lists every problem, for example
                ``PATTERN_NOT_UNDERSTOOD``, ``NAME_NOT_IN_PATTERN``, or ``WITHIN_NOT_STATED``.
            JarNotFoundError: The session does not have Windrow's JAR (``JAR_NOT_LOADED``), or it
                has the JAR of another version (``JAR_VERSION``).

        Example:
            ::

                prices = wr.stream(df, time="time", key="product", watermark="1 minute")
                found = prices.lateness("1 hour").match(
                    "DOWN+ UP+",
                    define={"DOWN": "price < PREV(price)", "UP": "price > PREV(price)"},
                    measures={"lowest": "last(DOWN.price)", "rows": "count(*)"},
                    within="10 minutes",
                )

            A price that falls and then rises::

                batch  product  start  end    is_retraction  lowest  rows
                2      tea      09:01  09:03  false          1.0     3

        """
        return _matched(
            cast("Stream", self), pattern, dict(define or {}), dict(measures or {}), within, after
        )


def _matched(
    stream: Stream,
    pattern: str,
    define: dict[str, str | Column],
    measures: dict[str, str],
    within: Duration | None,
    after: After,
) -> MatchOutput:
    """Return the output, or raise all problems of arguments, columns, and spec in one error."""
    next_row = None if after == "past_last_row" else after
    subject = call("match", pattern, within=within, after=next_row)
    given = UNSTATED if within is None else within
    spans, found = _spans(within=given, lateness=stream._lateness)
    absent = missing(stream._df, stream._named())
    found += [*_unsupported(stream, "MATCH"), *absent]
    columns = {
        f"define_{i}": condition
        for i, condition in enumerate(define.values())
        if is_column(condition)
    }
    spec: dict[str, object] = {
        "operator": "match",
        "time_unit": "us",
        "pattern": pattern,
        "define": {name: "" if is_column(one) else one for name, one in define.items()},
        "measures": measures,
        **({"after": next_row} if next_row is not None else {}),
        **spans,
        "stream": stream._about(),
    }
    if stream._maxFuture is not None:
        spec["max_future"] = _duration.micros(stream._maxFuture)
    _jar.check(stream._df.sparkSession)
    stated = sum(one is not UNSTATED for one in (given, stream._lateness))
    if len(spans) == stated:
        if absent:
            found = [*_sql.problems(stream._df, spec), *found]
        else:
            made = MatchOutput(
                _described=_sql.aggregation(
                    stream._df, stream._key, (), {**stream._markers(), **columns}
                ),
                _spec=spec,
                _shown=f"{stream!r}.{subject}",
            )
            try:
                made.rows  # noqa: B018  raises the problems of spec, conditions, and measures
            except SpecError as refused:
                found = [*refused.problems, *found]
            if not found:
                return made
    raise SpecError.of(subject, found)
