"""Errors, restarts, state, sinks, chains, and SQL of several windows (SEMANTICS R152, R153)."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F

import windrow as wr
from feed import NOTHING, Feed, order
from sinks.databases import Database, Servers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame

pytestmark = [pytest.mark.spark, pytest.mark.slow]

MINUTES = {"minute": wr.Tumbling("1 minute"), "visit": wr.Session("2 minutes")}
ROWS = (
    [order("09:00:10", amount=1), order("09:00:50", amount=2)],
    [order("09:02:30", amount=4)],
    NOTHING,
    [order("09:00:20", amount=8), order("09:01:40", amount=16)],
)


def totals(
    df: DataFrame, windows: Mapping[str, wr.WindowKind], lateness: str = "0 seconds"
) -> wr.Output:
    """Return the totals of several windows."""
    stream = wr.stream(df, time="time", key="product", watermark="0 seconds", name="orders")
    named = stream.lateness(lateness).windows(**windows)
    return named.accumulationMode(wr.ACCUMULATING).aggregate(F.sum("amount").alias("total"))


def run(output: wr.Output, folder: Path, **sinks: Any) -> None:
    """Run a query over all files until it stops."""
    query = output.start(checkpoint=folder, availableNow=True, **sinks)
    query.awaitTermination()


def test_all_mistakes_are_in_one_error(feed: Feed) -> None:
    """Names, kinds, and options that do not fit are reported together, before anything runs."""
    stream = wr.stream(feed.stream(), time="time", key="product", watermark="0 seconds")
    strange = {"2nd": wr.Tumbling("0 seconds"), "b": wr.Sliding("1 minute"), "c": wr.Count(3)}
    with pytest.raises(wr.SpecError) as refused:
        stream.windows(**strange).fillGaps("previous", atMost="1 hour").aggregate(F.count("*"))
    codes = Counter(one.code for one in refused.value.problems)
    assert codes == {
        "NAMED_WINDOWS": 4,  # the name, two kinds, and fillGaps
        "NOT_POSITIVE": 1,
        "LATENESS_NOT_STATED": 1,
    }
    assert "window '2nd'" in str(refused.value)
    late = stream.lateness("0 seconds")
    for wrong in (
        lambda: late.windows().aggregate(F.count("*")),
        lambda: late.windows(a=wr.Session(F.col("gap"))).aggregate(F.count("*")),
        lambda: late.retain(time="1 day").windows(**MINUTES).keepRows(),
        lambda: late.windows(**MINUTES).aggregate(F.count("*").alias("window_name")).panes,
    ):
        with pytest.raises(wr.SpecError) as refused:
            wrong()
        assert refused.value.problems[0].code in {"NAMED_WINDOWS", "NAME_TAKEN"}
    with pytest.raises(TypeError, match=r"windows\(a=...\)"):
        stream.windows(a="1 minute")  # type: ignore[arg-type]


def test_an_operator_without_a_query_is_refused() -> None:
    """Windows by name run only in a query."""
    spec = wr.WindowOperatorSpec(
        schema="time timestamp, amount bigint",
        time="time",
        window=wr.windows._named.NamedWindows.of(MINUTES),
        lateness="0 seconds",
        aggregates=["sum(amount) AS total"],
    )
    with (
        pytest.raises(wr.SpecError, match="NAMED_WINDOWS"),
        wr.AggregatedWindowOperator(spec) as operator,
    ):
        operator.addMessage({"time": "2025-01-01 09:00:10", "amount": 1})


@pytest.mark.full
def test_state_counts_and_rejected_rows(feed: Feed, tmp_path: Path) -> None:
    """The state, the metrics, and the rejected rows name the windows (SEMANTICS R154)."""
    feed.add(*ROWS, NOTHING)
    output = totals(feed.stream(), MINUTES)
    panes: list[Any] = []
    rejected: list[Any] = []
    query = output.start(
        checkpoint=tmp_path / "cp",
        panes=lambda rows, _: panes.extend(rows.collect()),
        rejected=lambda rows, _: rejected.extend(rows.collect()),
        availableNow=True,
    )
    query.awaitTermination()
    # A row of a session is judged by its own time plus the gap.
    assert sorted((one.window_name, one.reason, one.message.amount) for one in rejected) == [
        ("minute", "TOO_LATE", 8),
        ("minute", "TOO_LATE", 16),
        ("visit", "TOO_LATE", 8),
    ]
    assert rejected[0].__fields__[:3] == ["stream", "window_name", "reason"]
    counts: Counter[str] = Counter()
    for progress in query.recentProgress:
        found = progress["observedMetrics"]["windrow_orders"].asDict()
        counts.update({name: found[name] for name in ("accepted", "rejected", "too_late")})
    # The session accepts one of the late rows, so only the other one counts as rejected.
    assert (counts["accepted"], counts["rejected"], counts["too_late"]) == (4, 1, 3)
    assert output.panes.columns == ["product", "window_name", "window", "total", "pane"]
    assert [(one.window_name, one.total) for one in panes] == [("minute", 3)]
    state = wr.state(tmp_path / "cp")
    windows = state.getWindows().collect()
    assert windows[0].__fields__[:3] == ["product", "window_name", "window"]
    assert [(one.window_name, one.total, one.is_complete) for one in windows] == [
        ("visit", 23, False),
        ("minute", 4, False),
    ]
    assert [(one.window_name, one.timing) for one in state.pending().collect()] == [
        ("minute", "ON_TIME"),
        ("visit", "ON_TIME"),
    ]
    assert wr.verify(tmp_path / "cp").ok
    assert wr.advise(tmp_path / "cp").late == 2  # as many as the minutes reject


@pytest.mark.anywhere
def test_restarts(feed: Feed, tmp_path: Path) -> None:
    """The order of the windows may change; another set or another name is refused."""
    panes: list[Any] = []

    def keep(rows: DataFrame, _: int) -> None:
        panes.extend(rows.orderBy("window.end").collect())

    feed.add(*ROWS[:3])
    run(totals(feed.stream(), MINUTES), tmp_path / "cp", panes=keep)
    for other in (
        {"minute": MINUTES["minute"]},
        {**MINUTES, "hour": wr.Tumbling("1 hour")},
        {"minutes": MINUTES["minute"], "visit": MINUTES["visit"]},
    ):
        with pytest.raises(wr.CheckpointError, match="SPEC_CHANGED"):
            run(totals(feed.stream(), other), tmp_path / "cp", panes=keep)
    feed.add([order("09:10:00", amount=32)], [order("09:20:00", amount=64)], NOTHING)
    turned = {name: MINUTES[name] for name in reversed(MINUTES)}
    run(totals(feed.stream(), turned), tmp_path / "cp", panes=keep)
    assert [(one.window_name, one.total) for one in panes] == [
        ("minute", 3),
        ("minute", 4),
        ("visit", 7),
        ("minute", 32),
        ("visit", 32),
    ]


@pytest.mark.full
def test_a_table_has_a_row_for_each_name_and_window(
    feed: Feed, servers: Servers, tmp_path: Path
) -> None:
    """An upsert replaces the pane of the same key, name, and window."""
    feed.add(*ROWS, [order("09:05:00", amount=32)])
    url = servers.empty(feed.spark, "derby").url
    same = {"minute": wr.Tumbling("1 minute"), "alike": wr.Tumbling("1 minute")}
    sink = wr.Jdbc(url, "minutes", upsert=True)
    run(totals(feed.stream(), same, "1 hour"), tmp_path / "cp", panes=sink)
    rows = Database("derby", url).held(feed.spark, "minutes")
    first = [(one.window_name, one.total) for one in rows if one.window_start.minute == 0]
    assert sorted(first) == [("alike", 11), ("minute", 11)]


@pytest.mark.full
def test_a_chain_over_one_name(feed: Feed) -> None:
    """The next operator reads the panes of one window; rejected rows of both leave the query."""
    late = [order("08:00:00", amount=5), order("09:30:00", amount=32)]
    feed.add(*ROWS, late, [order("12:00:00", amount=64)], NOTHING, NOTHING)
    below = totals(feed.stream(), {"minute": MINUTES["minute"], "hour": wr.Tumbling("1 hour")})
    minutes = below.panes.where("window_name = 'minute'")
    above = wr.stream(minutes, key="product", name="most").lateness("0 seconds")
    most = above.window(wr.Tumbling("1 hour")).aggregate(F.max("total").alias("most"))
    rows = feed.run(most.output)
    panes = [one.panes.most for one in rows if one.panes]
    assert panes == [32]
    refused = [one.rejected for one in rows if one.rejected]
    assert Counter((one.stream, one.window_name, one.orders.amount) for one in refused) == {
        ("orders", "minute", 8): 1,
        ("orders", "minute", 16): 1,
        ("orders", "minute", 5): 1,
        ("orders", "hour", 5): 1,
    }


@pytest.mark.anywhere
def test_in_sql(feed: Feed) -> None:
    """SQL has the same windows, and reports the mistakes of all of them."""
    feed.add(*ROWS)
    feed.stream().createOrReplaceTempView("named_orders")
    text = """SELECT * FROM windrow_windows(
        TABLE(SELECT product, sum(amount) AS total FROM named_orders GROUP BY product),
        windows => struct({}),
        time => 'time', watermark => '0 seconds', lateness => '0 seconds', stream => 'orders')"""
    minute = "struct('tumbling' AS kind, INTERVAL 1 MINUTE AS size) AS minute"
    day = "struct('tumbling' AS kind, '1 day' AS size, 'Europe/Berlin' AS zone) AS day"
    visit = "struct('session' AS kind, '2 minutes' AS gap) AS visit"
    found = feed.run(feed.spark.sql(text.format(f"{minute}, {visit}, {day}")))
    kinds = {**MINUTES, "day": wr.Tumbling("1 day", zone="Europe/Berlin")}
    assert found == feed.run(totals(feed.stream(), kinds).panes)
    assert [(one.window_name, one.total) for one in found] == [("minute", 3)]
    wrong = "'x' AS a, struct('triangular' AS kind) AS b, struct('tumbling' AS kind, 1 AS n) AS c"
    with pytest.raises(Exception, match="NAMED_WINDOWS") as refused:
        feed.spark.sql(text.format(wrong))
    for code in ("NAMED_WINDOWS", "WINDOW_UNKNOWN", "ARGUMENT_UNKNOWN", "FIELD_NOT_STATED"):
        assert f"[{code}]" in str(refused.value)
