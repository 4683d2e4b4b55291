"""The draws that all families share: rows, runs with their settings, aggregates."""

from __future__ import annotations

import random
from dataclasses import replace

from large.expected.aggregates import AGGREGATES, ALWAYS, FRAMED
from large.expected.kinds import Kind
from large.expected.windows import Windows
from large.scenario import DAY, HOUR, MILLISECOND, MINUTE, SECOND, Leg, Operator, Scenario, Traffic
from large.traffic import TYPES

#: Settings that may change with any restart.
RESTARTS = {
    "spark.sql.shuffle.partitions": ("1", "2", "3", "5", "8"),
    # number of read tasks, as if there were that many cores
    "spark.sql.files.minPartitionNum": ("1", "7"),
    "spark.sql.adaptive.enabled": ("true", "false"),
    "spark.sql.debug.maxToStringFields": ("2", "25", "1000"),
    "spark.sql.session.timeZone": ("UTC", "America/Sao_Paulo", "Asia/Kolkata"),
    "spark.sql.ansi.enabled": ("true", "false"),
    "spark.sql.caseSensitive": ("true", "false"),
}

#: Types of keys that are never null, so that a join matches them.
JOINED = ("bigint", "int", "binary", "date", "double", "decimal")


def _legs(rng: random.Random) -> tuple[Leg, ...]:
    """Draw one to three runs; their settings differ."""

    def settings() -> tuple[tuple[str, str], ...]:
        some = [name for name in RESTARTS if rng.random() < 0.5]
        return tuple((name, rng.choice(RESTARTS[name])) for name in some)

    return tuple(Leg(rng.randint(1, 3), settings()) for _ in range(rng.randint(1, 3)))


def any_traffic(rng: random.Random, messages: int, types: tuple[str, ...] = TYPES) -> Traffic:
    """Draw a stream whose key has one of the types."""
    partitions = rng.choice((1, 1, 2, 4))
    return Traffic(
        messages,
        keys=rng.choice((1, 3, 30, max(1, messages // 20), messages)),
        key_type=rng.choice(types),
        skew=rng.choice((1.0, 1.0, 4.0)),
        begin=rng.choice((0, 1_709_251_200, 1_711_846_800)) * SECOND,
        span=rng.choice((MINUTE, HOUR, 30 * DAY)),
        tick=rng.choice((1, MILLISECOND)),
        disorder=rng.choice((0.0, 0.1, 1.0)),
        behind=rng.choice((0.05, 0.5, 1.0)),
        partitions=partitions,
        holes=rng.choice((0.0, 0.2)),
        timeless=rng.choice((0.0, 0.01)),
        repartition=rng.choice((0, 0, 3)),
    )


def any_case(
    rng: random.Random,
    operator: Operator,
    *traffic: Traffic,
    late: bool = True,
    identity: bool | None = None,
) -> Scenario:
    """Draw a case; its lateness is close to the disorder, or far above it if no row may be late."""
    span = traffic[0].span
    has_identity = rng.random() < 0.5 if identity is None else identity
    duplicates = rng.choice((0.0, 0.1)) if has_identity else 0.0
    return Scenario(
        seed=rng.randrange(2**31),
        operator=operator,
        traffic=tuple(replace(one, duplicates=duplicates) for one in traffic),
        legs=_legs(rng),
        lateness=_milliseconds(span * rng.choice((0.0, 0.05, 0.3)) if late else 3 * span),
        delay=_milliseconds(span * rng.choice((0.0, 0.02, 0.1))),
        shards=rng.choice((1, 4, 16, 128)),
        identity=has_identity,
    )


def _milliseconds(span: float) -> int:
    return int(span) // MILLISECOND * MILLISECOND


def any_windows(rng: random.Random, kind: Kind, *, identity: bool, framed: bool = False) -> Windows:
    """Draw triggers, a mode and aggregates; order-dependent aggregates only with an identity."""
    names = [n for n in AGGREGATES if n not in ALWAYS and (identity or not AGGREGATES[n].ordered)]
    if framed:
        names = [name for name in names if name in FRAMED]
    early = rng.choice(("never", "each_batch", "each_message", "every_7"))
    modes = ["ACCUMULATING", "ACCUMULATING_AND_RETRACTING"]
    # otherwise partial values cannot be compared
    if kind.aligned and early in {"never", "each_batch"}:
        modes.append("DISCARDING")
    return Windows(kind, rng.choice(modes), early, tuple(rng.sample(names, rng.randint(1, 4))))


def any_overtaken(rng: random.Random, case: Scenario) -> Scenario:
    """Let some rows, or none, arrive after rows with greater offsets."""
    part = rng.choice((0.0, 0.1))
    return replace(case, traffic=tuple(replace(one, overtaken=part) for one in case.traffic))
