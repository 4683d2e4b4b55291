"""Sessions with a table format that supports MERGE."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import windrow as wr
from conftest import session_builder
from programs import ROOT, build
from sinks.storage import BUCKET, settings

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


def session(folder: Path, jars: str, kind: str, url: str = "none") -> tuple[SparkSession, str]:
    """Return a session, and the prefix of the names of tables of the format.

    With the address of an object store, its tables are there.
    """
    builder = session_builder(folder).config("spark.windrow.shards", "2")
    more = {"spark.jars": jars, **_SETTINGS[kind]}
    if kind == "iceberg":
        more["spark.sql.catalog.lake.warehouse"] = str(folder / "lake")
    if url != "none":
        store = settings(url)
        more |= store | {"spark.jars": f"{jars},{store['spark.jars']}"}
        more["spark.sql.warehouse.dir"] = f"s3a://{BUCKET}/warehouse"
    for name, value in more.items():
        builder = builder.config(name, value)
    made = wr.configure(builder).getOrCreate()
    made.sparkContext.setLogLevel("ERROR")
    return made, {"delta": "", "iceberg": "lake.held."}[kind]


_SETTINGS = {
    "delta": {
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        # By default every read of the log of a table runs 50 tasks.
        "spark.databricks.delta.snapshotPartitions": "2",
    },
    "iceberg": {
        "spark.sql.extensions": (
            "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"
        ),
        "spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog",
        "spark.sql.catalog.lake.type": "hadoop",
        "spark.sql.catalog.lake.cache-enabled": "false",  # reads see all writes at once
    },
}
