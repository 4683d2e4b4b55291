"""The queries of the demo. The page shows the source of these functions."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

import windrow as wr
from flights.data import ON_TIME_MINUTES
from flights.files import SCHEMA, YEAR_END

WATERMARK = "1 hour"
LATENESS = "4 hours"
GAP = "30 minutes"


def departures(spark: SparkSession, folder: Path) -> DataFrame:
    """Return the stream, one file per micro-batch. Its watermark follows the planned departures."""
    source = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).parquet(str(folder))
    stream = source.withWatermark("scheduled", WATERMARK)
    # The clock row only advances the watermark, and is then filtered out. A filter on another
    # column would not work, because Spark pushes it below the watermark and removes the row early.
    return stream.where(F.col("scheduled") < F.lit(YEAR_END.to_pydatetime()))


def measures() -> list[Column]:
    """Return the aggregates: flights, departed flights, mean delay in minutes, share on time."""
    on_time = F.coalesce(F.col("delay") <= ON_TIME_MINUTES, F.lit(False))  # cancelled: no
    return [
        F.count("*").alias("flights"),
        F.count("delay").alias("left"),
        F.avg("delay").alias("mean_delay"),
        F.avg(on_time.cast("double")).alias("on_time"),
    ]


def hourly(flights: DataFrame) -> wr.Output:
    """Aggregate each airport by the hour. A late departure corrects the hour it was planned for."""
    return (
        wr.stream(flights, time="scheduled", key="origin", name="hourly")
        .lateness(LATENESS)
        .window(wr.Tumbling("1 hour"))
        .accumulationMode(wr.ACCUMULATING)
        .aggregate(*measures())
    )


def three_hours(flights: DataFrame) -> wr.Output:
    """Aggregate the last three hours of each airport, every hour."""
    return (
        wr.stream(flights, time="scheduled", key="origin", name="three_hours")
        .lateness(LATENESS)
        .window(wr.Hopping("3 hours", step="1 hour"))
        .accumulationMode(wr.ACCUMULATING)
        .aggregate(*measures())
    )


def delay_sessions(flights: DataFrame) -> wr.Output:
    """Group delayed departures of an airline until there is none for half an hour."""
    tolerance = F.expr(f"INTERVAL {ON_TIME_MINUTES} MINUTES")
    delayed = flights.where(F.col("reported") > F.col("scheduled") + tolerance)
    return (
        wr.stream(delayed, time="scheduled", key="carrier", name="sessions")
        .lateness(LATENESS)
        .window(wr.Session(GAP))
        .accumulationMode(wr.ACCUMULATING)
        .aggregate(
            F.count("*").alias("flights"),
            F.avg("delay").alias("mean_delay"),
            F.max("delay").alias("longest_delay"),
        )
    )


def spark_hourly(flights: DataFrame) -> DataFrame:
    """Use Spark's own window() on the same stream with the same watermark, for comparison."""
    hour = F.window("scheduled", "1 hour")
    return flights.groupBy("origin", hour).agg(*measures())
