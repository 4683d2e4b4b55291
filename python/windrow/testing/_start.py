"""Create a harness."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

from windrow._specs._columns import is_connect
from windrow.errors import failure
from windrow.operators._times import At
from windrow.testing._harness import Harness
from windrow.testing._pipeline import ONLY, Pipeline

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.types import StructType


def harness(
    pipeline: Pipeline,
    spark: SparkSession,
    *,
    schema: str | StructType | Mapping[str, str | StructType],
    engine: Literal["core", "query"] | None = None,
    now: At = "2025-01-01 00:00:00",
) -> Harness:
    """Create a harness that runs a pipeline with rows and times of your choice, without sleeping.

    Args:
        pipeline: A function that takes a DataFrame and returns the result of ``aggregate(...)``,
            ``keepRows()``, ``join(...)``, ``dedup(...)``, or ``match(...)``.
        spark: A session with Windrow. If it does not set ``spark.windrow.shards``, the harness uses
            one shard.
        schema: The columns of the rows, as in ``CREATE TABLE`` or a ``StructType``. For several
            streams a mapping; the function receives the DataFrames by these names.
        engine: ``"core"`` runs the plan of the query in this process, with state in memory, in
            about 0.1 ms for a micro-batch. ``"query"`` runs a streaming query with a checkpoint.
            None (the default) means ``"core"``, on Spark Connect ``"query"``.
        now: The processing time of the first micro-batch. The default is 2025-01-01 00:00:00.

    Returns:
        The harness. Use it with ``with``.

    Raises:
        SpecError: The pipeline is wrong, or the engine ``"core"`` cannot run it
            (``ONLY_IN_QUERIES``).
        WindrowError: The engine ``"core"`` was requested on Spark Connect (``NO_JVM``), or pyarrow
            is not installed (``PYARROW_MISSING``).
        ValueError: ``engine`` is another word, or ``now`` is not a time.
        TypeError: The pipeline returns a value of another type.

    Example:
        ::

            schema = "time timestamp, product string, price double"
            with wr.testing.harness(minutes, spark, schema=schema) as h:
                h.add({"time": "2025-01-01 09:00:10", "product": "tea", "price": 2.0})
                h.advanceWatermark("2025-01-01 09:01:00")
                wr.testing.assertSamePanes(h.panes(), [{"price": 2.0, "timing": "ON_TIME"}])

    """
    connect = is_connect(spark)
    if engine == "core" and connect:
        raise failure("NO_JVM.HARNESS")
    schemas = schema if isinstance(schema, Mapping) else {ONLY: schema}
    chosen = engine or ("query" if connect else "core")
    if chosen not in ("core", "query"):
        text = f"engine is {engine!r}; it must be 'core' or 'query'."
        raise ValueError(text)
    return Harness(pipeline, spark, schemas, engine=chosen, now=now)
