"""The programs of ``fresh``, each run in an interpreter of its own."""

from __future__ import annotations

import os
import signal
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
# Queries of one or two seconds end before the second compiler pays off. Without the second
# compiler, the JVM reserves little space for compiled code. Spark fills that space within minutes,
# and then compilation stops.
JAVA_OPTIONS = "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m -XX:+UseParallelGC"
# `scripts/test` sets an archive of Spark's classes here (`fresh/classes.py`).
JAVA_OPTIONS = f"{JAVA_OPTIONS} {os.environ.get('WINDROW_JAVA_OPTIONS', '')}".strip()


def start(
    program: str,
    *arguments: str,
    python: str = sys.executable,
    package: Path = PACKAGE,
    cwd: Path | None = None,
    new_session: bool = False,
    **env: str,
) -> subprocess.CompletedProcess[str]:
    """Run a program to its end with the package at its location, and accept any exit status.

    With ``new_session``, the program leads a process group that it may kill.
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
    """Return the lines that a program prints; it must succeed. ``more`` is passed to ``start``."""
    ran = start(program, *arguments, **more)
    assert ran.returncode == 0, ran.stderr[:4000] + ran.stderr[-4000:]
    return ran.stdout.splitlines()


@contextmanager
def running(
    command: Sequence[str], log: Path, stop: signal.Signals = signal.SIGTERM, /, **env: str
) -> Iterator[None]:
    """Run a server until a signal at the end of the context; its output is written to ``log``."""
    with log.open("wb") as file:
        started = subprocess.Popen(command, stdout=file, stderr=file, env={**os.environ, **env})
    try:
        yield
    finally:
        started.send_signal(stop)
        try:
            started.wait(timeout=60)
        except subprocess.TimeoutExpired:
            started.kill()
            started.wait()


def awaited(holds: Callable[[], bool], what: str) -> None:
    """Wait until a condition that another process causes is true."""
    for _ in range(3000):
        if holds():
            return
        threading.Event().wait(0.1)
    raise TimeoutError(what)


def answers(port: int) -> bool:
    """Return whether a process listens on a port of this machine."""
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


def free_ports(count: int) -> list[int]:
    """Return free ports of this machine."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def python_with(version: str) -> str:
    """Return an interpreter with a version of Spark, and create it if it is missing."""
    command = [str(ROOT / "scripts" / "surroundings"), "python", version]
    made = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return made.stdout.decode().split()[-1]


def build(what: str) -> None:
    """Run ``scripts/build`` for a part that a program needs."""
    subprocess.run([str(ROOT / "scripts" / "build"), what], check=True)
