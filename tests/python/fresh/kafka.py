"""Orders through Kafka: two topics, disorder, transactions, restarts, failures, rewinds.

Arguments: folder, address of the broker. Asserts that the panes equal those of the sent orders.
"""

from __future__ import annotations

import json
import random
import sys
from collections import defaultdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F

import windrow as wr
from conftest import session_builder
from feed import disordered

if TYPE_CHECKING:
    from pyspark.sql.streaming.query import StreamingQuery

folder, broker = Path(sys.argv[1]), sys.argv[2]
TOPICS = ("plain", "transactional")
PARTITIONS = 2
jars = sorted((Path(__file__).parents[3] / ".build/kafka/connector").glob("*.jar"))
builder = session_builder(folder).config("spark.jars", ",".join(jar.as_uri() for jar in jars))
spark = wr.configure(builder).getOrCreate()
spark.sparkContext.setLogLevel("OFF")
java: Any = spark._jvm
clients = java.org.apache.kafka.clients.producer
rng = random.Random(71)  # noqa: S311  no secret
committed: list[dict[str, Any]] = []


class Producer:
    """Sends orders to random partitions of a topic."""

    def __init__(self, topic: str, **settings: str) -> None:
        """Open a producer."""
        properties = java.java.util.HashMap()
        for name, value in {
            "bootstrap_servers": broker,
            "max_block_ms": "120000",
            **settings,
        }.items():
            properties.put(name.replace("_", "."), value)
        text = java.org.apache.kafka.common.serialization.StringSerializer
        self.java = clients.KafkaProducer(properties, text(), text())
        self.topic = topic

    def send(self, orders: list[dict[str, Any]]) -> None:
        """Send orders and wait until they are stored."""
        for order in orders:
            partition = rng.randrange(PARTITIONS)
            record = clients.ProducerRecord(self.topic, partition, None, json.dumps(order))
            self.java.send(record)
        self.java.flush()


plain = Producer("plain")
transactional = Producer("transactional", transactional_id="orders")
transactional.java.initTransactions()
batches = [[dict(order) for order in batch] for batch in disordered(seed=72, batches=9, size=40)]


def both(first: list[dict[str, Any]], second: list[dict[str, Any]], *, aborted: bool) -> None:
    """Send to both topics; aborted orders must not appear in the output."""
    plain.send(first)
    committed.extend(first)
    transactional.java.beginTransaction()
    transactional.send(second)
    if aborted:
        transactional.java.abortTransaction()
    else:
        transactional.java.commitTransaction()
        committed.extend(second)


reader = spark.readStream.format("kafka").option("kafka.bootstrap.servers", broker)
reader = reader.option("subscribe", ",".join(TOPICS)).option("startingOffsets", "earliest")
reader = reader.option("kafka.isolation.level", "read_committed")
records = reader.option("maxOffsetsPerTrigger", 50).load()
order = F.from_json(F.col("value").cast("string"), "time timestamp, product string, amount bigint")
orders = records.select("topic", "partition", "offset", order.alias("order"))
messages = orders.select("topic", "partition", "offset", "order.*")
stream = wr.stream(messages, time="time", key="product", rowId=wr.KAFKA, watermark="1 minute")
windows = stream.lateness("20 minutes").window(wr.Tumbling("5 minutes"))
fired = windows.trigger(early=wr.EachBatch()).accumulationMode(wr.ACCUMULATING)
output = fired.aggregate(F.count("*").alias("n"), F.sum("amount").alias("total"))
checkpoint, panes, dead = folder / "checkpoint", folder / "panes", folder / "dead"


def run(moods: set[int] | None = None) -> StreamingQuery:
    """Read the available records; the sink fails once for the batches in ``moods``."""

    def moody(rejected: DataFrame, batch: int) -> None:
        if moods is not None and batch in moods:
            moods.remove(batch)
            raise RuntimeError("the sink is in no mood")
        rejected.write.mode("overwrite").parquet(f"{dead}/batch={batch}")

    query = output.start(
        checkpoint=str(checkpoint),
        panes=wr.Files(str(panes)),
        rejected=moody,
        availableNow=True,
    )
    query.awaitTermination()
    return query


def last_batch() -> int:
    """Return the last committed batch."""
    return max(int(file.name) for file in (checkpoint / "commits").glob("[0-9]*"))


def rewind(records_back: int) -> int:
    """Let the next batch start earlier in each partition; return the total number of offsets."""
    log = checkpoint / "offsets" / str(last_batch())
    lines = log.read_text().splitlines()
    positions = json.loads(lines[-1])
    back = 0
    for partitions in positions.values():
        for partition, offset in partitions.items():
            partitions[partition] = max(0, offset - records_back)
            back += offset - partitions[partition]
    log.write_text("\n".join([*lines[:-1], json.dumps(positions)]))
    log.with_name(f".{log.name}.crc").unlink(missing_ok=True)
    return back


def window_of(time: str) -> int:
    """Return the start of the window that contains a time, in minutes since the epoch."""
    minutes = int(datetime.fromisoformat(f"{time}+00:00").timestamp()) // 60
    return minutes - minutes % 5


def expected(refused: list[Row]) -> dict[Any, tuple[int, int]]:
    """Return the count and sum of each window, over all committed and accepted orders."""
    taken = [(m["product"], m["time"], m["amount"]) for m in committed]
    for row in refused:
        message = row.message
        taken.remove((message.product, f"{message.time:%Y-%m-%d %H:%M:%S}", message.amount))
    values: dict[Any, list[int]] = defaultdict(list)
    for product, time, amount in taken:
        values[product, window_of(time)].append(amount)
    return {window: (len(amounts), sum(amounts)) for window, amounts in values.items()}


def check() -> None:
    """Check that each window's last pane is right, and that panes are numbered without gaps."""
    spark.catalog.clearCache()
    refused = spark.read.parquet(str(dead)).collect()
    identities = {(r.message.topic, r.message.partition, r.message.offset) for r in refused}
    assert len(identities) == len(refused)
    assert {row.reason for row in refused} <= {"TOO_LATE"}
    numbered: dict[Any, dict[int, tuple[int, int]]] = defaultdict(dict)
    for row in spark.read.parquet(str(panes)).collect():
        window = row.product, int(row.window.start.timestamp()) // 60
        assert row.pane["index"] not in numbered[window], row
        numbered[window][row.pane["index"]] = row.n, row.total
    assert all(sorted(found) == list(range(len(found))) for found in numbered.values())
    ours = {window: found[max(found)] for window, found in numbered.items()}
    theirs = expected(refused)
    assert ours == theirs, sorted(map(repr, ours.items() ^ theirs.items()))


both(batches[0], batches[1], aborted=False)
both(batches[2], batches[3], aborted=True)
# still open while the query reads, so the query must wait for it
transactional.java.beginTransaction()
transactional.send(batches[4])
counts = wr.status(run())
assert (counts.read, counts.duplicates, counts.unaccounted) == (len(committed), 0, 0)
check()
transactional.java.commitTransaction()
committed.extend(batches[4])
both(batches[5], batches[6], aborted=False)

begin, failures = last_batch(), 0  # the same query from its checkpoint, with a sink that fails
moods = {begin + 1, begin + 3}
while moods:
    try:
        run(moods)
    except StreamingQueryException:
        failures += 1
assert failures == 2
run()
check()

back = rewind(30)
assert back > 60
before = spark.read.parquet(str(panes)).count()
counts = wr.status(run())
assert counts.read == counts.duplicates > 40  # transaction markers have offsets too
assert counts.unaccounted == 0
check()
assert spark.read.parquet(str(panes)).count() == before

rewind(20)
both(batches[7], batches[8], aborted=False)  # duplicates and new records in the same batches
counts = wr.status(run())
assert counts.read - counts.duplicates == len(batches[7]) + len(batches[8])
check()
print("rejected", spark.read.parquet(str(dead)).count(), "of", len(committed))  # noqa: T201
spark.stop()
