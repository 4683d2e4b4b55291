"""A private Kafka broker, started from its JARs."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from programs import ROOT, answers, awaited, build, free_ports, running

JARS = ROOT / ".build" / "kafka"


def connector() -> str:
    """Return the JARs that Spark needs for topics, in the format of ``spark.jars``."""
    return ",".join(jar.as_uri() for jar in sorted((JARS / "connector").glob("*.jar")))


@contextmanager
def broker(folder: Path) -> Iterator[str]:
    """Run a broker that is its own controller, and return its address."""
    build("kafka")
    port, controller = free_ports(2)
    settings = {
        "process.roles": "broker,controller",
        "node.id": "1",
        "listeners": f"PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}",
        "controller.listener.names": "CONTROLLER",
        "controller.quorum.bootstrap.servers": f"127.0.0.1:{controller}",
        "log.dirs": str(folder / "logs"),
        "num.partitions": "2",
        "offsets.topic.replication.factor": "1",
        "transaction.state.log.replication.factor": "1",
        "transaction.state.log.min.isr": "1",
        "transaction.state.log.num.partitions": "1",
    }
    file = folder / "server.properties"
    file.write_text("".join(f"{name}={value}\n" for name, value in settings.items()))
    command = [_java(), "-Xmx512m", "-cp", f"{JARS}/broker/*"]
    formatting = ["kafka.tools.StorageTool", "format", "--standalone", "-t"]
    identity = ["windrowwindrowwindroww", "-c", str(file)]
    subprocess.run([*command, *formatting, *identity], check=True, capture_output=True)
    with running([*command, "kafka.Kafka", str(file)], folder / "log"):
        awaited(lambda: answers(port), "a broker")
        yield f"127.0.0.1:{port}"


def _java() -> str:
    """Return the Java executable that Spark is started with."""
    home = os.environ.get("JAVA_HOME")
    found = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    assert found is not None
    return found
