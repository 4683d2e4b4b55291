"""The programs of ``fresh``, each run in an interpreter of its own."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import windrow as wr

ROOT = Path(__file__).parents[2]
PACKAGE = Path(wr.__file__).parent
FRESH = Path(__file__).parent / "fresh"
# Queries of a second or two end before the second compiler has done anything but wait. Without it
# the JVM keeps little room for compiled code, which Spark's fills within minutes: nothing more is
# compiled then.
JAVA_OPTIONS = "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m -XX:+UseParallelGC"


def start(
    program: str,
    *arguments: str,
    python: str = sys.executable,
    package: Path = PACKAGE,
    cwd: Path | None = None,
    new_session: bool = False,
    **env: str,
) -> subprocess.CompletedProcess[str]:
    """Run a program to its end, with the package where it lies; any exit status will do.

    new_session: it leads a group of processes, which it may kill as a whole.
    """
    found = {
        "PYTHONPATH": os.pathsep.join(map(str, (package.parent, FRESH.parent, ROOT / "docs"))),
        "PYSPARK_PYTHON": python,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_SUBMIT_OPTS": JAVA_OPTIONS,
    }
    return subprocess.run(
        [python, str(FRESH / program), *arguments],
        env={**os.environ, **found, **env},
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
        start_new_session=new_session,
    )


def printed(program: str, *arguments: str, **more: Any) -> list[str]:
    """Give the lines that a program prints, which must end well; ``more`` as of ``start``."""
    ran = start(program, *arguments, **more)
    assert ran.returncode == 0, ran.stderr[:4000] + ran.stderr[-4000:]
    return ran.stdout.splitlines()


@contextmanager
def running(command: Sequence[str], log: Path, **env: str) -> Iterator[None]:
    """Have a server run meanwhile; what it prints is in ``log``."""
    with log.open("wb") as file:
        started = subprocess.Popen(command, stdout=file, stderr=file, env={**os.environ, **env})
    try:
        yield
    finally:
        started.terminate()
        try:
            started.wait(timeout=60)
        except subprocess.TimeoutExpired:
            started.kill()
            started.wait()


def awaited(holds: Callable[[], bool], what: str) -> None:
    """Wait until something that another process does is so."""
    for _ in range(3000):
        if holds():
            return
        threading.Event().wait(0.1)
    raise TimeoutError(what)


def answers(port: int) -> bool:
    """Whether somebody listens at a port of this machine."""
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


def free_ports(count: int) -> list[int]:
    """Find ports of this machine that nobody listens at."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def python_with(version: str) -> str:
    """Give an interpreter that has a version of Spark; it is made where there is none."""
    command = [str(ROOT / "scripts" / "surroundings"), "python", version]
    made = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return made.stdout.decode().split()[-1]


def build(what: str) -> None:
    """Have ``scripts/build`` make what a program needs."""
    subprocess.run([str(ROOT / "scripts" / "build"), what], check=True)
