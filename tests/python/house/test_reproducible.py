"""Published files are identical for every folder and time, and complete."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from programs import FRESH, ROOT, answers, awaited, free_ports, printed, python_with, running


def built(folder: Path, age: int) -> dict[str, bytes]:
    """Build the wheel, the JAR and their SBOMs from a copy of the sources with this age."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True)  # noqa: S607
    for name in listed.stdout.decode().split("\0")[:-1]:
        if (ROOT / name).is_file() and not name.startswith(("docs/", "tests/")):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
            os.utime(folder / name, (age, age))
    (folder / ".build" / "tmp").mkdir(parents=True)
    for launcher in (ROOT / ".build").glob("sbt-launch-*.jar"):
        shutil.copy(launcher, folder / ".build")
    subprocess.run([folder / "scripts" / "sbt", "spark/windrowJar"], check=True, cwd=folder)
    wheel = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "-q"]
    subprocess.run([*wheel, "-w", "dist", "."], check=True, cwd=folder)
    for jar in (folder / "python" / "windrow" / "jars").glob("*.jar"):
        shutil.copy(jar, folder / "dist")
    subprocess.run([sys.executable, folder / "scripts" / "sbom.py"], check=True)
    return {file.name: file.read_bytes() for file in (folder / "dist").iterdir()}


@pytest.mark.full
def test_two_builds_are_the_same() -> None:
    """Builds in differently named folders from sources of another age are identical."""
    with TemporaryDirectory(dir="/tmp") as short:  # sbt's socket needs a short path
        first = built(Path(short) / "one", 1_000_000_000)
        second = built(Path(short) / "deeper" / "another", 1_500_000_000)
        assert len(first) == 4
        assert first.keys() == second.keys()
        assert [name for name in first if first[name] != second[name]] == []
        check_wheel(Path(short) / "one" / "dist")


def check_wheel(dist: Path) -> None:
    """Check that the metadata is complete, and that the SBOMs list exactly the dependencies."""
    (wheel,) = dist.glob("*.whl")
    with zipfile.ZipFile(wheel) as opened:
        (metadata,) = (name for name in opened.namelist() if name.endswith("METADATA"))
        said = opened.read(metadata).decode()
    assert "\nProvides-Extra: spark\n" in said
    assert "\nRequires-Dist: pyspark<4.4,>=4.0.2; extra == 'spark'\n" in said
    assert "self-correcting event-time windows" in said
    assert "](docs/" not in said
    assert "pytest" not in said.split("\n\n", maxsplit=1)[0]
    for file in dist.glob("*.cdx.json"):
        bom = json.loads(file.read_text())
        own = "windrow" if ".whl" in file.name else "windrow_2.13"
        assert (bom["bomFormat"], bom["metadata"]["component"]["name"]) == ("CycloneDX", own)
        names = {one["name"] for one in bom["components"]}
        assert {"pyspark"} <= names if ".whl" in file.name else {"spark-sql_2.13"} <= names


@pytest.mark.full
def test_the_client_alone(tmp_path: Path) -> None:
    """The wheel works with the Connect client alone, in a path with special characters.

    It needs no Py4J and no Java, and the doctor reports this.
    """
    folder = tmp_path / "with space, 'quote' and é"
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    python = str(folder / "bin" / "python")
    install = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    wheel = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "-q"]
    subprocess.run([*wheel, "-w", tmp_path / "dist", ROOT], check=True)
    (made,) = (tmp_path / "dist").glob("*.whl")
    subprocess.run([*install, "--no-index", "--no-deps", made], check=True)
    package = next(folder.glob("lib/python3*/site-packages")) / "windrow"
    said = printed("thin.py", python=python, package=package)
    assert said[0] == "True False"
    assert "WRONG PySpark: not installed" in said
    subprocess.run([*install, "pyspark-client>=4.0.2,<4.4"], check=True)
    said = printed("thin.py", python=python, package=package)
    assert said[0] == "True False"
    assert any("Spark Connect client only" in line for line in said)
    assert "ok    Java: not needed, because Spark runs on a server" in said
    assert not [line for line in said if "WRONG" in line]
    asked = [python, "-c", "import pyspark; print(pyspark.__version__)"]
    version = subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip()
    assert queried(tmp_path, python, version, package)[-5:] == [
        "[(2.0, 'ON_TIME'), (5.5, 'LATE')]",
        "4 1",
        "True",
        "1 ['TOO_LATE']",
        "True True",
    ]
    events = [file.read_text() for file in tmp_path.glob("server/events/*/events_*")]
    assert "ConnectOperationStarted" in "".join(events)
    assert "hush" not in "".join(events), "a password in the requests that the server records"


def queried(folder: Path, python: str, version: str, package: Path) -> list[str]:
    """Return the output of queries that the client sends to a server of this version.

    The Python of the server has no package, only the session has the JAR.
    """
    (port,) = free_ports(1)
    for name in ("server", "client"):
        (folder / name).mkdir()
    beside = python_with(version)
    # Spark's launcher does not find a JAR whose path has special characters.
    jar = shutil.copy(next(package.glob("jars/*.jar")), folder / "windrow.jar")
    server = [beside, str(FRESH / "server.py"), str(folder / "server"), str(port), str(jar)]
    env = {"PYTHONPATH": "", "PYSPARK_PYTHON": beside}
    with running(server, folder / "log", **env):
        awaited(lambda: answers(port), "a server of Spark Connect")
        where = str(folder / "client"), f"sc://127.0.0.1:{port}"
        return printed("client.py", *where, python=python, package=package)
