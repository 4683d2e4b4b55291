"""The JAR inside the package: where it is, and whether a session has the same one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakSet

from windrow import _sql
from windrow._version import __version__
from windrow.errors import JarNotFoundError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_checked: WeakSet[SparkSession] = WeakSet()


def path() -> Path:
    """Path of the package's own JAR. Errors: JarNotFoundError if it was never built."""
    jar = Path(__file__).parent / "jars" / f"windrow-{__version__}.jar"
    if not jar.is_file():
        text = f"this package carries no {jar.name}. Run scripts/build jar, or install the wheel."
        raise JarNotFoundError(f"[JAR_NOT_BUILT] {text}")
    return jar


def check(spark: SparkSession) -> None:
    """Refuse a session without the JAR or with one of another version; asked once a session."""
    if spark in _checked:
        return
    version = _sql.jar_version(spark)
    if version is None:
        return
    if version != __version__:
        raise JarNotFoundError(
            f"[JAR_VERSION] the session has the windrow JAR {version}, the package is "
            f"{__version__}. Make a new session with wr.configure(builder)."
        )
    _checked.add(spark)
