"""Panes in a database: each batch and its number in one transaction (SEMANTICS B10)."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import Row, SparkSession
from pyspark.sql import functions as F

import windrow as wr
from feed import Feed, add_files, order
from programs import printed, start
from sinks.databases import SERVERS, Database, Servers, jars
from sinks.writing import make, write
from windrow._running._settings import having

pytestmark = [pytest.mark.spark]

SCHEMA = (
    "k string, window struct<start: timestamp, end: timestamp>, total bigint, tags array<string>"
)
PANE = "pane struct<timing: string, index: bigint, is_last: boolean, is_retraction: boolean>"


@pytest.fixture(params=["derby", *(pytest.param(kind, marks=pytest.mark.full) for kind in SERVERS)])
def url(request: pytest.FixtureRequest, spark: SparkSession, servers: Servers) -> str:
    """Return the address of a new database."""
    return servers.empty(spark, request.param).url


def held(spark: SparkSession, url: str, table: str) -> list[Row]:
    """Return the rows of a table."""
    return of(url).held(spark, table)


def of(url: str) -> Database:
    """Return the database with an address."""
    return Database(url.split(":")[1], url)


def panes(spark: SparkSession, *rows: tuple[str | None, int, int | None, bool]) -> Any:
    """Return panes by key, minute, total and retraction flag; the index is the total."""
    said = [
        (k, (at(minute), at(minute + 1)), total, ["x"], ("LATE", total or 0, False, gone))
        for k, minute, total, gone in rows
    ]
    return spark.createDataFrame(said, f"{SCHEMA}, {PANE}")


def at(minute: int) -> datetime:
    """Return a minute of a day."""
    return datetime(2025, 1, 1, 9, minute)  # noqa: DTZ001


def test_one_row_for_each_window(spark: SparkSession, url: str) -> None:
    """An upsert keeps the last pane, and deletes a withdrawn window; null is a key too."""
    sink = wr.Jdbc(url, "minutes", upsert=True)
    make(spark, sink, panes(spark).schema)
    write(sink, panes(spark, ("a", 0, 1, False), (None, 0, 5, False)), 0)
    write(
        sink,
        panes(
            spark, ("a", 0, 1, True), ("a", 0, 2, False), (None, 0, 6, False), ("b", 0, 7, False)
        ),
        1,
    )
    write(sink, panes(spark, ("b", 0, 8, True)), 2)
    rows = held(spark, url, "minutes")
    assert {(row.k, row.total) for row in rows} == {("a", 2), (None, 6)}
    assert rows[0].window_start == at(0)
    assert (rows[0].pane_timing, rows[0].tags) == ("LATE", '["x"]')


def test_a_repeated_batch_changes_nothing(spark: SparkSession, url: str) -> None:
    """A repeated batch is ignored by its number, and an older batch is refused.

    An older batch means that the checkpoint was replaced by an older copy.
    """
    sink = wr.Jdbc(url, "log")
    make(spark, sink, panes(spark).schema)
    for batch in (0, 0, 1, 1):
        write(sink, panes(spark, ("a", batch, 1, False)), batch)
    write(sink, panes(spark, ("a", 5, 1, False)), 0, "other")
    assert sorted(row.window_start.minute for row in held(spark, url, "log")) == [0, 1, 5]
    with pytest.raises(wr.CheckpointError, match="BATCH_OF_THE_PAST"):
        write(sink, panes(spark, ("a", 0, 1, False)), 0)
    assert len(held(spark, url, "log")) == 3
    assert {row[2] for row in held(spark, url, "windrow_batches")} == {1, 0}


def test_rows_and_number_are_in_together(spark: SparkSession, url: str) -> None:
    """A batch that fails in the middle stores neither its rows nor its number."""
    sink = wr.Jdbc(url, "whole")
    make(spark, sink, panes(spark).schema)
    good = panes(spark, *(("a", minute, 1, False) for minute in range(5)))
    bad = good.withColumn("total", F.expr("if(minute(window.start) = 4, raise_error('no'), 1)"))
    with pytest.raises(Exception, match="no"):
        write(sink, bad.coalesce(1).select(*good.columns), 0)
    assert held(spark, url, "whole") == []
    assert held(spark, url, "windrow_batches") == []
    write(sink, good, 0)
    assert len(held(spark, url, "whole")) == 5


def test_two_runs_of_a_query(spark: SparkSession, url: str) -> None:
    """Only one of two drivers that write the same batch succeeds."""
    sink = wr.Jdbc(url, "log")
    make(spark, sink, panes(spark).schema)
    with ThreadPoolExecutor(2) as both:
        for batch in range(6):
            rows = panes(spark, *((str(n), batch, n, False) for n in range(20)))
            done = [both.submit(write, sink, rows, batch) for _ in range(2)]
            errors = [one.exception() for one in done]
            assert None in errors
            assert all(error is None or "[BATCH_TAKEN]" in str(error) for error in errors)
    assert len(held(spark, url, "log")) == 6 * 20


def test_a_place_is_taken_once(spark: SparkSession, url: str) -> None:
    """A batch is recorded by the first of two runs with the same last batch (SEMANTICS B10)."""
    jvm: Any = spark._jvm
    ledgers = jvm.windrow.spark.jdbc
    connection = of(url).connect(spark)
    named = url.replace("mariadb", "mysql")
    dialect = jvm.org.apache.spark.sql.jdbc.JdbcDialects.get(named)
    ledger = ledgers.BatchLedger(dialect, of(url).kind, "windrow_batches", "q", "panes")
    none = jvm.scala.Option.empty()
    first, second = (
        getattr(ledgers, "BatchLedger$LedgerEntry")(number, none) for number in range(2)
    )
    ledger.create(connection)
    assert ledger.note(connection, first, none)
    assert not ledger.note(connection, first, none)
    seen = ledger.last(connection)
    assert ledger.note(connection, second, seen)
    assert not ledger.note(connection, second, seen)
    connection.close()


@pytest.mark.parametrize("upsert", [True, False])
def test_a_repeated_batch_with_other_panes(spark: SparkSession, url: str, *, upsert: bool) -> None:
    """A repeated batch with other panes is upserted, and not appended.

    Its panes differ, for example, after a restart with a longer lateness.
    """
    sink = wr.Jdbc(url, "again", upsert=upsert)
    make(spark, sink, panes(spark).schema)
    write(sink, panes(spark, ("a", 0, 1, False)), 7)
    write(sink, panes(spark, ("a", 0, 2, False), ("b", 0, 3, False)), 7)
    found = sorted((row.k, row.total) for row in held(spark, url, "again"))
    assert found == ([("a", 2), ("b", 3)] if upsert else [("a", 1)])


@contextmanager
def berlin(spark: SparkSession) -> Iterator[None]:
    """Set the JVM's time zone to one whose clocks are set back."""
    jvm: Any = spark._jvm
    zone = jvm.java.util.TimeZone
    usual = zone.getDefault()
    zone.setDefault(zone.getTimeZone("Europe/Berlin"))
    try:
        yield
    finally:
        zone.setDefault(usual)


def test_times_are_those_of_utc(spark: SparkSession, url: str) -> None:
    """Times are stored in UTC in any zone of the JVM, even in an hour that occurs twice."""
    sink = wr.Jdbc(url, "hours", upsert=True)
    folds = [datetime(2024, 10, 27, hour) for hour in (0, 1)]  # noqa: DTZ001
    schema = f"k string, window struct<start: timestamp, end: timestamp>, {PANE}"
    with berlin(spark):
        for batch, fold in enumerate(folds):
            row = ("a", (fold, fold), ("LATE", 0, False, False))
            write(sink, spark.createDataFrame([row], schema), batch)
    assert sorted(row.window_start for row in held(spark, url, "hours")) == folds


def test_keys_that_a_database_holds_equal(spark: SparkSession, url: str) -> None:
    """Keys that a database treats as equal, such as `a ` and `a`, keep separate rows."""
    sink = wr.Jdbc(url, "blanks", upsert=True)
    make(spark, sink, panes(spark).schema)
    write(sink, panes(spark, ("a", 0, 1, False), ("a ", 0, 2, False)), 0)
    write(sink, panes(spark, ("a", 0, 3, False)), 1)
    assert sorted((row.k, row.total) for row in held(spark, url, "blanks")) == [("a", 3), ("a ", 2)]


@pytest.mark.slow
def test_keys_that_are_no_text(spark: SparkSession, url: str) -> None:
    """Keys that are not valid UTF-8 keep separate rows.

    The database and JSON replace all invalid bytes by the same character.
    """
    sink = wr.Jdbc(url, "bytes", upsert=True)
    make(spark, sink, panes(spark).schema)
    keys = F.expr("CAST(if(total < 2, X'FF', X'FE') AS STRING)")
    for batch, totals in enumerate([(1, 2), (3,)]):
        rows = panes(spark, *(("a", 0, total, False) for total in totals))
        write(sink, rows.withColumn("k", keys), batch)
    assert sorted(row.total for row in held(spark, url, "bytes")) == [1, 3]


def test_messages_that_differ_by_microseconds(spark: SparkSession, url: str) -> None:
    """Rows found by JSON, such as those of `Over`, are matched by all digits of their times."""
    schema = f"message struct<time: timestamp, local: timestamp_ntz>, total bigint, {PANE}"
    said = [datetime(2025, 1, 1, 9, 0, 0, micros) for micros in (1, 2)]  # noqa: DTZ001
    same = datetime(2025, 1, 1, 9)  # noqa: DTZ001
    pane = ("LATE", 0, False, False)
    sink = wr.Jdbc(url, "corrections", upsert=True, on="message")
    for batch, message in enumerate([(said[0], same), (said[1], same), (same, said[0])]):
        rows = spark.createDataFrame([(message, batch, pane)], schema)
        write(sink, rows, batch)
    assert sorted(row.total for row in held(spark, url, "corrections")) == [0, 1, 2]


def test_unsuitable_databases_and_columns_are_rejected(spark: SparkSession, url: str) -> None:
    """A missing database and other columns are refused before the start, without the password."""
    nowhere = wr.Jdbc("jdbc:derby:/nowhere/at/all;user=me;password=secret", "t")
    with pytest.raises(wr.WindrowError, match="JDBC_REFUSED") as refused:
        make(spark, nowhere, panes(spark).schema)
    assert "secret" not in str(refused.value) + repr(nowhere)
    make(spark, wr.Jdbc(url, "t"), spark.range(0).schema)
    with pytest.raises(wr.SpecError, match="TABLE_COLUMNS_DIFFER"):
        make(spark, wr.Jdbc(url, "t"), panes(spark).schema)


def test_names_that_are_too_long(spark: SparkSession, url: str) -> None:
    """Long column names are refused, as PostgreSQL would shorten them and not find them again."""
    long = "a" * 129
    with pytest.raises(wr.SpecError, match="COLUMN_NAME_TOO_LONG"):
        make(spark, wr.Jdbc(url, "t"), spark.range(0).withColumnRenamed("id", long).schema)


@pytest.mark.anywhere
def test_scala_does_the_same(spark: SparkSession, url: str) -> None:
    """Scala's sink upserts, and recognizes a batch by its number."""
    jvm: Any = spark._jvm
    seq = jvm.PythonUtils.toSeq(jvm.java.util.ArrayList())
    options = jvm.PythonUtils.toScalaMap(jvm.java.util.HashMap())
    sink = jvm.windrow.spark.sinks.Jdbc(url, "totals", True, seq, options, jvm.scala.Option.empty())
    first = panes(spark, ("a", 0, 1, False), ("b", 0, 2, False))
    sink.make(spark._jsparkSession, first._jdf.schema())
    for rows, batch in ((first, 0), (panes(spark, ("a", 0, 9, False)), 0), (first, 1)):
        sink.of("q", "", "panes").write(rows._jdf, batch)
    later = panes(spark, ("a", 0, 5, False), ("b", 0, 2, True))
    sink.of("q", "", "panes").write(later._jdf, 2)
    assert [(row.k, row.total) for row in held(spark, url, "totals")] == [("a", 5)]


@pytest.mark.anywhere
@pytest.mark.slow
def test_a_query(feed: Feed, url: str, tmp_path: Path) -> None:
    """A query upserts panes and appends rejected rows; unsuitable combinations are refused."""
    stream = wr.stream(feed.stream(), time="time", key="product", watermark="0 seconds")
    windows = stream.lateness("5 minutes").window(wr.Tumbling("1 minute"))
    minutes = windows.accumulationMode("accumulating").aggregate(F.sum("amount").alias("total"))
    feed.add([order("09:00:10")], [order("09:03:00")], [order("09:03:10")])
    feed.add([order("09:00:50", amount=6), order(None)])
    minutes.start(
        panes=wr.Jdbc(url, "minutes", upsert=True),
        rejected=wr.Jdbc(url, "lost"),
        checkpoint=tmp_path / "c",
        availableNow=True,
    ).awaitTermination()
    (row,) = held(feed.spark, url, "minutes")
    assert (row["product"], row.total, row.pane_timing) == ("a", 7, "LATE")
    assert [row.reason for row in held(feed.spark, url, "lost")] == ["INVALID_TIME"]
    said: dict[str, Any] = {"checkpoint": tmp_path / "d", "availableNow": True}
    upsert = wr.Jdbc(url, "parts", upsert=True)
    with pytest.raises(wr.SpecError, match="UPSERT_OF_PARTS"):
        windows.accumulationMode("discarding").aggregate(F.sum("amount")).start(
            panes=upsert, **said
        )
    with pytest.raises(wr.SpecError, match="UPSERT_NOT_OF_PANES"):
        minutes.start(rejected=upsert, **said)


@pytest.mark.slow
def test_a_checkpoint_turned_back_by_one_batch(feed: Feed, url: str, tmp_path: Path) -> None:
    """After a checkpoint is set back by one batch, an equal batch is skipped and others refused."""
    checkpoint, before = tmp_path / "c", tmp_path / "before"
    stream = wr.stream(feed.stream(), time="time", key="product", watermark="0 seconds")
    minutes = (
        stream.lateness("0 seconds")
        .window(wr.Tumbling("1 minute"))
        .aggregate(F.sum("amount").alias("total"))
    )

    def run() -> None:
        sink = wr.Jdbc(url, "minutes", upsert=True)
        with having(feed.spark, {"spark.sql.streaming.noDataMicroBatches.enabled": "false"}):
            minutes.start(panes=sink, checkpoint=checkpoint, availableNow=True).awaitTermination()

    def totals() -> list[int]:
        return sorted(row.total for row in held(feed.spark, url, "minutes"))

    feed.add([order("09:00:10", amount=1), order("09:03:00", amount=2)])
    run()
    shutil.copytree(checkpoint, before)
    feed.add([order("09:04:10", amount=3)])
    run()
    assert totals() == [1]
    commits = checkpoint / "commits"
    last = max(int(entry.name) for entry in commits.iterdir() if entry.name.isdigit())
    (commits / str(last)).unlink()
    (commits / f".{last}.crc").unlink()
    run()
    assert totals() == [1]
    shutil.rmtree(checkpoint)
    shutil.copytree(before, checkpoint)
    feed.add([order("09:06:00", amount=4)])
    with pytest.raises(Exception, match="BATCH_IS_ANOTHER"):
        run()
    assert totals() == [1]


@pytest.mark.full
@pytest.mark.parametrize("kind", SERVERS)
def test_a_kill_neither_loses_nor_doubles_rows(
    spark: SparkSession, servers: Servers, kind: str, tmp_path: Path
) -> None:
    """SIGKILL before or after the write of a batch neither loses nor doubles rows."""
    first = [[order(f"09:0{minute}:10", "a", minute)] for minute in range(1, 8)]
    add_files(tmp_path / "orders", *first, [order("09:02:20", "a", 100), order("09:09:00", "a")])
    server, drivers = servers.empty(spark, kind).url, jars(kind)
    for deadly in ("-3", "4", "7"):
        died = start("jdbc.py", str(tmp_path), server, drivers, deadly, new_session=True)
        assert died.returncode == -signal.SIGKILL, (deadly, died.stderr)
    minutes, log, known = printed("jdbc.py", str(tmp_path), server, drivers, "none")[-3:]
    on_time = [(f"09:0{minute}", "a", minute, 0) for minute in range(1, 8)]
    assert log == f"log {sorted([*on_time, ('09:02', 'a', 102, 1)])}"
    assert minutes == f"minutes {sorted([*on_time[:1], ('09:02', 'a', 102, 1), *on_time[2:]])}"
    assert known == "['panes log', 'panes minutes']"
