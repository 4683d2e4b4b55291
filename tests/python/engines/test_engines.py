"""The queries of ``coming-from.md`` have the totals of the engines from which readers come.

``tests/engines`` has the orders, a program for each engine, and the totals, which the programs
computed; ``full`` runs the programs again. ksqlDB has no program, because its server is not in a
package. Its section is compared with the Kafka Streams queries that ksqlDB builds.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F

import windrow as wr
from docs.pages import inside, starting_nothing
from feed import Feed
from programs import ROOT, build
from windrow.testing import harness

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

ENGINES = ROOT / "tests" / "engines"
ORDERS = ENGINES / "orders.csv"
TOTALS = json.loads((ENGINES / "totals.json").read_text(encoding="utf-8"))
PAGE = (ROOT / "docs" / "coming-from.md").read_text(encoding="utf-8")
SCHEMA = "time timestamp, product string, price double, topic string, partition int, offset bigint"
#: Opens packages of Java for Flink's serializers.
OPENED = [f"--add-opens=java.base/java.{name}=ALL-UNNAMED" for name in ("lang", "util")]


def blocks(section: str, language: str) -> list[str]:
    """Return the blocks of a language in a section of the page."""
    _, _, rest = PAGE.partition(f"## From {section}\n")
    text, *_ = rest.split("\n## ")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def rows() -> list[dict[str, Any]]:
    """Return the orders as they arrive."""
    found = []
    for number, line in enumerate(ORDERS.read_text(encoding="utf-8").splitlines()):
        time, product, price = line.split(",")
        of = {"time": time.rstrip("Z"), "product": product, "price": float(price)}
        found.append({**of, "topic": "orders", "partition": 0, "offset": number})
    return found


def in_windrow(spark: SparkSession, block: str, name: str) -> dict[str, list[Any]]:
    """Run a query of the page, one order in each micro-batch, and return its totals and timings.

    The clock moves by 20 seconds after the second order, as in the program of Beam.
    """

    def query(orders: DataFrame) -> Any:
        names: dict[str, Any] = {"wr": wr, "F": F, "orders": orders, "kafka": orders}
        with starting_nothing():
            exec(block, names)  # noqa: S102  our own page
        return names[name]

    with harness(query, spark, schema=SCHEMA, now="2026-01-05 00:00:00") as h:
        for number, row in enumerate(rows()):
            h.add(row)
            if number == 1:
                h.advanceProcessingTime("2026-01-05 00:00:20")
        return totals(
            [
                (
                    f"{pane['product']} {pane['window']['start']:%H}",
                    pane["pane"]["timing"],
                    pane["total"],
                )
                for pane in h.panes()
            ],
            [row["message"]["price"] for row in h.rejected()],
        )


def totals(panes: list[tuple[str, str, float]], late: list[float]) -> dict[str, list[Any]]:
    """Group totals by product and hour, without the order that ends the windows of the others."""
    found = defaultdict(list)
    for name, timing, total in panes:
        if not name.startswith("end"):
            found[name].append((timing, total))
    return {**found, "late": sorted(late)}


def plain(found: dict[str, list[Any]], *, timed: bool = False) -> dict[str, list[Any]]:
    """Return the totals without their timings, or with them as Beam's are recorded."""
    return {
        name: values
        if name == "late"
        else [f"{timing} {total:g}" if timed else total for timing, total in values]
        for name, values in found.items()
    }


def test_kafka_streams(spark: SparkSession) -> None:
    """Each update is a pane, and the order after the grace period is rejected."""
    (query,) = blocks("Kafka Streams", "python")
    assert plain(in_windrow(spark, query, "updates")) == {**TOTALS["Kafka Streams"], "late": [256]}


def test_ksqldb(spark: SparkSession) -> None:
    """Each window has one total, as of ``suppress``, by which ksqlDB runs ``EMIT FINAL``."""
    (query,) = blocks("ksqlDB", "python")
    found = plain(in_windrow(spark, query, "final"))
    assert found == {**TOTALS["Kafka Streams, suppressed"], "late": [256]}


def on_time(found: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Return the totals of the panes on time."""
    return {
        name: [total for timing, total in values if timing == "ON_TIME"]
        for name, values in found.items()
        if name != "late"
    }


def test_flink(spark: SparkSession) -> None:
    """The totals on time and late are those of the DataStream API."""
    *_, query = blocks("Spark's `window`", "python")
    found = in_windrow(spark, query, "hours")
    assert plain(found) == TOTALS["Flink"]
    assert on_time(found) == TOTALS["Spark"]


@pytest.mark.slow
def test_flink_sql(spark: SparkSession, tmp_path: Path) -> None:
    """Windrow's SQL has the totals of Flink's SQL on time, and those of the DataStream API late."""
    feed = Feed(spark, tmp_path / "orders")
    feed.stream().createOrReplaceTempView("orders")
    *_, query = blocks("Flink", "sql")
    panes: list[Any] = []
    writer = spark.sql(query.rstrip(";\n")).writeStream
    writer = writer.foreachBatch(lambda frame, _: panes.extend(frame.collect()))
    arrive(feed, writer.start(checkpointLocation=str(tmp_path / "checkpoint")))
    found = totals(
        [
            (f"{row['product']} {row['window'].start:%H}", row["pane"].timing, row["sum(price)"])
            for row in panes
        ],
        [256],
    )
    assert plain(found) == TOTALS["Flink"]
    assert on_time(found) == TOTALS["Flink SQL"]


def test_beam(spark: SparkSession) -> None:
    """The panes have Beam's timings and totals."""
    (query,) = blocks("Beam", "python")
    found = plain(in_windrow(spark, query, "panes"), timed=True)
    assert found == {**TOTALS["Beam"], "late": [256]}


def test_bytewax(spark: SparkSession) -> None:
    """Each window is emitted once, and the same orders are late."""
    *_, query = blocks("Bytewax", "python")
    assert plain(in_windrow(spark, query, "once")) == TOTALS["Bytewax"]


@pytest.mark.parametrize(
    ("program", "section"),
    [
        ("KafkaStreams", "Kafka Streams"),
        ("Flink", "Flink"),
        ("Beam", "Beam"),
        ("in_bytewax", "Bytewax"),
    ],
)
def test_the_page_has_the_program(program: str, section: str) -> None:
    """The code that the page shows for an engine is that of its program."""
    file = next(ENGINES.glob(f"{program}.*"))
    language = "java" if file.suffix == ".java" else "python"
    shown, *_ = blocks(section, language)
    code = file.read_text(encoding="utf-8")
    assert "".join(shown.split()) in "".join(code.split())


def arrive(feed: Feed, running: StreamingQuery) -> None:
    """Add each order in a micro-batch of its own, and stop the query after the last one."""
    for row in rows():
        feed.add([{name: row[name] for name in ("time", "product", "price")}])
        running.processAllAvailable()
    running.stop()


@pytest.mark.full
def test_spark(spark: SparkSession, tmp_path: Path) -> None:
    """Spark's own query has the totals on time."""
    feed = Feed(spark, tmp_path / "orders")
    (query, *_) = blocks("Spark's `window`", "python")
    with inside(spark, tmp_path):
        exec(query, {"F": F, "orders": feed.stream()})  # noqa: S102  our own page
        (running,) = spark.streams.active
        arrive(feed, running)
        found = spark.table("hours").collect()
    spark.sql("DROP TABLE hours")
    panes = [(f"{row['product']} {row['window'].start:%H}", "", row["total"]) for row in found]
    assert {**plain(totals(panes, [])), "late": []} == {**TOTALS["Spark"], "late": []}


def printed_by(*command: str) -> dict[str, dict[str, list[Any]]]:
    """Return the totals that a program prints, and those after the line ``once``."""
    ran = subprocess.run(command, check=True, capture_output=True, text=True)
    parts = []
    for part in ran.stdout.split("\nonce\n"):
        cells = [line.split(",") for line in part.splitlines()]
        panes = [
            (f"{one[0]} {one[1][11:13]}", one[3] if len(one) > 3 else "", float(one[2]))
            for one in cells
            if one[0] != "late"
        ]
        prices = {(row["product"], row["time"]): row["price"] for row in rows()}
        late = [prices[one[1], one[2][:19]] for one in cells if one[0] == "late"]
        parts.append(plain(totals(panes, late), timed=bool(cells) and len(cells[0]) > 3))
    return dict(zip(("all", "once"), parts, strict=False))


@pytest.mark.full
def test_the_totals_are_those_of_the_engines(tmp_path: Path) -> None:
    """The programs print the recorded totals."""
    build("engines")
    jars = str(ROOT / ".build/engines/*")
    classes = str(tmp_path / "classes")
    sources = [str(file) for file in ENGINES.glob("*.java")]
    compiled = ["javac", "-nowarn", "-d", classes, "-cp", jars, *sources]
    subprocess.run(compiled, check=True)
    java = ["java", "-XX:TieredStopAtLevel=1", *OPENED, "-cp", f"{classes}:{jars}"]

    def without_late(of: dict[str, list[Any]]) -> dict[str, list[Any]]:
        return {name: values for name, values in of.items() if name != "late"}

    found = printed_by(*java, "KafkaStreams", str(ORDERS), str(tmp_path / "state"))
    assert without_late(found["all"]) == TOTALS["Kafka Streams"]
    assert without_late(found["once"]) == TOTALS["Kafka Streams, suppressed"]
    query = tmp_path / "query.sql"
    query.write_text(blocks("Flink", "sql")[0].rstrip(";\n"), encoding="utf-8")
    found = printed_by(*java, "Flink", str(ORDERS), str(query))
    assert found["all"] == TOTALS["Flink"]
    assert without_late(found["once"]) == TOTALS["Flink SQL"]
    assert without_late(printed_by(*java, "Beam", str(ORDERS))["all"]) == TOTALS["Beam"]
    python = str(ROOT / ".build/venvs/bytewax/bin/python")
    assert (
        printed_by(python, str(ENGINES / "in_bytewax.py"), str(ORDERS))["all"] == TOTALS["Bytewax"]
    )
