"""The code of the pages matches the current API: Spark analyzes or runs all of it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F

import windrow as wr
from conftest import spark_home
from docs import scala_pages
from docs.alone import DELTA, compare, delta_jars
from docs.pages import Page, pages, starting_nothing
from feed import add_files, order
from page_parts import panes, parts
from programs import answers, awaited, free_ports, python_with
from torture.broker import broker, connector
from windrow._bridge import _jar
from windrow._running._settings import having

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.slow]

ROOT = Path(__file__).parents[3]
WIDE = (
    "time timestamp, product string, symbol string, country string, price double, id bigint, "
    "value string, cost double, paid double, topic string, partition int, offset bigint"
)


def blocks(page: str, language: str) -> list[str]:
    """Return the blocks of a language in a page."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


@pytest.fixture
def wide(spark: SparkSession, tmp_path: Path) -> DataFrame:
    """Return a stream with all columns that the pages use."""
    add_files(tmp_path / "wide", [order("09:00:00")])
    return spark.readStream.schema(WIDE).json(str(tmp_path / "wide"))


@pytest.mark.full
def test_coming_from_another_engine(wide: DataFrame) -> None:
    """Each Windrow query of the page is valid and has the columns of its SQL."""
    page = "docs/coming-from.md"
    wide.createOrReplaceTempView("orders")
    names: dict[str, Any] = {"wr": wr, "F": F, "orders": wide, "kafka": wide}
    own = [block for block in blocks(page, "python") if "wr." in block]
    with starting_nothing():
        for block in own:
            exec(block, names)  # noqa: S102  our own page
    assert len(own) == 5
    shown = [names[name].panes for name in ("hours", "updates", "final", "panes", "once")]
    sql = [block for block in blocks(page, "sql") if "windrow" in block]
    shown += [wide.sparkSession.sql(text.rstrip(";\n")) for text in sql]
    assert len(sql) == 1
    assert {(len(one.columns), one.isStreaming) for one in shown} == {(4, True)}


@pytest.mark.parametrize(
    "page",
    ["docs/sql.md", pytest.param("docs/reference/sql-functions.md", marks=pytest.mark.full)],
)
def test_sql_of_the_pages(wide: DataFrame, page: str) -> None:
    """The SQL of the page is valid and streaming, except reads of folders and answers about it."""
    for name in ("orders", "shipments", "payments", "quotes", "ads", "buys"):
        wide.createOrReplaceTempView(name)
    said = [text.strip() for block in blocks(page, "sql") for text in block.split(";\n")]
    answer = "'(end|[a-z_]*checkpoint)'|windrow_(version|explain)"
    found = [text for text in said if text and not re.search(answer, text)]
    assert len(found) > 2
    for text in found:
        assert wide.sparkSession.sql(text).isStreaming, text


@pytest.fixture
def one_shard(spark: SparkSession) -> Iterator[None]:
    """Use one shard, so that rows are emitted in the order of their computation."""
    with having(spark, {"spark.windrow.shards": "1", "spark.sql.shuffle.partitions": "1"}):
        yield


@pytest.fixture
def stopping(spark: SparkSession) -> Iterator[None]:
    """Stop the queries that a test starts, drop its tables, and restore the settings."""
    before = spark.conf.getAll
    yield
    for query in spark.streams.active:
        query.stop()
    for table in spark.catalog.listTables():
        if table.tableType != "TEMPORARY":
            spark.sql(f"DROP TABLE {table.name}")
    after = spark.conf.getAll
    for name in after.keys() - before.keys():
        spark.conf.unset(name)
    for name, value in before.items():
        if after.get(name) != value and name != "spark.app.name":  # each builder sets the name
            spark.conf.set(name, value)


def test_lookups(wide: DataFrame) -> None:
    """The page's lookups from inside a query are valid."""
    *_, lookups = blocks("docs/looking-into-a-query.md", "python")
    calls = wide.selectExpr("id AS customer", "time")
    with starting_nothing() as started:
        exec(lookups, {"wr": wr, "F": F, "orders": wide, "calls": calls})  # noqa: S102
    assert "answers" in started


@pytest.mark.full
@pytest.mark.usefixtures("one_shard", "stopping")
def test_looking_into_a_query(wide: DataFrame, tmp_path: Path) -> None:
    """The page's queries run, and its reads of their state return rows."""
    page = "docs/looking-into-a-query.md"
    kept, joined, keyed, _ = blocks(page, "python")
    first, keys = blocks(page, "sql")
    sql = first.split(";\n")
    by_offset = "state.getMessages(1000, 1999)"  # needs a stream with offsets
    sides = {name: wr.stream(wide, time="time", watermark="0 seconds", name=name) for name in "os"}

    def shown(path: str, code: str, then: str, **names: Any) -> None:
        exec(code, {"wr": wr, "F": F, "path": path, **names})  # noqa: S102  our own page
        for query in wide.sparkSession.streams.active:
            query.processAllAvailable()
        lines = [line for line in then.splitlines() if not line.startswith(by_offset)]
        exec("\n".join(lines), {"wr": wr, "path": path})  # noqa: S102

    minutes = str(tmp_path / "minutes")
    query, _, questions = kept.partition("\n\n")
    assert by_offset in questions
    query = query.replace('.toTable("minutes")', '.format("noop").start()')
    shown(minutes, query, questions, orders=wide)

    rows = str(tmp_path / "rows")
    query, state, questions = joined.partition("\nstate = ")
    questions = state.lstrip() + questions
    query += "\nrows.writeStream.option('checkpointLocation', path).format('noop').start()"
    orders, shipments = (side.lateness("0 seconds") for side in sides.values())
    shown(rows, query, questions, orders=orders, shipments=shipments)

    once = str(tmp_path / "once")
    query, _, questions = keyed.partition("\n\n")
    query = query.replace('.toTable("once")', '.format("noop").start()')
    shown(once, query, questions, orders=wide)
    keys = keys.strip().rstrip(";").replace("'path'", f"'{once}'")
    assert "watermark" in wide.sparkSession.sql(keys).columns

    for text in filter(None, map(str.strip, sql)):
        at = rows if "operator" in text else minutes
        assert wide.sparkSession.sql(text.replace("'path'", f"'{at}'")).columns, text


def test_the_picture_of_the_readme(tmp_path: Path) -> None:
    """The README's picture is drawn from the panes above it."""
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    table = next(part.text for part in parts(page) if part.word == "panes")
    kept = ROOT / "docs/pictures/first-window.svg"
    wr.timeline(panes(table)).save(kept if os.environ.get("WINDROW_WRITE") else tmp_path / "drawn")
    if not os.environ.get("WINDROW_WRITE"):
        assert (tmp_path / "drawn").read_bytes() == kept.read_bytes()


def test_a_rows_way_names_files_that_are_there() -> None:
    """Each file that the page names exists, compared by the end of its path."""
    page = (ROOT / "docs/project/a-rows-way.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(?:\w+/…/)?([\w/]+\.scala)`", page))
    there = [str(path) for path in (ROOT / "jvm").rglob("src/main/scala/**/*.scala")]
    assert len(named) > 20
    assert [name for name in named if not any(path.endswith(f"/{name}") for path in there)] == []


def cluster(folder: Path, **settings: str) -> dict[str, str]:
    """Prepare orders, the JAR, and settings for the commands of a page; return the environment."""
    (folder / _jar.path().name).symlink_to(_jar.path())
    add_files(folder / "orders", [order("09:00:10"), order("09:00:40")], [order("09:02:00")])
    usual = {
        "spark.driver.host": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.windrow.shards": "2",
        "spark.sql.shuffle.partitions": "2",
    }
    (folder / "conf").mkdir()
    defaults = "".join(f"{name} {value}\n" for name, value in {**usual, **settings}.items())
    (folder / "conf/spark-defaults.conf").write_text(defaults)
    return {
        **os.environ,
        "SPARK_HOME": str(spark_home(folder / "home")),
        "SPARK_CONF_DIR": str(folder / "conf"),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "python"),
    }


def run(command: str, folder: Path, env: Mapping[str, str]) -> str:
    """Run a command of a page in a folder, and return its output."""
    ran = subprocess.run(
        ["/bin/bash", "-ec", command], cwd=folder, env=env, capture_output=True, check=False
    )
    assert ran.returncode == 0, (ran.stdout + ran.stderr)[:4000].decode()
    return ran.stdout.decode()


CLUSTER = "docs/guides/cluster.md"


@pytest.mark.full
def test_jobs_of_a_cluster(tmp_path: Path) -> None:
    """Each command of the page runs on a cluster of two processes and writes its panes."""
    (tmp_path / "job.py").write_text(blocks(CLUSTER, "python")[0])
    env = cluster(tmp_path, **{"spark.master": "local-cluster[2,1,1024]"})
    *commands, _ = blocks(CLUSTER, "sh")
    assert len(commands) == 2
    for command in commands:
        run(command, tmp_path, env)
        assert list((tmp_path / "panes").glob("batch=*/*.parquet"))
        for made in ("panes", "rejected", "checkpoint"):
            shutil.rmtree(tmp_path / made)


@pytest.mark.full
def test_a_connect_server_as_the_page_starts_it(tmp_path: Path) -> None:
    """The command of the page starts a server, and its client runs a query there."""
    _, client = blocks(CLUSTER, "python")
    *_, command = blocks(CLUSTER, "sh")
    (port,) = free_ports(1)
    env = cluster(tmp_path, **{"spark.connect.grpc.binding.port": str(port)})
    env |= {f"SPARK_{name}_DIR": str(tmp_path / name) for name in ("LOG", "PID")}
    env["SPARK_LOCAL_DIRS"] = str(tmp_path)
    query = """
schema = "time timestamp, product string, price double"
orders = spark.readStream.schema(schema).json("file:FOLDER/orders")
stream = wr.stream(orders, time="time", watermark="0 seconds").lateness("0 seconds")
panes = wr.Files("file:FOLDER/panes")
counted = stream.window(wr.Tumbling("1 minute")).aggregate(F.count("*").alias("n"))
counted.start(panes=panes, checkpoint="file:FOLDER/c", availableNow=True).awaitTermination()
print([row.n for row in spark.read.parquet("file:FOLDER/panes").collect()])
"""
    head = "import windrow as wr\nfrom pyspark.sql import SparkSession, functions as F\n"
    program = head + client.replace("15002", str(port)) + query.replace("FOLDER", str(tmp_path))
    (tmp_path / "client.py").write_text(program)
    try:
        run(command, tmp_path, env)
        awaited(lambda: answers(port), "the server of the page")
        without = {name: value for name, value in env.items() if not name.startswith("SPARK_")}
        assert run("python client.py", tmp_path, without).splitlines()[-1] == "[2]"
    finally:
        run("$SPARK_HOME/sbin/stop-connect-server.sh", tmp_path, env)


@pytest.mark.full
def test_the_page_of_sinks(tmp_path: Path) -> None:
    """The page of sinks runs with Delta on its Spark, a topic, and Derby instead of PostgreSQL."""
    with broker(tmp_path) as address:
        compare(
            "sinks.md",
            tmp_path / "page",
            [*delta_jars(), connector()],
            places={
                "broker:9092": address,
                "jdbc:postgresql://db/shop": f"jdbc:derby:{tmp_path / 'database'};create=true",
            },
            settings=DELTA,
            python=python_with("4.2.0"),
        )


#: Pages that a newcomer reads first. The others run in ``full`` only: tests of every run check that
#: their names exist and that their SQL is valid, and run the same kinds of windows.
ALWAYS = ("README.md", "docs/start.md", "docs/guides/accelerate.md")


def rests(path: Path) -> bool:
    """Return whether a page runs in ``full`` only."""
    return str(path.relative_to(ROOT)) not in ALWAYS


@pytest.fixture(scope="module")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Path | None:
    """Return the classes of the pages' Scala code, which is compiled in ``full`` only."""
    if os.environ.get("WINDROW_MODE") != "full":
        return None
    folder = tmp_path_factory.mktemp("scala")
    assert scala_pages.compiled(folder) == ""
    return folder


def where(path: Path) -> list[pytest.MarkDecorator]:
    """Return the marks of a page; the README runs on all versions of Spark."""
    marks = [pytest.mark.full] if rests(path) else []
    return [*marks, pytest.mark.anywhere] if path.name == "README.md" else marks


@pytest.mark.usefixtures("one_shard", "stopping")
@pytest.mark.parametrize(
    "path",
    [pytest.param(path, marks=where(path)) for path in pages()],
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_page(spark: SparkSession, tmp_path: Path, path: Path, classes: Path | None) -> None:
    """The output that a page shows equals that of its code. ``WINDROW_WRITE=1`` updates it."""
    page = Page(path, spark, tmp_path)
    page.classes = classes
    made = page.run(whole=os.environ.get("WINDROW_MODE") == "full")
    if os.environ.get("WINDROW_WRITE"):
        path.write_text(made, encoding="utf-8")
    assert made == page.text
