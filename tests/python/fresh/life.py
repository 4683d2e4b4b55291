"""One life of a query, which may be killed at any moment.

Arguments: the folder of the run, the master, the number of the life, additional JVM options. The
program creates a session, prints ``ready``, and waits for a line with its plan in JSON. Then it
verifies the checkpoint and runs the query over the available input. It writes the counts of each
batch to ``counts`` in the folder as soon as Spark reports them.
"""

from __future__ import annotations

import json
import shutil
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import windrow as wr
from conftest import session_builder
from large import dice, draw, draw_operators
from large.expected.unchanged import Plain
from large.run import Read, counted, described, files_of, session_of
from large.scenario import Leg, Traffic
from programs import JAVA_OPTIONS, ROOT
from sinks.databases import SERVERS, jars
from torture import sinks, sources
from torture.broker import connector
from torture.plans import WHERE, Trouble
from torture.troubles import fragile

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

folder, master, life = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
about = json.loads((folder / "about").read_text())
case = eval((folder / "case").read_text(), vars(draw) | vars(dice) | vars(draw_operators))  # noqa: S307  our own text
source, sink, server = about["source"], about["sink"], about["server"]


def session() -> SparkSession:
    """Create the session; slow tasks get a second attempt if an executor has room."""
    home = folder / f"life {life}"
    home.mkdir()
    builder = session_builder(home).master(master)
    for name, value in {
        "spark.driver.extraJavaOptions": f"{JAVA_OPTIONS} {sys.argv[4]}",
        "spark.executor.extraJavaOptions": JAVA_OPTIONS,
        "spark.executor.memory": "1g",
        "spark.speculation": "true",
        "spark.speculation.interval": "100ms",
        "spark.speculation.task.duration.threshold": "3s",
        "spark.locality.wait": "0s",
    }.items():
        builder = builder.config(name, value)
    if sink in SERVERS:
        builder = builder.config("spark.jars", jars(sink))
    elif server:
        builder = builder.config("spark.jars", connector())
    if sink == "upsert":
        delta = (jar.as_uri() for jar in (ROOT / ".build/delta").glob("*.jar"))
        builder = builder.config("spark.jars", ",".join(delta))
        extension = "io.delta.sql.DeltaSparkSessionExtension"
        builder = builder.config("spark.sql.extensions", extension)
        catalog = "org.apache.spark.sql.delta.catalog.DeltaCatalog"
        builder = builder.config("spark.sql.catalog.spark_catalog", catalog)
    made = wr.configure(builder).getOrCreate()
    made.sparkContext.setLogLevel("ERROR")
    return made


def troubled(troubles: list[Trouble], read: Read) -> Read:
    """Make tasks fail as planned, while they read and after their state is written."""
    reading, written = (
        fragile(troubles, where, folder, kind)
        for where, kind in zip(WHERE, ("bigint", "string"), strict=True)
    )

    def watched(of: Any) -> Any:
        part = of._part

        def made(output: Any, which: str) -> DataFrame:
            rows: DataFrame = part(output, which)
            if written is None or "kind" not in rows.columns:
                return rows
            return rows.withColumn("kind", written("kind"))

        return made

    def reads(name: str, traffic: Traffic) -> DataFrame:
        df = read(name, traffic)
        return df.withColumn("id", reading("id")) if reading else df

    if sink != "spark":
        for of in (wr.Output, wr.JoinOutput, wr.Answers, wr.DedupOutput, wr.MatchOutput):
            of._part = watched(of)  # type: ignore[method-assign]
    return reads


def begun(read: Read) -> StreamingQuery:
    """Start the query; with ``drain``, return when only its last part is left."""
    output, kinds = described(case, read)
    if sink == "spark":
        assert not isinstance(output, Plain)
        plans = folder / "checkpoint/offsets"
        if plans.exists() and not any(one.name.isdigit() for one in plans.iterdir()):
            shutil.rmtree(plans)  # as described in docs/guides/restarts.md
        writer = output.output.writeStream.option("checkpointLocation", str(folder / "checkpoint"))
        writer = writer.option("path", str(folder / "under")).format("parquet")
        return writer.trigger(availableNow=True).start()
    said: dict[str, Any] = {name: wr.Files(str(folder / name)) for name in kinds}
    if sink != "files":
        assert isinstance(output, wr.Output)
        made = sinks.made(sink, output.panes, folder, server)
        said["panes"] = sinks.witnessed(made, folder, life, tells=sink not in {"upsert", *SERVERS})
    said |= {"checkpoint": folder / "checkpoint", "availableNow": True}
    return output.start(**said, drain=case.final)


def watch(spark: SparkSession, done: threading.Event) -> None:
    """Write the counts of each batch; with ``drain`` two queries report them."""
    queries: dict[str, StreamingQuery] = {}
    while True:
        is_last = done.is_set()
        queries |= {str(query.runId): query for query in spark.streams.active}
        for query in queries.values():
            for batch, counts in counted(query).items():
                (folder / "counts" / f"{batch}.new").write_text(json.dumps(counts))
                (folder / "counts" / f"{batch}.new").rename(folder / "counts" / str(batch))
        if is_last:
            return
        done.wait(0.02)


first = session()
print("ready", flush=True)  # noqa: T201
plan = json.loads(sys.stdin.readline())
troubles = [Trouble(**one) for one in plan["troubles"]]
if (folder / "checkpoint/offsets").exists():
    found = wr.verify(folder / "checkpoint")
    assert found.ok, found
spark = session_of(first, case, Leg(0, tuple(map(tuple, plan["settings"]))))
if source == "kafka":
    sources.published(spark, folder, server)
    read = sources.topics_of(spark, folder, server)
else:
    read = files_of(spark, folder)
done = threading.Event()
watching = threading.Thread(target=watch, args=(spark, done))
watching.start()
try:
    begun(troubled(troubles, read)).awaitTermination()
finally:
    done.set()
    watching.join()
if not plan["kills"] or all(kill["what"] == "executor" for kill in plan["kills"]):
    sinks.fetched(sink, spark, folder, server)
assert first.sparkContext._gateway is not None
java = first.sparkContext._gateway.proc
first.stop()
java.stdin.close()
java.wait()  # it may still write
