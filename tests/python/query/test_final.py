"""The end of a bounded run: every window completes in the batch that contains the end."""

from __future__ import annotations

import gc
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import functions as F

import windrow as wr
from feed import Feed, disordered, order
from windrow._bridge import _sql
from windrow._running import _query
from windrow.testing._turns import END

pytestmark = [pytest.mark.spark, pytest.mark.slow]


def run(output: Any, folder: Path, **more: Any) -> Any:
    """Run the query to its end and write the rows of each kind to files."""
    kinds = ("rows", "rejected") if isinstance(output, wr.JoinOutput) else ("panes", "rejected")
    sinks = {kind: wr.Files(str(folder / kind)) for kind in kinds}
    query = output.start(**sinks, checkpoint=str(folder / "checkpoint"), availableNow=True, **more)
    query.awaitTermination()
    return query


def read(feed: Feed, folder: Path, kind: str) -> list[Any]:
    """Return the rows written so far."""
    return feed.spark.read.parquet(str(folder / kind)).collect()


def minutes(feed: Feed, lateness: str = "1 hour") -> wr.Output:
    """Return one-minute windows whose lateness lets few of them complete without an end."""
    stream = wr.stream(feed.stream(), time="time", key="product", watermark="1 minute")
    windows = stream.lateness(lateness).window(wr.Tumbling("1 minute"))
    return windows.accumulationMode(wr.ACCUMULATING).aggregate(F.sum("amount").alias("total"))


def test_all_windows_complete_at_the_end(feed: Feed, tmp_path: Path) -> None:
    """Without ``drain`` the last windows stay open; with it each window emits its last pane."""
    feed.add([order("09:00:10", amount=1)], [order("09:01:10", amount=2)])
    run(minutes(feed), tmp_path / "open")
    assert read(feed, tmp_path / "open", "panes") == []
    query = run(minutes(feed), tmp_path / "final", drain=True)
    panes = read(feed, tmp_path / "final", "panes")
    assert sorted(
        (f"{row.window.start:%H:%M}", row.total, row.pane.timing, row.pane.is_last) for row in panes
    ) == [("09:00", 1, "ON_TIME", True), ("09:01", 2, "ON_TIME", True)]
    counts = wr.status(query)
    assert (counts.read, counts.panes, counts.unaccounted) == (2, 2, 0), "of both parts"


def test_the_end_is_signaled_once(feed: Feed, tmp_path: Path) -> None:
    """A run that continues after the end does not write the end again (SEMANTICS R71)."""
    feed.add([order("09:00:10")])
    for _ in range(2):
        minutes(feed).start(
            panes=lambda *_: None,
            checkpoint=tmp_path / "c",
            availableNow=True,
            drain=True,
        ).awaitTermination()
    assert feed.spark.read.text(str(tmp_path / "c" / "windrow" / "end")).count() == 1


def test_rows_after_the_end_are_late(feed: Feed, tmp_path: Path) -> None:
    """Rows that arrive after the end are rejected as late, and the end is not written again."""
    feed.add([order("09:00:10", amount=1)])
    run(minutes(feed), tmp_path, drain=True)
    feed.add([order("09:00:20", amount=8), order("12:00:00", amount=16)])
    run(minutes(feed), tmp_path, drain=True)
    assert [row.total for row in read(feed, tmp_path, "panes")] == [1]
    rejected = read(feed, tmp_path, "rejected")
    assert sorted((row.message.amount, row.reason) for row in rejected) == [
        (8, "TOO_LATE"),
        (16, "TOO_LATE"),
    ]


@pytest.mark.full
def test_a_stopped_query_receives_no_end(feed: Feed, tmp_path: Path) -> None:
    """A query stopped in the first part does not write the end; its restart does (R71)."""
    feed.add(*([order(f"09:0{minute}:00", amount=minute)] for minute in range(3)))
    totals: list[int] = []
    batches: list[int] = []

    def stop(rows: Any, batch: int) -> None:
        batches.append(batch)
        if batch == 0:
            return
        [query] = [one for one in feed.spark.streams.active if one.name == "stopped"]
        Thread(target=query.stop).start()
        while True:  # until Spark interrupts it
            rows.count()

    def sink(rows: Any, _: int) -> None:
        totals.extend(row.total for row in rows.collect())

    bounded: dict[str, Any]
    bounded = {"checkpoint": str(tmp_path / "c"), "availableNow": True, "drain": True}
    query = minutes(feed).start(panes=stop, name="stopped", **bounded)
    assert (query.isActive, batches) == (False, [0, 1])
    minutes(feed).start(panes=sink, **bounded).awaitTermination()
    assert sorted(totals) == [0, 1, 2]


@pytest.mark.full
def test_progress_of_the_first_part_is_released_with_the_query(feed: Feed, tmp_path: Path) -> None:
    """The progress of the first part is released with the query, so a driver does not grow."""
    feed.add([order("09:00:10", amount=1)])
    query = run(minutes(feed), tmp_path, drain=True)
    run_id = query.runId
    assert run_id in _query._BEFORE
    del query
    gc.collect()
    assert run_id not in _query._BEFORE


@pytest.mark.full
def test_a_limit_of_files_and_a_restart_in_the_middle(feed: Feed, tmp_path: Path) -> None:
    """With a file limit and a failed batch in the middle, every window gets all its rows (R71)."""
    feed.add(*disordered(7, batches=6))
    batches: list[int] = []

    def sink(rows: Any, batch: int) -> None:
        batches.append(batch)
        if batches == [0, 1, 2]:
            raise RuntimeError(batch)
        rows.write.mode("overwrite").parquet(str(tmp_path / "panes" / f"batch={batch}"))

    bounded: dict[str, Any]
    bounded = {"checkpoint": str(tmp_path / "c"), "availableNow": True, "drain": True}
    with pytest.raises(StreamingQueryException):
        minutes(feed, "1 day").start(panes=sink, **bounded)
    query = minutes(feed, "1 day").start(panes=sink, **bounded)
    query.awaitTermination()
    assert max(batches) >= 6
    assert wr.status(query).unaccounted == 0
    last: dict[Any, Any] = {}
    for row in sorted(read(feed, tmp_path, "panes"), key=lambda row: int(row.pane["index"])):
        last[row.product, row.window.start] = (row.total, row.pane.is_last)
    whole = wr.stream(feed.batch(), time="time", key="product").lateness("1 day")
    at_once = whole.window(wr.Tumbling("1 minute")).accumulationMode(wr.ACCUMULATING)
    panes = at_once.aggregate(F.sum("amount").alias("total")).panes.collect()
    totals = {(row.product, row.window.start): row.total for row in panes}
    assert {window: total for window, (total, _) in last.items()} == totals


def test_rows_before_the_last_batch_are_in_it(
    feed: Feed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows that arrive before the last batch are part of it, even if the driver dies (R71).

    There are three files with a limit of one, and the driver dies right after it writes the end.
    """
    feed.add([order("09:00:10", amount=1)])
    end = _sql.end

    def dies(output: Any, checkpoint: str, **options: str) -> tuple[str, bool]:
        state = end(output, checkpoint, **options)
        if options:
            raise KeyboardInterrupt
        return state

    with monkeypatch.context() as dying:
        dying.setattr(_sql, "end", dies)
        with pytest.raises(KeyboardInterrupt):
            run(minutes(feed), tmp_path, drain=True)
    feed.add(*([order("09:00:20", amount=amount)] for amount in (2, 4, 8)))
    run(minutes(feed), tmp_path, drain=True)
    panes = read(feed, tmp_path, "panes")
    assert [(row.total, row.pane.timing, row.pane.is_last) for row in panes] == [
        (15, "ON_TIME", True)
    ]
    assert read(feed, tmp_path, "rejected") == []


@pytest.mark.full
def test_positions_end_too(feed: Feed, tmp_path: Path) -> None:
    """Windows that no time completes fire with their rows at the end."""
    feed.add([order("09:00:10", amount=amount) for amount in (1, 2, 4)])
    counted = wr.stream(feed.stream(), key="product").lateness("0 seconds").window(wr.Count(2))
    run(counted.aggregate(F.sum("amount").alias("total")), tmp_path, drain=True)
    panes = read(feed, tmp_path, "panes")
    batch = wr.stream(feed.batch(), key="product").lateness("0 seconds").window(wr.Count(2))
    at_once = batch.aggregate(F.sum("amount").alias("total")).panes.collect()
    assert sorted(row.total for row in panes) == sorted(row.total for row in at_once)


@pytest.mark.full
def test_policies_and_full_state_end_as_batches_do(feed: Feed, tmp_path: Path) -> None:
    """At the end each policy key has a FINAL event, and full state emits each window's rows."""
    feed.add([order("09:00:10", amount=amount) for amount in (1, 2, 4)])
    policy = wr.Policy.tumbling(wr.ByCount(2))
    stream = wr.stream(feed.stream(), time="time", key="product")
    events = stream.window(policy).aggregate(F.sum("amount"))
    query = events.start(
        events=wr.Files(str(tmp_path / "events")),
        checkpoint=str(tmp_path / "policy"),
        availableNow=True,
        drain=True,
    )
    query.awaitTermination()
    assert [row.event for row in read(feed, tmp_path, "events")].count("FINAL") == 1
    kept = wr.stream(feed.stream(), time="time", key="product", watermark="0 seconds")
    kept = kept.lateness("0 seconds").retain(time="1 day")
    whole = kept.window(wr.Tumbling("1 minute")).trigger(early=wr.Never())
    run(whole.keepRows(), tmp_path / "kept", drain=True)
    panes = read(feed, tmp_path / "kept", "panes")
    assert [sorted(row.amount for row in pane.messages) for pane in panes] == [[1, 2, 4]]


def test_a_chain_ends_in_one_batch(feed: Feed, tmp_path: Path) -> None:
    """The last panes of one operator are the last input of the next, in the same batch."""
    feed.add([order("09:00:10", "a", 1), order("09:00:20", "b", 2)])
    panes = wr.stream(minutes(feed).panes, name="totals").lateness("1 hour").window(wr.Inherit())
    overall = panes.accumulationMode(wr.ACCUMULATING).aggregate(F.sum("total").alias("total"))
    run(overall, tmp_path, drain=True)
    assert [(r.total, r.pane.timing) for r in read(feed, tmp_path, "panes")] == [(3, "ON_TIME")]


def test_a_join_ends(feed: Feed, tmp_path: Path) -> None:
    """A left join emits its unmatched rows at the end."""
    feed.add([order("09:00:10", "a", 1), order("09:00:20", "b", 2)])
    one = wr.stream(feed.stream(), time="time", watermark="0 seconds", name="one")
    two = wr.stream(
        feed.stream().where("product = 'a'"), time="time", watermark="0 seconds", name="two"
    )
    one, two = one.lateness("0 seconds"), two.lateness("0 seconds")
    joined = wr.join(one, two, on="product", within=("0 seconds", "1 hour"), how="left")
    run(joined, tmp_path, drain=True)
    rows = read(feed, tmp_path, "rows")
    assert sorted((row.product, row.two is None) for row in rows) == [("a", False), ("b", True)]


def test_a_run_without_end_cannot_be_final(feed: Feed, tmp_path: Path) -> None:
    """``drain`` is refused for a query that never ends."""
    with pytest.raises(wr.SpecError) as refused:
        minutes(feed).start(panes="panes", checkpoint=str(tmp_path / "c"), drain=True)
    assert [problem.code for problem in refused.value.problems] == ["DRAIN_WITHOUT_END"]


@pytest.mark.slow
def test_in_sql(feed: Feed, tmp_path: Path) -> None:
    """A folder with one line of text ends a query that is written in SQL."""
    folder = tmp_path / "end"
    folder.mkdir()
    feed.add([order("09:00:10", amount=1)])
    feed.stream().createOrReplaceTempView("ending_orders")
    sql = """SELECT * FROM windrow_until(TABLE(SELECT * FROM windrow_tumble(
        TABLE(SELECT product, sum(amount) AS total FROM ending_orders GROUP BY product),
        time => 'time', size => '1 minute', watermark => '1 hour', lateness => '0 seconds')),
        folder => :folder)"""
    said = {"folder": str(folder)}
    assert feed.run(feed.spark.sql(sql, said)) == []
    (folder / "end.txt").write_text("end of input\n")
    assert [row.total for row in feed.run(feed.spark.sql(sql, said))] == [1]
    with pytest.raises(wr.SpecError) as refused, _plain():
        feed.spark.sql("SELECT * FROM windrow_until(TABLE(ending_orders), folder => 'any')")
    assert [problem.code for problem in refused.value.problems] == ["OPERATOR_MISSING"]


def _plain() -> Any:
    from windrow._bridge._sql import plain_errors

    return plain_errors()


def test_the_end_of_time_is_that_of_the_core(feed: Feed) -> None:
    """``finish`` of the test kit sets the watermark that ends a run, and not an earlier one."""
    core: Any = feed.spark
    assert core._jvm.org.apache.spark.sql.windrow.SparkWatermark.EndMillis() * 1000 == END
