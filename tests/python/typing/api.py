"""Checked by the type checker only: valid and invalid code (unused ignores fail)."""

from __future__ import annotations

from datetime import timedelta

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery  # noqa: TC002  nothing runs here

import windrow as wr


def accepted(df: DataFrame) -> StreamingQuery:
    """Use the API in all valid ways."""
    orders = wr.stream(df, time="time", key=["a", F.col("b")], rowId=wr.KAFKA, watermark="1 hour")
    hours: wr.Windowed = orders.lateness(timedelta(hours=1)).window(wr.Tumbling("1 hour"))
    output: wr.Output = (
        hours.trigger(late=wr.Every(messages=3))
        .accumulationMode(wr.ACCUMULATING)
        .aggregate(F.sum("x") / F.sum("y"), F.count("*"))
    )
    panes: DataFrame = output.panes
    panes.join(output.rejected)
    wr.stream(df, time=F.col("t")).window(wr.Session(F.col("gap"))).lateness("0 seconds")

    def write(rows: DataFrame, batch: int) -> None:
        rows.show(batch)

    query = output.start(checkpoint="here", panes="table", rejected=wr.Files("there"))
    output.start(checkpoint="here", panes=wr.Upsert("held", on=["product", "window"]), drain=True)
    output.start(checkpoint="here", panes=write, availableNow=True, name="q")
    counts: list[int] = [wr.status(query).read]
    counts.clear()
    kind: wr.Tumbling = wr.Tumbling("1 hour")
    kind.plot()
    _windows_and_triggers(orders)
    return query


def _windows_and_triggers(orders: wr.Stream) -> None:
    """Use every kind, trigger, mode and limit."""
    kinds: list[wr.WindowKind] = [
        wr.Tumbling("1 month", zone="Europe/Berlin"),
        wr.Hopping("1 hour", step=timedelta(minutes=1)),
        *(wr.Sliding("1 hour"), wr.Sliding("1 hour", granularity="1 minute")),
        *(wr.Over(), wr.Over(range="1 hour"), wr.Over(rows=100)),
        *(wr.Count(50), wr.Count(50, step=10), wr.OffsetRange(1000, step=1)),
        *(wr.OffsetSession(gap=5), wr.Global(), wr.Inherit(), wr.Inherit("window")),
    ]
    wr.Count(3).plot([0, 1, 2])
    early: wr.PaneTrigger = wr.AnyOf(wr.Every("10 seconds"), wr.Every(messages=1000))
    for mode in (wr.DISCARDING, wr.ACCUMULATING, wr.ACCUMULATING_AND_RETRACTING):
        windows: wr.Windowed = (
            orders.retain(time="1 hour", messages=1000, windows=3)
            .lateness(None)
            .window(kinds[0], closeOn="next_row", fillGaps=True)
            .retain(windows=1)
            .lateness(5)
            .trigger(early=early, onTime=False, late=wr.Never(), skipUnchanged=True)
            .accumulationMode(mode)
        )
        windows.aggregate()
    spec = wr.WindowOperatorSpec(window=wr.OffsetRange(3), lateness=2, startOffsets={0: 1})
    wr.WindowOperatorSpec(window=kinds[1], retention=wr.Retention(windows=3), early=spec.early)


def refused(df: DataFrame) -> None:
    """Use the API in ways that the type checker must reject."""
    orders = wr.stream(df, time="time")
    orders.aggregate(F.count("*"))  # type: ignore[attr-defined]
    orders.trigger(late=wr.Never())  # type: ignore[attr-defined]
    orders.window("1 minute")  # type: ignore[arg-type]
    orders.window(wr.Tumbling("1 minute")).window(wr.Session("1 s"))  # type: ignore[attr-defined]
    orders.window(wr.Tumbling("1 minute")).aggregate("count(*)")  # type: ignore[arg-type]
    orders.window(wr.Tumbling("1 minute")).trigger(late=5)  # type: ignore[arg-type]
    orders.lateness(5.5)  # type: ignore[arg-type]
    orders.retain("1 hour")  # type: ignore[call-arg]
    orders.retain(messages="5")  # type: ignore[arg-type]
    orders.window(wr.Global(), closeOn="sometime")  # type: ignore[arg-type]
    orders.window(wr.Global()).trigger(wr.EachBatch())  # type: ignore[call-arg]
    orders.window(wr.Global()).accumulationMode("all")  # type: ignore[arg-type]
    wr.stream(df, "time")  # type: ignore[call-arg]
    wr.Tumbling(600)  # type: ignore[arg-type]
    wr.Hopping("1 hour")  # type: ignore[call-arg]
    wr.Hopping("1 hour", "1 minute")  # type: ignore[call-arg]
    wr.Sliding("1 hour", "1 second")  # type: ignore[call-arg]
    wr.Over(range="1 hour", rows=3)  # type: ignore[call-overload]
    wr.Over("1 hour")  # type: ignore[call-overload]
    wr.Count("3")  # type: ignore[arg-type]
    wr.Count(3, 1)  # type: ignore[call-arg]
    wr.Every()  # type: ignore[call-overload]
    wr.Every(10)  # type: ignore[call-overload]
    wr.Every("10 seconds", messages=5)  # type: ignore[call-overload]
    wr.AnyOf(5)  # type: ignore[arg-type]
    wr.Retention("1 hour")  # type: ignore[call-arg]
    wr.Tumbling("1 hour").size = "2 hours"  # type: ignore[misc]
