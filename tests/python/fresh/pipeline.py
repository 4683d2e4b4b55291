"""A Declarative Pipeline: streaming tables over a view of a stream, in SQL and Python.

Argument: a folder with ``orders``. Prints the windows of the tables.
"""

from __future__ import annotations

import sys
from pathlib import Path

from pyspark import pipelines
from pyspark.pipelines.graph_element_registry import graph_element_registration_context
from pyspark.pipelines.spark_connect_graph_element_registry import SparkConnectGraphElementRegistry
from pyspark.pipelines.spark_connect_pipeline import (
    create_dataflow_graph,
    handle_pipeline_events,
    start_run,
)
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import windrow as wr
from feed import SCHEMA

folder = Path(sys.argv[1])
SQL = """
CREATE STREAMING TABLE minutes AS SELECT product, window.start, total, pane.timing
FROM windrow_tumble(
  TABLE(SELECT product, sum(amount) AS total FROM STREAM orders GROUP BY product),
  time => 'time', size => '1 minute', watermark => '0 seconds', lateness => '0 seconds')
"""

builder: SparkSession.Builder = SparkSession.builder
local = builder.remote("local[2]").config("spark.ui.enabled", "false")
local = local.config("spark.sql.warehouse.dir", (folder / "warehouse").as_uri())
local = local.config("spark.sql.shuffle.partitions", "2")
spark = wr.configure(local.config("spark.sql.session.timeZone", "UTC")).getOrCreate()
graph = create_dataflow_graph(spark, default_catalog=None, default_database=None, sql_conf={})
registry = SparkConnectGraphElementRegistry(spark, graph)
with graph_element_registration_context(registry):

    @pipelines.temporary_view
    def orders() -> DataFrame:
        """Read the files one by one."""
        reader = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1)
        return reader.json(str(folder / "orders"))

    @pipelines.table
    def built() -> DataFrame:
        """Return the same windows with the builder, over the pipeline's view."""
        stream = wr.stream(
            spark.readStream.table("orders"), time="time", key="product", watermark="0 seconds"
        )
        minutes = stream.lateness("0 seconds").window(wr.Tumbling("1 minute"))
        panes = minutes.aggregate(F.sum("amount").alias("total")).panes
        return panes.select("product", "window.start", "total", "pane.timing")

    @pipelines.table
    def joined() -> DataFrame:
        """Join the view with itself: two tables in one call."""
        left, right = (
            wr.stream(
                spark.readStream.table("orders"), time="time", watermark="0 seconds", name=name
            ).lateness("0 seconds")
            for name in ("a", "b")
        )
        rows = wr.join(left, right, on="product", within=("1 second", "1 minute")).rows
        shown = ("product", "a.time AS start", "b.amount AS total", "'JOINED' AS timing")
        return rows.selectExpr(*shown)


registry.register_sql(SQL, Path("minutes.sql"))
events = start_run(
    spark,
    graph,
    full_refresh=[],
    full_refresh_all=False,
    refresh=[],
    dry=False,
    storage=(folder / "storage").as_uri(),
)
handle_pipeline_events(events)
for table in ("minutes", "built", "joined"):
    rows = spark.table(table).orderBy("start").collect()
    print([(row.product, f"{row.start:%H:%M}", row.total, row.timing) for row in rows])  # noqa: T201
spark.stop()
