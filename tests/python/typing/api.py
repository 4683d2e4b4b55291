"""Read by the type checker only: what must check, and what must not (unused ignores fail)."""

from __future__ import annotations

from datetime import timedelta

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery  # noqa: TC002  nothing runs here

import windrow as wr


def accepted(df: DataFrame) -> StreamingQuery:
    """Everything that is meant to be written."""
    orders = wr.stream(df, time="time", key=["a", F.col("b")], offset=wr.KAFKA, watermark="1 hour")
    hours: wr.Windowed = orders.lateness(timedelta(hours=1)).window(wr.Tumbling("1 hour"))
    output: wr.Output = (
        hours.trigger(late=wr.Every(messages=3))
        .accumulate(wr.ACCUMULATING)
        .aggregate(F.sum("x") / F.sum("y"), F.count("*"))
    )
    panes: DataFrame = output.panes
    panes.join(output.rejected)
    wr.stream(df, time=F.col("t")).window(wr.Session(F.col("gap"))).lateness("0 seconds")

    def write(rows: DataFrame, batch: int) -> None:
        rows.show(batch)

    query = output.start(checkpoint="here", panes="table", rejected=wr.Files("there"))
    output.start(checkpoint="here", panes=write, queryTrigger={"availableNow": True}, name="q")
    counts: list[int] = [wr.metrics(query).read]
    counts.clear()
    kind: wr.Tumbling = wr.Tumbling.fromJson("{}")
    kind.plot()
    return query


def refused(df: DataFrame) -> None:
    """Everything that must not check."""
    orders = wr.stream(df, time="time")
    orders.aggregate(F.count("*"))  # type: ignore[attr-defined]
    orders.trigger(late=wr.Never())  # type: ignore[attr-defined]
    orders.window("1 minute")  # type: ignore[arg-type]
    orders.window(wr.Tumbling("1 minute")).window(wr.Session("1 s"))  # type: ignore[attr-defined]
    orders.window(wr.Tumbling("1 minute")).aggregate("count(*)")  # type: ignore[arg-type]
    orders.window(wr.Tumbling("1 minute")).trigger(late="each_step")  # type: ignore[arg-type]
    orders.lateness(5)  # type: ignore[arg-type]
    wr.stream(df, "time")  # type: ignore[call-arg]
    wr.Tumbling(600)  # type: ignore[arg-type]
    wr.Hopping("1 hour")  # type: ignore[call-arg]
    wr.Hopping("1 hour", "1 minute")  # type: ignore[call-arg]
    wr.Every("10 seconds")  # type: ignore[call-arg, arg-type]
    wr.Tumbling("1 hour").size = "2 hours"  # type: ignore[misc]
