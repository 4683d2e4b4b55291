"""The tested subjects: scenarios of each family, source and sink."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace

from large.draw import drawn
from large.draw_operators import OPERATORS
from large.expected.positions import Policy
from large.expected.windows import Windows
from large.scenario import Leg, Scenario
from sinks.databases import SERVERS

#: Batches with rows; one more has a far-future time, unless the run ends with ``drain``.
BATCHES = 8
SIZES = (300, 1_000, 2_000)
#: Types of keys that JSON preserves and MERGE can match.
PLAIN = ("bigint", "int", "date")


@dataclass(frozen=True)
class Subject:
    """A scenario with ``files`` or ``kafka`` as source and a sink of ``sinks``."""

    family: str
    case: Scenario
    source: str = "files"
    sink: str = "files"


def subject_of(seed: int) -> Subject:
    """Draw a subject of the family that is next in turn."""
    name = TURNS[seed % len(TURNS)]
    rng = random.Random(f"{name} {seed}")  # noqa: S311  the seed repeats it
    return _SPECIAL[name](rng, seed) if name in _SPECIAL else _of(name, seed, rng)


def _of(family: str, seed: int, rng: random.Random) -> Subject:
    """Draw a scenario with more batches, one leg and few shards, because each shard is a task."""
    case = drawn(family, seed, rng.choice(SIZES))
    case = replace(case, legs=(Leg(BATCHES),), shards=rng.choice((1, 2, 5)))
    return Subject(family, case)


def _chosen(
    families: tuple[str, ...], rng: random.Random, seed: int, fits: Callable[[Scenario], bool]
) -> Scenario:
    """Draw until a scenario fits."""
    while True:
        case = _of(rng.choice(families), seed, rng).case
        if fits(case):
            return case
        seed += 1_000_003


def _policies(rng: random.Random, seed: int) -> Subject:
    def fits(case: Scenario) -> bool:
        return isinstance(case.operator, Windows) and isinstance(case.operator.kind, Policy)

    return Subject("policies", _chosen(("positions",), rng, seed, fits))


def _kafka(rng: random.Random, seed: int) -> Subject:
    """Draw a scenario whose offsets are a broker's: without holes, ordered and unique."""
    families = ("aligned", "sessions", "over", "positions", "tuples", "messages")

    def fits(case: Scenario) -> bool:
        return case.identity and case.traffic[0].key_type in PLAIN

    case = _chosen(families, rng, seed, fits)
    traffic = replace(case.traffic[0], holes=0.0, duplicates=0.0, overtaken=0.0, partitions=2)
    return Subject("kafka", replace(case, traffic=(traffic,)), source="kafka")


def _into(sink: str) -> Callable[[random.Random, int], Subject]:
    def fits(case: Scenario) -> bool:
        is_whole = isinstance(case.operator, Windows) and case.operator.mode != "DISCARDING"
        is_plain = case.traffic[0].key_type in PLAIN
        return sink not in {"upsert", *SERVERS} or (is_whole and is_plain)

    def drawn_into(rng: random.Random, seed: int) -> Subject:
        case = _chosen(("aligned", "sessions", "calendar"), rng, seed, fits)
        return Subject(f"into {sink}", case, sink=sink)

    return drawn_into


_SPECIAL: dict[str, Callable[[random.Random, int], Subject]] = {
    "policies": _policies,
    "from kafka": _kafka,
    **{
        f"into {sink}": _into(sink)
        for sink in ("table", "each", "spark", "kafka", "upsert", *SERVERS)
    },
}
TURNS = (
    *("aligned", "into table", "sessions", "final", "over", "from kafka", "positions"),
    *("into upsert", "messages", "join", "into each", "inherited", "policies", "final"),
    *("calendar", "into spark", "tuples", "unchanged", "cogroup", "lookups", "into kafka"),
    *("global", "sliding", "unchanged", *(f"into {database}" for database in SERVERS)),
    *OPERATORS,
)
