"""Sessions with the JAR, from the start or attached later, local and remote."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import windrow as wr
from programs import PACKAGE, printed, start
from windrow._bridge import _doctor, _jar
from windrow._running import _query

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_IMPORTS = "import windrow as wr\nfrom windrow._bridge import _doctor"


@pytest.mark.spark
def test_configure_keeps_settings_of_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``configure`` adds JARs, keeps existing settings, and is idempotent."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    monkeypatch.setattr(SparkContext, "_jvm", None)
    (tmp_path / "spark-defaults.conf").write_text(
        "# a comment\nspark.jars  file:/defaults.jar\nspark.x = y\n\n"
    )
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    state = "spark.sql.streaming.stateStore.rocksdb.blockCacheSizeMB"
    builder = SparkSession.Builder().config(state, "7")
    options = wr.configure(wr.configure(builder))._options
    assert options["spark.jars"] == f"file:/defaults.jar,{_jar.path().as_uri()}"
    assert options[state] == "7"
    assert options[_doctor.PROVIDER] == _doctor.ROCKSDB
    assert "spark.x" not in options

    builder = SparkSession.Builder().config("spark.jars", "file:/mine.jar")
    assert wr.configure(builder)._options["spark.jars"] == f"file:/mine.jar,{_jar.path().as_uri()}"

    builder = SparkSession.Builder().config("spark.remote", "sc://elsewhere")
    remote = wr.configure(builder)._options
    assert not {"spark.jars", "spark.sql.codegen.cache.maxEntries"} & set(remote)


def test_a_package_without_jar_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a built JAR, the error names the command that builds it."""
    monkeypatch.setattr(_jar, "__version__", "0.0.0")
    with pytest.raises(wr.JarNotFoundError, match=r"\[JAR_NOT_BUILT\].*scripts/build jar"):
        _jar.path()


def test_doctor_without_a_session(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a session, the doctor starts none, and names the remedy for each problem."""
    monkeypatch.setattr(_jar, "__version__", "0.0.0")
    report = _doctor.examine(None)
    assert not report.ok
    assert "WRONG JAR of the package: none" in str(report)
    assert "-> [JAR_NOT_BUILT]" in str(report)
    assert {"Python", "PySpark", "Java"} <= {check.name for check in report.checks}


@pytest.mark.parametrize(
    ("home", "is_client", "said"),
    [
        ("", False, "not installed\n      -> Run pip install 'windrow[spark]'"),
        ("/opt/spark", False, "not on the path of this Python\n      -> Start the program with"),
        ("", True, "4.3.0, Spark Connect client only"),
    ],
)
def test_doctor_without_complete_pyspark(
    tmp_path: Path, home: str, said: str, *, is_client: bool
) -> None:
    """The doctor looks for Java, which every PySpark but the client needs."""
    if is_client:
        (tmp_path / "pyspark").mkdir()
        (tmp_path / "pyspark/__init__.py").touch()
        (tmp_path / "pyspark/version.py").write_text("__version__: str = '4.3.0'\n")
    (tmp_path / "bin").mkdir()
    java = tmp_path / "bin/java"
    java.write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\"' >&2\n")
    java.chmod(0o755)
    where = {"SPARK_HOME": home, "JAVA_HOME": str(tmp_path)}
    report = _alone("print(_doctor.examine(None))", tmp_path, **where)
    assert f"PySpark: {said}" in report
    found = "ok    Java: not needed" if is_client else "WRONG Java: 11.0.2\n      -> Use Java 17"
    assert found in report


@pytest.mark.parametrize(("version", "package"), [("4.0.2", "spark40"), ("4.3.0", "spark")])
def test_pyspark_of_a_distribution(tmp_path: Path, version: str, package: str) -> None:
    """``spark-submit`` provides PySpark as a ZIP file, whose version is not in any metadata."""
    import pyspark

    parts = Path(pyspark.__file__).parent / "python" / "lib"
    changed = tmp_path / "pyspark.zip"
    with zipfile.ZipFile(parts / "pyspark.zip") as whole, zipfile.ZipFile(changed, "w") as ours:
        for name in whole.namelist():
            text = f"__version__: str = {version!r}\n".encode()
            ours.writestr(name, text if name == "pyspark/version.py" else whole.read(name))
    program = """
from pyspark.sql import SparkSession
options = wr.configure(SparkSession.builder)._options
print(options["spark.sql.streaming.checkpointFileManagerClass"])
print(wr.doctor())
"""
    said = _alone(program, changed, *parts.glob("py4j-*.zip"))
    assert said.startswith(f"windrow.{package}.running.CheckpointFiles\n")
    assert f"ok    PySpark: {version}\n" in said
    assert "WRONG" not in said


def _alone(program: str, *path: Path, **env: str) -> str:
    """Run a program whose path has only Python's own modules, Windrow, and the given places."""
    ran = subprocess.run(
        [sys.executable, "-S", "-c", f"{_IMPORTS}\n{program}"],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, (PACKAGE.parent, *path)))} | env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_a_notebook_shows_a_hint_as_a_hint() -> None:
    """Only a problem is red in a notebook, because Windrow works in spite of a hint."""
    hint = _doctor.Check("shuffle partitions", "200 on 4 cores", "Set fewer.", isHint=True)
    shown = _doctor.Report((hint,))._repr_html_()
    assert ">hint<" in shown
    assert "wrong" not in shown
    wrong = _doctor.Report((_doctor.Check("Java", "not found", "Install Java 17."),))
    assert ">wrong<" in wrong._repr_html_()


@pytest.mark.spark
def test_many_shuffle_partitions_are_a_hint(spark: SparkSession) -> None:
    """The default of 200 shuffle partitions is reported as a hint, because it is only slow."""
    other = spark.newSession()
    other.conf.set("spark.sql.shuffle.partitions", "200")
    report = wr.doctor(other)
    assert report.ok
    assert "hint  shuffle partitions: 200 on" in str(report)
    few = 4 * spark.sparkContext.defaultParallelism
    other.conf.set("spark.sql.shuffle.partitions", few)
    assert f"ok    shuffle partitions: {few} on" in str(wr.doctor(other))


@pytest.mark.anywhere
@pytest.mark.spark
def test_doctor_of_a_good_session(spark: SparkSession) -> None:
    """The doctor finds no problem in a session created with ``configure``."""
    report = wr.doctor(spark)
    assert report.ok, str(report)
    assert wr.attach(spark) is spark, "attaching again changes nothing"


@pytest.mark.anywhere
@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.full
@pytest.mark.parametrize("folder", ["plain", "with space, 'quote' and é"])
def test_attach(tmp_path: Path, folder: str) -> None:
    """``attach`` adds the functions to a running session, wherever the package is installed.

    Such a session cannot read a table that WITH defines.
    """
    package = shutil.copytree(PACKAGE, tmp_path / folder / "windrow")
    ran = start("attach.py", package=package)
    assert ran.stdout.splitlines()[-5:] == [
        "JAR_NOT_LOADED",
        "[(2,), (1,)]",
        "True",
        "TABLE_OF_WITH",
        "(1, 0, 1)",
    ], ran.stderr
    assert "UNRESOLVABLE_TABLE_VALUED_FUNCTION" not in ran.stderr, "it asks without failing"


@pytest.mark.spark
def test_a_server_without_windrow(tmp_path: Path) -> None:
    """The Python of a Connect server runs functions of a query without the package."""
    from pyspark.serializers import CloudPickleSerializer

    sinks: dict[str, Any] = {"panes": wr.Files("panes"), "rejected": print}
    pickles: Any = CloudPickleSerializer
    written = pickles().dumps(_query._writing(sinks, "query", "checkpoint"))
    (tmp_path / "written").write_bytes(written)
    said = printed("without_windrow.py", str(tmp_path / "written"))
    assert said == ["panes to windrow, batch 7", "a batch 7"]


@pytest.mark.spark
@pytest.mark.full
def test_configure_from_a_path_with_a_space(tmp_path: Path) -> None:
    """``configure`` works from a path with a space, because the JAR is passed as a URI."""
    package = shutil.copytree(PACKAGE, tmp_path / "with space, and é" / "windrow")
    assert printed("configured.py", package=package)[-1] == "[(2,), (1,)]"


@pytest.mark.anywhere
@pytest.mark.spark
@pytest.mark.full
def test_connect(tmp_path: Path) -> None:
    """A Connect client has the same panes, rejected rows and errors."""
    said = printed("connect.py", FOLDER=str(tmp_path), PART="panes", SPARK_TESTING="1")
    watched = next(at for at, line in enumerate(said) if " batch 0: " in line)
    assert said[watched - 6 : watched] == [
        "SpecError NO_WATERMARK",
        "[(2,), (1,)]",
        "[('a', 3, 'ON_TIME')]",
        "[('TOO_LATE', 'a')]",
        "5 4 1",
        "1 1 False",
    ]
    assert said[-2:] == ["ended", "[METRICS_ON_CONNECT"]


@pytest.mark.anywhere
@pytest.mark.spark
@pytest.mark.full
def test_connect_stores(tmp_path: Path) -> None:
    """A Connect client supports joins, full state and reads of the state."""
    said = printed("connect.py", FOLDER=str(tmp_path), PART="stores", SPARK_TESTING="1")
    assert said[-7:] == [
        "[('a', 1, 2), ('a', 5, 4)]",
        "['product', 'window', 'count(o.amount)', 'pane']",
        "[1, 2, 4, 5]",
        "[1, 2, 5, 4]",
        "[('a', 2, True), ('a', 2, False)]",
        "True",
        "[CHECKPOINT_NOT_FOUND",
    ]
