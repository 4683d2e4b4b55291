"""Select the data of the pictures from the results of the queries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import date, datetime

import pandas as pd

from flights import ledger
from flights.data import NEW_YORK
from flights.ledger import Correction
from flights.rows import Pane
from flights.svg.airport import Reports
from flights.svg.sessions import Bar

AIRPORTS = {"EWR": "Newark", "JFK": "Kennedy", "LGA": "LaGuardia"}


def hour_of(time: datetime, day: date) -> float:
    """Return the hours since midnight of a day in New York. The next day is above 24."""
    midnight = pd.Timestamp(day, tz=NEW_YORK)
    hours: float = (pd.Timestamp(time) - midnight) / pd.Timedelta("1 hour")
    return hours


def reports(
    panes: Iterable[Pane], day: date, measure: str, *, at_end: bool
) -> dict[str, list[Reports]]:
    """Return the windows of a day for each airport in order of time, with the values of all panes.

    A window is drawn at its middle, or at its end. Windows without departures are left out.
    """
    found: dict[str, dict[float, list[Pane]]] = defaultdict(lambda: defaultdict(list))
    for pane in panes:
        drawn = hour_of(pane.end if at_end else pane.start + (pane.end - pane.start) / 2, day)
        if 5 <= drawn <= 24 and pane.measures[measure] is not None:
            found[pane.key][drawn].append(pane)
    return {
        airport: [_reports(drawn, said, measure) for drawn, said in sorted(windows.items())]
        for airport, windows in sorted(found.items())
    }


def biggest(panes: list[Pane], day: date, measure: str) -> Correction | None:
    """Return the window of a day whose measure changed most."""
    on_day = [
        each
        for each in ledger.corrections(panes)
        if 0 <= hour_of(each.after.start, day) < 24 and None not in each.values(measure)
    ]
    return max(on_day, key=lambda each: abs(each.change(measure)), default=None)


def sessions(panes: list[Pane], day: date, names: dict[str, str]) -> dict[str, list[Bar]]:
    """Return the sessions that overlap a day by airline, the most delayed flights first."""
    first = list(ledger.first(panes).values())
    bars: dict[str, list[Bar]] = defaultdict(list)
    for pane in ledger.last(panes).values():
        start, end = hour_of(pane.start, day), hour_of(pane.end, day)
        if end > 5 and start < 24:
            inside = [
                (hour_of(said.start, day), hour_of(said.end, day))
                for said in first
                if said.key == pane.key and pane.start <= said.start and said.end <= pane.end
            ]
            mean = pane.measures["mean_delay"]
            bars[names[pane.key]].append(Bar(start, end, pane.flights, mean, tuple(inside)))
    order = sorted(bars.items(), key=lambda item: -sum(bar.flights for bar in item[1]))
    return {name: sorted(found, key=lambda bar: bar.start) for name, found in order}


def clock(time: datetime) -> str:
    """Return the time of day in New York."""
    return f"{time.astimezone(NEW_YORK):%H:%M}"


def _reports(drawn: float, said: list[Pane], measure: str) -> Reports:
    values = tuple(float(pane.measures[measure]) for pane in said)
    window = f"{clock(said[0].start)} to {clock(said[0].end)}"
    each = "; ".join(
        f"{pane.timing.replace('_', ' ').lower()}: {pane.flights} flights, "
        f"{pane.measures['on_time']:.0%} on time, {pane.measures['mean_delay']:.0f} min mean delay"
        for pane in said
    )
    return Reports(drawn, values, f"{window}. {each}")
