"""Queries on a real Kafka broker, started from its JARs."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from programs import ROOT, build, free_ports, printed, running

BROKER = ROOT / ".build" / "kafka" / "broker"

pytestmark = [pytest.mark.spark, pytest.mark.full]


def java() -> str:
    """Give the Java that Spark is started with."""
    home = os.environ.get("JAVA_HOME")
    found = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    assert found is not None
    return found


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Give the address of a broker that is its own controller; it ends with the tests."""
    build("kafka")
    folder = tmp_path_factory.mktemp("kafka")
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
    command = [java(), "-Xmx512m", "-cp", f"{BROKER}/*"]
    formatting = ["kafka.tools.StorageTool", "format", "--standalone", "-t"]
    identity = ["windrowwindrowwindroww", "-c", str(file)]
    subprocess.run([*command, *formatting, *identity], check=True, capture_output=True)
    with running([*command, "kafka.Kafka", str(file)], folder / "log"):
        yield f"127.0.0.1:{port}"


def test_restarts_rewinds_and_transactions(broker: str, tmp_path: Path) -> None:
    """The panes are those of what was committed, each message once (SEMANTICS R13, S3)."""
    refused = printed("kafka.py", str(tmp_path), broker)[-1].split()
    assert 0 < int(refused[-3]) < int(refused[-1])
