"""The lives of a query: how each of them ends, and the faults of its tasks."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

from large.dice import RESTARTS
from torture.points import ENDING, LATER, points_of
from torture.subjects import BATCHES, Subject

MASTERS = ("local[1]", "local[2]", "local[2]", "local[3]")
#: A task may fail four times.
PATIENT = "local[2,4]"
#: The cluster of ``cluster``: three executors that claim to be on three machines.
CLUSTER = "cluster"

WHERE = ("while it reads", "with its state written")
FAILS, TWICE, KILLED = "a task fails", "a task is late and runs twice", "an executor is killed"


@dataclass(frozen=True)
class Kill:
    """Kills the driver or an executor, some seconds after a point of a batch."""

    what: str
    point: str
    batch: int
    later: float


@dataclass(frozen=True)
class Trouble:
    """A fault of a task that occurs once, in a batch."""

    what: str
    where: str
    batch: int

    @property
    def name(self) -> str:
        """Return the name of the files that record the fault."""
        return f"{self.batch} {self.what} {self.where}"


@dataclass(frozen=True)
class Plan:
    """A life: its master and settings, and its kills and faults."""

    master: str
    settings: tuple[tuple[str, str], ...]
    kills: tuple[Kill, ...] = ()
    troubles: tuple[Trouble, ...] = field(default=())


def plans(dice: random.Random, subject: Subject) -> list[Plan]:
    """Draw the lives: first drivers are killed, then executors or none."""
    can_cluster = subject.sink != "upsert"  # a subject with upserts runs another Spark
    has_cluster = can_cluster and dice.random() < 0.4
    count = 3 if has_cluster else dice.randint(4, 6)
    batches = sorted(dice.sample(range(BATCHES), count))
    drivers = [_kill(dice, subject, "driver", batch) for batch in batches]
    if subject.case.final and not has_cluster:
        drivers.append(Kill("driver", ENDING, BATCHES, dice.random() * LATER[ENDING]))
    made = [_plan(dice, kill, is_cluster=has_cluster and dice.random() < 0.3) for kill in drivers]
    if not has_cluster:
        return [*made, Plan(dice.choice(MASTERS), _settings(dice))]
    left = range(batches[-1], BATCHES + 1)
    kills = tuple(_kill(dice, subject, "executor", batch) for batch in left)
    troubles = tuple(_troubles(dice, left, (FAILS, TWICE, KILLED)))
    return [*made, Plan(CLUSTER, _settings(dice), kills, troubles)]


def _plan(dice: random.Random, kill: Kill, *, is_cluster: bool) -> Plan:
    if is_cluster:
        return Plan(CLUSTER, _settings(dice), (kill,))
    if dice.random() < 0.2:
        troubles = tuple(_troubles(dice, range(kill.batch + 1), (FAILS,)))
        return Plan(PATIENT, _settings(dice), (kill,), troubles)
    return Plan(dice.choice(MASTERS), _settings(dice), (kill,))


def _kill(dice: random.Random, subject: Subject, what: str, batch: int) -> Kill:
    point = dice.choice(points_of(subject))
    return Kill(what, point, batch, dice.random() * LATER.get(point, 0.0))


def _troubles(dice: random.Random, batches: range, whats: tuple[str, ...]) -> Iterator[Trouble]:
    for batch in batches:
        if dice.random() < 0.5:
            yield Trouble(dice.choice(whats), dice.choice(WHERE), batch)


def _settings(dice: random.Random) -> tuple[tuple[str, str], ...]:
    return tuple((name, dice.choice(values)) for name, values in RESTARTS.items())
