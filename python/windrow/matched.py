"""The matches of a pattern in the rows of a stream, as DataFrames."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, cast

from windrow._bridge import _jar, _sql
from windrow._running._rows import StreamRows
from windrow._specs import _duration
from windrow._specs._columns import is_column, is_data_frame, missing
from windrow._specs._duration import UNSTATED, Duration
from windrow._specs._frozen import call
from windrow._specs._instants import micros
from windrow.deduplicated import _spans, _unsupported
from windrow.errors import SpecError, problem

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, Row

    from windrow._markup._svg import Picture
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

    _stream: Stream = field(kw_only=True)
    _again: Callable[[Stream], MatchOutput] = field(kw_only=True)

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

    def plot(self, rows: DataFrame | Sequence[Mapping[str, Any]]) -> Picture:
        """Draw the matches in a few rows, on one line for each key.

        The rows are searched in a batch query, so the picture shows the matches that remain when
        all rows have arrived.

        Args:
            rows: A batch DataFrame with the columns of the stream, or a list of dicts. The event
                time of a dict may be an ISO string. Missing columns are null.

        Returns:
            The picture as SVG. A notebook displays it. It shows at most 12 keys.

        Example:
            ::

                times = [f"2025-01-01 09:0{minute}:00" for minute in range(4)]
                found.plot(
                    [
                        {"time": time, "product": "tea", "price": price}
                        for time, price in zip(times, [3.0, 1.0, 2.0, 2.0], strict=True)
                    ]
                )

            The caption is ``DOWN+ UP+: 1 match in 4 rows``.

        """
        from windrow._drawing import _matches

        found, times = self._batch(rows)
        lines: dict[str, _matches.Line] = {}
        sources: dict[str, list[Row]] = {}
        for row in times:
            *key, time, source = row
            name = ", ".join(map(str, key)) or "all rows"
            lines.setdefault(name, _matches.Line([])).times.append(micros(time))
            sources.setdefault(name, []).append(source)
        for *key, match, matched in found:
            name = ", ".join(map(str, key)) or "all rows"
            at = sources[name].index(
                matched[0].row, bisect_left(lines[name].times, micros(match.start))
            )
            lines[name].matches.append((at, [one.name for one in matched]))
        return _matches.draw(str(self._spec["pattern"]), lines)

    def _batch(self, rows: DataFrame | Sequence[Mapping[str, Any]]) -> tuple[list[Row], list[Row]]:
        """Return the matches in rows in a batch query, and the rows with key and time in order."""
        from pyspark.sql import functions as F

        stream = self._stream
        if stream._time is None:
            raise SpecError.of("plot(...)", [problem("TIME_NOT_STATED.COLUMN")])
        df = rows if is_data_frame(rows) else _frame(stream._df, rows)
        again = replace(stream, _df=df, _watermark=None, _maxFuture=None)
        found = self._again(again).rows.orderBy("match.start").collect()
        key = [F.col(one) if isinstance(one, str) else one for one in stream._key]
        time = F.col(stream._time) if isinstance(stream._time, str) else stream._time
        every = df.select(*key, time.alias("time"), F.struct("*").alias("row"))
        return found, every.where("time IS NOT NULL").orderBy("time").collect()


def _frame(like: DataFrame, rows: Any) -> DataFrame:  # noqa: ANN401  a list of dicts
    """Return dicts as a batch DataFrame with the columns of another one."""
    times = {one.name for one in like.schema if one.dataType.typeName().startswith("timestamp")}

    def read(name: str, value: object) -> object:
        is_text = name in times and isinstance(value, str)
        return datetime.fromisoformat(cast("str", value)) if is_text else value

    values = [[read(name, row.get(name)) for name in like.columns] for row in rows]
    return like.sparkSession.createDataFrame(values, like.schema)


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
    found += [
        problem("MEASURE_NOT_SQL", name=name, type=type(one).__name__)
        for name, one in measures.items()
        if not isinstance(one, str)
    ]
    measures = {name: one for name, one in measures.items() if isinstance(one, str)}
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
                _stream=stream,
                _again=lambda other: _matched(other, pattern, define, {}, within, after),
            )
            try:
                made.rows  # noqa: B018  raises the problems of spec, conditions, and measures
            except SpecError as refused:
                found = [*refused.problems, *found]
            if not found:
                return made
    raise SpecError.of(subject, found)
