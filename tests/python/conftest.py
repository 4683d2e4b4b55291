"""One Spark session for all tests that need one, and streams that tests extend batch by batch."""

from __future__ import annotations

import os
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

import windrow as wr
from feed import Feed
from join.joins import Both
from programs import JAVA_OPTIONS
from sinks.databases import Servers, drivers

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Disables deadlines, because a slow machine is not a failure.
settings.register_profile("windrow", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("windrow")

os.environ["TZ"] = "UTC"  # PySpark returns timestamps in the local zone
time.tzset()

#: The seed of a random order of tests; by default tests run in the order of their names.
ORDER = os.environ.get("WINDROW_ORDER")

PARITY = Path(__file__).parents[1] / "parity"


def pytest_report_header() -> list[str]:
    """Print the setting that repeats the order."""
    return [f"WINDROW_ORDER={ORDER}"] if ORDER else []


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option for the mode ``quick``."""
    parser.addoption("--sparse", action="store_true", help="run one test of each file on Spark")


def sparse(items: list[pytest.Item]) -> None:
    """Remove all tests that need Spark but the first short one of each file."""
    seen = set[Path]()

    def is_kept(item: pytest.Item) -> bool:
        if "spark" not in getattr(item, "fixturenames", ()):
            return True
        if item.path in seen or any(map(item.get_closest_marker, ("slow", "full"))):
            return False
        seen.add(item.path)
        return True

    items[:] = filter(is_kept, items)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Begin with the files that have the most slow tests, so that no process ends alone.

    With ``WINDROW_ORDER``, shuffle files, and tests inside a file, so that module fixtures are
    created once.
    """
    if config.getoption("--sparse"):
        sparse(items)
    if not ORDER:
        weights = Counter[Path]()
        for item in items:
            if item.get_closest_marker("full") is None:
                weights[item.path] += 8 if item.get_closest_marker("slow") else 1
        items.sort(key=lambda item: -weights[item.path])
    else:
        rng = random.Random(ORDER)  # noqa: S311  no secret
        files: dict[Path, list[pytest.Item]] = {}
        for item in items:
            files.setdefault(item.path, []).append(item)
        shuffled = rng.sample(list(files.values()), len(files))
        items[:] = [item for file in shuffled for item in rng.sample(file, len(file))]


def problems_of(make: Callable[[], object]) -> set[wr.SpecProblem]:
    """Return the problems of a call that needs no JVM; empty if it succeeds."""
    try:
        make()
    except wr.SpecError as refused:
        return set(refused.problems)
    return set()


def session_builder(folder: Path) -> SparkSession.Builder:
    """Return a small local session: two cores, two shuffle partitions, files only in ``folder``.

    ``WINDROW_MASTER`` sets another master, for example ``local-cluster[2,1,1024]``.
    """
    from pyspark.sql import SparkSession

    master = os.environ.get("WINDROW_MASTER", "local[2]")
    if master.startswith("local-cluster"):
        os.environ["SPARK_HOME"] = str(spark_home(folder / "home"))
    builder: SparkSession.Builder = SparkSession.builder
    return (
        builder.master(master)
        .appName("windrow tests")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.memory", "1500m")
        .config("spark.driver.extraJavaOptions", JAVA_OPTIONS)
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.codegen.cache.maxEntries", "2000")
        .config("spark.metrics.conf.*.sink.jmx.class", "org.apache.spark.metrics.sink.JmxSink")
        .config("spark.sql.warehouse.dir", (folder / "warehouse").as_uri())
    )


def spark_home(folder: Path) -> Path:
    """Link PySpark's files into a folder in which the workers of a cluster may write files."""
    import pyspark

    folder.mkdir()
    for file in Path(pyspark.__file__).parent.iterdir():
        (folder / file.name).symlink_to(file)
    return folder


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """Return a session with the package's JAR; fail if the JAR was not built."""
    builder = session_builder(tmp_path_factory.mktemp("spark"))
    if drivers():
        builder = builder.config("spark.jars", drivers())
    session = wr.configure(builder).getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


@pytest.fixture(scope="session")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    """Return the servers of databases, which end with the tests."""
    made = Servers(tmp_path_factory.mktemp("servers"))
    yield made
    made.stop()


@pytest.fixture(autouse=True)
def the_one_session_is_active(request: pytest.FixtureRequest) -> None:
    """Reactivate the session, because table creation in another session activates that one."""
    if "spark" in request.fixturenames:
        one = request.getfixturevalue("spark")
        type(one)._activeSession = one
        one._jvm.SparkSession.setActiveSession(one._jsparkSession)


@pytest.fixture(autouse=True)
def nothing_is_left(request: pytest.FixtureRequest) -> Iterator[None]:
    """Drop a test's temporary views, which would hide tables of later tests.

    A setting of the session that a test leaves would change later tests, so that test fails.
    """
    if "spark" not in request.fixturenames:
        yield
        return
    one = request.getfixturevalue("spark")
    before = one.conf.getAll
    yield
    one._jsparkSession.sessionState().catalog().clearTempTables()
    after = one.conf.getAll
    left = {name for name in {*before, *after} if before.get(name) != after.get(name)}
    left.discard("spark.app.name")  # each builder of a session sets it
    assert not left, f"the test leaves the settings {sorted(left)}"


@pytest.fixture
def feed(spark: SparkSession, tmp_path: Path) -> Feed:
    """Return an empty stream of orders."""
    return Feed(spark, tmp_path / "orders")


@pytest.fixture
def both(spark: SparkSession, tmp_path: Path) -> Both:
    """Return two empty streams."""
    return Both(spark, tmp_path)
