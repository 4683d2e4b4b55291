"""Panes in a table with one row for each window: its last valid pane."""

from __future__ import annotations

import random
import uuid
from itertools import permutations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import windrow as wr
from feed import Feed, add_files, order
from formats import TESTED, format_jars
from programs import printed, python_with
from sinks.writing import columns, last_of_each, make, newest_of_each, winners, write

pytestmark = [pytest.mark.spark]

PANES = (
    "product string, window struct<start: bigint, end: bigint>, total bigint, "
    "pane struct<timing: string, index: bigint, is_last: boolean, is_retraction: boolean>"
)


def pane(product: str | None, start: int, total: int, index: int, sign: str) -> tuple[Any, ...]:
    """Return a pane of a window of size ten."""
    return (product, (start, start + 10), total, ("LATE", index, False, sign == "-"))


def test_of_several_panes_of_a_batch_the_last_one_holds(spark: SparkSession) -> None:
    """The pane with the greatest index is kept, and a retraction removes it (SEMANTICS B3)."""
    panes = [
        pane("a", 0, 1, 0, "-"),
        pane("a", 0, 2, 1, "+"),
        pane("a", 0, 2, 1, "-"),
        pane("a", 0, 3, 2, "+"),
        pane("b", 0, 4, 0, "+"),
        pane("b", 0, 4, 0, "-"),
        pane(None, 0, 5, 0, "+"),
        pane(None, 10, 6, 7, "-"),
    ]
    for shown in (panes, panes[::-1]):
        last = last_of_each(spark.createDataFrame(shown, PANES), ["product", "window"]).collect()
        assert sorted(
            (str(row.product), row.window.start, row.total, row.pane.is_retraction) for row in last
        ) == [("None", 0, 5, False), ("None", 10, 6, True), ("a", 0, 3, False), ("b", 0, 4, True)]


def minutes(feed: Feed, mode: wr.AccumulationMode = wr.ACCUMULATING) -> wr.Output:
    """Return totals of each minute with corrections."""
    stream = wr.stream(feed.stream(), time="time", key="product", watermark="0 seconds")
    windows = stream.lateness("1 day").window(wr.Tumbling("1 minute")).accumulationMode(mode)
    return windows.aggregate(F.sum("amount").alias("total"))


def codes(output: wr.Output, **sinks: Any) -> list[str]:
    """Return the problems of a start."""
    with TemporaryDirectory() as folder:
        never = Path(folder) / "made"
        with pytest.raises(wr.SpecError) as refused:
            output.start(checkpoint=never, **sinks)
        assert not never.exists()
    return [problem.code for problem in refused.value.problems]


def test_tables_that_cannot_be_merged_are_rejected_before_the_query_starts(
    feed: Feed, capfd: pytest.CaptureFixture[str]
) -> None:
    """Unsuitable tables, modes, kinds of rows and columns are refused before the start."""
    output = minutes(feed)
    assert codes(output, panes=wr.Upsert("nowhere")) == ["TABLE_NOT_MERGEABLE"]
    assert "nowhere" not in capfd.readouterr().err, "PySpark tells of it with Java's frames"
    feed.spark.createDataFrame([], output.panes.schema).write.saveAsTable("parquet_panes")
    assert codes(output, panes=wr.Upsert("parquet_panes")) == ["TABLE_NOT_MERGEABLE"]
    assert codes(output, rejected=wr.Upsert("parquet_panes")) == ["UPSERT_NOT_OF_PANES"]
    parts = minutes(feed, wr.DISCARDING)
    assert codes(parts, panes=wr.Upsert("parquet_panes", on=["shop", "window"])) == [
        "COLUMN_NOT_FOUND",
        "UPSERT_OF_PARTS",
    ]
    stream = wr.stream(feed.stream(), time="time", key="product", watermark="0 seconds")
    kept = stream.lateness("1 day").retain(time="2 days").window(wr.Tumbling("1 minute")).keepRows()
    asked = kept.getMessages(feed.stream(), None, "time")
    with pytest.raises(wr.SpecError, match="UPSERT_OF_PARTS"):
        asked.start(checkpoint="never made", panes=wr.Upsert("parquet_panes"))


def test_over_has_a_row_for_each_message(spark: SparkSession) -> None:
    """``Over`` has a row per input row, even if the windows' bounds are equal (SEMANTICS B3)."""
    df = spark.createDataFrame([(1, 10), (2, 20), (3, 30)], "id int, v int").selectExpr(
        "timestamp'2025-01-01 10:00:00' AS time", "'k' AS k", "*"
    )
    stream = wr.stream(df, time="time", key="k").lateness("0 seconds")
    panes = stream.window(wr.Over(rows=2)).aggregate(F.sum("v").alias("n")).panes
    on = columns(panes, wr.Upsert("table"))
    assert on == ["k", "message"]
    assert sorted(row.message.id for row in last_of_each(panes, on).collect()) == [1, 2, 3]


def test_rows_without_identity_are_rejected(feed: Feed) -> None:
    """Panes without a unique identity are refused (SEMANTICS B3).

    Equal rows have indistinguishable windows, and the numbers of evicted policy keys restart.
    """
    stream = wr.stream(feed.stream(), time="time", key="product", watermark="0 seconds")
    kind = wr.Over(rows=2)
    over = stream.lateness("0 seconds").window(kind).aggregate(F.count("*").alias("n"))
    limit = wr.KeyLimits(maxKeys=3)
    policy = stream.window(wr.Policy.tumbling(wr.ByCount(2), limit=limit)).aggregate(F.count("*"))
    for unclear in (over, policy):
        assert codes(unclear, panes=wr.Upsert("nowhere")) == ["UPSERT_ROW_UNCLEAR"]
    assert codes(over, panes=wr.Upsert("nowhere", on="message")) == ["TABLE_NOT_MERGEABLE"]
    source = wr.RowId(source="product", partition="gap", offset="amount")
    known = wr.stream(feed.stream(), time="time", rowId=source, watermark="0 seconds")
    told = known.lateness("0 seconds").window(kind).aggregate(F.count("*").alias("n"))
    assert codes(told, panes=wr.Upsert("nowhere")) == ["TABLE_NOT_MERGEABLE"]


def test_keys_are_shown_with_any_setting_of_spark(feed: Feed) -> None:
    """Keys are in the panes in any configuration, because otherwise all keys would share a row."""
    setting = "spark.sql.retainGroupColumns"
    feed.spark.conf.set(setting, "false")
    try:
        assert minutes(feed).panes.columns == ["product", "window", "total", "pane"]
    finally:
        feed.spark.conf.unset(setting)


def test_names_are_quoted(spark: SparkSession) -> None:
    """A column name with SQL in it is quoted in the text of the merge."""
    hostile = "a`b; DROP TABLE x --{came}${env:HOME}"
    panes = spark.createDataFrame([pane("a", 0, 1, 0, "+")], PANES)
    panes = panes.withColumnRenamed("product", hostile)
    assert [row[0] for row in last_of_each(panes, [hostile, "window"]).collect()] == ["a"]
    panes.write.saveAsTable("hostile")
    with pytest.raises(wr.SpecError, match="TABLE_NOT_MERGEABLE"):
        make(spark, wr.Upsert("hostile"), panes.schema)
    more = "hostile AS held USING hostile AS came ON true WHEN MATCHED THEN DELETE --"
    with pytest.raises(wr.SpecError, match=r"TABLE_DIFFERS.*PARSE_SYNTAX_ERROR"):
        make(spark, wr.Upsert(more), panes.schema)
    spark.sql("DROP TABLE hostile")


Panes = list[tuple[Any, ...]]


def corrections(seed: int) -> list[Panes]:
    """Draw batches of panes of a few keys: new windows, corrections and withdrawals."""
    rng = random.Random(seed)  # noqa: S311  no secret
    shown: dict[tuple[str | None, int], int] = {}
    batches = []
    for _ in range(4):
        batch: Panes = []
        for product, start in rng.sample([(p, s) for p in ("a", "b", None) for s in range(5)], 6):
            key = (product, start * 10)
            before = shown.get(key)
            if before is not None:
                batch.append(pane(*key, before, before, "-"))
            if before is not None and rng.random() < 0.4:
                del shown[key]
            else:
                index = 0 if before is None else before + 1
                shown[key] = index
                batch.append(pane(*key, index, index, "+"))
        batches.append(batch)
    return batches


def newest(held: dict[Any, Any], batch: Panes, on: int) -> None:
    """Apply a batch by the rule: each value of a column keeps the pane of its newest window."""
    last: dict[Any, Any] = {}
    for one in sorted(batch, key=lambda row: (row[3][1], row[3][3])):
        last[one[0], one[1]] = one

    def order(row: tuple[Any, ...]) -> tuple[int, int, int]:
        return (row[1][1], row[1][0], row[3][1])

    for value in {row[on] for row in batch}:
        of_it = [row for row in last.values() if row[on] == value]
        there = held.get(value)
        if there is not None and last.get((there[0], there[1]), there)[3][3]:
            there = None
        alive = [row for row in of_it if not row[3][3]] + ([there] if there else [])
        held.pop(value, None)
        if alive:
            best = max(map(order, alive))
            held[value] = next(row for row in reversed(alive) if order(row) == best)


#: Seed 1 has a withdrawn window, and older windows that must not replace newer ones.
@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, *(pytest.param(n, marks=pytest.mark.full) for n in (0, 2))])
def test_the_newest_window_has_the_row(spark: SparkSession, seed: int) -> None:
    """Without the window in ``on``, the newest window has the row, in any order (SEMANTICS B3)."""
    batches = corrections(seed)
    expected: dict[Any, Any] = {}
    sink = wr.Upsert("newest", on="product")
    url = f"jdbc:derby:memory:{uuid.uuid4().hex};create=true"
    table = wr.Jdbc(url, "newest", upsert=True, on="product")
    merged: dict[Any, Any] = {}
    rng = random.Random(seed)  # noqa: S311  no secret
    for number, batch in enumerate(batches):
        newest(expected, batch, 0)
        for _ in range(2):
            rng.shuffle(batch)
            rows = spark.createDataFrame(batch, PANES)
            write(table, rows, number)
            spark.createDataFrame(list(merged.values()), PANES).createOrReplaceTempView("newest")
            for row in winners(rows, sink, ["product"]).collect():
                if row.pane.is_retraction:
                    del merged[row["product"]]
                else:
                    merged[row["product"]] = tuple(row)
            stored = spark.read.format("jdbc").options(url=url, dbtable="newest").load().collect()
            here = {row["product"]: (row.window_start, row.total) for row in stored}
            assert here == {key: (row[1][0], row[2]) for key, row in expected.items()}
            assert here == {key: (row[1].start, row[2]) for key, row in merged.items()}


@pytest.mark.slow
def test_rows_of_several_keys_of_one_window(spark: SparkSession) -> None:
    """Among several keys of one window, the greatest index wins, then a deterministic pane."""
    came = [
        pane(product, 0, total, index, "+")
        for product, total, index in (("a", 1, 0), ("b", 2, 1), ("c", 3, 1))
    ]
    found = set()
    for telling in permutations(came):
        rows = spark.createDataFrame(list(telling), PANES).coalesce(1)
        found |= set(newest_of_each(rows, ["window"]).select("product", "total").collect())
    (one,) = found
    assert one["product"] in ("b", "c")


def test_on_without_the_window_is_rejected(feed: Feed) -> None:
    """``on`` without the window is refused for topics and policies.

    A topic cannot be read for its newest window, and policy windows may restart.
    """
    output = minutes(feed)
    topic = wr.KafkaTable("broker:9092", "t", on="product")
    assert codes(output, panes=topic) == ["UPSERT_ROW_UNCLEAR"]
    stream = wr.stream(feed.stream(), time="time", key="product", watermark="0 seconds")
    limit = wr.KeyLimits(maxKeys=3)
    policy = stream.window(wr.Policy.tumbling(wr.ByCount(2), limit=limit)).aggregate(F.count("*"))
    assert codes(policy, panes=wr.Upsert("nowhere", on="product")) == ["UPSERT_ROW_UNCLEAR"]


def test_a_result_that_is_called_message(feed: Feed) -> None:
    """A result with the name ``message`` is refused without ``on``.

    Rows would be found by its value, so a correction would add a second row.
    """
    stream = wr.stream(feed.stream(), time="time", key="product", watermark="0 seconds")
    windows = (
        stream.lateness("1 day").window(wr.Tumbling("1 minute")).accumulationMode("accumulating")
    )
    output = windows.aggregate(F.max("price").alias("message"))
    found = codes(output, panes=wr.Upsert("nowhere"))
    assert found == ["NAME_TAKEN", "TABLE_NOT_MERGEABLE"]
    on = wr.Upsert("nowhere", on=["product", "window"])
    assert codes(output, panes=on) == ["TABLE_NOT_MERGEABLE"]


def test_formats_that_are_not_there_or_cannot_merge(feed: Feed) -> None:
    """A missing format is named at the start, and a format without MERGE is refused at once."""
    assert codes(minutes(feed), panes=wr.Upsert("made", create="delta")) == [
        "UPSERT_FORMAT_MISSING"
    ]
    assert not feed.spark.catalog.tableExists("made")
    with pytest.raises(wr.SpecError, match=r"UPSERT_FORMAT_UNKNOWN.*'parquet'"):
        wr.Upsert("made", create="parquet")


@pytest.mark.parametrize("alias", ["window_start", "PANE_INDEX"])
def test_results_that_are_called_as_columns_of_the_sink(feed: Feed, alias: str) -> None:
    """A result with the name of a sink's column is refused, ignoring case."""
    stream = wr.stream(feed.stream(), time="time", key="product", watermark="0 seconds")
    windows = stream.lateness("0 seconds").window(wr.Tumbling("1 minute"))
    output = windows.aggregate(F.min("time").alias(alias))
    sink = wr.Jdbc("jdbc:derby:/nowhere/at/all", "t", upsert=True)
    assert codes(output, panes=sink) == ["NAME_TAKEN", "JDBC_REFUSED"]


@pytest.mark.full
@pytest.mark.parametrize(("kind", "version", "name"), TESTED)
def test_a_table_contains_the_final_results(
    kind: str, version: str, name: str, tmp_path: Path
) -> None:
    """The table contains the final windows and sessions, and no row of a merged session."""
    orders = [
        [order("09:00:10", "a", 1), order("09:02:00", "a", 2), order("09:00:30", "b", 4)],
        [order("09:05:00", "a", 8)],
        [order("09:01:05", "a", 16), order("09:00:40", "b", 32)],
        [order("09:10:00", "b", 64)],
    ]
    add_files(tmp_path / "orders", *orders)
    jars = format_jars(name)
    sessions = (
        "[('a', '09:00:10', '09:03:00', 19), ('a', '09:05:00', '09:06:00', 8), "
        "('b', '09:00:30', '09:01:40', 36), ('b', '09:10:00', '09:11:00', 64)]"
    )
    latest = "[('a', '09:05:00', '09:06:00', 8), ('b', '09:10:00', '09:11:00', 64)]"
    assert printed("upserts.py", str(tmp_path), jars, kind, python=python_with(version)) == [
        "minutes [('a', '09:00:00', '09:01:00', 1), ('a', '09:01:00', '09:02:00', 16), "
        "('a', '09:02:00', '09:03:00', 2), ('a', '09:05:00', '09:06:00', 8), "
        "('b', '09:00:00', '09:01:00', 36), ('b', '09:10:00', '09:11:00', 64)]",
        f"sessions {sessions}",
        f"latest {latest}",
        f"scala {sessions}",
        f"scala_latest {latest}",
    ]
