"""Real servers of PostgreSQL and MariaDB: types, names, repeated batches, and their errors.

``test_jdbc`` runs all of its tests on them in mode ``full``.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import windrow as wr
from feed import Feed, order
from programs import awaited
from sinks.databases import SERVERS, Database, Servers
from sinks.test_jdbc import PANE, berlin
from sinks.writing import make, write

pytestmark = [pytest.mark.spark]

#: A name that ends a quoted one, of any database.
HOSTILE = 'a"b`c]; DROP TABLE kept; -- {d} ? ü'
VALUES = "window struct<start: timestamp, end: timestamp>, total decimal(38,18), real double"
SCHEMA = f"k string, {VALUES}, local timestamp_ntz, day date, text string, `{{}}` bigint, {PANE}"
SCHEMA = SCHEMA.format(HOSTILE.replace("`", "``"))
LARGE = Decimal("12345678901234567890.123456789012345678")
#: The hour that occurs twice in Berlin, by instants.
FOLDS = [datetime(2024, 10, 27, hour, 30, 0, 123456, UTC) for hour in (0, 1)]
LOCAL = datetime(2024, 3, 31, 2, 30, 0, 654321)  # noqa: DTZ001  an hour that Berlin does not have
TEXT = "ünïcödé 😀 漢 " + "x" * 40_000


@pytest.fixture(
    params=[
        server if server == "postgresql" else pytest.param(server, marks=pytest.mark.full)
        for server in SERVERS
    ]
)
def database(request: pytest.FixtureRequest, spark: SparkSession, servers: Servers) -> Database:
    """Return a new database of a server."""
    return servers.empty(spark, request.param)


def rows(spark: SparkSession, *panes: tuple[str | None, int, int, bool]) -> DataFrame:
    """Return panes by key, hour, number and retraction flag, in one partition."""
    made = [
        (
            *(key, (FOLDS[hour], FOLDS[hour] + timedelta(hours=1)), LARGE, 0.1 + number),
            *(LOCAL, LOCAL.date(), TEXT, number, ("LATE", number, False, gone)),
        )
        for key, hour, number, gone in panes
    ]
    return spark.createDataFrame(made, SCHEMA).coalesce(1)


def numbers(spark: SparkSession, database: Database, table: str) -> list[tuple[Any, ...]]:
    """Return key, hour and number of each row."""
    found = database.held(spark, table)
    return sorted(
        ((row.k, row.window_start.hour, row[HOSTILE]) for row in found),
        key=lambda one: (str(one[0]), *one[1:]),
    )


def test_values_and_repeated_batches(spark: SparkSession, database: Database) -> None:
    """Values stay exact, names are quoted, and a repeated batch changes nothing (SEMANTICS R147).

    The zone of the JVM has an hour that occurs twice, and the server another zone.
    """
    if database.kind == "mariadb":
        database.execute(spark, "SET GLOBAL time_zone = '+05:00'", "SET GLOBAL sql_mode = ''")
    sink, log = wr.Jdbc(database.url, "minutes", upsert=True), wr.Jdbc(database.url, "log")
    first = rows(spark, ("a", 0, 1, False), ("A", 0, 2, False), (None, 0, 3, False))
    second = rows(spark, ("a", 0, 1, True), ("a", 1, 4, False), ("漢😀", 0, 5, False))
    with berlin(spark):
        for one in (sink, log):
            make(spark, one, first.schema)
            for batch, panes in ((0, first), (0, first), (1, second), (1, second)):
                write(one, panes, batch)
    if database.kind == "mariadb":  # readers convert times, too
        database.execute(spark, "SET GLOBAL time_zone = '+00:00'", "SET GLOBAL sql_mode = DEFAULT")
    stored = [("A", 0, 2), ("None", 0, 3), ("a", 1, 4), ("漢😀", 0, 5)]
    assert [(str(key), *more) for key, *more in numbers(spark, database, "minutes")] == stored
    assert len(numbers(spark, database, "log")) == 6
    seen = next(row for row in database.held(spark, "minutes") if row.k == "a")
    assert (seen.total, seen.real, seen.text) == (LARGE, 4.1, TEXT)
    assert seen.window_start.replace(tzinfo=UTC) == FOLDS[1]
    assert (seen.local, seen.day) == (LOCAL, LOCAL.date())
    assert (seen.pane_timing, bool(seen.pane_is_retraction)) == ("LATE", False)
    with pytest.raises(wr.CheckpointError, match="BATCH_OF_THE_PAST"):
        write(log, first, 0)


SIMPLE = f"k string, window struct<start: timestamp, end: timestamp>, total bigint, {PANE}"


def simple(spark: SparkSession, count: int, total: int, *, descends: bool = False) -> DataFrame:
    """Return a pane for each of some keys, in ascending or descending order."""
    made = [(f"k{i}", (FOLDS[0], FOLDS[1]), total, ("LATE", 0, False, False)) for i in range(count)]
    return spark.createDataFrame(made[::-1] if descends else made, SIMPLE).coalesce(1)


@contextmanager
def locked(spark: SparkSession, database: Database, sql: str) -> Iterator[Any]:
    """Run a statement in a transaction that stays open within the context."""
    connection = database.connect(spark)
    connection.setAutoCommit(False)
    connection.createStatement().execute(sql)
    try:
        yield connection
    finally:
        connection.rollback()
        connection.close()


def refusal(sink: wr.Jdbc, panes: DataFrame, batch: int | None = None) -> str:
    """Return the error of a start or of a batch: one of Windrow, without frames of Java."""

    def run() -> None:
        if batch is None:
            make(panes.sparkSession, sink, panes.schema)
        else:
            write(sink, panes, batch)

    with pytest.raises(wr.WindrowError, match="JDBC_REFUSED") as refused:
        run()
    text = str(refused.value)
    assert "\tat " not in text
    assert "Exception" not in text
    assert "secret" not in text
    return text


def test_errors_of_the_database(spark: SparkSession, database: Database) -> None:
    """A wrong password, a missing right, a schema that is missing, and a lock are reported."""
    panes = simple(spark, 3, 1)
    good = wr.Jdbc(database.url, "minutes", upsert=True)
    make(spark, good, panes.schema)
    write(good, panes, 0)
    name = database.url.split("/")[-1].split("?")[0]
    if database.kind == "postgresql":
        database.execute(spark, "CREATE ROLE clerk LOGIN PASSWORD 'secret'", "CREATE SCHEMA own")
        database.execute(spark, "GRANT SELECT ON ALL TABLES IN SCHEMA public TO clerk")
        account, wait = "clerk", "&options=-c%20lock_timeout=300ms"
    else:
        database.execute(
            spark,
            "CREATE USER clerk@'127.0.0.1' IDENTIFIED BY 'secret'",
            f"GRANT SELECT ON {name}.* TO clerk@'127.0.0.1'",
        )
        account, wait = "clerk", "&sessionVariables=innodb_lock_wait_timeout=1"
    url = database.url.replace("user=test", f"user={account}")
    if database.kind == "mariadb":
        wrong = wr.Jdbc(url, "minutes", upsert=True, options={"password": "not the secret"})
        assert "denied" in refusal(wrong, panes)
    clerk = wr.Jdbc(url, "minutes", upsert=True, options={"password": "secret"})
    assert "denied" in refusal(clerk, panes, 1)
    assert "denied" in refusal(wr.Jdbc(url, "new", options={"password": "secret"}), panes)
    assert "nowhere" in refusal(wr.Jdbc(database.url, "nowhere.minutes"), panes)
    with locked(spark, database, "UPDATE minutes SET total = 5"):
        text = refusal(wr.Jdbc(f"{database.url}{wait}", "minutes", upsert=True), panes, 1)
        assert "lock" in text.lower()
    write(good, simple(spark, 3, 2), 1)
    assert {row.total for row in database.held(spark, "minutes")} == {2}


@pytest.mark.full
def test_a_query_that_the_database_ends(feed: Feed, database: Database, tmp_path: Path) -> None:
    """A query whose connection or lock the database refuses ends clearly, and continues later."""
    spark = feed.spark
    wait = {
        "postgresql": "&options=-c%20lock_timeout=300ms",
        "mariadb": "&sessionVariables=innodb_lock_wait_timeout=1",
    }[database.kind]
    stream = wr.stream(feed.stream(), time="time", key="product", watermark="0 seconds")
    windows = stream.lateness("1 hour").window(wr.Tumbling("1 minute"))
    totals = windows.accumulationMode("accumulating").aggregate(F.sum("amount").alias("total"))

    def run(url: str) -> None:
        sink = wr.Jdbc(url, "minutes", upsert=True)
        totals.start(panes=sink, checkpoint=tmp_path / "c", availableNow=True).awaitTermination()

    def result() -> list[tuple[str, int]]:
        held = database.held(spark, "minutes")
        return sorted((f"{row.window_start:%H:%M}", row.total) for row in held)

    feed.add([order("09:00:10", "a", 1)], [order("09:01:10", "a", 2)])
    run(database.url)
    assert result() == [("09:00", 1)]
    feed.add([order("09:00:20", "a", 4)], [order("09:02:10", "a", 8)])
    with (
        locked(spark, database, "UPDATE minutes SET total = 0"),
        pytest.raises(StreamingQueryException) as refused,
    ):
        run(f"{database.url}{wait}")
    text = str(refused.value)
    assert "[JDBC_REFUSED] The database at" in text
    assert "lock" in text.lower()
    assert "\tat " not in text
    with locked(spark, database, "UPDATE minutes SET total = 0") as other:
        waits = ThreadPoolExecutor(1).submit(run, database.url)
        awaited_lock(spark, database)
        end_the_waiting(spark, database)
        with pytest.raises(StreamingQueryException, match="JDBC_REFUSED"):
            waits.result()
        other.rollback()
    run(database.url)
    assert result() == [("09:00", 5), ("09:01", 2)]


def end_the_waiting(spark: SparkSession, database: Database) -> None:
    """End the connection that waits for a lock."""
    if database.kind == "postgresql":
        sql = "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE NOT granted"
        database.execute(spark, sql)
        return
    sql = "FROM information_schema.INNODB_TRX WHERE trx_state = 'LOCK WAIT'"
    connection = database.connect(spark)
    found = connection.createStatement().executeQuery(f"SELECT trx_mysql_thread_id {sql}")
    assert found.next()
    connection.createStatement().execute(f"KILL {found.getLong(1)}")
    connection.close()


@pytest.mark.slow
def test_queries_that_write_the_same_rows(spark: SparkSession, database: Database) -> None:
    """Queries that write the same rows in opposite orders leave one row for each (SEMANTICS R146).

    They wait for each other, and the database cancels one of them.
    """
    sink = wr.Jdbc(database.url, "shared", upsert=True)
    for batch in range(3):
        frames = [simple(spark, 60, n, descends=n > 0).persist() for n in (0, 1)]
        with ThreadPoolExecutor(2) as both:
            done = [
                both.submit(write, sink, frame, batch, f"q{n}") for n, frame in enumerate(frames)
            ]
            for one in done:
                one.result()
        for frame in frames:
            frame.unpersist()
    held = database.held(spark, "shared")
    assert sorted(row.k for row in held) == sorted(f"k{i}" for i in range(60))


@pytest.mark.slow
def test_a_deadlock_is_resolved(spark: SparkSession, database: Database) -> None:
    """A batch that the database cancels for another one is written again (SEMANTICS R146)."""
    sink = wr.Jdbc(database.url, "minutes", upsert=True)
    write(sink, simple(spark, 40, 0), 0)  # databases cancel the smaller transaction
    last = simple(spark, 2, 1).persist()
    last.count()
    with locked(spark, database, "UPDATE minutes SET total = 7 WHERE k <> 'k0'") as other:
        waits = ThreadPoolExecutor(1).submit(write, sink, last, 1)
        awaited_lock(spark, database)
        other.createStatement().execute("UPDATE minutes SET total = 7 WHERE k = 'k0'")
    waits.result()
    totals = {row.k: row.total for row in database.held(spark, "minutes")}
    assert totals == {f"k{i}": int(i < 2) for i in range(40)}


def awaited_lock(spark: SparkSession, database: Database) -> None:
    """Wait until a transaction waits for a lock."""
    connection = database.connect(spark)
    sql = {
        "postgresql": "SELECT 1 FROM pg_locks WHERE NOT granted",
        "mariadb": "SELECT 1 FROM information_schema.INNODB_TRX WHERE trx_state = 'LOCK WAIT'",
    }[database.kind]
    awaited(lambda: connection.createStatement().executeQuery(sql).next(), "a lock")
    connection.close()


def test_tables_of_your_own(spark: SparkSession, database: Database) -> None:
    """A table may have columns in another letter case, but must have transactions."""
    names = [*("k", "window_start", "window_end", "total", "pane_timing", "pane_index")]
    names += ["pane_is_last", "pane_is_retraction"]
    kinds = ["VARCHAR(9)", "TIMESTAMP NULL", "TIMESTAMP NULL", "BIGINT", "VARCHAR(9)", "BIGINT"]
    kinds += 2 * ["BOOLEAN"]
    table = ", ".join(f"{n.upper()} {kind}" for n, kind in zip(names, kinds, strict=True))
    database.execute(spark, f"CREATE TABLE mine ({table})")
    sink = wr.Jdbc(database.url, "mine")
    write(sink, simple(spark, 2, 1).withColumnRenamed("total", "Total"), 0)
    assert len(database.held(spark, "mine")) == 2
    if database.kind == "mariadb":
        database.execute(spark, "ALTER TABLE mine ENGINE = MyISAM")
        with pytest.raises(wr.SpecError, match=r"TABLE_WITHOUT_TRANSACTIONS.*MyISAM"):
            make(spark, sink, simple(spark, 2, 1).schema)
