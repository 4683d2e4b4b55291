"""What `fillGaps` brings of a stream that ends with a jump, by the rule alone (SEMANTICS R3)."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from load.messages import PARTITIONS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from load.messages import Messages

SIZE = timedelta(minutes=10)
#: Size and lateness: so long a silent key goes on.
RETENTION = timedelta(minutes=20)


def filled(messages: Messages) -> DataFrame:
    """Give a key's windows from the first of its first batch on, and those before with messages."""
    number = F.col("at") * PARTITIONS + F.col("part")
    came = messages.table("messages", "lasting").select(
        "key",
        F.window("time", "10 minutes").alias("window"),
        "v",
        F.floor(number / messages.rows).alias("batch"),
    )
    windows = came.groupBy("key", "window").agg(
        F.count("*").alias("n"), F.sum("v").alias("total"), F.max("v").alias("most")
    )
    starts = F.min_by("window.start", F.struct("batch", "window.start"))
    spans = came.groupBy("key").agg(starts.alias("first"), F.max("window.start").alias("last"))
    each = F.explode(F.sequence("first", F.col("last") + F.lit(RETENTION), F.lit(SIZE)))
    empty = spans.select("key", each.alias("start"))
    gaps = empty.select(
        "key", F.struct("start", (F.col("start") + F.lit(SIZE)).alias("end")).alias("window")
    )
    found = gaps.join(windows, ["key", "window"], "full")
    return found.select("key", "window", F.coalesce("n", F.lit(0)).alias("n"), "total", "most")
