"""The pages of the reference list what a running Spark has: SQL functions, metrics, and columns."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

import windrow as wr
from docs.test_reference import REFERENCE, column, listed, section
from feed import Feed, add_files, order
from watch.test_watching import gauges, heard, nowhere

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

# SQL functions


def arguments(spark: SparkSession, function: str) -> set[str]:
    """Return the arguments that a function names when it is given an unknown one."""
    names: set[str] = set()
    for first in ("", "TABLE(SELECT 1 AS a), ", "query => 'a', "):
        try:
            spark.sql(f"SELECT * FROM {function}({first}nonsense => 1)")  # noqa: S608
        except AnalysisException as refused:
            found = re.search(r"The arguments are ([\w, ]+)\.", str(refused))
            if found is not None:
                names |= set(found[1].split(", "))
    return names


@pytest.mark.spark
@pytest.mark.full
def test_sql_functions(spark: SparkSession) -> None:
    """Each registered function has a section with exactly its arguments, and a query."""
    page = "sql-functions.md"
    text = (REFERENCE / page).read_text(encoding="utf-8")
    shown = re.findall(r"^## (windrow_\w+)$", text, re.MULTILINE)
    names = {row[0].split(".")[-1] for row in spark.sql("SHOW USER FUNCTIONS").collect()}
    assert sorted(shown) == sorted(name for name in names if name.startswith("windrow_"))
    common = set(column(section(page, "Common arguments"), "argument"))
    windows = shown[: shown.index("windrow_policy")]
    for name in shown:
        part = section(page, name)
        own = set(column(part, "argument"))
        if name in windows:
            own |= common
        elif "#common-arguments" in part:  # its text lists those that it accepts
            own |= common & set(re.findall(r"`(\w+)`", part.partition("| argument |")[0]))
        assert own == arguments(spark, name), name
        assert re.search(rf"```sql\n[^`]*{name}\(", part), name


def _observed(query: StreamingQuery) -> set[str]:
    return {
        name
        for progress in query.recentProgress
        for metric, row in progress["observedMetrics"].items()
        if metric.startswith("windrow_")
        for name in row.asDict()
    }


@pytest.mark.spark
@pytest.mark.slow
def test_metrics(feed: Feed, tmp_path: Path) -> None:
    """The gauges and observed metrics of an aggregate and of a join have rows, and no others do."""
    spark = feed.add([order("09:00:10")], [order("09:05:00")]).spark
    wr.publishMetrics(spark)
    one, two = (
        wr.stream(feed.stream(), time="time", watermark="0 seconds", name=name).lateness(
            "0 seconds"
        )
        for name in ("one", "two")
    )
    count = one.window(wr.Tumbling("1 minute")).aggregate(F.count("*").alias("n"))
    joined = wr.join(one, two, on="product", within=("0 seconds", "1 minute"))
    left, right = (
        wr.stream(feed.stream(), time="time", key="product", watermark="0 seconds", name=name)
        for name in ("left", "right")
    )
    both = wr.cogroup(left, right).lateness("0 seconds")
    together = both.window(wr.Tumbling("1 minute")).aggregate(F.count("*").alias("n"))
    once = wr.stream(feed.stream(), time="time", key="product", watermark="0 seconds", name="once")
    last = once.lateness("0 seconds").dedup("1 minute", keep="last")
    queries = [
        last.start(rows=nowhere, checkpoint=tmp_path / "last", name="d"),
        count.start(panes=nowhere, checkpoint=tmp_path / "count", name="q"),
        joined.start(rows=nowhere, checkpoint=tmp_path / "join", name="j"),
        together.start(panes=nowhere, checkpoint=tmp_path / "both", name="b"),
    ]
    try:
        for query in queries:
            query.processAllAvailable()
        heard(spark)
        found = gauges(spark)
        shown = {name.partition(".")[2] for name in found if name.startswith("q.")}
        inputs = {name for name in found if ".input." in name}
        seen = {name for query in queries for name in _observed(query)}
    finally:
        for query in queries:
            query.stop()
    assert listed("metrics.md", "gauge") == {*shown, "input.<stream>.watermark_ms"}
    assert inputs == {
        f"{query}.input.{stream}.watermark_ms"
        for query, streams in (("j", ("one", "two")), ("b", ("left", "right")))
        for stream in streams
    }
    assert listed("metrics.md", "observed metric") == seen


# Columns


def described(title: str) -> set[str]:
    """Return the columns that a section of the page of columns names."""
    return set(column(section("output-columns.md", title), "column"))


def of(frame: DataFrame, *given: str) -> set[str]:
    """Return the columns of a frame and their fields, without those that the query names."""
    found = set()
    for field in frame.schema.fields:
        if field.name not in given:
            found.add(field.name)
            if field.name in ("window", "pane") and isinstance(field.dataType, StructType):
                found |= {f"{field.name}.{inner}" for inner in field.dataType.names}
    return found


def kinds() -> list[wr.WindowKind]:
    """Return a window of each form of bounds."""
    return [
        wr.Tumbling("1 minute"),
        wr.Sliding("1 minute"),
        wr.Over(rows=2),
        wr.Count(2),
        wr.OffsetSession(gap=1),
        wr.Policy.tumbling(wr.ByCount(2)),
    ]


@pytest.mark.spark
@pytest.mark.slow
def test_columns(spark: SparkSession, tmp_path: Path) -> None:
    """The sections name exactly the columns of each output."""
    add_files(tmp_path / "in", [order("09:00:10", topic="t", partition=0, offset=0)])
    schema = "time timestamp, product string, topic string, partition int, offset bigint"
    rows = spark.readStream.schema(schema).json(str(tmp_path / "in"))
    stream = wr.stream(
        rows, time="time", key="product", watermark="0 seconds", rowId=wr.KAFKA, name="one"
    )
    timed = stream.lateness("0 seconds")
    n = F.count("*").alias("n")
    outputs: list[Any] = [
        (timed if not isinstance(kind, wr.Count | wr.OffsetSession | wr.Policy) else stream)
        .window(kind)
        .aggregate(n)
        for kind in kinds()
    ]
    kept = timed.retain(time="1 hour").window(wr.Tumbling("1 minute")).keepRows()
    filled = timed.window(wr.Tumbling("1 minute")).fillGaps(0).aggregate(n)
    named = timed.windows(minute=wr.Tumbling("1 minute")).aggregate(n)
    panes = [of(output.panes, "product", "n") for output in [*outputs, kept, filled, named]]
    assert set.union(*panes) == described("Panes")
    assert of(kept.rejected) | of(named.rejected) == described("Rejected rows")
    assert of(outputs[-1].events, "product") == described("Events")
    asked = rows.selectExpr("product", "time AS at")
    answers = [kept.getMessages(asked, None, "at"), kept.getWindows(asked, None, "at")]
    found = set.union(*(of(one.answers, "product", "at") for one in answers))
    assert found == described("Answers")
    for output, name in ((kept, "kept"), (outputs[0], "summed")):
        query = output.start(panes=nowhere, checkpoint=tmp_path / name, availableNow=True)
        query.awaitTermination()
    state, sums = (wr.state(tmp_path / name) for name in ("kept", "summed"))
    windows = of(state.getWindows(None, None), "product") | of(
        sums.getWindows(None, None), "product"
    )
    assert {one for one in windows if "." not in one} - {"n"} == described("Stored windows")
    assert of(state.pending(), "product") - {"window.start", "window.end"} == described(
        "Pending panes"
    )
    assert of(state.restartOffsets()) == described("Restart offsets")
