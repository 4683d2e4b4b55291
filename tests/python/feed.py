"""A stream for tests: every file is one micro-batch, in the order in which it was added."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

SCHEMA = "time timestamp, product string, price double, amount bigint, gap bigint"

Order = Mapping[str, Any]

#: A micro-batch without rows: the next batch judges lateness by the rows before this one.
NOTHING: Sequence[Order] = ()


def order(time: str | None, product: str | None = "a", amount: int = 1, **more: object) -> Order:
    """Return one row; ``time`` is a time of day on 2025-01-01, a full timestamp, or None."""
    whole = f"2025-01-01 {time}" if time is not None and "-" not in time else time
    return {"time": whole, "product": product, "price": amount / 4, "amount": amount, **more}


def disordered(seed: int, batches: int = 5, size: int = 40) -> list[list[Order]]:
    """Draw orders of one hour, which moves forward by 10 minutes a batch; some keys are null."""
    rng = random.Random(seed)  # noqa: S311  no secret
    return [
        [
            order(
                _of_day(batch * 600 + rng.expovariate(1 / 900) * -1 + 7200 + rng.randrange(600)),
                rng.choice(["a", "b", "c", None]),
                rng.randrange(-50, 50),
                gap=rng.choice([1, 30, 300]) * 1_000_000,
            )
            for _ in range(size)
        ]
        for batch in range(batches)
    ]


def add_files(folder: Path, *batches: Sequence[Order]) -> None:
    """Add one file for each batch; Spark reads them in the order of their modification time."""
    folder.mkdir(parents=True, exist_ok=True)
    for rows in batches:
        number = len(list(folder.iterdir()))
        file = folder / f"{number:04}.json"
        unseen = folder / f".{number:04}"  # a running query must not read an incomplete file
        unseen.write_text("\n".join(json.dumps(dict(row)) for row in rows))
        stamp = 1_700_000_001 + number
        os.utime(unseen, (stamp, stamp))
        unseen.replace(file)


def trigger_of(query: StreamingQuery) -> str:
    """Return Spark's description of the trigger of a query in this process."""
    began: Any = query
    return str(began._jsq.streamingQuery().trigger().toString())


class Feed:
    """A folder of JSON files, read as a stream or as a batch."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        """Start without files."""
        self.spark = spark
        self.folder = folder
        self.names = 0
        folder.mkdir(parents=True)

    def add(self, *batches: Sequence[Order]) -> Feed:
        """Add one file for each batch; Spark reads them in the order of their modification time."""
        add_files(self.folder, *batches)
        return self

    def stream(self) -> DataFrame:
        """Read the files one by one."""
        reader = self.spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1)
        return reader.json(str(self.folder))

    def batch(self) -> DataFrame:
        """Read all files at once."""
        return self.spark.read.schema(SCHEMA).json(str(self.folder))

    def run(self, df: DataFrame) -> list[Row]:
        """Run a streaming DataFrame over all files, and return its output in order."""
        self.names += 1
        name = f"out_{abs(hash(self.folder))}_{self.names}"
        writer = df.writeStream.format("memory").queryName(name).outputMode("append")
        query = writer.trigger(availableNow=True).start()
        query.awaitTermination()
        return self.spark.table(name).collect()


def _of_day(seconds: float) -> str:
    hours, rest = divmod(int(seconds), 3600)
    return f"{hours:02}:{rest // 60:02}:{rest % 60:02}"
