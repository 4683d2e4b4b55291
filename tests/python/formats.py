"""Sessions with a table format that supports MERGE."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import windrow as wr
from conftest import session_builder
from programs import ROOT, build

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: The formats, a version of Spark, and the JARs for it, which the build downloads.
TESTED = (
    ("delta", "4.2.0", "delta"),
    ("delta", "4.1.1", "delta-41"),
    ("delta", "4.0.2", "delta-40"),
    ("iceberg", "4.1.1", "iceberg"),
    ("iceberg", "4.0.2", "iceberg-40"),
)


def format_jars(name: str) -> str:
    """Return the JARs of a format."""
    if not (ROOT / ".build" / name).exists():
        build(name)
    return ",".join(str(jar) for jar in (ROOT / ".build" / name).glob("*.jar"))


def session(folder: Path, jars: str, kind: str) -> tuple[SparkSession, str]:
    """Return a session, and the prefix of the names of tables of the format."""
    settings = {
        "delta": {
            "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
            "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        },
        "iceberg": {
            "spark.sql.extensions": (
                "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"
            ),
            "spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog",
            "spark.sql.catalog.lake.type": "hadoop",
            "spark.sql.catalog.lake.cache-enabled": "false",  # reads see all writes at once
            "spark.sql.catalog.lake.warehouse": str(folder / "lake"),
        },
    }[kind]
    builder = session_builder(folder).config("spark.jars", jars)
    for name, value in settings.items():
        builder = builder.config(name, value)
    made = wr.configure(builder).getOrCreate()
    made.sparkContext.setLogLevel("ERROR")
    return made, {"delta": "", "iceberg": "lake.held."}[kind]
