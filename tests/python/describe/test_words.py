"""Texts in place of constants (SEMANTICS B8), and hints for missing names."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any, cast

import pytest
from pyspark.sql import functions as F

import windrow as wr
from feed import Feed
from replays import reading
from windrow.triggers import USUAL, accumulation, firings

if TYPE_CHECKING:
    from join.joins import Both

FIRINGS = {
    "never": wr.Never(),
    "EACH_MESSAGE": wr.EachMessage(),
    "each_batch": wr.EachBatch(),
    "1 message": wr.EachMessage(),
    "1000 messages": wr.Every(messages=1000),
    "5 seconds": wr.Every("5 seconds"),
}


@pytest.mark.parametrize("text", FIRINGS)
def test_a_trigger_is_a_text(text: str) -> None:
    """Python accepts the same texts for triggers as SQL."""
    assert firings("trigger", early=text) == [FIRINGS[text]]


def test_a_trigger_is_a_duration_or_none() -> None:
    """A timedelta as a trigger is a period, and None is the default trigger."""
    assert firings("trigger", late=timedelta(seconds=5)) == [wr.Every("5 seconds")]
    assert firings("trigger", late=None) == [USUAL]


@pytest.mark.parametrize("text", ["accumulating", "ACCUMULATING"])
def test_a_mode_is_a_text(text: Any) -> None:
    """An accumulation mode is accepted in lower and upper case."""
    assert accumulation(text) is wr.ACCUMULATING


def test_texts_that_are_none_of_them() -> None:
    """An unknown text is refused with the allowed ones, and another type with the constants."""
    with pytest.raises(wr.SpecError, match=r"\[TRIGGER_UNKNOWN\] trigger\(early='often'\).*'10 s"):
        firings("trigger", early="often")
    with pytest.raises(wr.SpecError, match=r"\[VALUE_UNKNOWN\].*accumulating_and_retr"):
        accumulation(cast("Any", "all"))
    with pytest.raises(TypeError, match=r"accumulationMode\(mode\) must be .* example ACCUMU"):
        accumulation(cast("Any", 1))
    with pytest.raises(TypeError, match=r"trigger\(early=...\) must be .* Every\('5 seconds'\)"):
        firings("trigger", early=cast("Any", 5))


def test_any_of_texts() -> None:
    """``AnyOf`` accepts texts, and reports all invalid ones at once."""
    texts = wr.AnyOf("5 seconds", "1000 messages", wr.EachBatch())
    assert texts == wr.AnyOf(wr.Every("5 seconds"), wr.Every(messages=1000), wr.EachBatch())
    with pytest.raises(wr.SpecError, match=r"'watermark'.*'10 seconds'") as refused:
        wr.AnyOf("watermark", "often", "each_batch")
    assert len(refused.value.problems) == 2
    with pytest.raises(wr.SpecError, match=r"early is 'often'.*late is 'seldom'"):
        firings("trigger", early="often", late="seldom")


JOINS = {
    "INNER": "inner",
    "left_outer": "left",
    "leftouter": "left",
    "RIGHT": "right",
    "outer": "full",
    "full_outer": "full",
    "left_semi": "semi",
    "leftanti": "anti",
}


@pytest.mark.parametrize("name", JOINS)
def test_joins_have_the_names_of_spark(name: Any) -> None:
    """Joins accept the names that ``DataFrame.join`` accepts."""
    streams = [wr.JoinStream(name="a"), wr.JoinStream(name="b")]
    spec = wr.JoinSpec(streams=streams, on="id", within=("0 s", "1 s"), how=name, lateness="0 s")
    assert spec.how == JOINS[name]
    assert reading.join(spec.toJson()) == spec


@pytest.mark.spark
def test_hints(feed: Feed) -> None:
    """Errors suggest a kind of windows, a quoted name, a bound or a DataFrame."""
    orders = feed.batch().withColumn("a.b", F.lit(1))
    stream = wr.stream(orders, time="time", key="a.b").lateness("0 seconds")
    with pytest.raises(TypeError, match=r"Pass for example Tumbling\('5 minutes'\)"):
        stream.window(cast("Any", "5 minutes"))
    with pytest.raises(wr.SpecError, match=r"COLUMN_NOT_FOUND.*write key='`a.b`'"):
        stream.window(wr.Tumbling("1 minute")).aggregate(F.count("*"))
    plain = wr.stream(feed.batch(), time="time").lateness("0 seconds")
    output = plain.window(wr.Tumbling("1 minute")).aggregate(F.count("*").alias("n"))
    with pytest.raises(AttributeError, match=r"\.panes and \.rejected, for example \.panes\.show"):
        output.show()  # type: ignore[attr-defined]
    hours = wr.stream(output.panes, time="window", name="h").lateness("0 seconds")
    with pytest.raises(wr.SpecError, match=r"TIME_NOT_TIMESTAMP.*Set window\.start or window\.end"):
        _ = hours.window(wr.Tumbling("1 hour")).aggregate(F.max("n")).panes


@pytest.mark.spark
def test_index_with_backticks(both: Both) -> None:
    """Backticks quote a name and are not part of it; streams without names are a clear error."""
    left, right = (
        wr.stream(df.withColumn("a.b", F.lit(1)), time="time", name=name).lateness("0 seconds")
        for name, df in (("l", both.orders.batch()), ("r", both.shipments.batch()))
    )
    within = ("0 minutes", "5 minutes")
    assert wr.join(left, right, on="`a.b`", within=within).rows.columns == ["a.b", "l", "r"]
    with pytest.raises(wr.SpecError, match=r"STREAM_TWICE.*: stream\(name=\.\.\.\)"):
        wr.join(left, left, on="`a.b`", within=within)


@pytest.mark.spark
def test_rejected_queries_are_not_logged(feed: Feed, capfd: pytest.CaptureFixture[str]) -> None:
    """A refused query is not logged; PySpark would write Java's stack frames to stderr."""
    windows = wr.stream(feed.batch(), time="time").lateness("0 s").window(wr.Tumbling("1 minute"))
    capfd.readouterr()
    with pytest.raises(wr.SpecError, match="nope"):
        windows.aggregate(F.avg("nope"))
    assert capfd.readouterr().err == ""
