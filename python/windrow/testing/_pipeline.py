"""Build a user's pipeline over the files of a harness."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windrow._bridge import _sql
from windrow._running._rows import RowsOutput
from windrow._running._settings import having
from windrow.operators import _tables
from windrow.results import Output
from windrow.testing._turns import CONTROL

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

Pipeline = Callable[..., object]

#: The name of the only stream.
ONLY = "messages"

_SHARDS = "spark.windrow.shards"


def built(
    pipeline: Pipeline, spark: SparkSession, schemas: Mapping[str, Any], sources: Path
) -> tuple[Output | RowsOutput, DataFrame]:
    """Return the result of the pipeline, and its query over the files of the harness."""
    frames = {}
    for name, schema in schemas.items():
        (sources / name).mkdir(parents=True)
        reader = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1)
        frames[name] = reader.parquet(str(sources / name))
    (sources / CONTROL).mkdir()
    few = {} if spark.conf.get(_SHARDS, None) else {_SHARDS: "1"}
    with having(spark, few):
        made = pipeline(frames[ONLY]) if list(frames) == [ONLY] else pipeline(**frames)
        if not isinstance(made, Output | RowsOutput):
            text = f"The pipeline returned a {type(made).__name__}. It must return the result of "
            raise TypeError(
                text + "aggregate(...), keepRows(), join(...), dedup(...), or match(...)."
            )
        return made, _sql.driven(made.output, str(sources / CONTROL))


def columns(spark: SparkSession, schema: Any) -> pa.Schema:  # noqa: ANN401  a string or a StructType
    """Return the columns of rows as an Arrow schema."""
    from pyspark.sql.pandas.types import to_arrow_schema

    _tables.arrow()
    types = spark.createDataFrame([], schema).schema
    return to_arrow_schema(types, **_tables.in_utc(to_arrow_schema))
