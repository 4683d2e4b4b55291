"""The sources of a subject's rows: files, or topics of a Kafka broker."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import functions as F

from torture.sinks import topic

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from large.run import Read
    from large.scenario import Traffic


def published(spark: SparkSession, folder: Path, broker: str) -> None:
    """Send the rows of the files once to the partitions that they name, in order."""
    if (folder / "published").exists():
        return
    files = sorted((folder / "in0").glob("*.parquet"))
    whole = pa.concat_tables([pq.read_table(file) for file in files])
    file = folder / "whole.parquet"
    pq.write_table(whole.sort_by([("partition", "ascending"), ("offset", "ascending")]), file)
    rows = spark.read.parquet(str(file)).coalesce(1)
    told = [F.unix_micros("t").alias(n) if n == "t" else F.col(n) for n in rows.columns]
    value = F.to_json(F.struct(*told)).alias("value")
    sent = rows.select(F.col("partition").cast("int"), value).write.format("kafka")
    to = {"kafka.bootstrap.servers": broker, "topic": topic(folder, "in0")}
    # allows for a busy machine
    sent.options(**to, **{"kafka.delivery.timeout.ms": "600000"}).save()
    (folder / "published").touch()


def topics_of(spark: SparkSession, folder: Path, broker: str) -> Read:
    """Return a reader of the topics that takes a few hundred rows at a time."""

    def read(name: str, traffic: Traffic) -> DataFrame:
        schema = spark.read.parquet(str(folder / name)).schema
        reader = spark.readStream.format("kafka").option("kafka.bootstrap.servers", broker)
        reader = reader.option("subscribe", topic(folder, name))
        reader = reader.option("startingOffsets", "earliest")
        reader = reader.option("maxOffsetsPerTrigger", traffic.messages // 8 + 1)
        fields = [f"{f.name} {_told(f.dataType.simpleString())}" for f in schema]
        value = F.from_json(F.col("value").cast("string"), ", ".join(fields)).alias("value")
        records = reader.load().select("partition", "offset", value)
        known = {
            "t": F.expr("timestamp_micros(value.t)"),
            "partition": F.col("partition").cast(schema["partition"].dataType),
            "offset": F.col("offset"),
        }
        df = records.select(
            *(known.get(n, F.col("value")[n]).alias(n) for n in schema.fieldNames())
        )
        return df.repartition(traffic.repartition) if traffic.repartition else df

    return read


def _told(kind: str) -> str:
    return "bigint" if kind == "timestamp" else kind
