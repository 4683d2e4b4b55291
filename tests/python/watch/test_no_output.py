"""Each staged cause of a query without output is named by ``wr.whyNoOutput`` (SEMANTICS R74)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from time import sleep
from typing import TYPE_CHECKING

import pytest
from pyspark.sql import functions as F

import windrow as wr
from feed import Feed, order
from join.joins import Both
from windrow._running._settings import having

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.query import StreamingQuery


pytestmark = pytest.mark.slow
spark_test = pytest.mark.spark


@pytest.fixture(autouse=True)
def small(request: pytest.FixtureRequest) -> Iterator[None]:
    """Use few shards."""
    session = request.getfixturevalue("spark") if "spark" in request.fixturenames else None
    if session is not None:
        session.conf.set("spark.windrow.shards", "2")
    yield
    if session is not None:
        session.conf.unset("spark.windrow.shards")


def nowhere(*_: object) -> None:
    """Discard the rows."""


def minutes(df: DataFrame, row_id: wr.RowId | None = None) -> wr.Output:
    """Return counts of each minute."""
    stream = wr.stream(df, time="time", key="product", watermark="30 seconds", rowId=row_id)
    windows = stream.lateness("0 seconds").window(wr.Tumbling("1 minute"))
    return windows.aggregate(F.count("*").alias("n"))


@contextmanager
def running(output: wr.Output | wr.JoinOutput, folder: Path) -> Iterator[StreamingQuery]:
    """Start a query, wait until it has read all input, and stop it at the end."""
    kind = "panes" if isinstance(output, wr.Output) else "rows"
    query = output.start(**{kind: nowhere}, checkpoint=folder / "checkpoint")  # type: ignore[arg-type]
    try:
        query.processAllAvailable()
        yield query
    finally:
        query.stop()


@spark_test
def test_windows_are_open(feed: Feed, tmp_path: Path) -> None:
    """The row that emits the first window is computed by hand.

    The newest row is of 09:00:40, so the watermark is 09:00:10, and the window ends at 09:01:00.
    """
    feed.add([order("09:00:10", amount=1), order("09:00:40", amount=2)])
    with running(minutes(feed.stream()), tmp_path) as query:
        [cause] = wr.whyNoOutput(query).causes
        assert cause.code == "WATERMARK_NOT_REACHED"
        assert "the first is emitted at the watermark 2025-01-01 09:01:00" in cause.meaning
        assert "but the watermark is 2025-01-01 09:00:10" in cause.meaning
        assert "Wait for a row of about 2025-01-01 09:01:30 or later" in cause.remedy
        feed.add([order("09:01:30", amount=3)])
        query.processAllAvailable()
        assert wr.whyNoOutput(query).codes == ("HAS_OUTPUT", "WATERMARK_NOT_REACHED")


@spark_test
def test_no_rows_and_a_run_that_ends(feed: Feed, tmp_path: Path) -> None:
    """Sources without rows, runs that end before a window, and input that was read before."""
    with running(minutes(feed.stream()), tmp_path / "empty") as query:
        # A query that waits for rows has an active trigger at some of these times.
        assert {wr.whyNoOutput(query).codes for _ in range(20)} == {("NO_ROWS",)}
    feed.add([order("09:00:10")])
    for codes in (("RUN_ENDED",), ("NO_ROWS", "RUN_ENDED")):
        query = minutes(feed.stream()).start(
            panes=nowhere, checkpoint=tmp_path / "checkpoint", availableNow=True
        )
        query.awaitTermination()
        assert wr.whyNoOutput(query).codes == codes
    with running(minutes(feed.stream()), tmp_path) as query:
        assert wr.whyNoOutput(query).codes == ("ALREADY_READ",)


@spark_test
def test_rows_that_are_in_no_window(feed: Feed, tmp_path: Path) -> None:
    """Rejected rows by their reason, a watermark in the future, and duplicates."""
    feed.add([order(None), order(None)])
    with running(minutes(feed.stream()), tmp_path / "null") as query:
        [cause] = wr.whyNoOutput(query).causes
        assert (cause.code, "INVALID_TIME 2" in cause.meaning) == ("ALL_REJECTED", True)
        feed.add([order("2999-01-01 00:00:00")], [order("09:00:00")])
        query.processAllAvailable()
    # Another run of the same checkpoint counts only its own rows.
    feed.add([order("09:00:00")])
    with running(minutes(feed.stream()), tmp_path / "null") as query:
        assert "WATERMARK_IN_THE_FUTURE" in wr.whyNoOutput(query).codes


@spark_test
def test_duplicates(feed: Feed, tmp_path: Path) -> None:
    """A run that reads only rows whose offset was processed before."""
    by_offset = wr.RowId(source=F.lit("s"), partition=F.lit("0"), offset="amount")
    feed.add([order("09:00:00")])
    with running(minutes(feed.stream(), by_offset), tmp_path):
        pass
    feed.add([order("09:00:00")])
    with running(minutes(feed.stream(), by_offset), tmp_path) as query:
        assert wr.whyNoOutput(query).codes == ("ALL_DUPLICATES",)


@spark_test
def test_batches_without_data(feed: Feed, tmp_path: Path) -> None:
    """Spark runs no micro-batch that would emit the window."""
    feed.add([order("09:00:00")], [order("09:05:00")])
    with (
        having(feed.spark, {"spark.sql.streaming.noDataMicroBatches.enabled": "false"}),
        running(minutes(feed.stream()), tmp_path) as query,
    ):
        assert wr.whyNoOutput(query).codes[0] == "ONLY_BATCHES_WITH_DATA"


@spark_test
@pytest.mark.parametrize(
    ("sinks", "time", "needed"),
    [
        (("panes",), None, "10:00:00"),
        (("panes", "rejected"), None, "10:00:00"),
        (("panes",), "window.start", "10:01:00"),
    ],
)
def test_a_chain(
    feed: Feed, tmp_path: Path, sinks: tuple[str, ...], time: str | None, needed: str
) -> None:
    """The second operator waits although the first has emitted panes.

    By the start of its window, a pane is a minute older than by its end, so the second operator
    waits a minute longer (SEMANTICS R95).
    """
    feed.add([order("09:00:10"), order("09:05:00")])
    on_time = minutes(feed.stream()).panes.where("NOT pane.is_retraction")
    stream = wr.stream(on_time, time=time, key="product", name="hours").lateness("0 seconds")
    hours = stream.window(wr.Tumbling("1 hour")).aggregate(F.sum("n").alias("n"))
    query = hours.start(checkpoint=tmp_path / "checkpoint", **dict.fromkeys(sinks, nowhere))  # type: ignore[arg-type]
    try:
        query.processAllAvailable()
        assert wr.status(query).panes > 0
        [cause] = wr.whyNoOutput(query).causes
        assert cause.code == "WATERMARK_NOT_REACHED"
        assert cause.meaning.startswith("Operator 'hours': 1 pane waits in the state; the first")
        assert f"is emitted at the watermark 2025-01-01 {needed}" in cause.meaning
        feed.add([order("10:05:00")])
        query.processAllAvailable()
        output, *_ = wr.whyNoOutput(query).causes
    finally:
        query.stop()
    assert (output.code, "has emitted 1 rows" in output.meaning) == ("HAS_OUTPUT", True)


@spark_test
def test_the_next_trigger_emits(feed: Feed, tmp_path: Path) -> None:
    """The rows are there, and the trigger is long: the next watermark is computed by hand.

    The newest row is of 09:02:00, so the next watermark is 09:01:30, and the window ends at
    09:01:00.
    """
    feed.add([order("09:00:10"), order("09:02:00")])
    query = minutes(feed.stream()).start(
        panes=nowhere, checkpoint=tmp_path / "checkpoint", processingTime="1 hour"
    )
    try:
        while query.lastProgress is None:
            sleep(0.1)
        [cause] = wr.whyNoOutput(query).causes
    finally:
        query.stop()
    assert cause.code == "NEXT_BATCH_EMITS"
    assert "the first is emitted at the watermark 2025-01-01 09:01:00" in cause.meaning
    assert "the next micro-batch has the watermark 2025-01-01 09:01:30" in cause.meaning


@spark_test
def test_a_silent_input(both: Both, tmp_path: Path) -> None:
    """The input of a join that has delivered nothing is named."""
    both.add([[order("09:00:00"), order("09:30:00")]], [[]])
    first, second = both.streams()
    joined = wr.join(first, second, on="product", within=("0 minutes", "5 minutes"), how="left")
    with running(joined, tmp_path) as query:
        [cause, *_] = wr.whyNoOutput(query).causes
        assert cause.code == "INPUT_HOLDS_WATERMARK"
        assert "the input s, which has delivered no rows yet" in cause.meaning


@spark_test
@pytest.mark.parametrize("marks", [1, 2])
def test_a_silent_source_of_a_union(both: Both, tmp_path: Path, marks: int) -> None:
    """A source without rows is a cause only if it has its own watermark."""
    first, second = ([order("09:00:00", amount=n)] for n in range(2))
    both.add([first, *[[order("09:00:10", amount=n)] for n in range(4)]], [second])
    one, other = (side.stream() for side in both.feeds)
    if marks > 1:
        one, other = (table.withWatermark("time", "30 seconds") for table in (one, other))
        union = one.unionByName(other)
    else:
        union = one.unionByName(other).withWatermark("time", "30 seconds")
    windows = wr.stream(union, time="time", key="product")
    output = windows.lateness("0 seconds").window(wr.Tumbling("1 minute"))
    with running(output.aggregate(F.count("*").alias("n")), tmp_path) as query:
        found = wr.whyNoOutput(query).codes
    assert found[-1] == "WATERMARK_NOT_REACHED"
    assert ("SOURCE_IS_SILENT" in found) == (marks > 1)


@spark_test
def test_a_failed_query(feed: Feed, tmp_path: Path) -> None:
    """The error is shown without a stack trace."""

    def fails(*_: object) -> None:
        raise ValueError("the sink is full")

    feed.add([order("09:00:00")], [order("09:05:00")])
    query = minutes(feed.stream()).start(panes=fails, checkpoint=tmp_path / "checkpoint")
    with pytest.raises(Exception, match="the sink is full"):
        query.processAllAvailable()
    [cause] = wr.whyNoOutput(query).causes
    assert (cause.code, "\n" in cause.meaning) == ("FAILED", False)
    assert "the sink is full" in cause.meaning


@spark_test
def test_the_first_batch(feed: Feed, tmp_path: Path) -> None:
    """The first micro-batch waits in its sink."""
    writes, asked = Event(), Event()

    def waits(*_: object) -> None:
        writes.set()
        assert asked.wait(60)

    feed.add([order("09:00:00"), order("09:05:00")])
    query = minutes(feed.stream()).start(panes=waits, checkpoint=tmp_path / "checkpoint")
    try:
        assert writes.wait(60)
        assert wr.whyNoOutput(query).codes == ("FIRST_BATCH_RUNS",)
    finally:
        asked.set()
        query.stop()
