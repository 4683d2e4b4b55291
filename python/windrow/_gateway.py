"""The only module that touches Py4J; it does so when called, never when imported."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from windrow._sql import NOT_LOADED
from windrow.errors import JarNotFoundError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def register(spark: SparkSession) -> None:
    """Make the table functions known in a running classic session that has the JAR.

    Must run in the thread that added the JAR: the JVM hands out its classes by thread.
    """
    gateway = _class(spark, "windrow.spark.gateway.Gateway")
    gateway.register(spark._jsparkSession)


def java_version() -> str | None:
    """Java version of the running JVM; None if this process has none."""
    from pyspark import SparkContext

    jvm: Any = SparkContext._jvm
    return None if jvm is None else str(jvm.java.lang.System.getProperty("java.version"))


def _class(spark: SparkSession, name: str) -> Any:  # noqa: ANN401  Py4J has no types
    from py4j.java_gateway import JavaPackage

    found: Any = spark._jvm
    for part in name.split("."):
        found = getattr(found, part)
    if isinstance(found, JavaPackage):
        raise JarNotFoundError(NOT_LOADED)
    return found
