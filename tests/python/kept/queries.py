"""A query for each operator, from which the stored checkpoints are created.

A query never changes, because checkpoints of older versions depend on it. Add new features as
queries with new names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

import windrow as wr

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Read = Callable[[str], "DataFrame"]
Outputs = wr.Output | wr.JoinOutput | wr.DedupOutput | wr.MatchOutput | wr.Answers

SCHEMA = (
    "time timestamp, product string, price double, amount bigint, number bigint, gap bigint, "
    "mark boolean"
)
RETRACTING = wr.ACCUMULATING_AND_RETRACTING
EVERY_THIRD = wr.Every(messages=3)
EVERY_OTHER = wr.Every(messages=2)
ON_TIME = "pane.timing = 'ON_TIME' AND NOT pane.is_retraction"


def identity() -> wr.RowId:
    """Return the identity that determines duplicates."""
    return wr.RowId(source=F.lit("orders"), partition=F.lit(0), offset="number")


def timed(read: Read, name: str = "orders", *, known: bool = False) -> wr.Stream:
    """Return a stream with event time."""
    return wr.stream(
        read(name),
        time="time",
        key="product",
        watermark="1 hour",
        name=name,
        rowId=identity() if known else None,
    ).lateness("12 hours")


def numbered(read: Read) -> wr.Stream:
    """Return a stream with positions and without event time."""
    return wr.stream(read("orders"), key="product", rowId=identity(), name="orders")


def of_all(windows: wr.Windowed) -> wr.Output:
    """Aggregate with every kind of buffer: numbers, a decimal, ordered, a sketch, and a list."""
    return windows.aggregate(
        F.sum("amount").alias("total"),
        F.avg(F.col("price").cast("decimal(12,2)")).alias("mean"),
        F.last("number").alias("last"),
        F.approx_count_distinct("amount", 0.39).alias("kinds"),
        F.collect_list("amount").alias("all"),
    )


def few(windows: wr.Windowed) -> wr.Output:
    """Aggregate with functions that slices support."""
    total, price = F.sum("amount").alias("total"), F.max("price").alias("price")
    return windows.aggregate(total, price)


def kept(windows: wr.Windowed) -> wr.Output:
    """Return accumulating panes."""
    return of_all(windows.accumulationMode(wr.ACCUMULATING))


def tumbling(read: Read) -> Outputs:
    """Return windows with duplicates, and early and late panes that wait for more rows."""
    windows = timed(read, known=True).window(wr.Tumbling("6 hours"))
    return kept(windows.trigger(early=EVERY_THIRD, late=EVERY_OTHER))


def hopping(read: Read) -> Outputs:
    """Return windows that share slices."""
    windows = timed(read).window(wr.Hopping("12 hours", step="4 hours"))
    return few(windows.trigger(late=EVERY_OTHER).accumulationMode(wr.DISCARDING))


def calendar(read: Read) -> Outputs:
    """Return days of a zone, one of which has 23 hours."""
    windows = timed(read).window(wr.Tumbling("1 day", zone="Europe/Berlin"))
    return few(windows.trigger(early=wr.EachBatch()).accumulationMode(RETRACTING))


def filled(read: Read) -> Outputs:
    """Return windows with filled gaps."""
    windows = timed(read).window(wr.Tumbling("1 hour"), fillGaps=True)
    return few(windows.accumulationMode(wr.ACCUMULATING))


def beyond(read: Read) -> Outputs:
    """Return windows that a row can complete."""
    return kept(timed(read).window(wr.Tumbling("6 hours"), closeOn="next_row"))


def session(read: Read) -> Outputs:
    """Return sessions that grow and merge after they have fired."""
    windows = timed(read, known=True).window(wr.Session("2 hours"))
    return of_all(windows.trigger(early=EVERY_OTHER).accumulationMode(RETRACTING))


def sliding(read: Read) -> Outputs:
    """Return sliding windows."""
    return kept(timed(read, known=True).window(wr.Sliding("6 hours")))


def over(read: Read) -> Outputs:
    """Return windows of the last four rows up to each row."""
    return kept(timed(read).window(wr.Over(rows=4)))


def count(read: Read) -> Outputs:
    """Return windows by the number of a key's rows."""
    return kept(numbered(read).window(wr.Count(5, step=2)))


def offsets(read: Read) -> Outputs:
    """Return windows of offsets, over all keys of a source partition."""
    return few(
        numbered(read).lateness(6).window(wr.OffsetRange(8)).accumulationMode(wr.ACCUMULATING)
    )


def tuple_session(read: Read) -> Outputs:
    """Return sessions by gaps between offsets."""
    return of_all(numbered(read).window(wr.OffsetSession(gap=2)))


def everything(read: Read) -> Outputs:
    """Return a global window with retention."""
    windows = timed(read, known=True).retain(time="2 days").window(wr.Global())
    return kept(windows.trigger(early=EVERY_THIRD))


def punctuation(read: Read) -> Outputs:
    """Return policy windows that a marker empties."""
    return of_all(numbered(read).window(wr.Policy.tumbling(wr.ByPunctuation("mark"))))


def policy(read: Read) -> Outputs:
    """Return sliding policy windows with a limit of keys."""
    limits = wr.KeyLimits(maxKeys=2)
    return of_all(
        numbered(read).window(
            wr.Policy.sliding(wr.ByCount(3), trigger=wr.ByDelta("price", 1.0), limit=limits)
        )
    )


def full_state(read: Read) -> Outputs:
    """Return full state of windows of time, with some rows that are not emitted yet."""
    windows = timed(read).retain(time="2 days").window(wr.Tumbling("6 hours"))
    return windows.trigger(early=wr.Never(), late=wr.Never()).keepRows()


def full_state_of_sessions(read: Read) -> Outputs:
    """Return full state of sessions."""
    return timed(read, known=True).retain(time="2 days").window(wr.Session("2 hours")).keepRows()


def full_state_of_offsets(read: Read) -> Outputs:
    """Return full state of windows by position."""
    windows = numbered(read).lateness(6).retain(messages=20).window(wr.OffsetRange(8))
    return windows.trigger(early=wr.Never()).keepRows()


def join_in_range(read: Read) -> Outputs:
    """Return a join by a range, with rows that wait for a partner."""
    orders, shipments = timed(read, known=True), timed(read, "shipments")
    return wr.join(orders, shipments, on="product", within=("0 hours", "3 hours"), how="full")


def join_of_all(read: Read) -> Outputs:
    """Return a join of all kept rows."""
    orders, shipments = (timed(read, name).retain(time="1 day") for name in ("orders", "shipments"))
    return wr.join(orders, shipments, on="product", within=wr.Global(), how="inner")


def join_of_windows(read: Read) -> Outputs:
    """Return a join by common windows."""
    orders, shipments = timed(read), timed(read, "shipments")
    return wr.join(orders, shipments, on="product", within=wr.Tumbling("6 hours"), how="left")


def join_of_sessions(read: Read) -> Outputs:
    """Return a join by common sessions."""
    orders, shipments = timed(read), timed(read, "shipments")
    return wr.join(orders, shipments, on="product", within=wr.Session("2 hours"), how="anti")


def cogroup(read: Read) -> Outputs:
    """Return a co-group of two streams."""
    windows = wr.cogroup(timed(read), timed(read, "shipments")).window(wr.Tumbling("6 hours"))
    counts = (F.count(f"{name}.amount").alias(name) for name in ("orders", "shipments"))
    return windows.accumulationMode(wr.ACCUMULATING).aggregate(*counts)


def lookup(read: Read) -> Outputs:
    """Return lookups of full state."""
    output = timed(read).retain(time="2 days").window(wr.Tumbling("6 hours")).keepRows()
    since = F.col("time") - F.expr("INTERVAL 12 HOURS")
    return output.getMessages(read("lookups").withColumn("since", since), "since", "time")


def before(read: Read) -> wr.Output:
    """Return panes for a downstream operator."""
    windows = timed(read).window(wr.Tumbling("6 hours"))
    total = F.sum("amount").alias("total")
    return windows.accumulationMode(RETRACTING).aggregate(total)


def inherited(read: Read) -> Outputs:
    """Return inherited windows with their corrections."""
    panes = wr.stream(before(read).panes, name="overall").lateness("12 hours")
    windows = panes.window(wr.Inherit()).accumulationMode(wr.ACCUMULATING)
    return windows.aggregate(F.sum("total").alias("total"), F.count("*").alias("n"))


def chained(read: Read) -> Outputs:
    """Return other windows over the panes on time."""
    panes = before(read).panes.where(ON_TIME)
    windows = wr.stream(panes, name="days").lateness("0 seconds").window(wr.Tumbling("1 day"))
    return windows.aggregate(F.sum("total").alias("total"))


def deduplicated(read: Read) -> Outputs:
    """Return the first row of each key in six hours."""
    return timed(read, known=True).dedup("6 hours", orderBy="number")


def last_rows(read: Read) -> Outputs:
    """Return rows that no other row of their key follows for two hours."""
    return timed(read, known=True).dedup("2 hours", keep="last")


def last_rows_in_order(read: Read) -> Outputs:
    """Return rows of the greatest number at once, and their retractions."""
    dedup = timed(read).dedup
    return dedup("6 hours", keep="last", orderBy="number", accumulationMode=RETRACTING)


def asof(read: Read) -> Outputs:
    """Return an as-of join with rows that a nearer one can still correct, and rows that wait."""
    orders, shipments = timed(read, known=True), timed(read, "shipments")
    return wr.asofJoin(
        orders, shipments, on="product", tolerance="3 hours", direction="nearest", how="left"
    )


def gap_values(read: Read) -> Outputs:
    """Return gaps with the values of the last window that has rows."""
    windows = timed(read).window(wr.Tumbling("1 hour")).accumulationMode(RETRACTING)
    return few(windows.fillGaps({"price": "previous", "total": 0}, atMost="6 hours"))


def carried(read: Read) -> Outputs:
    """Return windows that begin with the last value before them."""
    windows = timed(read).window(wr.Tumbling("1 hour"), fillGaps=True)
    return windows.accumulationMode(RETRACTING).aggregate(
        wr.timeWeightedAverage("price", carry="1 day").alias("mean"),
        wr.timeInState("amount", carry=True).alias("states"),
        wr.increase("number", carry=True).alias("more"),
    )


def matched(read: Read) -> Outputs:
    """Return prices that do not fall for two or more rows, and the next row."""
    return timed(read, known=True).match(
        "FIRST RISE{2,} ANY",
        define={"RISE": "price >= PREV(price)"},
        measures={"rises": "count(RISE.*)", "last": "last(number)"},
        within="6 hours",
    )


def matched_earlier(read: Read) -> Outputs:
    """Return rows that rise above the first one of their match until one is below the last."""
    return timed(read, known=True).match(
        "BASE HIGH{1,4} LOW",
        define={"HIGH": "price > FIRST(price)", "LOW": "price < HIGH.price"},
        measures={"base": "BASE.number", "highs": "count(HIGH.*)", "low": "LOW.number"},
        within="6 hours",
        after="next_row",
    )


def named_windows(read: Read) -> Outputs:
    """Return several windows of the same rows."""
    windows = timed(read, known=True).windows(
        hour=wr.Tumbling("1 hour"),
        shift=wr.Hopping("6 hours", step="2 hours", zone="Europe/Berlin"),
        visit=wr.Session("2 hours"),
    )
    return few(windows.accumulationMode(RETRACTING))


def cut_sessions(read: Read) -> Outputs:
    """Return sessions that end at a marker, at a length, and when the sign of a value changes."""
    kind = wr.Session("2 hours", endsWith="mark", maxLength="6 hours", split="amount > 0")
    windows = timed(read, known=True).window(kind)
    return of_all(windows.trigger(early=EVERY_OTHER).accumulationMode(RETRACTING))


def ranked(read: Read) -> Outputs:
    """Return the first rows, the number of different values, and an earlier value."""
    windows = timed(read, known=True).window(wr.Over(rows=4)).accumulationMode(RETRACTING)
    return windows.aggregate(
        wr.topN(2, orderBy=["price", "number"], of=F.struct("number", "price")).alias("top"),
        F.count_distinct("amount").alias("kinds"),
        wr.lag("number", 2).alias("earlier"),
    )


def linear(read: Read) -> Outputs:
    """Return gaps with values between those of the windows around them."""
    windows = timed(read).lateness("0 seconds").window(wr.Tumbling("1 hour"))
    return few(windows.fillGaps({"price": "linear", "total": 0}, atMost="6 hours"))


def shifts(read: Read) -> Outputs:
    """Return shifts of a zone that start at 06:00, one of which has seven hours."""
    windows = timed(read).window(wr.Tumbling("8 hours", zone="Europe/Berlin", startTime="6 hours"))
    return few(windows.trigger(early=wr.EachBatch()).accumulationMode(RETRACTING))


def join_chain(read: Read) -> Outputs:
    """Return an outer join of three streams, with rows that wait in each of its two operators."""
    return wr.join(
        *(timed(read, "orders", known=True), timed(read, "shipments"), timed(read, "lookups")),
        on="product",
        within={"shipments": ("0 hours", "3 hours"), "lookups": ("0 hours", "4 hours")},
        how="full",
        condition={"lookups": "lookups.amount >= orders.amount"},
    )


QUERIES: Mapping[str, Callable[[Read], Outputs]] = {
    query.__name__: query
    for query in (
        *(tumbling, hopping, calendar, filled, beyond, session, sliding, over, count, offsets),
        *(tuple_session, everything, punctuation, policy),
        *(full_state, full_state_of_sessions, full_state_of_offsets, lookup),
        *(join_in_range, join_of_all, join_of_windows, join_of_sessions, cogroup),
        *(inherited, chained),
        *(deduplicated, last_rows, last_rows_in_order),
        *(asof, gap_values, carried),
        *(matched, matched_earlier, named_windows),
        *(cut_sessions, ranked, linear, shifts, join_chain),
    )
}
