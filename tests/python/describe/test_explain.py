"""``explain`` describes what each window waits for; its words equal Scala's (tests/parity)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F

import windrow as wr
from feed import Feed

if TYPE_CHECKING:
    from collections.abc import Callable

    from join.joins import Both

pytestmark = pytest.mark.spark


@pytest.mark.anywhere
def test_windows(feed: Feed, capsys: pytest.CaptureFixture[str]) -> None:
    """``explain`` prints one line for each aspect of the windows."""
    stream = wr.stream(feed.batch(), time="time", key=["product"], watermark="1 minute", name="o")
    hours = stream.lateness("1 hour").window(wr.Sliding("1 hour"))
    late = hours.accumulationMode(wr.DISCARDING).trigger(late=wr.Every("10 seconds"))
    late.aggregate(F.sum("amount")).explain()
    said = [line.strip() for line in capsys.readouterr().out.splitlines()]
    until = "until the watermark has passed the last instant of the window + 1 hour"
    assert len(said) == 11
    assert said[0] == (
        "Sliding('1 hour', granularity='1 millisecond') over stream 'o', event time time, "
        "key product"
    )
    assert {
        f"windows    {wr.Sliding('1 hour').describe()}",
        "watermark  greatest event time minus 1 minute; it advances after each micro-batch",
        f"late       one pane every 10 seconds of processing time, if rows arrived, {until}",
        "panes      the rows that the window received since its previous pane",
    } <= set(said)


ORDER = "the result may depend on their order"
COMBINED = "combined if they share a key and a slice"
TOGETHER = "combined if they share a key and are at most the gap apart"
HOW: dict[str, tuple[Callable[[wr.Stream], Any], str]] = {
    "combined": (
        lambda w: w.window(wr.Tumbling("1 minute")).aggregate(F.count("*")),
        f"many in a packet, {COMBINED}, as long as that leaves at most 50 % of them "
        "(spark.windrow.combine)",
    ),
    "ordered aggregate": (
        lambda w: w.window(wr.Tumbling("1 minute")).aggregate(F.collect_list("amount")),
        f"many in a packet, each separately, because {ORDER}",
    ),
    "texts": (
        lambda w: w.window(wr.Tumbling("1 minute")).aggregate(F.max("product")),
        f"many in a packet, {COMBINED}, as long as that leaves at most 50 % of them "
        "(spark.windrow.combine)",
    ),
    "sessions": (
        lambda w: w.window(wr.Session("1 minute")).aggregate(F.count("*")),
        f"many in a packet, {TOGETHER}, as long as that leaves at most 50 % of them "
        "(spark.windrow.combine)",
    ),
    "sessions of each message's gap": (
        lambda w: w.window(wr.Session(F.col("gap"))).aggregate(F.count("*")),
        "many in a packet, each separately, because Session(gap of each row) needs each of them",
    ),
    "early": (
        lambda w: (
            w.window(wr.Tumbling("1 minute"))
            .trigger(early=wr.EachMessage())
            .accumulationMode(wr.DISCARDING)
            .aggregate(F.count("*"))
        ),
        "many in a packet, sorted, because rows trigger early panes",
    ),
    "gaps": (
        lambda w: w.window(wr.Tumbling("1 minute"), fillGaps=True).aggregate(F.count("*")),
        "many in a packet, sorted, because gaps are filled up to a row",
    ),
    "full state": (
        lambda w: w.window(wr.Tumbling("1 minute")).retain(time="1 hour").keepRows(),
        "many in a packet, sorted, because they are stored or emitted unchanged",
    ),
}


@pytest.mark.parametrize("name", HOW)
def test_how_messages_travel(feed: Feed, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The last line describes how rows are sent in the shuffle, and why."""
    make, told = HOW[name]
    stream = wr.stream(feed.stream(), time="time", key="product", watermark="1 minute")
    make(stream.lateness("0 seconds")).explain()
    assert capsys.readouterr().out.splitlines()[-1] == f"  shuffle    rows are sent {told}"


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("always", f"many in a packet, {COMBINED}"),
        ("never", "many in a packet, each separately, because spark.windrow.combine is never"),
    ],
)
def test_the_combine_setting_is_shown(
    feed: Feed, word: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """``explain`` shows the combine setting at the time of the call."""
    make, _ = HOW["combined"]
    stream = wr.stream(feed.stream(), time="time", key="product", watermark="1 minute")
    output = make(stream.lateness("0 seconds"))
    feed.spark.conf.set("spark.windrow.combine", word)
    try:
        output.explain()
    finally:
        feed.spark.conf.unset("spark.windrow.combine")
    assert capsys.readouterr().out.splitlines()[-1] == f"  shuffle    rows are sent {told}"


def test_clocks_and_messages(feed: Feed, capsys: pytest.CaptureFixture[str]) -> None:
    """``explain`` describes a watermark by the clock, kept rows and a missing key."""
    behind = wr.ProcessingTimeWatermark("5 s")
    stream = wr.stream(feed.stream(), time="time", watermark=behind).lateness("0 seconds")
    stream.window(wr.Tumbling("1 s")).retain(messages=3).keepRows().explain()
    said = capsys.readouterr().out
    assert "over stream 'messages', event time time, no key" in said
    assert "processing time minus 5 seconds" in said
    assert "each row once" in said
    policy = wr.Policy.tumbling(wr.ByCount(2))
    wr.stream(feed.batch(), time="time").window(policy).aggregate(F.count("*")).explain()
    said = capsys.readouterr().out
    assert said.startswith("Policy Tumbling(ByCount(2)) over stream 'messages', event time time, ")
    assert policy.describe() in said


def test_joins(both: Both, capsys: pytest.CaptureFixture[str]) -> None:
    """``explain`` of a join shows the watermark delays and the equal columns."""
    left, right = (one.stream() for one in both.feeds)
    a = wr.stream(left, time="time", watermark="1 minute", name="a").lateness("0 seconds")
    b = wr.stream(right.withWatermark("time", "1 second"), time="time", name="b")
    wr.join(a, b.lateness("0 s"), on="product", within=("0 s", "1 m"), how="left").explain()
    said = capsys.readouterr().out
    assert "left join of 2 streams" in said
    assert "greatest event time of 'a' minus 1 minute, 'b' as defined by the DataFrame" in said
    assert (
        "equal product (null matches nothing); event time of 'b' minus event time of 'a' in" in said
    )
    assert said.endswith("  shuffle    rows are sent many in a packet, each unchanged\n")


def test_notebooks_show_it(feed: Feed) -> None:
    """Notebooks show text and picture of streams, windows and outputs, with names escaped."""
    stream = wr.stream(feed.batch(), time="time", key="product", watermark="1 minute", name="<i>")
    hours = stream.lateness("1 hour").window(wr.Tumbling("1 hour"))
    output = hours.accumulationMode(wr.DISCARDING).aggregate(F.sum("amount"))
    for shown in (stream, hours, output):
        html = shown._repr_html_()
        assert html.startswith("<div")
        assert "<svg" in html
        assert "&lt;i&gt;" in html
        assert "<i>" not in html
    assert "the rows that the window received since its previous pane" in output._repr_html_()
    assert output.plot().svg in output._repr_html_()
    assert 'class="lateness"' in output.plot(["2025-01-01 09:00"]).svg
    assert wr.doctor()._repr_html_().count("<tr>") == len(wr.doctor().checks)


def test_arrivals_mark_rows_older_than_the_watermark(feed: Feed) -> None:
    """``plot`` marks each arrival by the watermark: the greatest time before it minus the delay."""
    stream = wr.stream(feed.batch(), time="time", watermark="1 minute").lateness("2 minutes")
    at = [f"2025-01-01 09:{minute:02}" for minute in (0, 5, 4, 3, 1)]
    svg = stream.plot(at).svg
    said = [svg.split(f"{one}:00: ")[1].split("<")[0] for one in at]
    assert said == ["row", "row", "row", "late", "rejected"]


def fates(picture: wr.Picture) -> list[str]:
    """Return the fate of each row that is drawn with its partition."""
    return re.findall(r", partition \S+: (\w+)", picture.svg)


@pytest.mark.parametrize(
    ("partitions", "last"),
    [(2, ["late", "rejected", "rejected"]), (3, ["row", "row", "row"]), (4, ["row", "row", "row"])],
)
def test_arrivals_follow_the_slowest_partition(
    feed: Feed, partitions: int, last: list[str]
) -> None:
    """A row is late against the least watermark of the partitions, which never goes back (R107).

    With two partitions the watermark is 09:01 and then 09:04, also after the row of 09:00 of a
    third one. With three it is 09:00 after that row, and with four there is none.
    """
    mark = wr.EventTimeWatermark("0 seconds", by="partition", partitions=partitions)
    stream = wr.stream(feed.batch(), time="time", watermark=mark).lateness("1 minute")
    minutes, of = (10, 1, 30, 4, 3, 0, 2), [0, 1, 0, 1, 1, 2, 2]
    picture = stream.plot([f"2025-01-01 09:{minute:02}" for minute in minutes], of)
    assert fates(picture) == ["row"] * 4 + last
    assert ("waits for rows of 4 partitions" in picture.svg) == (partitions == 4)


def test_arrivals_without_their_partitions_are_not_late(feed: Feed) -> None:
    """If the partition of a row is not known, no row is marked and no watermark is drawn."""
    mark = wr.EventTimeWatermark("0 seconds", by="partition", partitions=8, idle="1 minute")
    stream = wr.stream(feed.batch(), time="time", watermark=mark).lateness("1 minute")
    at = [f"2025-01-01 09:{minute:02}" for minute in (10, 1)]
    svg = stream.plot(at).svg
    assert "The partitions are not known" in svg
    assert 'class="watermark"' not in svg
    assert "01:00: row" in svg
    assert "no partition is idle" in stream.plot(at, ["a", "b"]).svg
    assert fates(stream.plot())[-5:] == ["late", "row", "row", "row", "rejected"]
    with pytest.raises(ValueError, match="2 rows, but 1 partitions"):
        stream.plot(at, [0])
    with pytest.raises(ValueError, match="one watermark for all partitions"):
        wr.stream(feed.batch(), time="time", watermark="1 minute").plot(at, [0, 1])


def test_windows_without_rows_are_drawn(feed: Feed) -> None:
    """``plot`` draws the windows that ``fillGaps`` emits, of a windowed stream and of an output."""
    at = ["2025-01-01 09:00", "2025-01-01 12:00"]
    stream = wr.stream(feed.batch(), time="time", watermark="1 minute").lateness("0 seconds")
    hours = stream.window(wr.Tumbling("1 hour"))
    filled = hours.accumulationMode(wr.ACCUMULATING).fillGaps(0, atMost="1 hour")
    always = stream.window(wr.Tumbling("1 hour"), fillGaps=True)
    wrong = stream.window(wr.Tumbling("1 hour"), fillGaps="soon")
    output = filled.aggregate(F.count("*").alias("n"))
    gap = 'class="gap"><title>'
    drawn = [one.plot(at).svg.count(gap) for one in (hours, wrong, filled, output, always)]
    assert drawn == [0, 0, 1, 1, 2]
