"""A subject lives its lives; what came out is judged."""

from __future__ import annotations

import json
import random
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import duckdb
import pyarrow.compute as pc

from large.judge import judge
from large.judge import written as loaded
from large.run import Ran, inputs_of, written
from programs import build, python_with
from torture import sinks
from torture.broker import broker
from torture.cluster import Cluster, cluster
from torture.lives import Life
from torture.logs import logged, numbered
from torture.plans import CLUSTER, KILLED, TWICE, Kill, Plan, Trouble, plans
from torture.points import Watch
from torture.subjects import Subject
from torture.troubles import came


class Servers:
    """What lives longer than a subject, started when the first one needs it."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        """None runs yet."""
        self._folder, self._stack = folder, stack
        self._broker = ""
        self._cluster: Cluster | None = None

    def broker(self) -> str:
        """Give the address of a Kafka broker."""
        if not self._broker:
            (self._folder / "kafka").mkdir()
            self._broker = self._stack.enter_context(broker(self._folder / "kafka"))
        return self._broker

    def cluster(self) -> Cluster:
        """Give a cluster."""
        if self._cluster is None:
            (self._folder / "cluster").mkdir()
            self._cluster = self._stack.enter_context(cluster(self._folder / "cluster"))
        return self._cluster


@contextmanager
def servers(folder: Path) -> Iterator[Servers]:
    """Have them end with the trials."""
    with ExitStack() as stack:
        yield Servers(folder, stack)


@dataclass
class Told:
    """What was wrong with a subject, and what was done to it."""

    wrong: list[str] = field(default_factory=list)
    kills: list[Kill] = field(default_factory=list)
    troubles: list[Trouble] = field(default_factory=list)

    def counted(self) -> Counter[tuple[str, str]]:
        """Count what was done where."""
        done: list[Kill | Trouble] = [*self.kills, *self.troubles]
        return Counter((d.what, d.point if isinstance(d, Kill) else d.where) for d in done)


def tried(subject: Subject, seed: int, folder: Path, common: Servers) -> Told:
    """Have it live and die as its seed says, and judge what came out."""
    for name in ("counts", "troubles", "writes"):
        (folder / name).mkdir(parents=True)
    needs_broker = "kafka" in {subject.source, subject.sink}
    about = {"source": subject.source, "sink": subject.sink}
    about["broker"] = common.broker() if needs_broker else ""
    (folder / "about").write_text(json.dumps(about))
    (folder / "case").write_text(repr(subject.case))
    inputs, tables = inputs_of(subject.case)
    written(tables, inputs, range(subject.case.batches + (not subject.case.final)), folder)
    dice = random.Random(seed)  # noqa: S311  the seed repeats it
    told = Told()
    try:
        told.wrong = _lived(plans(dice, subject), subject, folder, common, dice, told)
        told.wrong = told.wrong or _judged(subject, folder, _again(folder, told.kills))
    except Exception:  # noqa: BLE001  the seed's, not the end of all others
        told.wrong = [traceback.format_exc()]
    told.troubles = came(folder)
    return told


def _lived(
    planned: list[Plan],
    subject: Subject,
    folder: Path,
    common: Servers,
    dice: random.Random,
    told: Told,
) -> list[str]:
    python = sys.executable
    if subject.sink == "upsert":
        build("delta")
        python = python_with("4.2.0")

    def life(number: int) -> Life:
        plan = planned[number]
        its = common.cluster() if plan.master == CLUSTER else None
        return Life(folder, plan, number, python, its)

    waiting = life(0)
    for number, plan in enumerate(planned):
        now = waiting
        try:
            now.go()
            if number + 1 < len(planned):  # a session takes its time to begin
                waiting = life(number + 1)
            told.kills += _killed(now, plan.kills, folder, dice)
            if not now.awaited():
                waiting.end()
                said = "it does not end" if now.is_stuck else now.said()
                return [f"life {number}, {plan}: {said}"]
        except BaseException:
            waiting.end()
            raise
        finally:
            now.end()
    return []


def _killed(life: Life, kills: tuple[Kill, ...], folder: Path, dice: random.Random) -> list[Kill]:
    """Wait for each point, and kill there; one that never comes is left out."""
    done = []
    for kill in kills:
        watch = Watch(folder, kill.point, kill.batch)
        while not watch.is_reached() and not life.is_over():
            time.sleep(0.005)
        time.sleep(kill.later)
        if life.is_over():
            break
        if kill.what == "driver":
            life.kill()
            done.append(kill)
        elif life.kill_executor(dice):
            done.append(kill)
    return done


def _again(folder: Path, kills: list[Kill]) -> set[int]:
    """Batches of which Spark may have computed a part again, of which its counts tell alone.

    Their rows are compared as all others (docs/limits.md).
    """
    lost = {kill.batch + later for kill in kills if kill.what == "executor" for later in (0, 1)}
    return lost | {one.batch for one in came(folder) if one.what in {KILLED, TWICE}}


def _judged(subject: Subject, folder: Path, again: set[int]) -> list[str]:
    base = duckdb.connect()
    if subject.sink == "spark":
        sinks.taken_apart(base, folder)
    wrong = judge(_ran(subject, folder, again))
    if subject.sink not in {"files", "spark"}:
        loaded(base, "panes", folder / "panes")
        wrong += sinks.wrong(subject.sink, base, folder, again)
    return wrong


def _ran(subject: Subject, folder: Path, again: set[int]) -> Ran:
    """Give what came out; how many rows a batch had is told by where each message went.

    Spark counts the rows that a lost executor had read twice.
    """
    files = {int(file.name): file for file in numbered(folder / "counts")}
    counts = {n: json.loads(file.read_text()) for n, file in files.items() if n not in again}
    if (
        subject.sink == "spark"
    ):  # a batch that Spark's own sink has is not run again: none is counted
        counts = {batch: said for batch, said in counts.items() if any(said.values())}
    log = logged(folder, set(counts))
    _, tables = inputs_of(subject.case)
    if subject.case.final:  # the far message was not sent
        tables = {n: t.filter(pc.less(t["batch"], subject.case.batches)) for n, t in tables.items()}
    tables = {name: log.placed(name, table) for name, table in tables.items()}
    lookups = tables.pop("lookups", None)
    messages = list(tables.values())
    for step in log.steps:
        if step.counted:
            of = [table.filter(pc.equal(table["batch"], step.step)) for table in messages]
            counts[step.step]["given"] = sum(table.num_rows for table in of)
    return Ran(subject.case, folder, messages, log.steps, counts, lookups)
