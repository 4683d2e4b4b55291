"""An object store for tests: a server with the interface of S3, on loopback, in memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import Request, urlopen

from programs import ROOT, answers, awaited, build, free_ports, running

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
