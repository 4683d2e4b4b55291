"""A life of a query: a process that can be killed."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
from dataclasses import asdict
from pathlib import Path

import pyspark

from programs import FRESH, PACKAGE, ROOT
from torture.cluster import Cluster
from torture.plans import CLUSTER, Plan

#: Classes as a JVM has them in memory, written by one that has ended well: the others start with
#: them in half the time. JVMs know if they do not fit and do without.
ARCHIVE = ROOT / ".build" / "torture" / f"classes-{pyspark.__version__}.jsa"
#: After so many seconds a life that was told its plan is stuck.
PATIENCE = 3600


class Life:
    """A process with a session, which waits to be told its plan."""

    def __init__(
        self, folder: Path, plan: Plan, number: int, python: str, cluster: Cluster | None
    ) -> None:
        """Begin it; it is ready later."""
        self.plan, self.cluster = plan, cluster
        self.log = folder / f"log {number}"
        self.new = ARCHIVE.with_name(f"{os.getpid()}-{number}")
        master = cluster.master if cluster else plan.master
        more = "" if cluster or python != sys.executable else self._archive()
        command = [python, str(FRESH / "life.py"), str(folder), master, str(number), more]
        path = os.pathsep.join([str(PACKAGE.parent), str(FRESH.parent)])
        env = {
            "PYTHONPATH": path,
            "PYSPARK_PYTHON": python,
            "SPARK_LOCAL_DIRS": str(folder / "tmp"),
        }
        self.process = subprocess.Popen(
            command,
            env={**os.environ, **env},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log.open("wb"),
            start_new_session=True,
            text=True,
        )
        self.is_stuck = False
        self._limit = threading.Timer(PATIENCE, self._give_up)
        self._limit.daemon = True

    def _archive(self) -> str:
        if ARCHIVE.exists():
            return f"-Xlog:disable -XX:SharedArchiveFile={ARCHIVE}"
        if self.plan.kills:
            return ""
        ARCHIVE.parent.mkdir(exist_ok=True)
        return f"-Xlog:disable -XX:ArchiveClassesAtExit={self.new}"

    def go(self) -> None:
        """Have it run its query."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        if not any(line.strip() == "ready" for line in self.process.stdout):
            raise RuntimeError(self.said())
        self.process.stdin.write(json.dumps(asdict(self.plan)) + "\n")
        self.process.stdin.flush()
        self._limit.start()

    def said(self) -> str:
        """Give the last of what it printed."""
        return self.log.read_text()[-3000:]

    def is_over(self) -> bool:
        """Whether it has ended."""
        return self.process.poll() is not None

    def awaited(self) -> bool:
        """Wait for its end; whether that was a good one, or one that was made."""
        status = self.process.wait()
        self._limit.cancel()
        if self.is_stuck:
            return False
        if status == 0 and self.new.exists():
            self.new.rename(ARCHIVE)
        return status in (0, -signal.SIGKILL)

    def _give_up(self) -> None:
        self.is_stuck = True
        self.end()

    def kill(self) -> None:
        """End all its processes at once."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def end(self) -> None:
        """End it if it has not ended."""
        if not self.is_over():
            self.kill()

    def kill_executor(self, dice: random.Random) -> bool:
        """End an executor; whether there was one."""
        found = self.cluster.executors() if self.cluster else []
        if found:
            os.kill(dice.choice(found), signal.SIGKILL)
        return bool(found)


def needs_cluster(plan: Plan) -> bool:
    """Whether it runs on executors."""
    return plan.master == CLUSTER
