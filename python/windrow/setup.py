"""Prepare a session: ``configure`` a new one, ``attach`` to a running one, and ``doctor``."""

from __future__ import annotations

import atexit
import os
import re
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windrow._bridge import _doctor, _gateway, _jar
from windrow._bridge._doctor import Check, Report
from windrow._specs._columns import is_connect
from windrow.errors import JarNotFoundError, failure

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["Check", "Report", "attach", "configure", "doctor"]

_SETTING = re.compile(r"([^#\s=:][^\s=:]*)(?:\s*[=:]\s*|\s+)(.*)")

#: ``spark.jars`` takes a URI, but decodes it before it splits the list at commas.
_NO_COMMA = re.compile(r"[^,]+")
#: ``ADD JAR`` supports only paths of these letters.
_PLAIN_PATH = re.compile(r"[A-Za-z0-9._/-]+")

#: Recommended settings for state in RocksDB; a user's own setting takes precedence.
_SETTINGS = {
    _doctor.PROVIDER: _doctor.ROCKSDB,
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
    "spark.sql.streaming.stateStore.rocksdb.trackTotalNumberOfRows": "false",
    "spark.sql.streaming.stateStore.rocksdb.blockCacheSizeMB": "32",
}

#: The setting that runs unchanged queries of Spark's on Windrow.
_ACCELERATE = "spark.windrow.accelerate"


def _settings_with_jar() -> dict[str, str]:
    """Return settings that need the JAR from the start of the session."""
    package = "spark40" if _doctor.is_spark_40() else "spark"
    return {
        "spark.sql.streaming.checkpointFileManagerClass": (
            f"windrow.{package}.running.CheckpointFiles"
        ),
        "spark.sql.codegen.cache.maxEntries": "1000",
    }


def configure(builder: SparkSession.Builder, *, accelerate: bool = False) -> SparkSession.Builder:
    """Add Windrow's JAR and settings to a session builder.

    Settings that you have made stay: on the builder, in ``spark-defaults.conf``, and by
    ``spark-submit --conf``. The JAR is added to those that are already set. State is stored in
    RocksDB, which Windrow needs. For a remote server (``sc://``) only the settings of a client are
    made; start the server with the JAR, whose path ``wr.doctor`` shows.

    Args:
        builder: The builder of the session.
        accelerate: Whether unchanged queries of Spark's run on Windrow where possible
            (docs/guides/accelerate.md). It sets ``spark.windrow.accelerate``.

    Returns:
        The same builder.

    Raises:
        JarNotFoundError: The package does not contain the JAR (``JAR_NOT_BUILT``).

    Example:
        ::

            spark = wr.configure(SparkSession.builder.appName("orders")).getOrCreate()

    """
    remote = _user_setting(builder, "spark.remote") or os.environ.get("SPARK_REMOTE", "")
    is_remote = str(remote).startswith("sc://")
    for name, value in (_SETTINGS | ({} if is_remote else _settings_with_jar())).items():
        if _user_setting(builder, name) is None:
            builder.config(name, value)
    if not is_remote:
        jars = [jar for jar in (_user_setting(builder, "spark.jars") or "").split(",") if jar]
        ours = _jar_at(_NO_COMMA)
        if ours.name not in {jar.rpartition("/")[2] for jar in jars}:
            builder.config("spark.jars", ",".join([*jars, ours.as_uri()]))
        _gateway.load(ours)
    if accelerate:
        builder.config(_ACCELERATE, "true")
    return builder


def attach(spark: SparkSession | None = None) -> SparkSession:
    """Add Windrow's JAR to a running session.

    If the session still has Spark's default state store, it is changed to RocksDB, which Windrow
    needs.

    Args:
        spark: The session. None (the default) uses the active one.

    Returns:
        The session.

    Raises:
        SpecError: A session does not exist (``NO_SESSION``).
        JarNotFoundError: The package does not contain the JAR (``JAR_NOT_BUILT``), the session has
            another version (``JAR_VERSION``), or a Connect server does not have the JAR
            (``JAR_NOT_LOADED``), because it cannot be sent there.

    Example:
        ::

            wr.attach(spark)

    """
    session = spark or _doctor.active_session()
    if session is None:
        raise failure("NO_SESSION")
    if _lacks_jar(session):
        if is_connect(session):
            raise failure("JAR_NOT_LOADED.CONNECT", jar=_jar.path())
        jar = _jar_at(_PLAIN_PATH)
        _gateway.load(jar)  # for every thread of the driver
        session.sql(f"ADD JAR '{jar.as_uri()}'")  # for the executors
        _gateway.register(session)
        _jar.check(session)
    if session.conf.get(_doctor.PROVIDER) == _doctor.HDFS:
        for name, value in _SETTINGS.items():
            session.conf.set(name, value)
    return session


def doctor(spark: SparkSession | None = None) -> Report:
    """Check Python, PySpark, Java, the JAR, and the session.

    The check starts no JVM and changes nothing. Run it first if something does not work.

    Args:
        spark: The session. None (the default) uses the active one, if there is one.

    Returns:
        The report. ``print`` lists the checks, with a remedy for each problem.

    Example:
        ``print(wr.doctor())`` shows lines such as::

            ok    Python: 3.11.7
            ok    PySpark: 4.3.0
            ok    session: none in this process

    """
    return _doctor.examine(spark or _doctor.active_session())


def _user_setting(builder: SparkSession.Builder, name: str) -> str | None:
    """Return a setting of the builder, else of a running JVM or of ``spark-defaults.conf``."""
    from pyspark import SparkConf

    options: dict[str, Any] = builder._options
    if name in options:
        return str(options[name])
    if _gateway.java_version() is not None:
        return SparkConf().get(name, None)
    return _defaults().get(name)


def _defaults() -> dict[str, str]:
    """Read ``spark-defaults.conf``, because a setting of the builder would override it."""
    home = os.environ.get("SPARK_HOME")
    folder = os.environ.get("SPARK_CONF_DIR") or (home and str(Path(home) / "conf"))
    file = Path(folder or ".") / "spark-defaults.conf"
    if not folder or not file.is_file():
        return {}
    lines = (_SETTING.fullmatch(line.strip()) for line in file.read_text().splitlines())
    return {line[1]: line[2] for line in lines if line}


def _lacks_jar(session: SparkSession) -> bool:
    try:
        _jar.check(session)
    except JarNotFoundError as lacking:
        if str(lacking) != str(failure("JAR_NOT_LOADED.SESSION")):
            raise
        return True
    return False


@cache
def _jar_at(paths: re.Pattern[str]) -> Path:
    """Return the JAR at a path of this form: its own, else a copy that is removed at exit."""
    jar = _jar.path()
    if paths.fullmatch(str(jar)):
        return jar
    folder = Path(tempfile.mkdtemp(prefix="windrow-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(shutil.copy(jar, folder))
