"""Stages queries, most of which emit nothing, and writes the tab's pages in Spark's UI to a folder.

Prints a line of JSON for each query: its name, its run, and the codes of ``wr.whyNoOutput``. The
event log of the application is in ``log``.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event
from urllib.request import urlopen

from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery

import windrow as wr
from feed import Feed, order

FOLDER = Path(sys.argv[1])
HOSTILE = "<script>alert(1)</script>&\"'"
(FOLDER / "log").mkdir(parents=True)
builder: SparkSession.Builder = SparkSession.builder
local = (
    builder.master("local[2]")
    .appName("the tab")
    .config("spark.ui.port", "0")
    .config("spark.ui.showConsoleProgress", "false")
    .config("spark.sql.session.timeZone", "UTC")
    .config("spark.sql.shuffle.partitions", "1")
    .config("spark.windrow.shards", "1")
    .config("spark.eventLog.enabled", "true")
    .config("spark.eventLog.compress", "false")
    .config("spark.eventLog.rolling.enabled", "false")
    .config("spark.eventLog.dir", (FOLDER / "log").as_uri())
    .config("spark.sql.streaming.ui.retainedProgressUpdates", "5")
)
spark = wr.configure(local).getOrCreate()


def nowhere(*_: object) -> None:
    """Discard the rows."""


def fails(*_: object) -> None:
    """Fail as a sink of a user does."""
    raise ValueError("the sink is <full>")


def feed(name: str, *batches: Sequence[str | None]) -> Feed:
    """Return a stream of orders at these times."""
    return Feed(spark, FOLDER / name).add(*([order(time) for time in times] for times in batches))


def stream(orders: Feed, name: str = "messages") -> wr.Stream:
    """Return a stream with a watermark delay of 30 seconds."""
    made = wr.stream(orders.stream(), time="time", key="product", watermark="30 seconds", name=name)
    return made.lateness("0 seconds")


def minutes(orders: Feed) -> wr.Output:
    """Return counts of each minute."""
    windows = stream(orders).window(wr.Tumbling("1 minute"))
    return windows.aggregate(F.count("*").alias("n"))


def page(path: str) -> str:
    """Return a page of the tab."""
    spark._jsparkSession.sparkContext().listenerBus().waitUntilEmpty()
    with urlopen(f"{spark.sparkContext.uiWebUrl}/windrow/{path}") as found:  # noqa: S310
        return str(found.read().decode())


def checkpoint() -> str:
    """Return a new folder."""
    return str(FOLDER / "checkpoints" / str(len(list(FOLDER.glob("checkpoints/*")))))


@contextmanager
def told(output: wr.Output | wr.JoinOutput, name: str, sink: object = nowhere) -> Iterator[None]:
    """Run a query, write its page, and print the codes of its causes."""
    kind = "panes" if isinstance(output, wr.Output) else "rows"
    started = output.start(**{kind: sink}, checkpoint=checkpoint(), name=name)  # type: ignore[arg-type]
    with shown(started, name, sink):
        yield


@contextmanager
def shown(query: StreamingQuery, name: str, sink: object = nowhere) -> Iterator[None]:
    """Do the same with a query that was started."""
    try:
        with suppress(Exception):
            if sink is not waits:
                query.processAllAvailable()
        if sink is waits:
            assert written.wait(60)
        address = f"query/?run={query.runId}"
        (FOLDER / f"{query.runId}.html").write_text(page(address))
        (FOLDER / f"{query.runId}-state.html").write_text(page(f"{address}&state=read"))
        found = {"name": name, "run": query.runId, "codes": wr.whyNoOutput(query).codes}
        print(json.dumps(found), flush=True)  # noqa: T201
        yield
    finally:
        query.stop()


written, asked = Event(), Event()


def waits(*_: object) -> None:
    """Wait in the first micro-batch."""
    written.set()
    asked.wait(60)


spark.sql("SELECT 1")  # the tab appears with the first plan of a session
(FOLDER / "empty.html").write_text(page(""))
with told(minutes(feed("open", ["09:00:10", "09:00:40"])), "open windows"):
    pass
with told(minutes(feed("none")), "no rows"):
    pass
with told(minutes(feed("null", [None, None])), HOSTILE):
    pass
silent = [stream(feed("a", ["09:00:00", "09:30:00"]), "a"), stream(feed("b", []), "b")]
with told(wr.join(*silent, on="product", within=("0 minutes", "5 minutes"), how="left"), "silent"):
    pass
with told(minutes(feed("failed", ["09:00:00"], ["09:05:00"])), "failed", fails):
    pass
with told(minutes(feed("slow", ["09:00:00"])), "slow", waits):
    asked.set()
# As in Spark, a row is late by the watermark of the micro-batch before, so only the last one is.
late = feed("accelerated", ["09:00:10", "09:00:40"], ["09:01:50"], ["09:00:20"], ["09:00:30"])
marked = late.stream().withWatermark("time", "30 seconds")
plain = marked.groupBy("product", F.window("time", "1 minute"))
writer = plain.count().writeStream.format("noop").queryName("accelerated")
spark.conf.set("spark.windrow.accelerate", "true")
with shown(writer.option("checkpointLocation", checkpoint()).start(), "accelerated"):
    pass
spark.conf.unset("spark.windrow.accelerate")
twice = feed("chain", ["09:00:10", "09:00:10", "09:00:40"], ["09:05:00"], ["09:05:10"])
once = wr.stream(stream(twice).dedup("1 second").rows, time="time", key="product", name="minutes")
above = once.lateness("0 seconds").window(wr.Tumbling("1 minute"))
with told(above.aggregate(F.count("*").alias("n")), "chain"):
    pass
many = [["09:01:10", "09:01:20"], ["09:00:30", "09:02:10"], ["09:00:40", "09:04:00"]]
later = [[f"09:0{minute}:00", "09:00:00", "09:03:30", None] for minute in range(4, 10)]
more = stream(feed("many", *many, *later)).lateness("2 minutes").window(wr.Tumbling("1 minute"))
counts = more.accumulationMode(wr.ACCUMULATING).aggregate(F.count("*").alias("n"))
with told(counts, "many"):
    pass
(FOLDER / "all.html").write_text(page(""))
spark.stop()
