"""Recommend an allowed lateness from the rows that a query has read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from numbers import Real
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from windrow._bridge import _jar, _sql
from windrow._running._query import expect_query
from windrow._specs import _duration
from windrow.errors import SpecError, problem
from windrow.stores import _session

if TYPE_CHECKING:
    from pyspark.sql.streaming.query import StreamingQuery

__all__ = ["Advice", "LatenessEffect", "advise"]


@dataclass(frozen=True)
class LatenessEffect:
    """The effect that a lateness would have had on the rows of a query.

    Attributes:
        share: The share of rows that it was chosen to catch, or None for the present lateness.
        lateness: The lateness, as ``lateness(...)`` accepts it.
        caught: The share of rows that it would have accepted.
        corrected: An estimate of the share of windows that it would have corrected; None for a
            join.
        growth: An estimate of the growth of the state, compared with the present lateness: 0.18 is
            18 %.

    Example:
        >>> wr.LatenessEffect(0.999, "7 minutes", 0.999, 0.031, 0.18).lateness
        '7 minutes'

    """

    share: float | None
    lateness: str
    caught: float
    corrected: float | None
    growth: float

    def __str__(self) -> str:
        """Show the effect in a sentence."""
        more = "the state keeps its size"
        if self.growth >= 10:  # noqa: PLR2004
            more = f"the state grows to about {self.growth + 1:,.0f} times its size"
        elif self.growth >= 0.005:  # noqa: PLR2004  half a percent
            more = f"the state grows by about {self.growth * 100:.0f} %"
        elif self.growth <= -0.005:  # noqa: PLR2004
            more = f"the state shrinks by about {-self.growth * 100:.0f} %"
        return (
            f"a lateness of {self.lateness} accepts {_percent(self.caught)} of the rows"
            f"{self._windows()}; {more}"
        )

    def _windows(self) -> str:
        if self.corrected is None:
            return ""
        return f" and would have corrected about {_percent(self.corrected)} of the windows"


@dataclass(frozen=True)
class Advice:
    """A recommended lateness, from all rows that a query has read.

    ``wr.advise`` returns it. ``print`` shows it as text, and a notebook with a picture. The advice
    assumes that future delays resemble past ones.

    Attributes:
        advised: The least lateness that catches the requested share.
        present: The present lateness of the query.
        table: The same for other shares.
        messages: The number of rows with an event time, without duplicates.
        late: The number of rows that arrived after the end of their last window.
        windows: The number of windows that were emitted on time.

    Example:
        ::

            advice = wr.advise(query)
            print(advice.lateness)  # 7 minutes

    """

    advised: LatenessEffect
    present: LatenessEffect
    table: tuple[LatenessEffect, ...]
    messages: int
    late: int
    windows: int

    @property
    def lateness(self) -> str:
        """Return the recommended lateness.

        Returns:
            A text that ``lateness(...)`` accepts.

        """
        return self.advised.lateness

    @property
    def caught(self) -> float:
        """Return the share of rows that the recommended lateness would have accepted.

        Returns:
            A number from 0 to 1.

        """
        return self.advised.caught

    @property
    def corrected(self) -> float | None:
        """Return an estimate of the share of windows that it would have corrected.

        Returns:
            A number from 0 to 1, or None for a join.

        """
        return self.advised.corrected

    @property
    def growth(self) -> float:
        """Return an estimate of the growth of the state.

        Returns:
            The growth compared with the present lateness: 0.18 is 18 %.

        """
        return self.advised.growth

    def __str__(self) -> str:
        """Show the recommendation, the present lateness, and the table."""
        if not self.messages:
            return "The query has not received any rows yet, so there is no recommendation."
        late = self.late / self.messages
        of_join = self.advised.corrected is None
        lines = {one.lateness: one for one in reversed(self.table)}  # equal ones: least share
        where = "too late for their partners" if of_join else "after the end of their windows"
        return "\n".join(
            [
                f"Advised: {self.advised}.",
                f"Current: {self.present}.",
                f"{self.messages:,} rows, {_percent(late)} of them {where}.",
                *self._doubt(),
                *self._disorder(),
                "",
                f"{'caught':>10}  {'lateness':<20} {'corrected':>9} {'state':>8}",
                *(
                    f"{_percent(one.caught):>10}  {one.lateness:<20} {_share(one.corrected):>9} "
                    f"{one.growth * 100:>+7.0f}%"
                    for one in reversed(lines.values())
                ),
            ]
        )

    def _doubt(self) -> list[str]:
        """Return a warning if there are too few rows for a share so close to 100 %."""
        missed = 1 - (self.advised.share or 1)
        if round(missed * self.messages, 6) >= 1 or not missed:
            return []
        text = f"Windrow needs at least {1 / missed:,.0f} rows to recommend a lateness for "
        return [f"{text}{_percent(1 - missed)}. Ask again later."]

    def _disorder(self) -> list[str]:
        """Return the usual reason why most rows are too late."""
        if self.present.caught >= 0.5:  # noqa: PLR2004
            return []
        text = "Most rows arrived too late for the current lateness. If the query reads files, "
        text += "check that their modification times follow the order of the events: Spark reads "
        text += (
            "files in the order of these times (docs/guides/late-data.md, Backfills from files)."
        )
        return [text]

    def _repr_html_(self) -> str:
        from windrow._drawing import _advice

        points = [(_duration.micros(one.lateness), one.caught) for one in self.table]
        chosen = (_duration.micros(self.lateness), self.caught)
        rows = [("current", str(self.present)), ("rows", f"{self.messages:,}, {self.late:,} late")]
        return _advice.card(f"Advised: {self.advised}.", rows, points, chosen)


def advise(
    queryOrCheckpoint: StreamingQuery | str | PathLike[str],
    catch: float = 0.999,
    *,
    operator: str | None = None,
) -> Advice:
    """Recommend an allowed lateness from the rows that a query has read.

    A longer lateness accepts more rows and needs more state, so the right value depends on how late
    your rows are. Every query counts that. docs/advice.md explains the counts and the estimates.

    Args:
        queryOrCheckpoint: A running query, or the folder of its checkpoint.
        catch: The share of rows to accept, above 0 and at most 1. The default is 0.999.
        operator: The name of the stream, if the query has several operators. None selects the only
            one.

    Returns:
        The advice.

    Raises:
        CheckpointError: The folder is not a checkpoint (``CHECKPOINT_NOT_FOUND``), cannot be read
            (``STATE_DAMAGED``), or has several operators (``OPERATOR_NOT_CLEAR``).
        SpecError: The windows are not counted, because they depend on positions or policies, or the
            join is bounded by retention only (``ADVICE_NOT_KEPT``), or ``catch`` is out of range
            (``SHARE_NOT_UNDERSTOOD``).
        JarNotFoundError: The session does not have Windrow's JAR (``JAR_NOT_LOADED``).
        TypeError: ``queryOrCheckpoint`` is neither a query nor a path.

    Example:
        ``print(wr.advise("checkpoint"))`` shows::

                caught  lateness             corrected    state
                  99 %  20 seconds               0.6 %     -78%
                99.9 %  7 minutes                3.1 %     +18%
                 100 %  3 hours                  3.4 %   +2900%

    """
    if not isinstance(queryOrCheckpoint, str | PathLike):
        of = "the folder of a checkpoint or "
        expect_query("advise(queryOrCheckpoint)", queryOrCheckpoint, of)
    if not _is_share(catch):
        found = problem("SHARE_NOT_UNDERSTOOD", value=repr(catch))
        raise SpecError.of("advise(...)", [found])
    spark = _session()
    _jar.check(spark)
    if isinstance(queryOrCheckpoint, str | PathLike):
        of = f"checkpoint => {_sql.text(fspath(queryOrCheckpoint))}"
    else:
        of = f"query => {_sql.text(str(queryOrCheckpoint.id))}"
    named = "" if operator is None else f", operator => {_sql.text(operator)}"
    call = f"windrow_advise({of}, catch => {float(catch)!r}D{named})"
    with _sql.plain_errors():
        rows = spark.sql(f"SELECT * FROM {call}").collect()  # noqa: S608
    return _of(rows)


def _is_share(value: object) -> bool:
    return isinstance(value, Real) and 0 < float(value) <= 1


def _of(rows: Iterable[Any]) -> Advice:
    """Read the rows of the JVM."""
    first, now, *others = rows
    return Advice(
        _effect(first),
        _effect(now),
        tuple(map(_effect, others)),
        first.messages,
        first.late,
        first.windows,
    )


def _effect(row: Any) -> LatenessEffect:  # noqa: ANN401  a Row
    lateness = _duration.show(row.lateness)
    return LatenessEffect(row.share, lateness, row.caught, row.corrected, row.growth)


def _share(corrected: float | None) -> str:
    return "" if corrected is None else _percent(corrected)


def _percent(share: float) -> str:
    """Format a share with enough digits to distinguish it from 100 %."""
    places = 1 if share < 0.999 else 2 if share < 0.9999 else 3  # noqa: PLR2004
    return f"{share * 100:.{places}f}".rstrip("0").rstrip(".") + " %"
