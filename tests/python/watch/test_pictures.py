"""Pictures are well-formed SVG and show the windows that contain the rows."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

import windrow as wr
from strategies import kinds
from windrow._specs import _duration
from windrow.operators import JoinSpec, JoinStream
from windrow.windows._named import NamedWindows


def _count(picture: object, class_: str) -> int:
    """Return how many elements of a class are drawn outside the legend."""
    drawn = ET.fromstring(str(picture)).findall("*")  # noqa: S314  our own
    return sum(one.get("class") == class_ for one in drawn)


@pytest.mark.parametrize(
    ("kind", "messages", "windows"),
    [
        (wr.Tumbling("1 hour"), ["2025-01-01 09:00", "2025-01-01 09:59:59.999999"], 1),
        (wr.Tumbling("1 hour"), ["1969-12-31 23:59:59", "1970-01-01 00:00:00"], 2),
        (
            wr.Tumbling("1 hour", startTime="30 minutes"),
            ["2025-01-01 09:00", "2025-01-01 10:00"],
            2,
        ),
        (wr.Hopping("1 hour", step="20 minutes"), ["2025-01-01 09:00"], 3),
        (wr.Hopping("10 minutes", step="1 hour"), ["2025-01-01 09:09", "2025-01-01 09:10"], 1),
        (wr.Session("10 minutes"), ["2025-01-01 09:20", "2025-01-01 09:00", "2025-01-01 09:10"], 1),
        (wr.Session("10 minutes"), ["2025-01-01 09:00", "2025-01-01 09:10:00.000001"], 2),
        (wr.Session("10 minutes"), [], 0),
        (wr.Tumbling("1 month", zone="Europe/Berlin"), ["2025-01-31 22:59", "2025-01-31 23:00"], 2),
        (wr.Tumbling("1 day", zone="+05:30"), ["2025-01-01 18:29", "2025-01-01 18:30"], 2),
        (wr.Over(range="10 minutes"), ["2025-01-01 09:00", "2025-01-01 09:00"], 2),
        (wr.Over(rows=3), ["2025-01-01 09:00", "2025-01-01 09:01"], 2),
        (wr.Over(), [], 0),
        (wr.Global(), ["2025-01-01 09:00", "2025-01-01 09:01"], 1),
        (wr.Global(), [], 0),
        (wr.Inherit(), ["2025-01-01 09:00"], 0),
        (wr.Count(3), [0, 1, 2, 3], 2),
        (wr.Count(3, step=1), [2], 3),
        (wr.Count(2, step=3), [2], 0),
        (wr.OffsetRange(10), [9, 10, 35], 3),
        (wr.OffsetSession(gap=2), [0, 3, 7], 2),
        (wr.OffsetSession(gap=0), [0, 1, 3], 2),
    ],
)
def test_draws_the_windows_of_messages(
    kind: wr.WindowKind, messages: list[str | int], windows: int
) -> None:
    """A picture has a dot for each row and a bar for each window with a row."""
    picture = kind.plot(messages)
    assert _count(picture, "mark") == len(messages)
    assert _count(picture, "window") == windows


HOUR = 3_600_000_000


@pytest.mark.parametrize(
    ("kind", "rows", "silence", "gaps"),
    [
        (wr.Tumbling("1 minute"), ["01 09:00:10", "01 09:03:30"], _duration.ENDLESS, 2),
        (wr.Tumbling("1 minute"), ["01 09:03:30", "01 09:00:10"], HOUR // 60, 1),
        (wr.Tumbling("1 minute"), ["01 09:00:10", "01 09:01:30"], HOUR, 0),
        (wr.Hopping("2 minutes", step="1 minute"), ["01 09:00:10", "01 09:03:30"], HOUR, 1),
        (wr.Hopping("10 minutes", step="1 hour"), ["01 09:05", "01 12:05"], 9 * HOUR, 2),
        (wr.Hopping("10 minutes", step="1 hour"), ["01 09:30", "01 12:05"], 9 * HOUR, 0),
        (wr.Hopping("1 day", step="1 ms"), ["01 09:00", "02 08:00"], _duration.ENDLESS, 0),
        (wr.Tumbling("1 day", zone="Asia/Tokyo"), ["01 14:59", "03 15:00"], _duration.ENDLESS, 2),
        (wr.Hopping("2 days", step="1 day", zone="UTC"), ["01 12:00", "05 12:00"], 99 * HOUR, 2),
        (wr.Session("1 minute"), ["01 09:00", "01 10:00"], HOUR, 0),
    ],
)
def test_draws_windows_without_rows(
    kind: wr.WindowKind, rows: list[str], silence: int, gaps: int
) -> None:
    """The gaps between two rows are dashed, as long as the silence lasts."""
    one, other = (f"2025-01-{row}" for row in rows)
    assert _count(kind._plot([one, other], 0, silence), "gap") == gaps
    assert _count(kind.plot([one, other]), "gap") == 0
    streams = {"a": [one], "b": [other]}
    more = _count(kind._plot(streams, 0, silence), "window") - _count(kind.plot(streams), "window")
    assert more == gaps


def test_very_many_gaps_are_only_mentioned() -> None:
    """A hundred gaps are drawn at most."""
    rows = ["2025-01-01 09:00", "2025-01-02 09:00"]
    assert _count(wr.Tumbling("1 minute")._plot(rows, 0, HOUR), "gap") == 60
    many = wr.Tumbling("1 minute")._plot(rows, 0, _duration.ENDLESS)
    assert _count(many, "gap") == 0
    assert "More than 100 windows without rows are not drawn." in many.svg


def test_gaps_of_a_calendar_follow_its_clocks() -> None:
    """On 30 March, the day of Berlin has 23 hours."""
    at = [int(datetime(2025, 3, day, 12, tzinfo=UTC).timestamp()) * 10**6 for day in (29, 31)]
    [(start, end)] = wr.Tumbling("1 day", zone="Europe/Berlin")._gaps(at, _duration.ENDLESS)
    assert datetime.fromtimestamp(start // 10**6, UTC) == datetime(2025, 3, 29, 23, tzinfo=UTC)
    assert end - start == 23 * HOUR


def test_a_picture_names_what_times_do_not_show() -> None:
    """Own times have no columns, so the picture names the options that it cannot draw."""
    cut = wr.Session("10 minutes", endsWith="event = 'logout'", split="campaign")
    at = ["2025-01-01 09:00", "2025-01-01 09:05"]
    note = "Times alone do not show endsWith and split."
    assert note in cut.plot(at).svg
    assert note in cut.plot({"a": at}).svg
    assert "Times alone" not in cut.plot().svg
    assert "Times alone" not in wr.Session("10 minutes", maxLength="1 hour").plot(at).svg
    named = NamedWindows.of({"visit": cut, "minute": wr.Tumbling("1 minute")})
    assert note in named.plot(at).svg


def test_many_windows_are_counted() -> None:
    """A row in a thousand windows has a small picture, which counts the rest."""
    picture = wr.Hopping("1000 minutes", step="1 minute").plot(["2025-01-01"])
    assert "more windows" in str(picture)
    assert len(str(picture)) < 10_000


def test_several_windows_are_below_their_names() -> None:
    """Each name is a line, and the bars below it are the windows of that name."""
    windows = {"hour": wr.Hopping("1 hour", step="20 minutes"), "minute": wr.Tumbling("1 minute")}
    picture = NamedWindows.of(windows).plot(["2025-01-01 09:00"])
    drawn = ET.fromstring(str(picture))  # noqa: S314  our own
    names = [one for one in drawn.findall("{*}text") if one.text in windows]
    placed = [
        (float(one.get("y", "0")), one.text or "window")
        for one in [*names, *drawn.findall("{*}rect")]
    ]
    assert [text for _, text in sorted(placed)] == [
        "hour",
        "window",
        "window",
        "window",
        "minute",
        "window",
    ]
    many = NamedWindows.of({f"w{n}": wr.Tumbling(f"{n + 1} hours") for n in range(30)})
    assert "and 18 more windows" in str(many.plot(["2025-01-01 09:00"]))


def test_sliding_windows_are_those_of_kip_450() -> None:
    """The sliding windows are those of KIP-450.

    Windows of 10 ms with records at 0, 4 and 8 are {A}, {A, B}, {A, B, C}, {B, C}, {C}.
    """
    windows = wr.Sliding("10 ms")._holding([0, 4_000, 8_000])
    assert [start // 1000 for start, _ in windows] == [-10, -6, -2, 1, 5]
    assert {last - start for start, last in windows} == {10_000}


@given(st.lists(st.integers(min_value=-50, max_value=50), max_size=8))
def test_sliding_windows_are_one_for_each_set(times: list[int]) -> None:
    """Each distinct set of rows has exactly one sliding window, compared with all starts."""
    size = 7
    kind = wr.Sliding(f"{size} us", granularity="1 us")

    def held(start: int) -> frozenset[int]:
        return frozenset(time for time in times if start <= time <= start + size)

    drawn = [held(start) for start, _ in kind._holding(times)]
    assert set(drawn) == {held(start) for start in range(-60, 60)} - {frozenset()}
    assert len(drawn) == len(set(drawn))


@pytest.mark.parametrize(
    ("day", "hours"), [("2025-03-30", 23), ("2025-10-26", 25), ("2025-06-01", 24)]
)
def test_days_follow_the_clocks_of_their_zone(day: str, hours: int) -> None:
    """A day is shorter or longer when the clocks change."""
    noon = int(datetime.fromisoformat(f"{day}T12:00+00:00").timestamp()) * 10**6
    [(start, end)] = wr.Tumbling("1 day", zone="Europe/Berlin")._holding([noon])
    assert (end - start) / 3_600_000_000 == hours


@pytest.mark.parametrize(
    ("size", "start"),
    [("1 week", "2024-12-30"), ("3 weeks", "2024-12-16"), ("1 year", "2025-01-01")],
)
def test_calendar_windows_count_from_1970(size: str, start: str) -> None:
    """Weeks start on Monday, and several weeks are counted from Monday, 1969-12-29."""
    at = int(datetime.fromisoformat("2025-01-02T00:00+00:00").timestamp()) * 10**6
    [(low, _)] = wr.Tumbling(size, zone="UTC")._holding([at])
    assert str(datetime.fromtimestamp(low / 10**6, UTC).date()) == start


@given(kinds)
def test_every_kind_has_a_picture(kind: wr.WindowKind) -> None:
    """Every kind has a small, well-formed picture, however long its windows are."""
    html = kind._repr_html_()
    assert _count(html, "mark") >= 1
    assert len(html) < 25_000  # the number of drawn windows is limited


@pytest.mark.parametrize(
    "kind",
    [
        wr.Tumbling("1 hour"),
        wr.Tumbling("1 month", zone="Europe/Berlin"),
        wr.Hopping("1 hour", step="7 minutes"),
        wr.Session("1 day"),
        wr.Sliding("1 hour"),
        *(wr.Over(range="1 hour"), wr.Over(rows=2), wr.Over()),
        *(wr.Count(3), wr.OffsetRange(5, step=2), wr.OffsetSession(gap=2)),
    ],
)
def test_notebooks_show_asample(kind: wr.WindowKind) -> None:
    """Without rows, a notebook shows generated samples."""
    html = kind._repr_html_()
    assert _count(html, "mark") > 2
    assert _count(html, "window") > 1


MORNING = {
    "o": ["2025-01-01 09:00", "2025-01-01 09:12", "2025-01-01 09:30"],
    "s": ["2025-01-01 09:05", "2025-01-01 09:12", "2025-01-01 09:50"],
}


@pytest.mark.parametrize(
    ("within", "more", "pairs", "alone"),
    [
        (("0 minutes", "5 minutes"), {"how": "left"}, 2, 1),
        (("0 minutes", "5 minutes"), {"how": "left", "bounds": "[)"}, 1, 2),
        (("0 minutes", "5 minutes"), {"how": "right", "bounds": "(]"}, 1, 2),
        (("-8 minutes", "0 minutes"), {}, 2, 0),
        (wr.Tumbling("20 minutes"), {"how": "full"}, 4, 2),
        (wr.Session("10 minutes"), {"how": "anti"}, 4, 1),
        (wr.Global(), {}, 9, 0),
    ],
)
def test_draws_the_pairs_of_a_join(
    within: Any, more: dict[str, Any], pairs: int, alone: int
) -> None:
    """A join's picture has a dot per row, a line per pair, and marks unmatched rows (R37, R39)."""
    streams = [JoinStream(name="o"), JoinStream(name="s")]
    spec = JoinSpec(streams=streams, on="id", within=within, **more)
    drawn = str(spec.plot(MORNING))
    assert _count(drawn, "message") == 6
    assert _count(drawn, "pair") == pairs
    assert drawn.count('data-fate="alone"') == alone
    assert spec._repr_html_() == str(spec.plot())


def test_draws_own_windows_and_many_streams() -> None:
    """Windows of sides match at the partner's time; a row of three has one of each (R36, R38)."""
    own = [JoinStream(name="o", window=wr.Sliding("5 minutes")), JoinStream(name="s")]
    assert _count(JoinSpec(streams=own).plot(MORNING), "pair") == 2
    three = [*own[1:], JoinStream(name="o"), JoinStream(name="p")]
    spec = JoinSpec(streams=three, within=("-10 minutes", "10 minutes"))
    drawn = str(spec.plot({**MORNING, "p": ["2025-01-01 09:01"]}))
    assert drawn.count('data-fate="row"') == 4
    with pytest.raises(wr.SpecError, match="STREAM_UNKNOWN"):
        spec.plot({"x": []})


@pytest.mark.parametrize(("how", "alone"), [("left", 1), ("right", 2), ("full", 2)])
def test_draws_a_chain_of_joins(how: Any, alone: int) -> None:
    """A row of a chain is alone if no other stream has a row in its range (SEMANTICS R143)."""
    streams = [JoinStream(name=name) for name in "abc"]
    spec = JoinSpec(streams=streams, within=("0 minutes", "5 minutes"), how=how)
    times = {"a": ["2025-01-01 09:00", "2025-01-01 10:00"], "b": [], "c": ["2025-01-01 09:01"]}
    times["c"].append("2025-01-01 11:00")
    drawn = str(spec.plot(times))
    assert drawn.count('data-fate="alone"') == alone
    assert ('data-fate="row"' in drawn) == (how != "right")


def test_draws_messages_by_their_stream() -> None:
    """Rows of a co-group are drawn by stream, in shared windows."""
    drawn = wr.Tumbling("20 minutes").plot(MORNING)
    assert (_count(drawn, "message"), _count(drawn, "window")) == (6, 3)
