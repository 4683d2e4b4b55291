"""The JAR inside the package: where it is, and whether a session has the same one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakSet

from windrow._bridge import _sql
from windrow._version import __version__
from windrow.errors import failure

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_checked: WeakSet[SparkSession] = WeakSet()


def path() -> Path:
    """Path of the package's own JAR. Errors: JarNotFoundError if it was never built."""
    jar = Path(__file__).parents[1] / "jars" / f"windrow-{__version__}.jar"
    if not jar.is_file():
        raise failure("JAR_NOT_BUILT", jar=jar.name)
    return jar


def check(spark: SparkSession) -> None:
    """Refuse a session without the JAR or with one of another version; asked once a session."""
    if spark in _checked:
        return
    version = _sql.jar_version(spark)
    if version is None:
        return
    if version != __version__:
        raise failure("JAR_VERSION", found=version, package=__version__)
    _checked.add(spark)
