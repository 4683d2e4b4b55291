"""The output in the terminal: a line for each file, and a summary."""

from __future__ import annotations

from pathlib import Path

from flights import queries
from flights.data import NEW_YORK
from flights.delivery import Run
from flights.files import Batch
from flights.ledger import Check, Correction, Fates
from flights.rows import Answers, Pane

HEADER = "file  flights known up to   flights   panes  corrections  rejected  dropped by Spark"
_RULE = "-" * len(HEADER)


def say(text: str = "") -> None:
    """Print a line without buffering."""
    print(text, flush=True)


class Progress:
    """Counts per file: the results of the three Windrow queries, and the counter of Spark."""

    def __init__(self, run: Run) -> None:
        """Start with zero counts."""
        self._run = run
        self._seen = (0, 0, 0, 0)

    def line(self, batch: Batch) -> str:
        """Return the line of a file that all queries have processed."""
        answers = list(self._run.answers.values())
        now = (
            sum(len(answer.panes) for answer in answers),
            sum(_corrections(answer) for answer in answers),
            sum(len(answer.rejected) for answer in answers),
            self._run.spark_counter(),
        )
        panes, late, rejected, dropped = (a - b for a, b in zip(now, self._seen, strict=True))
        self._seen = now
        until = f"{batch.until:%d %b %Y %H:%M}" if batch.flights else "clock row, year over"
        return (
            f"{batch.number + 1:>4}  {until:>20}  {batch.flights:>7,}  {panes:>6,}  "
            f"{late:>11,}  {rejected:>8,}  {dropped:>16,}"
        )


def summary(fates: Fates, worst: Correction, page: Path, seconds: float) -> str:
    """Return the summary."""
    late = fates.corrected + fates.rejected
    share = f"{1 - fates.first / fates.read:.2%}"
    lines = [
        _RULE,
        f"Windrow: each airport by the hour, corrected for {queries.LATENESS}",
        _count(fates.read, "flights read"),
        _count(fates.first, "in the first report of their hour"),
        _count(fates.corrected, "late: in a correction of their hour"),
        _count(fates.rejected, "too late for a correction: rejected, with the reason"),
        _count(fates.first + late, "in panes or rejected: all of them"),
        "",
        f"Spark's window(): same stream, same watermark ({queries.WATERMARK})",
        _count(fates.spark_kept, "in its rows"),
        _count(fates.spark_lost, f"dropped without a row or a message ({share} of the year)"),
        _count(fates.spark_counter, "by its counter, which counts after a partial aggregation"),
        "",
        f"The hour that changed most: {_hour(worst)}",
        f"    first report   {_report(worst.before)}",
        f"    corrected      {_report(worst.after)}",
        _RULE,
        f"Pictures: {page}",
        f"total: {seconds:.0f} s",
    ]
    return "\n".join(lines)


def verdict(checks: list[Check]) -> str:
    """Return the number of checks, and each check that fails."""
    wrong = [check for check in checks if not check.holds]
    if not wrong:
        return (
            f"{len(checks)} checks passed: counts add up, and every window equals its recomputation"
        )
    lines = [f"    {c.what}: {c.found:,}, must be {c.expected:,}" for c in wrong]
    return "\n".join([f"{len(wrong)} of {len(checks)} checks FAIL:", *lines])


def _corrections(answers: Answers) -> int:
    return sum(pane.timing == "LATE" and not pane.is_retraction for pane in answers.panes)


def _count(number: int, what: str) -> str:
    return f"{number:>11,}  {what}"


def _hour(worst: Correction) -> str:
    start = worst.after.start.astimezone(NEW_YORK)
    return f"{worst.after.key}, {start:%d %B, %H:%M}"


def _report(pane: Pane) -> str:
    measures = pane.measures
    return (
        f"{pane.flights:>3} flights, {measures['on_time']:>4.0%} on time, "
        f"mean delay {measures['mean_delay']:>4.0f} min"
    )
