"""One query with two sinks: restarts, repeated batches, and counts that add up."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F

import windrow as wr
from feed import Feed, disordered, order
from query.test_against_spark import rows

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.streaming.query import StreamingQuery

pytestmark = [pytest.mark.spark, pytest.mark.anywhere]


def output(feed: Feed) -> wr.Output:
    """Return one-minute windows whose lateness rejects a part of the orders."""
    stream = wr.stream(feed.stream(), time="time", key="product", watermark="1 minute")
    windows = stream.lateness("5 minutes").window(wr.Tumbling("1 minute"))
    return windows.accumulationMode(wr.ACCUMULATING).aggregate(F.sum("amount").alias("total"))


def finished(query: StreamingQuery) -> StreamingQuery:
    """Wait until a bounded run has ended, and return it."""
    query.awaitTermination()
    return query


def files(feed: Feed, folder: Path) -> list[Any]:
    """Return all rows of a ``Files`` sink without the clock; the batch number is a column."""
    return rows(feed.spark.read.parquet(str(folder)).collect(), "processing_time")


@pytest.mark.slow
def test_restart_changes_nothing(feed: Feed, tmp_path: Path) -> None:
    """A query that restarts between any two batches writes the same rows (SEMANTICS S3)."""

    def run(run_name: str) -> None:
        query = output(feed).start(
            checkpoint=tmp_path / f"checkpoint {run_name}",
            panes=wr.Files(str(tmp_path / f"panes {run_name}")),
            rejected=wr.Files(str(tmp_path / f"dead {run_name}")),
            availableNow=True,
        )
        finished(query)

    # Otherwise each run ends with a batch without data, and divides the stream into other steps.
    feed.spark.conf.set("spark.sql.streaming.noDataMicroBatches.enabled", "false")
    try:
        for batch in disordered(seed=31, batches=4):
            feed.add(batch)
            run("often stopped")
        run("in one go")
    finally:
        feed.spark.conf.unset("spark.sql.streaming.noDataMicroBatches.enabled")
    for sink in ("panes", "dead"):
        once = files(feed, tmp_path / f"{sink} in one go")
        assert files(feed, tmp_path / f"{sink} often stopped") == once
        assert once


@pytest.mark.slow
def test_a_replayed_batch_overwrites_itself(feed: Feed, tmp_path: Path) -> None:
    """A batch whose commit was lost is repeated and overwrites its first copy."""
    feed.add(*disordered(seed=32, batches=4))
    checkpoint, panes, dead = (tmp_path / name for name in ("checkpoint", "panes", "dead"))

    def run() -> None:
        query = output(feed).start(
            checkpoint=checkpoint,
            panes=wr.Files(str(panes)),
            rejected=wr.Files(str(dead)),
            availableNow=True,
        )
        finished(query)

    run()
    before = files(feed, panes), files(feed, dead)
    last = max(int(file.name) for file in (checkpoint / "commits").glob("[0-9]*"))
    for name in (str(last), f".{last}.crc"):
        (checkpoint / "commits" / name).unlink(missing_ok=True)
    run()
    assert (checkpoint / "commits" / str(last)).exists()
    assert (files(feed, panes), files(feed, dead)) == before
    assert all(before)


@pytest.mark.slow
def test_table_and_function(feed: Feed, tmp_path: Path) -> None:
    """Tables and functions receive the same rows as files."""
    feed.add(*disordered(seed=33))
    got: list[Any] = []

    def keep(rejected: DataFrame, batch: int) -> None:
        got.extend((batch, row.reason) for row in rejected.collect())

    table = f"panes_{tmp_path.name.replace('-', '_')}"
    query = finished(
        output(feed).start(
            checkpoint=tmp_path / "checkpoint",
            panes=table,
            rejected=keep,
            availableNow=True,
            name="two_sinks",
        )
    )
    assert query.name == "two_sinks"
    assert rows(feed.spark.table(table).collect()) == rows(feed.run(output(feed).panes))
    assert Counter(reason for _, reason in got) == Counter(
        row.reason for row in feed.run(output(feed).rejected)
    )
    feed.spark.sql(f"DROP TABLE {table}")


@pytest.mark.slow
def test_a_function_need_not_read_its_rows(feed: Feed, tmp_path: Path) -> None:
    """State is committed even if a sink's function does not read its DataFrame."""
    feed.add(*disordered(seed=35, batches=3))
    called: list[int] = []
    query = output(feed).start(
        checkpoint=tmp_path / "checkpoint",
        panes=lambda _, batch: called.append(batch),
        availableNow=True,
    )
    finished(query)
    assert called == list(range(len(called)))
    assert len(called) >= 3


@pytest.mark.slow
def test_metrics_add_up(feed: Feed, tmp_path: Path) -> None:
    """Read = accepted + rejected + duplicates + gaps, and each count matches the output."""
    batches = disordered(seed=34)
    feed.add(*batches, [order(None), order("12:00:00")])
    sinks = [tmp_path / "panes", tmp_path / "dead"]
    query = finished(
        output(feed).start(
            checkpoint=tmp_path / "checkpoint",
            panes=wr.Files(str(sinks[0])),
            rejected=wr.Files(str(sinks[1])),
            availableNow=True,
        )
    )
    counts = wr.status(query)
    assert counts.read == sum(map(len, batches)) + 2
    assert counts.unaccounted == 0
    lost = feed.spark.read.parquet(str(sinks[1])).collect()
    assert counts.rejected == len(lost) > 0
    assert counts.reasons == Counter(row.reason for row in lost)
    assert counts.reasons.keys() == {"INVALID_TIME", "TOO_LATE"}
    assert counts.panes == len(files(feed, sinks[0])) > 0
    assert counts.duplicates == counts.gaps == 0
    assert counts.watermark == datetime(2025, 1, 1, 11, 59, tzinfo=UTC)


@pytest.mark.slow
def test_gaps_are_counted(feed: Feed, tmp_path: Path) -> None:
    """Rows between hopping windows are counted as gaps, neither in panes nor rejected."""
    feed.add([order("09:00:10"), order("09:30:00"), order("09:31:00"), order("11:00:00")])
    stream = wr.stream(feed.stream(), time="time", watermark="0 seconds").lateness("0 seconds")
    hours = stream.window(wr.Hopping("1 minute", step="1 hour")).aggregate(F.count("*"))
    query = hours.start(
        checkpoint=tmp_path / "checkpoint",
        panes=wr.Files(str(tmp_path / "panes")),
        availableNow=True,
    )
    counts = wr.status(finished(query))
    assert (counts.read, counts.accepted, counts.gaps, counts.rejected) == (4, 2, 2, 0)


@pytest.mark.parametrize(
    ("code", "sinks", "streaming"),
    [
        ("SINK_NOT_STATED", {}, True),
        ("SINK_NOT_UNDERSTOOD", {"panes": 3}, True),
        ("NOT_STREAMING", {"panes": "t"}, False),
    ],
)
def test_start_refuses(
    feed: Feed, tmp_path: Path, code: str, sinks: dict[str, Any], *, streaming: bool
) -> None:
    """A start without a sink, or of a batch, is refused."""
    df = feed.stream() if streaming else feed.batch()
    stream = wr.stream(df, time="time", watermark="0 s" if streaming else None).lateness("0 s")
    counted = stream.window(wr.Tumbling("1 minute")).aggregate(F.count("*"))
    with pytest.raises(wr.SpecError, match=code):
        counted.start(checkpoint=tmp_path / "c", **sinks)


@pytest.mark.slow
@pytest.mark.full
def test_a_changed_spec_is_refused_before_the_start(feed: Feed, tmp_path: Path) -> None:
    """A changed spec is refused before the start without Java's stack frames (S2).

    Changes that are allowed are accepted.
    """
    feed.add(*disordered(seed=36, batches=2))
    stream = wr.stream(feed.stream(), time="time", key="product", watermark="1 minute")
    late = stream.lateness("5 minutes")

    def minutes(**more: Any) -> wr.Windowed:
        return late.window(wr.Tumbling("1 minute"), **more).accumulationMode(wr.ACCUMULATING)

    def start(windows: wr.Windowed, value: Column | None = None) -> StreamingQuery:
        output = windows.aggregate(F.sum("amount") if value is None else value)
        return output.start(
            checkpoint=tmp_path / "c", panes=wr.Files(str(tmp_path / "p")), availableNow=True
        )

    finished(start(minutes()))
    fives = late.window(wr.Tumbling("5 minutes")).accumulationMode(wr.ACCUMULATING)
    changed = {
        r"Tumbling\('1 minute'\)`, but the query has `Tumbling\('5 minutes'\)": (fives, None),
        "DISCARDING": (minutes().accumulationMode(wr.DISCARDING), None),
        "fillGaps": (minutes(fillGaps=True), None),
        "closeOn": (minutes(closeOn="next_row"), None),
        r"neither trigger\(early": (minutes().trigger(early=wr.EachMessage()), None),
        "a trigger with a period": (minutes().trigger(late=wr.Every("1 second")), None),
        r"aggregates `sum\(amount\)`, but the query has `max\(amount\)`": (
            minutes(),
            F.max("amount"),
        ),
        r"lateness `5 minutes`, but the query has `4 minutes`": (
            minutes().lateness("4 minutes"),
            None,
        ),
    }
    for what, (windows, value) in changed.items():
        with pytest.raises(wr.CheckpointError, match=rf"^\[SPEC_CHANGED\] .*{what}") as refused:
            start(windows, value)
        assert "\tat " not in str(refused.value)
    feed.add(*disordered(seed=37, batches=1))
    finished(start(minutes().lateness("10 minutes").trigger(late=wr.EachMessage())))
