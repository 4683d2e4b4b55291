"""Count the outcome of every flight, and check that the counts add up."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from flights import truth
from flights.data import ON_TIME_MINUTES
from flights.delivery import Run
from flights.rows import Pane

Windows = dict[tuple[object, ...], Pane]
Measures = Mapping[str, Any]


@dataclass(frozen=True)
class Check:
    """Two numbers that must be equal."""

    what: str
    found: int
    expected: int

    @property
    def holds(self) -> bool:
        """Whether the numbers are equal."""
        return self.found == self.expected


@dataclass(frozen=True)
class Fates:
    """Numbers of flights by their outcome in the hourly windows."""

    read: int
    first: int  # in the first pane of their hour
    corrected: int  # later than the first pane, but in a correction
    rejected: int
    spark_kept: int
    spark_counter: int

    @property
    def spark_lost(self) -> int:
        """Flights that are missing in the rows of Spark."""
        return self.read - self.spark_kept


@dataclass(frozen=True)
class Correction:
    """The first and the last pane of a window."""

    before: Pane
    after: Pane

    def values(self, measure: str) -> tuple[float | None, float | None]:
        """Return a measure of the first and the last pane."""
        return self.before.measures[measure], self.after.measures[measure]

    def change(self, measure: str) -> float:
        """Return the change of a measure."""
        before, after = self.values(measure)
        return 0.0 if before is None or after is None else after - before


def last(panes: Iterable[Pane]) -> Windows:
    """Return the last pane of each window, without the windows that were retracted."""
    found: Windows = {}
    for pane in panes:
        if pane.is_retraction:
            found.pop(pane.window, None)
        else:
            found[pane.window] = pane
    return found


def first(panes: Iterable[Pane]) -> Windows:
    """Return the ON_TIME pane of each window."""
    return {pane.window: pane for pane in panes if pane.timing == "ON_TIME"}


def corrections(panes: list[Pane]) -> list[Correction]:
    """Return the corrected windows, by the change of their mean delay in descending order."""
    before, after = first(panes), last(panes)
    changed = [Correction(before[name], after[name]) for name in before.keys() & after.keys()]
    changed = [each for each in changed if each.after.index > 0]
    return sorted(changed, key=lambda each: (-abs(each.change("mean_delay")), each.after.window))


def total(windows: Windows) -> int:
    """Return the number of flights in all windows."""
    return sum(pane.flights for pane in windows.values())


def fates(run: Run, read: int) -> Fates:
    """Count the flights by their outcome."""
    on_time = total(first(run.hourly.panes))
    return Fates(
        read=read,
        first=on_time,
        corrected=total(last(run.hourly.panes)) - on_time,
        rejected=len(run.hourly.rejected),
        spark_kept=total(last(run.spark.panes)),
        spark_counter=run.spark_counter(),
    )


def checks(run: Run, flights: pd.DataFrame, file: pd.Series) -> list[Check]:
    """Return all checks. Most compare with results that pandas computes independently."""
    met = truth.watermarks(flights, file)
    hours = truth.windows(flights, met, "1 hour", "1 hour")
    three = truth.windows(flights, met, "3 hours", "1 hour")
    delayed = int((flights["delay"] > ON_TIME_MINUTES).sum())
    found = fates(run, len(flights))
    hourly, hopping = (last(run.answers[name].panes) for name in ("hourly", "three_hours"))
    own = {name: pane.measures for name, pane in last(run.spark.panes).items()}
    return [
        Check("in hourly panes + rejected = read", total(hourly) + found.rejected, found.read),
        Check("lost by Spark = corrected + rejected", found.spark_lost, _late(found)),
        Check("first panes equal to Spark's rows", *_agreeing(first(run.hourly.panes), own)),
        Check("hourly windows as recomputed", *_agreeing(hourly, _recomputed(hours))),
        Check("three-hour windows as recomputed", *_agreeing(hopping, _recomputed(three))),
        Check("delayed flights in sessions + rejected", _in_sessions(run), delayed),
        *_counted(run, {"hourly": len(flights), "three_hours": len(flights), "sessions": delayed}),
    ]


def _late(found: Fates) -> int:
    return found.corrected + found.rejected


def _in_sessions(run: Run) -> int:
    sessions = run.answers["sessions"]
    return total(last(sessions.panes)) + len(sessions.rejected)


def _counted(run: Run, read: dict[str, int]) -> Iterable[Check]:
    """Yield checks of the counts that the queries report."""
    for name, metrics in run.metrics().items():
        rejected = len(run.answers[name].rejected)
        yield Check(f"{name}: read by its own count", metrics.read, read[name])
        yield Check(f"{name}: accepted + rejected rows", metrics.accepted + rejected, read[name])


def _recomputed(pairs: pd.DataFrame) -> dict[tuple[object, ...], Measures]:
    expected = truth.measures(pairs)
    return dict(zip(expected.index, expected.to_dict("records"), strict=True))


def _agreeing(found: Windows, expected: Mapping[tuple[object, ...], Measures]) -> tuple[int, int]:
    """Return the equal windows minus the unexpected ones, and the number of expected windows."""
    same = sum(
        name in found and _same(found[name].measures, measures)
        for name, measures in expected.items()
    )
    return same - len(found.keys() - expected.keys()), len(expected)


def _same(left: Measures, right: Measures) -> bool:
    return all(_close(left[name], right[name]) for name in right)


def _close(left: float | None, right: float | None) -> bool:
    """Whether two values are equal up to rounding. None and NaN both mean that no flight left."""
    one, other = (math.nan if value is None else value for value in (left, right))
    if math.isnan(one) or math.isnan(other):
        return math.isnan(one) and math.isnan(other)
    return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)
