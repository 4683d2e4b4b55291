"""Unchanged queries of Spark's run on Windrow, in every language and to every sink."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F

import windrow as wr
from feed import Feed, disordered, order
from programs import ROOT, printed

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession

pytestmark = pytest.mark.spark

SETTING = "spark.windrow.accelerate"


@pytest.fixture
def setting(spark: SparkSession) -> Iterator[Any]:
    """Return the session's settings; acceleration is off again after the test."""
    yield spark.conf
    spark.conf.unset(SETTING)


def minutes(stream: DataFrame) -> DataFrame:
    """Return the plain query of Spark's that the tests accelerate."""
    marked = stream.withWatermark("time", "10 minutes")
    return marked.groupBy("product", F.window("time", "5 minutes")).agg(
        F.sum("amount").alias("total"), F.count("*").alias("n")
    )


def shown(rows: list[Row]) -> list[str]:
    """Return sorted rows."""
    return sorted(map(str, rows))


def codes(found: wr.Acceleration) -> list[str | None]:
    """Return the code of each operator."""
    return [one.code for one in found.operators]


def test_explain_of_dataframes(feed: Feed) -> None:
    """A DataFrame is explained without the setting and before it starts (SEMANTICS R97)."""
    query = minutes(feed.stream())
    assert codes(wr.explainAcceleration(query)) == [None]
    assert codes(wr.explainAcceleration(query, "update")) == [None]
    assert codes(wr.explainAcceleration(query, outputMode="complete")) == ["COMPLETE_MODE"]
    text = str(wr.explainAcceleration(query))
    assert text == "accelerated  aggregate by product, window, as 'accelerated_0'"
    assert str(wr.explainAcceleration(feed.stream())).endswith("have a stateful operator.")
    with pytest.raises(wr.SpecError, match="ARGUMENT_NOT_UNDERSTOOD"):
        wr.explainAcceleration(query, "each")


def test_what_spark_keeps(feed: Feed, spark: SparkSession) -> None:
    """A join beside an operator of Windrow stays Spark's, and windows under other lateness rules.

    Each is explained with its code (SEMANTICS R97).
    """
    marked = feed.stream().withWatermark("time", "1 minute")
    ours = wr.stream(marked, time="time", key="product").lateness("0 seconds")
    panes = ours.window(wr.Tumbling("1 minute")).aggregate(F.count("*").alias("n")).panes
    other = marked.select("time", F.col("product").alias("also"))
    near = F.expr("product = also AND time BETWEEN window.start AND window.end")
    assert codes(wr.explainAcceleration(panes.join(other, near))) == ["JOIN_NOT_ALONE"]
    multiple = "spark.sql.streaming.statefulOperator.allowMultiple"
    spark.conf.set(multiple, "false")
    try:
        found = codes(wr.explainAcceleration(minutes(feed.stream())))
        assert found == ["SETTING_NOT_ACCELERATED"]
    finally:
        spark.conf.unset(multiple)


def test_explain_in_sql(spark: SparkSession, feed: Feed) -> None:
    """SQL returns a row for each operator."""
    feed.stream().withWatermark("time", "1 minute").createOrReplaceTempView("orders")
    query = "SELECT first(amount) FROM orders GROUP BY window(time, '1 minute')"
    (row,) = spark.sql(
        f"SELECT * FROM windrow_explain_acceleration(TABLE({query}))"  # noqa: S608
    ).collect()
    assert (row.name, row.accelerated, row.code) == ("accelerated_0", False, "AGGREGATE_ORDER")
    assert row.operator == "aggregate by window"
    assert "first(" in row.why


@pytest.mark.full
@pytest.mark.anywhere
def test_sinks(feed: Feed, setting: Any, tmp_path: Path) -> None:
    """A memory table, files, and a function receive Spark's rows (SEMANTICS R97)."""
    feed.add(*disordered(seed=3))
    expected = shown(feed.run(minutes(feed.stream())))
    assert len(expected) > 5
    setting.set(SETTING, "true")
    assert shown(feed.run(minutes(feed.stream()))) == expected

    writer = minutes(feed.stream()).writeStream.trigger(availableNow=True)
    files = writer.option("checkpointLocation", str(tmp_path / "files")).format("parquet")
    query = files.start(str(tmp_path / "panes"))
    query.awaitTermination()
    progress: Any = query.lastProgress
    assert [one.operatorName for one in progress.stateOperators] == ["transformWithStateExec"]
    assert shown(feed.spark.read.parquet(str(tmp_path / "panes")).collect()) == expected

    rows: list[Row] = []
    writer = minutes(feed.stream()).writeStream.trigger(availableNow=True)
    into = writer.foreachBatch(lambda batch, _: rows.extend(batch.collect()))
    into.option("checkpointLocation", str(tmp_path / "function")).start().awaitTermination()
    assert shown(rows) == expected


def test_table_and_state(feed: Feed, setting: Any, tmp_path: Path) -> None:
    """An accelerated query has a status and state; its checkpoint stays Windrow's (R98)."""
    setting.set(SETTING, "true")
    feed.add([order("09:00:00", amount=2), order("09:07:00")], [order("09:30:00")])
    checkpoint = str(tmp_path / "checkpoint")

    def start() -> Any:
        writer = minutes(feed.stream()).writeStream.option("checkpointLocation", checkpoint)
        return writer.queryName("minutes").toTable("accelerated_minutes")

    query = start()
    try:
        query.processAllAvailable()
        assert codes(wr.explainAcceleration(query)) == [None]
        assert wr.status(query).accepted == 3
        (open_window,) = (
            wr.state(checkpoint, operator="accelerated_0").getWindows(None, None).collect()
        )
        assert (open_window.product, open_window.total, open_window.n) == ("a", 1, 1)
        query.stop()
        setting.set(SETTING, "false")
        feed.add([order("10:30:00")])
        query = start()
        query.processAllAvailable()
        assert codes(wr.explainAcceleration(query)) == [None]
        assert feed.spark.table("accelerated_minutes").count() == 3
    finally:
        query.stop()
        feed.spark.sql("DROP TABLE accelerated_minutes")


def test_off(feed: Feed, tmp_path: Path) -> None:
    """Without the setting, Spark runs the query, and the explanation contains the reason."""
    feed.add([order("09:00:00")])
    writer = minutes(feed.stream()).writeStream.option("checkpointLocation", str(tmp_path))
    query = writer.format("noop").start()
    try:
        assert codes(wr.explainAcceleration(query)) == ["ACCELERATION_OFF"]
    finally:
        query.stop()
    with pytest.raises(wr.CheckpointError, match="QUERY_NOT_RUNNING"):
        wr.explainAcceleration(query)


@pytest.mark.full
def test_filter_with_a_python_function(feed: Feed, setting: Any) -> None:
    """Both engines move a filter with a Python function before the watermark (SEMANTICS R97)."""
    feed.add(*disordered(seed=3))
    more = F.udf(lambda amount: amount > 2, "boolean")

    def sessions() -> DataFrame:
        rows = feed.stream().withWatermark("time", "10 minutes").where(more("amount"))
        return rows.groupBy("product", F.session_window("time", "5 minutes")).count()

    expected = shown(feed.run(sessions()))
    assert len(expected) > 5
    assert codes(wr.explainAcceleration(sessions())) == [None]
    setting.set(SETTING, "true")
    assert shown(feed.run(sessions())) == expected


def test_configure() -> None:
    """``configure`` turns acceleration on if it is asked to."""

    class Builder:
        """A builder that only collects options."""

        def __init__(self) -> None:
            """Start without options."""
            self._options: dict[str, str] = {}

        def config(self, name: str, value: str) -> None:
            """Set an option."""
            self._options[name] = value

    plain: Any = Builder()
    assert SETTING not in wr.configure(plain)._options
    assert wr.configure(plain, accelerate=True)._options[SETTING] == "true"


@pytest.mark.full
def test_connect(tmp_path: Path) -> None:
    """A Connect server accelerates the queries of its sessions (SEMANTICS R97)."""
    said = printed("accelerated.py", FOLDER=str(tmp_path), PART="connect")
    assert said[-3:] == ["[None]", "['COMPLETE_MODE']", "True 3"]


@pytest.mark.slow
@pytest.mark.full
def test_without_the_jar(feed: Feed, setting: Any, tmp_path: Path) -> None:
    """Spark refuses a checkpoint of Windrow if the JAR is missing (SEMANTICS R98)."""
    setting.set(SETTING, "true")
    feed.add([order("09:00:00")])
    checkpoint = tmp_path / "checkpoint"
    writer = minutes(feed.stream()).writeStream.trigger(availableNow=True)
    writer = writer.option("checkpointLocation", str(checkpoint)).format("noop")
    writer.start().awaitTermination()
    feed.add([order("10:00:00")])
    said = printed(
        "accelerated.py",
        FOLDER=str(feed.folder),
        PART="without",
        CHECKPOINT=str(checkpoint),
    )
    assert said[-1] == "STREAMING_STATEFUL_OPERATOR_NOT_MATCH_IN_STATE_METADATA"
    (names,) = (line for line in said if line.startswith("Stateful operators in the metadata"))
    guide = (ROOT / "docs" / "guides" / "accelerate.md").read_text()
    assert names.partition(" SQLSTATE")[0] in guide.replace("\n", " ")
