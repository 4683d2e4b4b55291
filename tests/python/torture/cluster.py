"""A Spark cluster whose workers claim to be on three machines.

Spark never runs a second attempt of a task on the machine of the first.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from conftest import spark_home
from programs import FRESH, PACKAGE, awaited, free_ports, running

HOSTS = ("127.0.0.1", "127.0.0.2", "127.0.0.3")


@dataclass(frozen=True)
class Cluster:
    """The address of a cluster, and the folder in which its executors work."""

    master: str
    work: Path

    def executors(self) -> list[int]:
        """Return the process ids of the executors."""
        found = []
        for status in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                is_one = b"CoarseGrainedExecutorBackend" in status.read_bytes()
                if is_one and self.work in (status.parent / "cwd").readlink().parents:
                    found.append(int(status.parent.name))
            except OSError:  # the process ended meanwhile
                continue
        return sorted(found)


@contextmanager
def cluster(folder: Path) -> Iterator[Cluster]:
    """Run a cluster."""
    home = spark_home(folder / "home")
    (port,) = free_ports(1)
    master = f"spark://127.0.0.1:{port}"
    work = (folder / "work").resolve()
    env = {
        "SPARK_HOME": str(home),
        "SPARK_DAEMON_MEMORY": "256m",
        "PYTHONPATH": os.pathsep.join([str(PACKAGE.parent), str(FRESH.parent)]),
    }

    def server(kind: str, host: str, *more: str) -> None:
        named = [f"org.apache.spark.deploy.{kind.lower()}.{kind}", "--host", host, *more]
        command = [str(home / "bin" / "spark-class"), *named, "--webui-port", "0"]
        servers.enter_context(running(command, folder / f"{kind} {host}", **env))

    worker = ("--cores", "2", "--memory", "1g", "--work-dir", str(work), master)
    with ExitStack() as servers:
        server("Master", "127.0.0.1", "--port", str(port))
        for host in HOSTS:
            server("Worker", host, *worker)
        logs = [folder / f"Worker {host}" for host in HOSTS]
        told = "Successfully registered with master"
        awaited(lambda: all(told in log.read_text() for log in logs), "a cluster")
        yield Cluster(master, work)
