"""Real queries, killed at any point of a batch, against what DuckDB makes of the same messages."""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from large.clock import Step
from large.dice import RESTARTS
from large.draw import drawn
from large.judge import judge
from large.run import Ran, inputs_of, written
from large.scenario import MILLISECOND, Leg, Scenario
from programs import FRESH, PACKAGE

#: Whose batches are all in Spark's logs, and all of whose output is in files.
FAMILIES = (
    *("aligned", "sessions", "over", "positions", "messages", "join", "inherited"),
    *("calendar", "tuples", "cogroup", "lookups", "global", "sliding"),
)
BATCHES = 8
MASTERS = ("local[1]", "local[2]", "local[2]", "local[3]")
CLUSTER = "local-cluster[2,1,1024]"

#: By what shows in the folder of a run when a batch is there: ``{0}`` is its number, ``{1}`` the
#: version of the state that it makes.
POINTS: Mapping[str, str] = {
    "before its plan is written": "checkpoint/sources/0/{0}",
    "its plan is written": "checkpoint/offsets/{0}",
    "in its tasks": "checkpoint/offsets/{0}",
    "a part of its state is written": "checkpoint/state/0/*/{1}.changelog",
    "its panes are being written": "p*/batch={0}/*",
    "its rejected rows are being written": "rejected/batch={0}/*",
    "it is committed": "checkpoint/commits/{0}",
}
KINDS = (*POINTS, "at any time")


@dataclass(frozen=True)
class Kill:
    """``what`` ends, the driver or an executor, at a point of a batch; then some seconds later."""

    what: str
    point: str
    batch: int
    later: float

    def is_here(self, folder: Path) -> bool:
        """Whether the point is reached."""
        shown = POINTS.get(self.point, "checkpoint/offsets/{0}")
        return any(folder.glob(shown.format(self.batch, self.batch + 1)))


class Life:
    """A process with a session, which waits to be told its settings."""

    def __init__(self, folder: Path, master: str, number: int) -> None:
        """Begin it; it is ready later."""
        command = [sys.executable, str(FRESH / "torture.py"), str(folder), master, str(number)]
        path = os.pathsep.join([str(PACKAGE.parent), str(FRESH.parent)])
        env = {**os.environ, "PYTHONPATH": path, "PYSPARK_PYTHON": sys.executable}
        self.log = folder / f"log {number}"
        self.process = subprocess.Popen(
            command,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log.open("wb"),
            start_new_session=True,
            text=True,
        )

    def go(self, settings: tuple[tuple[str, str], ...]) -> None:
        """Have it run its query."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        if not any(line.strip() == "ready" for line in self.process.stdout):
            raise RuntimeError(self.log.read_text()[-3000:])
        self.process.stdin.write(json.dumps(settings) + "\n")
        self.process.stdin.flush()

    def kill(self) -> None:
        """End all its processes at once."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def end(self) -> None:
        """End it if it has not ended."""
        if self.process.poll() is None:
            self.kill()

    def kill_executor(self, dice: random.Random) -> bool:
        """End an executor; whether there was one."""
        found = []
        for status in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                is_one = b"CoarseGrainedExecutorBackend" in status.read_bytes()
                if is_one and os.getpgid(int(status.parent.name)) == self.process.pid:
                    found.append(int(status.parent.name))
            except (OSError, ProcessLookupError):  # it ended meanwhile
                continue
        if found:
            os.kill(dice.choice(sorted(found)), signal.SIGKILL)
        return bool(found)


def tortured(case: Scenario, dice: random.Random, folder: Path) -> tuple[list[str], list[Kill]]:
    """Run a scenario through its deaths; say what is wrong, and what was killed."""
    (folder / "counts").mkdir(parents=True)
    (folder / "case").write_text(repr(case))
    inputs, tables = inputs_of(case)
    written(tables, inputs, range(case.batches + 1), folder)
    done: list[Kill] = []
    planned = list(_lives(dice))
    waiting = Life(folder, planned[0][0], 0)
    for number, (master, kills) in enumerate(planned):
        life = waiting
        try:
            life.go(_settings(dice))
            if number + 1 < len(planned):  # a session takes its time to begin
                waiting = Life(folder, planned[number + 1][0], number + 1)
            done += _killed(life, kills, folder, dice)
            if life.process.wait() not in (0, -signal.SIGKILL):
                waiting.end()
                return [f"{master}: {life.log.read_text()[-3000:]}"], done
        except BaseException:
            waiting.end()
            raise
        finally:
            life.end()
    return judge(_ran(case, folder, tables)), done


def _ran(case: Scenario, folder: Path, tables: dict[str, pa.Table]) -> Ran:
    """Give what came out; how many rows a batch had is told by its files.

    Spark counts the rows that a lost executor had read twice.
    """
    counts = {int(file.name): json.loads(file.read_text()) for file in _numbered(folder / "counts")}
    steps, taken = logged(folder, set(counts))
    tables = {name: _placed(table, taken[name]) for name, table in tables.items()}
    lookups = tables.pop("lookups", None)
    messages = list(tables.values())
    for step in steps:
        if step.counted:
            of = [table.filter(pc.equal(table["batch"], step.step)) for table in messages]
            counts[step.step]["given"] = sum(table.num_rows for table in of)
    return Ran(case, folder, messages, steps, counts, lookups)


def _placed(table: pa.Table, taken: Mapping[int, int]) -> pa.Table:
    """Say of each message which step took it."""
    steps = pa.array([taken[batch] for batch in table["batch"].to_pylist()], pa.int64())
    return table.set_column(table.column_names.index("batch"), "batch", steps)


def _lives(dice: random.Random) -> Iterator[tuple[str, list[Kill]]]:
    """Give a master and deaths for each; the last one dies of none."""
    batches = sorted(dice.sample(range(BATCHES + 1), dice.randint(2, 4)))
    for batch in batches:
        yield dice.choice(MASTERS), [_kill(dice, "driver", batch)]
    if dice.random() < 0.3:
        yield CLUSTER, [_kill(dice, "executor", batch) for batch in range(batches[-1], BATCHES + 1)]
    else:
        yield dice.choice(MASTERS), []


def _kill(dice: random.Random, what: str, batch: int) -> Kill:
    point = dice.choice(KINDS)
    later = {"in its tasks": 0.3, "at any time": 3.0}.get(point, 0.0)
    return Kill(what, point, batch, dice.random() * later)


def _settings(dice: random.Random) -> tuple[tuple[str, str], ...]:
    return tuple((name, dice.choice(values)) for name, values in RESTARTS.items())


def _killed(life: Life, kills: list[Kill], folder: Path, dice: random.Random) -> list[Kill]:
    """Wait for each point, and kill there; one that never comes is left out."""
    done = []
    for kill in kills:
        while not kill.is_here(folder) and life.process.poll() is None:
            time.sleep(0.001)
        time.sleep(kill.later)
        if life.process.poll() is not None:
            break
        if kill.what == "driver":
            life.kill()
            done.append(kill)
        elif life.kill_executor(dice):
            done.append(kill)
    return done


def logged(folder: Path, counted: set[int]) -> tuple[list[Step], dict[str, dict[int, int]]]:
    """Give the batches as Spark's logs have planned them, and for each stream which took what.

    A death may leave out a batch without data; and what the log of a source had taken when there
    was no plan yet comes together with what follows. What counts a batch goes with its process.
    """
    checkpoint = folder / "checkpoint"
    names = _streams(checkpoint)
    taken: dict[str, dict[int, int]] = {name: {} for name in names}
    steps, before = [], 0
    for file in sorted(_numbered(checkpoint / "offsets"), key=lambda one: int(one.name)):
        _, head, *sources = file.read_text().split("\n")
        after = json.loads(head)["batchWatermarkMs"] * MILLISECOND
        step = int(file.name)
        for name, source in zip(names, sources, strict=True):
            for entry in range(len(taken[name]), _entry(source) + 1):
                taken[name][entry] = step
        steps.append(Step(step, step, 0, before or None, after or None, step in counted))
        before = after
    return steps, taken


def _entry(source: str) -> int:
    """Give the last entry of its log that a plan names."""
    return -1 if source == "-" else int(json.loads(source)["logOffset"])


def _streams(checkpoint: Path) -> list[str]:
    """Name the stream of each source, by the folder of the first file in its log."""
    sources = sorted(_numbered(checkpoint / "sources"), key=lambda one: int(one.name))
    logs = ((source / "0").read_text().split("\n")[1] for source in sources)
    return [Path(json.loads(log)["path"]).parent.name for log in logs]


def _numbered(folder: Path) -> list[Path]:
    return [file for file in folder.iterdir() if file.name.isdigit()]


def drawn_for(seed: int) -> tuple[str, Scenario]:
    """Draw a scenario of the family whose turn it is, with more batches and without restarts."""
    family = FAMILIES[seed % len(FAMILIES)]
    case = drawn(family, seed, random.Random(seed).choice((300, 1_000, 3_000)))  # noqa: S311
    return family, replace(case, legs=(Leg(BATCHES),))


def main() -> int:
    """Run scenarios until the time is over; 1: something is wrong."""
    parser = argparse.ArgumentParser(prog="scripts/torture", description=__doc__)
    parser.add_argument("--minutes", type=float, default=1)
    parser.add_argument("--seed", type=int, default=1)
    said = parser.parse_args()
    end = time.monotonic() + 60 * said.minutes
    kills: Counter[tuple[str, str]] = Counter()
    seed = said.seed
    while seed == said.seed or time.monotonic() < end:
        family, case = drawn_for(seed)
        folder = Path(tempfile.mkdtemp(prefix="torture-"))
        wrong, done = tortured(case, random.Random(seed), folder / "run")  # noqa: S311
        kills.update((kill.what, kill.point) for kill in done)
        told = ", ".join(f"{kill.what} in batch {kill.batch}: {kill.point}" for kill in done)
        _say(f"seed {seed}, {family}: {'WRONG' if wrong else 'as it must be'} ({told})")
        if wrong:
            _say("\n".join(wrong))
            _say(f"it is left in {folder}; again: scripts/torture --minutes 0 --seed {seed}")
            return 1
        shutil.rmtree(folder)
        seed += 1
    for (what, point), count in sorted(kills.items()):
        _say(f"{count:5} x {what}, {point}")
    _say(f"{seed - said.seed} queries, {kills.total()} kills, nothing lost, doubled or changed")
    return 0


def _say(text: str) -> None:
    print(text, flush=True)  # noqa: T201


if __name__ == "__main__":
    sys.exit(main())
