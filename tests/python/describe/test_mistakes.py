"""Mistakes of users that were once not reported, or reported late; found by reading the code."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import functions as F

import windrow as wr
from feed import Feed, order
from restarts.test_start import finished
from sinks.test_upserts import codes, minutes, pane
from sinks.writing import records
from windrow._specs import _instants
from windrow._watching._status import Status
from windrow.testing import harness

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark]

PANES = (
    "product string, window struct<start: bigint, end: bigint>, total bigint, "
    "pane struct<timing: string, index: bigint, is_last: boolean, is_retraction: boolean>"
)


def test_two_kinds_of_rows_in_one_place(feed: Feed, tmp_path: Path) -> None:
    """Two kinds of rows with the same target are refused (SEMANTICS B5).

    One would overwrite the other.
    """
    place = str(tmp_path / "out")
    output = minutes(feed)
    assert codes(output, panes=wr.Files(place), rejected=wr.Files(place + "/")) == ["SINK_SHARED"]
    assert codes(output, panes=wr.Files(place), rejected=wr.Files("file:" + place)) == [
        "SINK_SHARED"
    ]
    assert codes(output, panes="together", rejected="Together") == ["SINK_SHARED"]


@pytest.mark.slow
def test_a_refused_start_takes_no_folder(feed: Feed, tmp_path: Path) -> None:
    """A refused start does not claim a folder, so another start may use it (SEMANTICS B5)."""
    feed.add([order("09:00:00")])

    def start(checkpoint: str, rejected: str) -> None:
        query = minutes(feed).start(
            checkpoint=tmp_path / checkpoint,
            panes=wr.Files(str(tmp_path / f"panes of {checkpoint}")),
            rejected=wr.Files(str(tmp_path / rejected)),
            availableNow=True,
        )
        finished(query)

    start("first", "taken")
    with pytest.raises(wr.CheckpointError, match="FILES_OF_ANOTHER_QUERY"):
        start("second", "taken")
    start("second", "free")


@pytest.mark.parametrize(
    "sink", [wr.KafkaTable("b:9092", "t"), wr.Jdbc("jdbc:derby:memory:x", "t", upsert=True)]
)
def test_parts_of_lookups_go_into_no_table_of_panes(feed: Feed, sink: Any) -> None:
    """Panes of lookups are refused for upserts (SEMANTICS B3).

    An upsert would lose all but one of several panes of a window in a batch.
    """
    stream = wr.stream(feed.stream(), time="time", key="product", watermark="0 seconds")
    kept = stream.lateness("0 seconds").retain(time="1 hour").window(wr.Tumbling("1 minute"))
    answers = kept.keepRows().getMessages(feed.stream(), None, "time")
    with pytest.raises(wr.SpecError, match="UPSERT_OF_PARTS"):
        answers.start(checkpoint="nowhere", panes=sink)


@pytest.mark.parametrize(
    "on", [[], (name for name in ("product", "window")), ("product", "window")]
)
def test_columns_by_which_rows_are_found(spark: SparkSession, on: Any) -> None:
    """An empty ``on`` means the default columns, and an iterator is read only once."""
    panes = spark.createDataFrame([pane("a", 0, 1, 0, "+"), pane("a", 10, 2, 0, "+")], PANES)
    table = wr.KafkaTable("nowhere", "t", on=on)
    for _ in range(2):
        assert sorted(row.key for row in records(panes, table).collect()) == [
            f'{{"product":"a","window":{{"start":{start},"end":{start + 10}}}}}'
            for start in (0, 10)
        ]


@pytest.mark.slow
def test_a_thread_takes_the_session_that_there_is(feed: Feed, tmp_path: Path) -> None:
    """Another thread uses the existing session and does not change its settings."""
    feed.add([order("09:00:00")])
    finished(
        minutes(feed).start(checkpoint=tmp_path / "c", panes="thread_panes", availableNow=True)
    )
    before = dict(feed.spark.conf.getAll)
    with ThreadPoolExecutor(1) as other:
        found = other.submit(lambda: wr.state(tmp_path / "c").pending().count()).result()
    assert found == 1
    assert dict(feed.spark.conf.getAll) == before


def test_instants_that_python_does_not_have() -> None:
    """Instants outside Python's range are clipped to its first or last instant.

    Milliseconds read as seconds move a watermark far beyond the year 9999.
    """
    last, first = (end.replace(tzinfo=UTC) for end in (datetime.max, datetime.min))  # noqa: DTZ901
    assert _instants.read("+55849-01-01T00:00:00.000Z") == last
    assert _instants.read("-0005-01-01T00:00:00.000Z") == first
    assert (_instants.instant(2**62), _instants.instant(-(2**62))) == (last, first)
    assert _instants.read("2025-01-01T09:00:00.000Z") == datetime(2025, 1, 1, 9, tzinfo=UTC)


def progress(run: str, batch: int) -> dict[str, Any]:
    """Return Spark's progress report of a batch that read one row."""
    return {
        "id": "q",
        "runId": run,
        "name": None,
        "timestamp": "2025-01-01T09:00:00.000Z",
        "batchId": batch,
        "batchDuration": 1,
        "durationMs": {"triggerExecution": 1},
        "eventTime": {},
        "stateOperators": [],
        "sources": [],
        "numInputRows": 1,
        "observedMetrics": {},
    }


def test_a_status_counts_each_batch_once() -> None:
    """A status counts each batch once, over both runs of a drained query and repeated calls."""
    seen = Status()
    for _ in range(2):
        for run, batch in (("first", 0), ("first", 1), ("last", 2)):
            seen = seen.after(progress(run, batch))
    assert seen.batches == 3


SCHEMA = "time timestamp, n int, f float, o struct<price: double, at: timestamp>, d date"


def counted(df: Any) -> wr.Output:
    """Count rows by the minute."""
    stream = wr.stream(df, time="time", watermark="0 seconds").lateness("0 seconds")
    ats = F.max("o.at").alias("at")
    return stream.window(wr.Tumbling("1 minute")).aggregate(F.count("*").alias("c"), ats)


@pytest.mark.slow
def test_rows_of_a_harness_that_do_not_fit(spark: SparkSession) -> None:
    """A harness refuses values that do not fit the schema, because it would test other values."""
    at = datetime(2025, 1, 1, 9)  # noqa: DTZ001  in the session's zone
    with harness(counted, spark, schema=SCHEMA) as h:
        for row in ({"n": 1.7}, {"f": 1e300}, {"o": {"prise": 2.0}}, {"d": "soon"}, {"n": 2**40}):
            with pytest.raises(wr.MessageError):
                h.add({"time": at, **row})
        h.add({"time": at, "n": 1, "f": 1.5, "o": {"price": 2.0, "at": at}, "d": "2025-01-01"})
        h.advanceWatermark("2025-01-01 10:00:00")
        assert [(row["c"], row["at"]) for row in h.panes()] == [(1, at.replace(tzinfo=UTC))]


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["core", "query"])
def test_a_rejected_step_of_a_harness_changes_nothing(spark: SparkSession, engine: Any) -> None:
    """A refused step of a harness leaves no rows for later steps."""
    at = [datetime(2025, 1, 1, 9, minute) for minute in range(4)]  # noqa: DTZ001
    with harness(counted, spark, schema=SCHEMA, engine=engine) as h:
        h.add({"time": at[0], "n": 1}).advanceWatermark(at[1])
        assert len(h.panes()) == 1
        with pytest.raises(wr.SpecError):
            h.advanceWatermark(at[0]).add([{"time": at[1]}, {"time": at[1]}]).panes()
        h.add({"time": at[2]}).advanceWatermark(at[3])
        assert [row["c"] for row in h.panes()] == [1]


def test_times_of_a_cogroup_have_one_type(feed: Feed) -> None:
    """Event times of a co-group with and without a zone are refused, because they differ."""
    plain = feed.batch().withColumn("time", F.col("time").cast("timestamp_ntz"))
    streams = [
        wr.stream(df, time="time", key="product", name=name)
        for df, name in ((feed.batch(), "a"), (plain, "b"))
    ]
    with pytest.raises(wr.SpecError, match=r"TIME_TYPES_DIFFER.*TIMESTAMP_NTZ in 'b'"):
        wr.cogroup(*streams).lateness("0 seconds").window(wr.Tumbling("1 minute"))


def test_sql_that_verifies(spark: SparkSession) -> None:
    """SQL ``verify`` reports each mistake without a Java error."""
    for said, expected in {
        "'c', deep => 'true'": "ARGUMENT_NOT_UNDERSTOOD",
        "NULL": "CHECKPOINT_MISSING",
        "'c', outputs => array(NULL)": "ARGUMENT_NOT_UNDERSTOOD",
        "'c', outputs => 5": "ARGUMENT_NOT_UNDERSTOOD",
        "'c', deep => true, deep => false": "NAME_TWICE",
        "'c', outputs => NULL": "CHECKPOINT_NOT_FOUND",
    }.items():
        with pytest.raises((AnalysisException, wr.WindrowError), match=expected):
            spark.sql(f"SELECT * FROM windrow_verify({said})").collect()  # noqa: S608
