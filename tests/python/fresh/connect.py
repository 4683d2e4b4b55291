"""The builder through Spark Connect, with a server in a process of its own.

Uses the folder ``FOLDER``. ``PART`` is "panes", "stores", "harness" or "functions".
"""

import os
import time
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import windrow as wr
from feed import NOTHING, Feed, order

FOLDER = Path(os.environ["FOLDER"])

builder: SparkSession.Builder = SparkSession.builder
local = builder.remote("local[2]").config("spark.ui.enabled", "false")
local = local.config("spark.sql.shuffle.partitions", "2").config(
    "spark.sql.session.timeZone", "UTC"
)
spark = wr.configure(local).getOrCreate()
feed = Feed(spark, FOLDER / "orders")
feed.add(
    [order("09:00:10", amount=1), order("09:00:20", amount=2)],
    [order("09:01:30", amount=5)],
    NOTHING,
    [order("09:00:30", amount=4)],
    [order("09:01:40", amount=4)],
)


def panes() -> None:
    """Run errors, a batch, a query with two sinks, its counts, and a refused checkpoint."""
    windows = wr.stream(feed.stream(), time="time", key="product").lateness("0 seconds")
    try:
        windows.window(wr.Tumbling("1 minute")).aggregate(F.count("*")).panes  # noqa: B018
    except wr.SpecError as refused:
        print("SpecError", *(problem.code for problem in refused.problems))  # noqa: T201

    times = "SELECT timestamp'2025-01-01' + make_dt_interval(0, 0, id) AS time FROM range(3)"
    stream = wr.stream(spark.sql(times), time="time").lateness("0 seconds")
    pairs = stream.window(wr.Tumbling("2 minutes")).aggregate(F.count("*").alias("n"))
    print([tuple(row) for row in pairs.panes.select("n").collect()])  # noqa: T201

    to = str(FOLDER / "dead")

    def keep(rows: DataFrame, batch: int) -> None:
        rows.write.mode("overwrite").parquet(f"{to}/batch={batch}")

    marked = wr.stream(feed.stream(), time="time", key="product", watermark="0 seconds")
    sums = marked.lateness("0 seconds").window(wr.Tumbling("1 minute"))
    query = sums.aggregate(F.sum("amount").alias("total")).start(
        checkpoint=str(FOLDER / "checkpoint"),
        panes=wr.Files(str(FOLDER / "panes")),
        rejected=keep,
        availableNow=True,
    )
    query.awaitTermination()
    found = spark.read.parquet(str(FOLDER / "panes")).collect()
    dead = spark.read.parquet(str(FOLDER / "dead")).collect()
    print([(row.product, row.total, row.pane.timing) for row in found])  # noqa: T201
    print([(row.reason, row.message.product) for row in dead])  # noqa: T201
    counts = wr.status(query)
    print(counts.read, counts.accepted, counts.rejected)  # noqa: T201
    seen = wr.status(query)
    print(seen.totals["onTime"], seen.totals["TOO_LATE"], seen.isActive)  # noqa: T201
    wr.watch(query)
    try:
        wr.publishMetrics(spark)
    except wr.WindrowError as refused:
        print(str(refused).partition("]")[0])  # noqa: T201


def stores() -> None:
    """Run a join, a co-group and full state, and read their state."""
    o, s = (
        wr.stream(feed.stream(), time="time", key="product", watermark="0 seconds", name=name)
        .lateness("0 seconds")
        .retain(time="1 hour")
        for name in ("o", "s")
    )
    condition = {"s": F.col("s.amount") + F.col("o.amount") > 0}
    joined = wr.join(o, s, on="product", within=("1 second", "1 minute"), condition=condition)
    joined.start(
        checkpoint=str(FOLDER / "joined-checkpoint"),
        rows=wr.Files(str(FOLDER / "joined")),
        availableNow=True,
    ).awaitTermination()
    rows = spark.read.parquet(str(FOLDER / "joined")).select("product", "o.amount", "s.amount")
    print(sorted(tuple(row) for row in rows.collect()))  # noqa: T201

    grouped = wr.cogroup(o, s).window(wr.Tumbling("1 minute")).aggregate(F.count("o.amount"))
    print(grouped.panes.columns)  # noqa: T201

    kept = o.window(wr.Tumbling("1 minute")).keepRows()
    checkpoint = str(FOLDER / "kept-checkpoint")
    kept.start(
        checkpoint=checkpoint,
        panes=wr.Files(str(FOLDER / "kept")),
        availableNow=True,
    ).awaitTermination()
    new = spark.read.parquet(str(FOLDER / "kept")).collect()
    print(sorted(message.amount for row in new for message in row.messages))  # noqa: T201
    state = wr.state(checkpoint, operator="o")
    found = state.getMessages("2025-01-01 09:00:00", None, by={"product": "a"}).collect()
    print([message.amount for message in found])  # noqa: T201
    windows = state.getWindows(None, None).collect()
    print([(row.product, row["count"], row.is_complete) for row in windows])  # noqa: T201
    print(wr.verify(checkpoint, deep=True).ok)  # noqa: T201
    try:
        wr.state(str(FOLDER / "nowhere"))
    except wr.CheckpointError as refused:
        print(str(refused).split("]")[0])  # noqa: T201


def harness() -> None:
    """Run a user's pipeline step by step."""

    def minutes(orders: DataFrame) -> wr.Output:
        windows = wr.stream(orders, time="time", key="product", watermark="10 seconds")
        late = windows.lateness("10 minutes").window(wr.Tumbling("1 minute"))
        return late.accumulationMode(wr.ACCUMULATING).aggregate(F.avg("price").alias("price"))

    day = "2025-01-01"
    spark.conf.set("spark.sql.session.timeZone", "Europe/Berlin")
    os.environ["TZ"] = "Asia/Tokyo"
    time.tzset()
    with wr.testing.harness(
        minutes, spark, schema="time timestamp, product string, price double"
    ) as h:
        h.add([(f"{day} 09:00:10", "tea", 2.0), (f"{day} 09:00:40", "tea", 4.0)])
        h.advanceWatermark(f"{day} 09:01:00")
        h.add({"time": f"{day} 09:00:50", "product": "tea", "price": 9.0}).restart()
        h.add({"time": f"{day} 07:00:00", "product": "tea", "price": 1.0})
        panes = h.panes()
        wr.testing.assertSamePanes(panes, [{"window": f"{day} 09:00:00"}] * 2)
        print([(pane["price"], pane["pane"]["timing"]) for pane in panes])  # noqa: T201
        print([(row["reason"], row["message"]["product"]) for row in h.rejected()])  # noqa: T201
        print([window["is_complete"] for window in h.state()])  # noqa: T201


def functions() -> None:
    """Call Python functions in a query, and let one fail."""
    windows = wr.stream(feed.stream(), time="time", key="product", watermark="0 seconds")
    minutes = windows.lateness("0 seconds").window(wr.Tumbling("1 minute"))
    last = wr.aggregate(returns="long", over="pandas")(lambda amount: amount.iloc[-1])
    fails = wr.aggregate(returns="long", over="arrow")(lambda amount: amount["x"])
    for number, function in enumerate((last, fails)):
        query = minutes.aggregate(function("amount").alias("last")).start(
            checkpoint=str(FOLDER / f"checkpoint{number}"),
            panes=wr.Files(str(FOLDER / f"panes{number}")),
            rejected=wr.Files(str(FOLDER / f"rejected{number}")),
            availableNow=True,
        )
        try:
            query.awaitTermination()
            print([row.last for row in spark.read.parquet(str(FOLDER / "panes0")).collect()])  # noqa: T201
        except Exception as failed:  # noqa: BLE001  any error is printed
            print(str(failed).partition("=== Streaming")[0])  # noqa: T201


PARTS = {"panes": panes, "stores": stores, "harness": harness, "functions": functions}
PARTS[os.environ["PART"]]()
spark.stop()
