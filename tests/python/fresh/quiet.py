"""A plain Spark query and then a Windrow query: opened ports, output, and remaining files.

Uses the folder ``FOLDER``. The rows, valid and invalid, contain the ``SECRETS``. Prints a line for
each error that a user sees.
"""

import os
import shutil
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import windrow as wr
from house.planted import FAR, SECRETS, VALUES
from operators.tables import COUNTS, aggregated

FOLDER = Path(os.environ["FOLDER"])
LISTENS = "0A"


def open_ports() -> set[str]:
    """Return the ports on which this process and its children listen."""
    inodes: set[str] = set()
    todo, seen = [os.getpid()], set[int]()
    while todo:
        pid = todo.pop()
        seen.add(pid)
        for link in Path(f"/proc/{pid}/fd").glob("*"):
            try:
                inodes.add(str(link.readlink()))
            except OSError:  # closed meanwhile
                continue
        for task in Path(f"/proc/{pid}/task").glob("*/children"):
            todo += [int(child) for child in task.read_text().split() if int(child) not in seen]
    found = set()
    for table in ("tcp", "tcp6", "udp", "udp6"):
        for line in Path(f"/proc/{os.getpid()}/net/{table}").read_text().splitlines()[1:]:
            parts = line.split()
            if f"socket:[{parts[9]}]" in inodes and (parts[3] == LISTENS or table[0] == "u"):
                found.add(f"{table} {parts[1]}")
    return found


builder: SparkSession.Builder = SparkSession.builder
local = builder.master("local[2]").config("spark.ui.enabled", "false")
local = local.config("spark.sql.shuffle.partitions", "2").config(
    "spark.driver.extraJavaOptions", f"-Djava.io.tmpdir={FOLDER / 'tmp'} -XX:-UsePerfData"
)
local = local.config("spark.sql.warehouse.dir", str(FOLDER / "warehouse"))
spark = wr.configure(local.config("spark.local.dir", str(FOLDER / "tmp"))).getOrCreate()

columns = [F.lit(value).alias(name) for name, value in VALUES.items()]
rows = spark.range(4).select(
    F.expr(
        "CASE id WHEN 0 THEN TIMESTAMP '2026-01-01' WHEN 1 THEN TIMESTAMP '2020-01-01' "
        f"WHEN 2 THEN TIMESTAMP '{FAR}' END AS time"
    ),
    "id",
    *columns,
)
for part in ("id = 0", "id = 3", "id IN (1, 2)"):  # late rows are reported one batch later
    rows.where(part).coalesce(1).write.mode("append").json(str(FOLDER / "in"))
messages = spark.readStream.schema(rows.schema).option("maxFilesPerTrigger", 1)


def run(df: DataFrame, name: str, sink: Any = None) -> None:
    """Run a query to its end, with a sink in Python."""
    writer = df.writeStream.option("checkpointLocation", str(FOLDER / name))
    found = sink or (lambda batch, _: batch.persist().count())
    writer.foreachBatch(found).trigger(availableNow=True).start().awaitTermination()


def windowed(key: str, **more: Any) -> wr.Output:
    """Return windows over the rows."""
    df = messages.json(str(FOLDER / "in"))
    stream = wr.stream(df, time="time", key=key, watermark="1 second", maxFuture="1 day", **more)
    windows = stream.lateness("1 second").window(wr.Tumbling("1 hour"))
    return windows.accumulationMode(wr.ACCUMULATING).aggregate(F.max("text"))


plain = messages.json(str(FOLDER / "in")).withWatermark("time", "1 second")
run(plain.groupBy(F.window("time", "1 hour"), "text").count(), "plain")
before = open_ports()

out = windowed("text")
query = out.start(
    panes=wr.Files(str(FOLDER / "panes")),
    rejected=wr.Files(str(FOLDER / "rejected")),
    checkpoint=FOLDER / "checkpoint",
    availableNow=True,
)
query.awaitTermination()
print("opened", sorted(open_ports() - before))  # noqa: T201
rejected = spark.read.parquet(str(FOLDER / "rejected")).drop("batch")
print("rejected", sorted(row.reason for row in rejected.collect()))  # noqa: T201
own = rejected.drop("message").collect()
print("own", repr(own))  # noqa: T201

state = wr.state(FOLDER / "checkpoint")
print("state", state.getWindows(None, None).count())  # noqa: T201


def fed(text: object, number: object) -> None:
    """Add a row with wrong types to an operator outside queries."""
    with aggregated(**COUNTS) as operator:
        operator.addMessage({"time": text, "symbol": number, "price": text})


def damaged() -> None:
    """Read a copy of the checkpoint whose state files are overwritten."""
    copy = FOLDER / "copy"
    shutil.copytree(FOLDER / "checkpoint", copy)
    for file in copy.glob("state/0/[0-9]*/**/*"):
        if file.suffix in {".changelog", ".zip", ".sst"}:
            file.write_bytes(b"#" * file.stat().st_size)
    wr.state(copy).getWindows(None, None).count()


rows.createOrReplaceTempView("secret")
failing: dict[str, Any] = {
    "another spec": lambda: windowed("id").start(
        panes=wr.Files(str(FOLDER / "panes")), checkpoint=FOLDER / "checkpoint"
    ),
    "no column": lambda: windowed("nothing"),
    "sql": lambda: spark.sql(
        "SELECT * FROM windrow_tumble(TABLE(SELECT text, count(*) FROM secret GROUP BY text), "
        "time => 'text', size => '1 hour', lateness => '1 second')"
    ),
    "other types": lambda: fed(SECRETS["text"], SECRETS["number"]),
    "state": lambda: wr.state(FOLDER / "checkpoint").getMessages(None, None).count(),
    "damaged": damaged,
}


for what, fails in failing.items():
    try:
        fails()
        print(what, "did not fail")  # noqa: T201
    except Exception as failed:  # noqa: BLE001  any error that users see
        print(what, "failed:", repr(str(failed)))  # noqa: T201
gateway: Any = spark.sparkContext._gateway
spark.stop()
gateway.shutdown()
gateway.proc.stdin.close()
gateway.proc.wait()  # it removes its temporary files
