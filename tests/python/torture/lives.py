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

#: Classes in a JVM's memory format, written by a life that ended normally; they halve the start
#: time of later lives. A JVM detects an archive that does not fit, and ignores it.
ARCHIVE = ROOT / ".build" / "torture" / f"classes-{pyspark.__version__}.jsa"
#: A life is stuck after this many seconds with its plan.
PATIENCE = 3600


class Life:
    """A process with a session, which waits for its plan."""

    def __init__(
        self, folder: Path, plan: Plan, number: int, python: str, cluster: Cluster | None
    ) -> None:
        """Start the process; it becomes ready later."""
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
        """Send the plan, so that the process runs its query."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        if not any(line.strip() == "ready" for line in self.process.stdout):
            raise RuntimeError(self.said())
        self.process.stdin.write(json.dumps(asdict(self.plan)) + "\n")
        self.process.stdin.flush()
        self._limit.start()

    def said(self) -> str:
        """Return the last part of the log."""
        return self.log.read_text()[-3000:]

    def is_over(self) -> bool:
        """Return whether the process has ended."""
        return self.process.poll() is not None

    def awaited(self) -> bool:
        """Wait for the end; return whether the process succeeded or was killed on purpose."""
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
        """Kill the process and all its children at once."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def end(self) -> None:
        """Kill the process if it has not ended."""
        if not self.is_over():
            self.kill()

    def kill_executor(self, dice: random.Random) -> bool:
        """Kill an executor; return whether there was one."""
        found = self.cluster.executors() if self.cluster else []
        if found:
            os.kill(dice.choice(found), signal.SIGKILL)
        return bool(found)


def needs_cluster(plan: Plan) -> bool:
    """Return whether the plan runs on executors."""
    return plan.master == CLUSTER
