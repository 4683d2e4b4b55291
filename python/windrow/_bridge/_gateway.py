"""The only module that uses Py4J; it imports Py4J when it is called."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windrow.errors import WindrowError, failure, from_text

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

GATEWAY = "windrow.spark.gateway.Gateway"


def register(spark: SparkSession) -> None:
    """Register the table functions in a running classic session that has the JAR.

    Call it in the thread that added the JAR, because the JVM's class loader belongs to a thread.
    """
    _class(spark, GATEWAY).register(spark._jsparkSession)


def publish_metrics(spark: SparkSession) -> None:
    """Publish the figures of the session's queries to Spark's metrics system."""
    _class(spark, GATEWAY).publishMetrics(spark._jsparkSession)


def java_version() -> str | None:
    """Return the Java version of the running JVM, or None without a JVM."""
    try:
        from pyspark import SparkContext
    except ImportError:  # the client of Connect alone, or no PySpark at all
        return None
    if "PYSPARK_GATEWAY_PORT" in os.environ:  # spark-submit starts the JVM first
        SparkContext._ensure_initialized()
    jvm: Any = SparkContext._jvm
    return None if jvm is None else str(jvm.java.lang.System.getProperty("java.version"))


def load(jar: Path) -> None:
    """Add the JAR to the class path of a JVM that runs already, if there is one.

    ``spark-submit`` starts the JVM first, and ``spark.jars`` then affects only the executors.
    """
    if java_version() is None:
        return
    from pyspark import SparkContext

    jvm: Any = SparkContext._jvm
    loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
    if loader.getResource("windrow/version.properties") is None:
        loader.addURL(jvm.java.io.File(str(jar)).toURI().toURL())


class _InJvm:
    """An object in the JVM."""

    def __init__(self, java: Any) -> None:  # noqa: ANN401  Py4J has no types
        """Store the object."""
        from pyspark import SparkContext

        self._java = java
        self._gateway: Any = SparkContext._gateway

    def call(self, method: str, *arguments: object) -> Any:  # noqa: ANN401  Py4J has no types
        """Call a method; bytes are passed as a Java array."""
        with plain_errors():
            given = getattr(self._java, method)(*arguments)
        return bytes(given) if isinstance(given, bytes | bytearray) else given

    def close(self) -> None:
        """Free the objects in the JVM."""
        self._gateway.detach(self._java)


class Operator(_InJvm):
    """A standalone operator in the JVM; it exchanges microseconds and Arrow streams."""

    def __init__(
        self, spark: SparkSession, spec: str, folder: str | None, name: str, *, sends: bool
    ) -> None:
        """Open an operator from a spec in JSON, in a folder or in memory.

        name: the operator in error messages. sends: whether its outputs are sent.
        """
        made = _class(spark, GATEWAY)
        with plain_errors():
            super().__init__(made.operator(spark._jsparkSession, spec, folder, name, sends))

    def close(self) -> None:
        """Free the operator and its objects in the JVM."""
        self.call("close")
        super().close()


class Rehearsal(_InJvm):
    """A query that runs step by step in the JVM; it exchanges Arrow streams."""

    def __init__(self, spark: SparkSession, output: DataFrame) -> None:
        """Read the plan of a classic DataFrame."""
        made = _class(spark, GATEWAY)
        with plain_errors():
            super().__init__(made.rehearsal(spark._jsparkSession, output._jdf))

    def advise(self, spark: SparkSession, share: float) -> DataFrame:
        """Return the rows of an advice."""
        from pyspark.sql.classic.dataframe import DataFrame as Classic

        return Classic(self.call("advise", share), spark)

    def kept(self, spark: SparkSession, what: str, operator: str | None) -> DataFrame:
        """Return the stored state of the operator."""
        from pyspark.sql.classic.dataframe import DataFrame as Classic

        return Classic(self.call("kept", what, operator), spark)


@contextmanager
def plain_errors() -> Iterator[None]:
    """Convert a JVM error with a message of Windrow into an error of Windrow."""
    from py4j.protocol import Py4JJavaError
    from pyspark.errors.exceptions.captured import CapturedException

    try:
        yield
    except Py4JJavaError as failed:
        ours = _from_java(str(failed.java_exception.getMessage()))
        if ours is None:
            raise
        raise ours from None
    except CapturedException as failed:
        ours = _from_java(str(failed._desc or ""))
        if ours is None:
            raise
        raise ours from None


def _from_java(message: str) -> WindrowError | None:
    return from_text(message.split("\n\nJVM stacktrace:", maxsplit=1)[0].strip())


def _class(spark: SparkSession, name: str) -> Any:  # noqa: ANN401  Py4J has no types
    from py4j.java_gateway import JavaPackage

    found: Any = spark._jvm
    for part in name.split("."):
        found = getattr(found, part)
    if isinstance(found, JavaPackage):
        raise failure("JAR_NOT_LOADED.SESSION")
    return found
