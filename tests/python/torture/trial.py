"""Runs the lives of a subject and judges the output."""

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
from sinks.databases import SERVERS, jars, served
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
    """Servers that outlive a subject, started when first needed."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        """Create the registry without running servers."""
        self._folder, self._stack = folder, stack
        self._broker = ""
        self._cluster: Cluster | None = None
        self._databases: dict[str, str] = {}

    def broker(self) -> str:
        """Return the address of a Kafka broker."""
        if not self._broker:
            (self._folder / "kafka").mkdir()
            self._broker = self._stack.enter_context(broker(self._folder / "kafka"))
        return self._broker

    def database(self, kind: str) -> str:
        """Return the address of a database."""
        if kind not in self._databases:
            log = self._folder / f"{kind}.log"
            self._databases[kind] = self._stack.enter_context(served(kind, log))
            jars(kind)
        return self._databases[kind]

    def cluster(self) -> Cluster:
        """Return a cluster."""
        if self._cluster is None:
            (self._folder / "cluster").mkdir()
            self._cluster = self._stack.enter_context(cluster(self._folder / "cluster"))
        return self._cluster


@contextmanager
def servers(folder: Path) -> Iterator[Servers]:
    """Return servers that end with the context."""
    with ExitStack() as stack:
        yield Servers(folder, stack)


@dataclass
class Told:
    """The faults in a subject's output, and its kills and troubles."""

    wrong: list[str] = field(default_factory=list)
    kills: list[Kill] = field(default_factory=list)
    troubles: list[Trouble] = field(default_factory=list)

    def counted(self) -> Counter[tuple[str, str]]:
        """Count kills and troubles by kind and place."""
        done: list[Kill | Trouble] = [*self.kills, *self.troubles]
        return Counter((d.what, d.point if isinstance(d, Kill) else d.where) for d in done)


def tried(subject: Subject, seed: int, folder: Path, common: Servers) -> Told:
    """Run the lives and kills that the seed determines, and judge the output."""
    for name in ("counts", "troubles", "writes"):
        (folder / name).mkdir(parents=True)
    about = {"source": subject.source, "sink": subject.sink, "server": ""}
    if "kafka" in {subject.source, subject.sink}:
        about["server"] = common.broker()
    if subject.sink in SERVERS:
        about["server"] = common.database(subject.sink)
        (folder / "stored").mkdir()
    (folder / "about").write_text(json.dumps(about))
    (folder / "case").write_text(repr(subject.case))
    inputs, tables = inputs_of(subject.case)
    written(tables, inputs, range(subject.case.batches + (not subject.case.final)), folder)
    dice = random.Random(seed)  # noqa: S311  the seed repeats it
    told = Told()
    try:
        told.wrong = _lived(plans(dice, subject), subject, folder, common, dice, told)
        told.wrong = told.wrong or _judged(subject, folder, _again(folder, told.kills))
    except Exception:  # noqa: BLE001  fails this seed only
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
            if number + 1 < len(planned):  # start the next session early, because that takes time
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
    """Kill at each point in turn, and return the kills; a point that is not reached is skipped."""
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
    """Return the batches of which Spark may have computed a part twice.

    Only their counts are ignored (docs/reference/limits.md); their rows are compared.
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
    """Return the output; the number of rows of a batch is derived from the step of each row.

    Spark counts the rows that a lost executor had read twice.
    """
    files = {int(file.name): file for file in numbered(folder / "counts")}
    counts = {n: json.loads(file.read_text()) for n, file in files.items() if n not in again}
    if (
        subject.sink == "spark"
    ):  # Spark's own sink skips a batch that it already has, so its counts are all zero
        counts = {batch: said for batch, said in counts.items() if any(said.values())}
    log = logged(folder, set(counts))
    _, tables = inputs_of(subject.case)
    if subject.case.final:  # the row with the far-future time was not sent
        tables = {n: t.filter(pc.less(t["batch"], subject.case.batches)) for n, t in tables.items()}
    tables = {name: log.placed(name, table) for name, table in tables.items()}
    lookups = tables.pop("lookups", None)
    messages = list(tables.values())
    for step in log.steps:
        if step.counted:
            of = [table.filter(pc.equal(table["batch"], step.step)) for table in messages]
            counts[step.step]["given"] = sum(table.num_rows for table in of)
    return Ran(subject.case, folder, messages, log.steps, counts, lookups)
