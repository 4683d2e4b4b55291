"""Decides why a query emits nothing, from facts that were collected before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from windrow._watching._status import Status
from windrow._watching._words import instant, span

#: A watermark this far ahead of the clock can only come from a row with a wrong time.
_FUTURE = timedelta(hours=1)
_EARLIEST = datetime.min.replace(tzinfo=UTC)
#: The number of micro-batches without rows after which a source counts as silent.
_SILENT = 3

_REASONS = {
    "INVALID_TIME": "Fix the event time of the rows: it is null or cannot be converted.",
    "TOO_LATE": (
        "Run wr.advise(query) for a lateness that accepts them, and check the time zone of the "
        "input."
    ),
    "TOO_FAR_AHEAD": "Fix the clock of the producer, or set a longer maxFuture.",
    "OUT_OF_RETENTION": "Set a longer retain.",
}


@dataclass(frozen=True)
class Cause:
    """A reason why a query emits nothing.

    Attributes:
        code: The name of the cause, for programs.
        meaning: The facts that show it.
        remedy: The action that solves it, or the event to wait for.

    Example:
        >>> print(wr.Cause("NO_ROWS", "The sources have delivered no rows.", "Check the sources."))
        NO_ROWS: The sources have delivered no rows.
          -> Check the sources.

    """

    code: str
    meaning: str
    remedy: str

    def __str__(self) -> str:
        """Show the cause and its remedy in two lines."""
        return f"{self.code}: {self.meaning}\n  -> {self.remedy}"


@dataclass(frozen=True)
class Waiting:
    """The panes that the state will emit.

    Attributes:
        panes: Their number.
        watermark: The least watermark that emits one, or None if all wait for the clock.
        clock: The earliest end of a period, or None.

    """

    panes: int = 0
    watermark: datetime | None = None
    clock: datetime | None = None


@dataclass(frozen=True)
class Facts:
    """The facts about a query.

    Attributes:
        status: The figures of its micro-batches.
        isBusy: Whether a micro-batch with rows runs now.
        runsWithoutData: Whether Spark runs micro-batches without rows, which emit windows.
        waiting: The panes in the state, or None if the state could not be read.
        now: The time of the clock.

    """

    status: Status
    isBusy: bool = False
    runsWithoutData: bool = True
    waiting: Waiting | None = None
    now: datetime = _EARLIEST


def causes(facts: Facts) -> tuple[Cause, ...]:
    """Return the causes, the one to treat first at the beginning."""
    status = facts.status
    if status.error is not None:
        remedy = "Remove the cause, and start the query again with the same checkpoint."
        return (Cause("FAILED", f"The query failed: {status.error}", remedy),)
    if status.last is None and status.isActive:
        return (_before_the_first(facts),)
    found = [*_output(status), *_rows(facts)]
    if status.accepted or status.last is None:
        found += [*_watermark(facts), *_windows(facts)]
    return tuple(found)


def _before_the_first(facts: Facts) -> Cause:
    if facts.isBusy:
        return Cause(
            "FIRST_BATCH_RUNS",
            "The first micro-batch of this run has not ended yet.",
            "Wait. If it takes long, limit its rows with maxOffsetsPerTrigger or "
            "maxFilesPerTrigger.",
        )
    if facts.waiting is not None and facts.waiting.panes:
        return Cause(
            "ALREADY_READ",
            "All input was read before this run, because the checkpoint was used before; "
            f"{_panes(facts.waiting.panes)} in the state.",
            "Send newer rows. To process the input again, start with a new checkpoint.",
        )
    return Cause(
        "NO_ROWS",
        "The sources have delivered no rows since this run began.",
        "Check the sources: the path or topic, the starting offsets, and filters before Windrow.",
    )


def _output(status: Status) -> Iterator[Cause]:
    emitted = status.panes + status.rows
    if emitted:
        last = status.last.batch if status.last else 0
        yield Cause(
            "HAS_OUTPUT",
            f"The query has emitted {emitted:,} rows up to micro-batch {last}.",
            "If you do not see them, check the sink, and filters behind Windrow.",
        )


def _rows(facts: Facts) -> Iterator[Cause]:
    """Find causes that keep rows out of windows."""
    status = facts.status
    if status.accepted:
        return
    mark = status.watermark
    if mark is not None and mark > facts.now + _FUTURE and "TOO_LATE" in status.reasons:
        yield Cause(
            "WATERMARK_IN_THE_FUTURE",
            f"A row with a wrong time has moved the watermark to {instant(mark)}, so all rows are "
            "too late.",
            'Set maxFuture="1 hour", and start with a new checkpoint, because a watermark never '
            "moves back.",
        )
    elif status.reasons:
        listed = ", ".join(f"{reason} {count:,}" for reason, count in status.reasons.items())
        most = max(status.reasons, key=lambda reason: status.reasons[reason])
        yield Cause(
            "ALL_REJECTED", f"All {status.rejected:,} rows are rejected: {listed}.", _REASONS[most]
        )
    if status.duplicates:
        yield Cause(
            "ALL_DUPLICATES",
            f"{status.duplicates:,} rows are duplicates of rows that were processed before.",
            "Check whether offsets were reset or ids repeat; a new topic needs a new checkpoint.",
        )
    if status.gaps:
        yield Cause(
            "BETWEEN_WINDOWS",
            f"{status.gaps:,} rows are between two windows.",
            "Choose a step of Hopping that is not longer than the size.",
        )
    if not (status.reasons or status.duplicates or status.gaps):
        yield Cause(
            "NO_ROWS",
            "The micro-batches of this run had no rows.",
            "Check the sources: the path or topic, the starting offsets, and filters before "
            "Windrow.",
        )


def _watermark(facts: Facts) -> Iterator[Cause]:
    """Find causes that keep the watermark from moving."""
    status = facts.status
    if status.heldBackBy is not None:
        reached = status.inputs[status.heldBackBy]
        so_far = "has delivered no rows yet" if reached is None else f"is at {instant(reached)}"
        yield Cause(
            "INPUT_HOLDS_WATERMARK",
            f"The watermark waits for the input {status.heldBackBy}, which {so_far}.",
            "Check that input. If silence is normal for it, set idle in its watermark.",
        )
    for name, count in status.quiet.items():
        if count >= _SILENT and status.heldBackBy is None:
            yield Cause(
                "SOURCE_IS_SILENT",
                f"The source {name} had no rows in the last {count} micro-batches.",
                "Check that source. The smallest watermark of all inputs counts.",
            )


def _windows(facts: Facts) -> Iterator[Cause]:
    """Find the event for which the windows in the state wait."""
    status, waiting = facts.status, facts.waiting
    if waiting is None:
        return
    if not waiting.panes:
        if not status.panes + status.rows:
            yield Cause(
                "NOTHING_WAITS",
                "Rows were accepted, but the state has no pane to emit.",
                "Check the triggers: onTime=False suppresses the pane of a complete window. "
                "output.explain() shows when panes are emitted.",
            )
        return
    if waiting.clock is not None and waiting.watermark is None:
        yield Cause(
            "PERIOD_NOT_OVER",
            f"{_panes(waiting.panes)} in the state; the first is emitted at "
            f"{instant(waiting.clock)} by the clock.",
            "Wait, or set a shorter period.",
        )
        return
    if waiting.watermark is None:
        return
    if not status.isActive:
        yield Cause(
            "RUN_ENDED",
            f"The run has ended, and {_panes(waiting.panes)} in the state.",
            "Pass drain=True together with availableNow=True, from the first start of a new "
            "checkpoint on, or start the query again when newer rows exist.",
        )
        return
    if not facts.runsWithoutData:
        yield Cause(
            "ONLY_BATCHES_WITH_DATA",
            "spark.sql.streaming.noDataMicroBatches.enabled is false, so a window is emitted only "
            "together with later rows.",
            "Set it to true before you start the query.",
        )
    yield _not_reached(status, waiting.panes, waiting.watermark)


def _not_reached(status: Status, panes: int, needed: datetime) -> Cause:
    mark, newest, behind = status.watermark, status.newest, status.behind
    at = "there is no watermark yet" if mark is None else f"the watermark is {instant(mark)}"
    seen = "" if newest is None else f", and the newest row is of {instant(newest)}"
    remedy = "Wait for newer rows, because only they move the watermark."
    if behind is not None:
        remedy = (
            f"Wait for a row of about {instant(needed + behind)} or later: the watermark is "
            f"{span(behind)} behind the newest row."
        )
    return Cause(
        "WATERMARK_NOT_REACHED",
        f"{_panes(panes)} in the state; the first is emitted at the watermark {instant(needed)}, "
        f"but {at}{seen}.",
        remedy,
    )


def _panes(count: int) -> str:
    return "1 pane waits" if count == 1 else f"{count:,} panes wait"
