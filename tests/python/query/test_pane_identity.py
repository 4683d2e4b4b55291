"""A retraction repeats its pane to the bit for every aggregate (SEMANTICS R18, R90)."""

from __future__ import annotations

import math
import os
import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F

import windrow as wr
from chain.identities import bits

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.slow]

SCHEMA = "time timestamp, key string, x double, y float, n bigint, d decimal(12,2), w decimal(38,6)"
#: The sum of these depends on the grouping; some of their moments are not finite.
DOUBLES = [1e16, 1.0, -1e16, 0.1, -0.0, 0.0, 0.3, -0.7, 1e-9, 1e300, -1e300, 7.7]
CASES = {"quick": 1, "full": 20}.get(os.environ.get("WINDROW_MODE", ""), 2)

KINDS: dict[str, Any] = {
    "tumbling": wr.Tumbling("1 minute"),
    "hopping by few": wr.Hopping("3 minutes", step="1 minute"),
    "hopping by many": wr.Hopping("5 minutes", step="20 seconds"),
    "calendar": wr.Tumbling("1 day"),
    "session": wr.Session("40 seconds"),
    "sliding": wr.Sliding("3 minutes", granularity="1 second"),
    "over a range": wr.Over(range="3 minutes"),
    "over rows": wr.Over(rows=5),
}

NUMBERS = [
    "sum(x)",
    "avg(x)",
    "sum(y)",
    "sum(n)",
    "avg(n)",
    "sum(d)",
    "avg(d)",
    "count(x)",
    "sum(w)",
]
MOMENTS = ["var_samp(x)", "corr(x, n)", "covar_pop(x, n)", "skewness(x)", "stddev(y)", "avg(w)"]
SKETCHES = ["hll_sketch_agg(n)", "theta_sketch_agg(n)", "approx_percentile(x, 0.5)", "mode(n)"]
IN_ORDER = ["collect_list(x)", "first(x)", "max_by(x, n)", "percentile(n, 0.5)", "sum(x)"]
NESTED = ["min(array(x, y))", "max(struct(x, n))", "histogram_numeric(x, 3)"]

TOP = "windrow_top_n(3, struct(x, y)) WITHIN GROUP (ORDER BY n DIV 9, x DESC)"

MORE = "windrow_increase(y)"

#: Functions with buffers of fixed width, with objects, and functions that depend on the order.
AGGREGATES: dict[str, list[str]] = {
    "numbers": [*NUMBERS, *MOMENTS, "min(x)", "max(x)", "try_sum(n)"],
    "objects": ["approx_count_distinct(x)", "sum(x)", "avg(y)", "bit_xor(n)", "var_pop(x)", TOP],
    "over time": ["windrow_time_weighted_average(x)", "windrow_time_in_state(n)", MORE, "max(n)"],
    "in order": [*SKETCHES, *IN_ORDER, *NESTED],
}


def messages(seed: int, size: int = 60) -> list[list[dict[str, Any]]]:
    """Draw batches of disordered rows that cover about 20 minutes."""
    rng = random.Random(seed)  # noqa: S311  no secret
    return [
        [
            _message(rng, batch * 200 + rng.randrange(400) - int(rng.expovariate(1 / 120)))
            for _ in range(size)
        ]
        for batch in range(5)
    ]


def _message(rng: random.Random, seconds: int) -> dict[str, Any]:
    minute, second = divmod(max(seconds, 0), 60)
    x = math.nan if rng.randrange(40) == 0 else rng.choice([*DOUBLES, rng.random()])
    return {
        "time": f"2025-01-01 09:{minute:02}:{second:02}",
        "key": rng.choice("ab"),
        "x": x,
        "y": rng.choice([1e8, 1.0, -1e8, 0.1, -0.0, rng.random()]),
        "n": rng.randrange(-50, 50),
        "d": Decimal(rng.randrange(-5000, 5000)) / 4,
        "w": Decimal(rng.choice([10**20, -(10**20), 7])),
    }


def operator(df: DataFrame, kind: Any, aggregates: Sequence[str], **more: Any) -> wr.Output:
    """Return windows that fire on time and again for each late batch."""
    stream = wr.stream(df, time="time", key="key", watermark="10 seconds", name="lower")
    windows = (
        stream.lateness("1 hour").window(kind).accumulationMode(wr.ACCUMULATING_AND_RETRACTING)
    )
    early = wr.EachBatch() if more.get("early") else None
    windows = windows.trigger(early=early, skipUnchanged=more.get("skips", False))
    return windows.aggregate(*(F.expr(text).alias(f"v{i}") for i, text in enumerate(aggregates)))


def fired(
    spark: SparkSession, pipeline: Any, batches: Sequence[Sequence[Mapping[str, Any]]], seed: int
) -> list[dict[str, Any]]:
    """Run a pipeline with restarts between some batches, and return its panes in order."""
    rng = random.Random(seed)  # noqa: S311  no secret
    with wr.testing.harness(pipeline, spark, schema=SCHEMA) as h:
        for batch in batches:
            h.add(list(batch))
            if rng.randrange(2):
                h.restart()
        h.finish()
        return list(h.panes())


def window(pane: Mapping[str, Any]) -> Any:
    """Return the identity of a pane's window."""
    return bits([pane["key"], pane.get("message") or pane["window"]])


def shown(pane: Mapping[str, Any]) -> Any:
    """Return all of a pane except its retraction flag."""
    rest = {name: value for name, value in pane["pane"].items() if name != "is_retraction"}
    return bits({**pane, "pane": rest})


def taken_back(panes: Sequence[Mapping[str, Any]]) -> int:
    """Check that each retraction repeats a valid pane, and return the number of retractions."""
    live: dict[Any, list[Any]] = defaultdict(list)
    count = 0
    for pane in panes:
        if pane["pane"]["is_retraction"]:
            assert shown(pane) in live[window(pane)], (pane, live[window(pane)])
            live[window(pane)].remove(shown(pane))
            count += 1
        else:
            live[window(pane)].append(shown(pane))
    return count


@pytest.fixture(autouse=True)
def shards(spark: SparkSession) -> Iterator[None]:
    """Use two shards."""
    spark.conf.set("spark.windrow.shards", "2")
    yield
    spark.conf.unset("spark.windrow.shards")


def combinations() -> Iterator[Any]:
    """Yield all combinations: one for each kind of windows, the others only in `full`."""
    for i, kind in enumerate(KINDS):
        for j, aggregates in enumerate(AGGREGATES):
            marks = () if i % len(AGGREGATES) == j else (pytest.mark.full,)
            yield pytest.param(kind, aggregates, marks=marks)


@pytest.mark.parametrize(("kind", "aggregates"), list(combinations()))
def test_a_retraction_repeats_its_pane(spark: SparkSession, kind: str, aggregates: str) -> None:
    """Each retraction repeats its pane, for all kinds and aggregates, with early panes or not."""
    texts = AGGREGATES[aggregates]
    count = 0
    for seed in range(CASES):
        more = {"early": bool(seed % 2) and "over" not in kind}
        panes = fired(
            spark, lambda df, m=more: operator(df, KINDS[kind], texts, **m), messages(seed), seed
        )
        count += taken_back(panes)
    assert count > 0


#: Functions that few rows change.
RARELY_CHANGED = ["max(n DIV 20)", "min(x)", "max(y)"]
#: The kinds whose panes without changes only `full` runs; their algorithms have others as well.
REST = ("tumbling", "hopping by few", "hopping by many", "calendar", "over rows", "over a range")


def values(panes: Sequence[Mapping[str, Any]]) -> dict[Any, list[Any]]:
    """Return the values of each window in order, without retractions and repeated values."""
    found: dict[Any, list[Any]] = defaultdict(list)
    for pane in panes:
        if not pane["pane"]["is_retraction"]:
            value = bits([pane[f"v{i}"] for i in range(len(RARELY_CHANGED))])
            if found[window(pane)][-1:] != [value]:
                found[window(pane)].append(value)
    return found


@pytest.mark.parametrize(
    "kind",
    [pytest.param(kind, marks=[pytest.mark.full] if kind in REST else []) for kind in KINDS],
)
def test_an_unchanged_pane_is_left_out(spark: SparkSession, kind: str) -> None:
    """With ``skipUnchanged``, each window has the same values, each once, with retractions."""
    left_out = 0
    for seed in range(CASES):
        early = bool(seed % 2) and "over" not in kind
        every, changed = (
            fired(
                spark,
                lambda df, m={"early": early, "skips": skips}: operator(
                    df, KINDS[kind], RARELY_CHANGED, **m
                ),
                messages(seed),
                seed,
            )
            for skips in (False, True)
        )
        assert values(changed) == values(every)
        count = len(changed) - taken_back(changed)
        # rows may have equal windows, and a session that is replaced is retracted, too
        if "over" not in kind and kind != "session":
            assert taken_back(changed) == sum(len(all_) - 1 for all_ in values(changed).values())
        left_out += len(every) - taken_back(every) - count
    assert left_out > 0
