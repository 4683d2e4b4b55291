"""The rows that `fillGaps` of 20 minutes adds to a stream that ends with a jump (SEMANTICS R3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from load.messages import Messages


def filled(messages: Messages) -> DataFrame:
    """Return a key's windows with rows, and the empty ones among the next two after each."""
    came = messages.table("messages", "lasting").select(
        "key", F.window("time", "10 minutes").alias("window"), "v"
    )
    windows = came.groupBy("key", "window").agg(
        F.count("*").alias("n"), F.sum("v").alias("total"), F.max("v").alias("most")
    )
    after = F.explode(F.array(*(F.expr(f"INTERVAL {n} MINUTES") for n in (10, 20))))
    moved = windows.select("key", "window", after.alias("by")).select(
        "key",
        F.struct(
            (F.col("window.start") + F.col("by")).alias("start"),
            (F.col("window.end") + F.col("by")).alias("end"),
        ).alias("window"),
    )
    found = moved.distinct().join(windows, ["key", "window"], "full")
    return found.select("key", "window", F.coalesce("n", F.lit(0)).alias("n"), "total", "most")
