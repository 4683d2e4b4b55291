"""What the terminal shows: a line for each file, and one screen at the end."""

from __future__ import annotations

from pathlib import Path

from demo_app import queries
from demo_app.delivery import Run
from demo_app.files import Batch
from demo_app.flights import NEW_YORK
from demo_app.ledger import Check, Correction, Fates
from demo_app.rows import Answers, Pane

HEADER = "file  flights known up to   flights   panes  corrections  rejected  dropped by Spark"
_RULE = "-" * len(HEADER)


def say(text: str = "") -> None:
    """Print a line at once."""
    print(text, flush=True)


class Progress:
    """Says what each file brought: counts of windrow's three queries, and Spark's own counter."""

    def __init__(self, run: Run) -> None:
        """Begin with nothing."""
        self._run = run
        self._seen = (0, 0, 0, 0)

    def line(self, batch: Batch) -> str:
        """One line for a file that all queries are done with."""
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
    """The last screen."""
    late = fates.corrected + fates.rejected
    share = f"{1 - fates.first / fates.read:.2%}"
    lines = [
        _RULE,
        f"windrow: each airport by the hour, corrected for {queries.LATENESS}",
        _count(fates.read, "flights read"),
        _count(fates.first, "in the first report of their hour"),
        _count(fates.corrected, "late: their hour was reported again with them in it"),
        _count(fates.rejected, "too late even for that: rows of their own, with the reason"),
        _count(fates.first + late, "in panes or rejected: all of them"),
        "",
        f"Spark's window(): same stream, same watermark ({queries.WATERMARK})",
        _count(fates.spark_kept, "in its rows"),
        _count(fates.spark_lost, f"dropped without a row or a message ({share} of the year)"),
        _count(fates.spark_counter, "by its counter, which counts after a first aggregation"),
        "",
        f"The hour that changed most: {_hour(worst)}",
        f"    first report   {_report(worst.before)}",
        f"    corrected      {_report(worst.after)}",
        _RULE,
        f"Pictures: {page}",
        f"{seconds:.0f} s in all",
    ]
    return "\n".join(lines)


def verdict(checks: list[Check]) -> str:
    """What was checked, and what does not hold."""
    wrong = [check for check in checks if not check.holds]
    if not wrong:
        return f"{len(checks)} checks hold: counts add up, and every window is as recomputed"
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
