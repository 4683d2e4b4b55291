"""Which lateness would have caught how much."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from windrow._bridge import _jar, _sql
from windrow._drawing import _advice
from windrow._specs import _duration
from windrow.stores import _session

if TYPE_CHECKING:
    from pyspark.sql.streaming.query import StreamingQuery

__all__ = ["Advice", "LatenessEffect", "advise"]


@dataclass(frozen=True)
class LatenessEffect:
    """What a lateness would have done.

    share: of the messages that it was chosen to catch, None for the lateness that a query has.
    lateness: a text, as ``lateness(...)`` takes it. caught: the share of the messages that it would
    have taken. corrected: about which share of the windows would have fired again, None for a join.
    growth: about
    how much more would be kept than with the present lateness, 0.18 for 18 %.
    """

    share: float | None
    lateness: str
    caught: float
    corrected: float | None
    growth: float

    def __str__(self) -> str:
        """Say it in a sentence."""
        more = "the state stays as it is"
        if self.growth >= 10:  # noqa: PLR2004
            more = f"the state grows to about {self.growth + 1:,.0f} times its size"
        elif self.growth >= 0.005:  # noqa: PLR2004  half a percent
            more = f"the state grows by about {_percent(self.growth)}"
        elif self.growth <= -0.005:  # noqa: PLR2004
            more = f"the state shrinks by about {_percent(-self.growth)}"
        return f"{self.lateness} catch {_percent(self.caught)} of messages{self._windows()}; {more}"

    def _windows(self) -> str:
        if self.corrected is None:
            return ""
        return f" and would have corrected about {_percent(self.corrected)} of windows"


@dataclass(frozen=True)
class Advice:
    """What to say for ``lateness(...)``, from all messages that a query has seen; prints as text.

    advised: the least lateness that catches the share that was asked for; its fields stand here,
    too. present: that of the query. table: for other shares. messages: with an event time,
    duplicates left out. late: those that came when their last window had ended. windows: that fired
    on time.
    """

    advised: LatenessEffect
    present: LatenessEffect
    table: tuple[LatenessEffect, ...]
    messages: int
    late: int
    windows: int

    @property
    def lateness(self) -> str:
        """The lateness that is advised, as ``lateness(...)`` takes it."""
        return self.advised.lateness

    @property
    def caught(self) -> float:
        """The share of the messages that it would have taken."""
        return self.advised.caught

    @property
    def corrected(self) -> float | None:
        """About which share of the windows it would have corrected; None for a join."""
        return self.advised.corrected

    @property
    def growth(self) -> float:
        """About how much more would be kept than now, 0.18 for 18 %."""
        return self.advised.growth

    def __str__(self) -> str:
        """Give the advice, what is now, and a table."""
        if not self.messages:
            return "No message has come yet, so there is nothing to advise."
        late = self.late / self.messages
        of_join = self.advised.corrected is None
        told = {one.lateness: one for one in reversed(self.table)}  # the least share of each
        where = "too late for their partners" if of_join else "behind their windows"
        return "\n".join(
            [
                f"{self.advised}.",
                f"Now: {self.present}.",
                f"{self.messages:,} messages, {_percent(late)} of them {where}.",
                *self._doubt(),
                *self._disorder(),
                "",
                f"{'caught':>10}  {'lateness':<20} {'corrected':>9} {'state':>8}",
                *(
                    f"{_percent(one.caught):>10}  {one.lateness:<20} {_share(one.corrected):>9} "
                    f"{one.growth * 100:>+7.0f}%"
                    for one in reversed(told.values())
                ),
            ]
        )

    def _doubt(self) -> list[str]:
        """Say that so few messages tell nothing of a share so near to all."""
        missed = 1 - (self.advised.share or 1)
        if round(missed * self.messages, 6) >= 1 or not missed:
            return []
        return [f"So few say little of {_percent(1 - missed)}: ask again after {1 / missed:,.0f}."]

    def _disorder(self) -> list[str]:
        """Name the usual reason why most messages are too late."""
        if self.present.caught >= 0.5:  # noqa: PLR2004
            return []
        text = "Most messages came too late for the present lateness. If the query reads files, "
        text += "check that their modification times follow the order of the events: Spark reads "
        text += (
            "files in the order of these times (docs/guides/late-data.md, Backfills from files)."
        )
        return [text]

    def _repr_html_(self) -> str:
        points = [(_duration.micros(one.lateness), one.caught) for one in self.table]
        chosen = (_duration.micros(self.lateness), self.caught)
        rows = [("now", str(self.present)), ("messages", f"{self.messages:,}, {self.late:,} late")]
        return _advice.card(f"{self.advised}.", rows, points, chosen)


def advise(
    queryOrCheckpoint: StreamingQuery | str | PathLike[str],
    catch: float = 0.999,
    *,
    operator: str | None = None,
) -> Advice:
    """Tell which lateness would have caught a share of the messages of a query.

    queryOrCheckpoint: a running query, or the folder of one that runs or is stopped. catch: the
    share, above 0 and at most 1. operator: the name of the stream, where a query has several.

    What is counted, and how the rest is estimated: docs/advice.md.

    Errors: CheckpointError if there is no such checkpoint; SpecError if nothing is counted for such
    windows (on positions, by policies), or for a join that retention alone bounds.
    """
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
    """Give a share with as many places as it needs to be told from all."""
    places = 1 if share < 0.999 else 2 if share < 0.9999 else 3  # noqa: PLR2004
    return f"{share * 100:.{places}f}".rstrip("0").rstrip(".") + " %"
