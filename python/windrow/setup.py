"""Getting a session ready: ``configure`` a new one, ``attach`` to a running one, ``doctor``."""

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
#: ``ADD JAR`` takes a path of these letters only.
_PLAIN_PATH = re.compile(r"[A-Za-z0-9._/-]+")

#: What state in RocksDB runs well with; a setting of the user's stays.
_SETTINGS = {
    _doctor.PROVIDER: _doctor.ROCKSDB,
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
    "spark.sql.streaming.stateStore.rocksdb.trackTotalNumberOfRows": "false",
    "spark.sql.streaming.stateStore.rocksdb.blockCacheSizeMB": "32",
}

#: The same, where the JAR is in the session from its start.
_SETTINGS_WITH_JAR = {
    "spark.sql.streaming.checkpointFileManagerClass": "windrow.spark.running.CheckpointFiles",
    "spark.sql.codegen.cache.maxEntries": "1000",
}


def configure(builder: SparkSession.Builder) -> SparkSession.Builder:
    """Add the JAR and the settings of state to a session that is to be made.

    What the user has set stays: on the builder, in ``spark-defaults.conf``, by ``spark-submit
    --conf``. JARs are added to those already there. For a remote server (``sc://``) only what may
    be set there: start the server with the JAR (``doctor`` shows the path).
    """
    remote = _user_setting(builder, "spark.remote") or os.environ.get("SPARK_REMOTE", "")
    is_remote = str(remote).startswith("sc://")
    for name, value in (_SETTINGS | ({} if is_remote else _SETTINGS_WITH_JAR)).items():
        if _user_setting(builder, name) is None:
            builder.config(name, value)
    if not is_remote:
        jars = [jar for jar in (_user_setting(builder, "spark.jars") or "").split(",") if jar]
        ours = _jar_at(_NO_COMMA)
        if ours.name not in {jar.rpartition("/")[2] for jar in jars}:
            builder.config("spark.jars", ",".join([*jars, ours.as_uri()]))
        _gateway.load(ours)
    return builder


def attach(spark: SparkSession | None = None) -> SparkSession:
    """Add the JAR to a running classic session (None: the active one) and give it back.

    State goes to RocksDB if the session still has Spark's default. Errors: JarNotFoundError,
    also for a Connect session whose server lacks the JAR, which cannot be sent there.
    """
    session = spark or _doctor.active_session()
    if session is None:
        raise failure("NO_SESSION")
    if _lacks_jar(session):
        if is_connect(session):
            raise failure("JAR_NOT_LOADED.CONNECT", jar=_jar.path())
        session.sql(f"ADD JAR '{_jar_at(_PLAIN_PATH).as_uri()}'")
        _gateway.register(session)
        _jar.check(session)
    if session.conf.get(_doctor.PROVIDER) == _doctor.HDFS:
        for name, value in _SETTINGS.items():
            session.conf.set(name, value)
    return session


def doctor(spark: SparkSession | None = None) -> Report:
    """Say what is right and wrong with Python, Java, JAR and session (None: the active one)."""
    return _doctor.examine(spark or _doctor.active_session())


def _user_setting(builder: SparkSession.Builder, name: str) -> str | None:
    """Find a setting: of the builder, else of a running JVM or of ``spark-defaults.conf``."""
    from pyspark import SparkConf

    options: dict[str, Any] = builder._options
    if name in options:
        return str(options[name])
    if _gateway.java_version() is not None:
        return SparkConf().get(name, None)
    return _defaults().get(name)


def _defaults() -> dict[str, str]:
    """Read ``spark-defaults.conf``, whose settings the builder's would hide."""
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
    """Give the JAR under a path of that form: its own, else a copy until this process ends."""
    jar = _jar.path()
    if paths.fullmatch(str(jar)):
        return jar
    folder = Path(tempfile.mkdtemp(prefix="windrow-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(shutil.copy(jar, folder))
