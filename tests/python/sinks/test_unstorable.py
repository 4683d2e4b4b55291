"""A value that a database cannot store does not block a query permanently (SEMANTICS B12)."""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import windrow as wr
from feed import Feed, order
from programs import printed
from sinks.databases import jars, served
from sinks.unstorable import (
    a_table_is_one_however_it_is_named,
    a_table_of_the_users_own,
    every_row_has_a_fate,
    fates,
)
from sinks.writing import make, write

pytestmark = [pytest.mark.spark]


@pytest.fixture
def url() -> str:
    """Return the address of a new database."""
    return f"jdbc:derby:memory:{uuid.uuid4().hex};create=true"


@pytest.mark.slow
@pytest.mark.full
def test_every_row_has_a_fate(spark: SparkSession, url: str) -> None:
    """In Derby, long keys, NaN, infinity and distant years become dead letters."""
    assert every_row_has_a_fate(spark, url, ["k", "real", "small", "text"]) > 0


def test_a_table_of_the_users_own(spark: SparkSession, url: str) -> None:
    """A user's table may have narrower columns than those that Windrow creates."""
    jvm: Any = spark._jvm
    drivers = jvm.org.apache.derby.jdbc
    connection = drivers.EmbeddedDriver().connect(url, jvm.java.util.Properties())
    a_table_of_the_users_own(spark, url, connection)
    connection.close()


def test_a_table_is_one_however_it_is_named(spark: SparkSession, url: str) -> None:
    """A repeated batch is recognized with or without a schema in the table's name."""
    names = ["minutes", "APP.minutes", '"APP"."MINUTES"', "app.MINUTES"]
    names += [f"{name}" for name in names[:1]]
    a_table_is_one_however_it_is_named(spark, [(url, name) for name in names])
    others = f"{url};user=other"  # a user whose tables are in another schema
    make(spark, wr.Jdbc(others, "mine"), spark.range(0).schema)
    a_table_is_one_however_it_is_named(spark, [(url, "minutes"), (others, "APP.minutes")])


def test_a_column_can_be_added(spark: SparkSession, url: str) -> None:
    """A table that lacks a column keeps its rows, because the query does not write them again."""
    sink, first = wr.Jdbc(url, "totals"), spark.range(1)
    second = spark.range(1, 2).withColumn("total", F.lit(7))
    make(spark, sink, first.schema)
    write(sink, first, 0)
    with pytest.raises(wr.SpecError, match=r"TABLE_COLUMNS_DIFFER.* ALTER TABLE\. Drop it only if"):
        make(spark, sink, second.schema)
    jvm: Any = spark._jvm
    drivers = jvm.org.apache.derby.jdbc
    connection = drivers.EmbeddedDriver().connect(url, jvm.java.util.Properties())
    connection.createStatement().execute('ALTER TABLE totals ADD COLUMN "total" INT')
    connection.close()
    make(spark, sink, second.schema)
    write(sink, second, 1)
    rows = spark.read.format("jdbc").option("url", url).option("dbtable", "totals").load()
    assert {tuple(row) for row in rows.collect()} == {(0, None), (1, 7)}


def test_errors_that_are_of_no_row_are_of_no_row(spark: SparkSession, url: str) -> None:
    """An error that no single row causes creates no dead letter, as for a read-only view."""
    rows = spark.range(3)
    jvm: Any = spark._jvm
    drivers = jvm.org.apache.derby.jdbc
    connection = drivers.EmbeddedDriver().connect(url, jvm.java.util.Properties())
    for made in ('TABLE kept ("id" BIGINT)', "VIEW gone AS SELECT * FROM kept"):
        connection.createStatement().execute(f"CREATE {made}")
    connection.close()
    sink = wr.Jdbc(url, "gone", deadLetter="gone_dead")
    with pytest.raises(wr.WindrowError, match="JDBC_REFUSED"):
        write(sink, rows, 0)
    assert fates(spark, url, "gone", "gone_dead").dead == []


@pytest.mark.slow
def test_a_query_continues_with_dead_letters(feed: Feed, url: str, tmp_path: Path) -> None:
    """A failing query continues once dead letters are allowed, and each row is stored once."""
    stream = wr.stream(feed.stream(), time="time", key="product", watermark="0 seconds")
    windows = (
        stream.lateness("1 hour").window(wr.Tumbling("1 minute")).accumulationMode("accumulating")
    )
    totals = windows.aggregate(F.sum("amount").alias("total"))
    feed.add([order("09:00:10", "a"), order("09:00:20", "k" * 701)], [order("09:03:00", "a")])

    def run(**more: Any) -> None:
        sink = wr.Jdbc(url, "minutes", upsert=True, **more)
        totals.start(panes=sink, checkpoint=tmp_path / "c", availableNow=True).awaitTermination()

    for _ in range(2):
        with pytest.raises(Exception, match=r"VALUE_NOT_STORABLE.*701 characters"):
            run()
    feed.add([order("09:00:30", "a", 5), order("09:00:40", "k" * 701, 7)], [order("09:06:00", "b")])
    for _ in range(2):
        run(deadLetter="dead")
    held = feed.spark.read.format("jdbc").options(url=url, dbtable="minutes").load().collect()
    assert sorted((row["product"], row.total) for row in held) == [("a", 1), ("a", 6)]
    dead = feed.spark.read.format("jdbc").options(url=url, dbtable="dead").load().collect()
    assert sorted(json.loads(row.row_values)["total"] for row in dead) == [1, 8]
    assert {json.loads(row.pane_key)["product"] for row in dead} == {"k" * 701}
    assert {row.refused for row in dead} == {"product"}


@pytest.mark.full
@pytest.mark.parametrize("database", ["sqlite", "postgresql", "mariadb"])
def test_in_other_databases(database: str, tmp_path: Path) -> None:
    """Dead letters work in databases with other types, errors and transactions."""
    drivers = jars(database)
    with served(database, tmp_path / "server.log") as url:
        (line,) = printed("unstorable_in.py", str(tmp_path), database, url, drivers)
    assert line.startswith(database)
