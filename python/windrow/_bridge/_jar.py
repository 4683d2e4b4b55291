"""The JAR of the package, and the check that a session has the same version."""

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
    """Return the path of the JAR.

    Raises:
        JarNotFoundError: The JAR was not built (``JAR_NOT_BUILT``).

    """
    jar = Path(__file__).parents[1] / "jars" / f"windrow-{__version__}.jar"
    if not jar.is_file():
        raise failure("JAR_NOT_BUILT", jar=jar.name)
    return jar


def check(spark: SparkSession) -> None:
    """Check that a session has the JAR of this version; the session is asked only once.

    Raises:
        JarNotFoundError: The JAR is missing (``JAR_NOT_LOADED``) or of another version
            (``JAR_VERSION``).

    """
    if spark in _checked:
        return
    version = _sql.jar_version(spark)
    if version is None:
        return
    if version != __version__:
        raise failure("JAR_VERSION", found=version, package=__version__)
    _checked.add(spark)
