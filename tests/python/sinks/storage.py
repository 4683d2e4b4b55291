"""An object store for tests: a server with the interface of S3, on loopback, in memory.

It also has the parts of programs whose files are in that store and that may be killed.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.request import Request, urlopen

from programs import ROOT, answers, awaited, build, free_ports, running

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

BUCKET = "windrow"


@contextmanager
def served(log: Path) -> Iterator[str]:
    """Run a server with one empty bucket within the context, and return its address."""
    build("s3")
    (port,) = free_ports(1)
    program = str(ROOT / ".build" / "venvs" / "moto" / "bin" / "moto_server")
    with running([program, "-H", "127.0.0.1", "-p", str(port)], log):
        awaited(lambda: answers(port), "the server of the object store")
        url = f"http://127.0.0.1:{port}"
        with urlopen(Request(f"{url}/{BUCKET}", method="PUT")):  # noqa: S310  on loopback
            yield url


def settings(url: str) -> dict[str, str]:
    """Return the settings of Spark with which ``s3a://`` addresses are read from this server."""
    s3a = {
        "endpoint": url,
        "endpoint.region": "us-east-1",
        "path.style.access": "true",
        "access.key": "any",
        "secret.key": "any",
        # The server answers a request to continue in a way that the SDK does not accept.
        "connection.expect.continue": "false",
        "optimized.copy.from.local.enabled": "false",
    }
    jars = ",".join(str(jar) for jar in sorted((ROOT / ".build" / "s3").glob("*.jar")))
    return {"spark.jars": jars} | {f"spark.hadoop.fs.s3a.{name}": s3a[name] for name in s3a}


def session(folder: Path, url: str) -> SparkSession:
    """Return a session with few shards; unless ``url`` is "none", it reads ``s3a://`` addresses.

    A run that ends before its kill has no micro-batch without rows, by which later rows would be
    late that are on time in an unbroken run.
    """
    import windrow as wr
    from conftest import session_builder

    builder = session_builder(folder).config("spark.windrow.shards", "8")
    builder = builder.config("spark.sql.streaming.noDataMicroBatches.enabled", "false")
    for name, value in (settings(url) if url != "none" else {}).items():
        builder = builder.config(name, value)
    spark = wr.configure(builder).getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    return spark


def kill_later(query: StreamingQuery, batches: str, seconds: str) -> None:
    """Kill this process and Spark some seconds after a number of micro-batches, or "none"."""

    def kill() -> None:
        while len(query.recentProgress) < int(batches):
            time.sleep(0.02)
        time.sleep(float(seconds))
        os.killpg(os.getpid(), signal.SIGKILL)

    if batches != "none":
        threading.Thread(target=kill, daemon=True).start()


def told(rows: DataFrame) -> list[str]:
    """Return rows as text, in an order of their own."""
    from pyspark.sql import functions as F

    return sorted(row[0] for row in rows.select(F.to_json(F.struct("*"))).collect())
