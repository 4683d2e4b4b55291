"""The checks of ``wr.doctor``, each with a remedy."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windrow._bridge import _gateway, _jar
from windrow._markup import _html
from windrow._specs._columns import is_connect
from windrow.errors import JarNotFoundError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PROVIDER = "spark.sql.streaming.stateStore.providerClass"
_STATE = "org.apache.spark.sql.execution.streaming.state."
HDFS = f"{_STATE}HDFSBackedStateStoreProvider"
ROCKSDB = f"{_STATE}RocksDBStateStoreProvider"

NO_DATA = "spark.sql.streaming.noDataMicroBatches.enabled"

_PYSPARK_FROM, _PYSPARK_BELOW = (4, 0), (4, 4)
_JAVA_FROM = 17


@dataclass(frozen=True)
class Check:
    """One check.

    Attributes:
        name: The subject of the check.
        found: The value that was found.
        remedy: The action that solves the problem; empty if there is none.
        isHint: Whether Windrow works anyway, and would work better with the remedy.

    """

    name: str
    found: str
    remedy: str = ""
    isHint: bool = False

    @property
    def mark(self) -> str:
        """Return the result of the check.

        Returns:
            ``ok``, ``hint``, or ``WRONG``.

        """
        if not self.remedy:
            return "ok"
        return "hint" if self.isHint else "WRONG"


@dataclass(frozen=True)
class Report:
    """The result of ``wr.doctor``; ``print`` shows it as a list.

    Attributes:
        checks: The checks in order, each with ``name``, ``found``, ``remedy``, and ``mark``.

    Example:
        >>> wr.Report(()).ok
        True

    """

    checks: tuple[Check, ...]

    @property
    def ok(self) -> bool:
        """Return whether no check found a problem.

        Returns:
            True if no check is marked ``WRONG``. Hints do not matter here.

        """
        return not any(check.mark == "WRONG" for check in self.checks)

    def __str__(self) -> str:
        """List the checks, each with its remedy unless it is ok."""
        lines = []
        for check in self.checks:
            lines.append(f"{check.mark:<5} {check.name}: {check.found}")
            if check.remedy:
                lines.append(f"      -> {check.remedy}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows = []
        for check in self.checks:
            is_wrong = check.mark == "WRONG"
            state = _html.red("wrong") if is_wrong else check.mark
            rows.append((state, check.name, check.found, check.remedy))
        return _html.card("windrow.doctor()", rows)


def examine(spark: SparkSession | None) -> Report:
    """Run all checks; starts no JVM and changes nothing."""
    return Report((_python(), _pyspark(), _java(), _package(), *_session(spark)))


def active_session() -> SparkSession | None:
    """Return the session of this process, or None."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        return None
    return SparkSession.getActiveSession() or _of_connect()


def _of_connect() -> SparkSession | None:
    """Return the Connect session if only the client is installed."""
    if not _is_only_client():
        return None
    from pyspark.sql.connect.session import SparkSession as Remote

    found: Any = Remote.getActiveSession()
    return found  # type: ignore[no-any-return]


def _is_whole() -> bool:
    """Return whether PySpark is complete, so that this process can start Spark."""
    return find_spec("py4j") is not None and _part_of_pyspark("core") is not None


def _is_only_client() -> bool:
    """Return whether the installed PySpark is the client of Spark Connect."""
    return _pyspark_version() is not None and not _is_whole()


def _python() -> Check:
    wrong = sys.version_info < (3, 11)
    return Check("Python", sys.version.split()[0], "Use Python 3.11 or later." if wrong else "")


def _pyspark() -> Check:
    version = _pyspark_version()
    if version is None and os.environ.get("SPARK_HOME"):
        remedy = "Start the program with spark-submit, which provides the PySpark of SPARK_HOME."
        return Check("PySpark", "not on the path of this Python", remedy)
    if version is None:
        remedy = "Run pip install 'windrow[spark]', or 'windrow[client]' for only Spark Connect."
        return Check("PySpark", "not installed", remedy)
    fits = _PYSPARK_FROM <= _parts(version) < _PYSPARK_BELOW
    shown = version if _is_whole() else f"{version}, Spark Connect client only"
    return Check("PySpark", shown, "" if fits else "Use PySpark 4.0, 4.1, 4.2 or 4.3.")


def is_spark_40() -> bool:
    """Return whether the PySpark on the path is 4.0, for which some classes have other names."""
    return _parts(_pyspark_version() or "") == (4, 0)


def _parts(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:2])


def _pyspark_version() -> str | None:
    """Return the version of the PySpark on the path, without an import of PySpark.

    ``spark-submit`` provides PySpark as a ZIP file, which lacks the metadata of a package.
    """
    found = _part_of_pyspark("version")
    if found is None or found.loader is None:
        return None
    module = module_from_spec(found)
    found.loader.exec_module(module)
    return str(module.__version__)


def _part_of_pyspark(name: str) -> ModuleSpec | None:
    pyspark = find_spec("pyspark")
    return pyspark and PathFinder.find_spec(f"pyspark.{name}", pyspark.submodule_search_locations)


def _java() -> Check:
    if _is_only_client():
        return Check("Java", "not needed, because Spark runs on a server")
    version = _gateway.java_version() or _installed_java()
    if version is None:
        return Check("Java", "not found", f"Install Java {_JAVA_FROM}, or set JAVA_HOME.")
    number = re.match(r"\d+", version)
    fits = number is not None and int(number[0]) >= _JAVA_FROM
    return Check("Java", version, "" if fits else f"Use Java {_JAVA_FROM} or later.")


def _installed_java() -> str | None:
    """Return the version of the Java that PySpark would start."""
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    if java is None or not Path(java).is_file():
        return None
    output = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr
    quoted = re.search(r'version "([^"]+)"', output)
    return quoted[1] if quoted else None


def _package() -> Check:
    try:
        return Check("JAR of the package", str(_jar.path()))
    except JarNotFoundError as lacking:
        return Check("JAR of the package", "none", str(lacking))


def _session(spark: SparkSession | None) -> Iterator[Check]:
    if spark is None:
        yield Check("session", "none in this process")
        return
    try:
        _jar.check(spark)
        yield Check("JAR of the session", "available, in the version of the package")
    except JarNotFoundError as lacking:
        yield Check("JAR of the session", "not usable", str(lacking))
    provider = spark.conf.get(PROVIDER) or ""
    advice = f"Set {PROVIDER} to {ROCKSDB}, as wr.configure and wr.attach do."
    yield Check("state store", provider.rpartition(".")[2], "" if provider == ROCKSDB else advice)
    yield _without_data(spark)
    yield _partitions(spark)


def _without_data(spark: SparkSession) -> Check:
    """Check micro-batches without data: without them the last complete windows stay open."""
    is_on = str(spark.conf.get(NO_DATA, "true")).lower() == "true"
    advice = f"Set {NO_DATA} to true. Otherwise a window that the last rows complete is emitted "
    advice += "only when more rows arrive."
    return Check("batches without data", "on" if is_on else "off", "" if is_on else advice)


def _partitions(spark: SparkSession) -> Check:
    """Check the partitions: more than cores cost a small micro-batch most of its time."""
    found = int(spark.conf.get("spark.sql.shuffle.partitions") or 0)
    name = "shuffle partitions"
    if is_connect(spark):
        return Check(name, str(found))
    context: Any = spark.sparkContext
    cores = int(context.defaultParallelism)
    many = found > 4 * cores
    advice = f"Small micro-batches are faster with {cores} or {2 * cores} partitions. Set "
    advice += "spark.sql.shuffle.partitions before the first start."
    return Check(name, f"{found} on {cores} cores", advice if many else "", isHint=True)
