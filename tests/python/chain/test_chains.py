"""An operator of a chain receives rows before its watermark passes them (SEMANTICS R95)."""

from __future__ import annotations

import math
import os
import random
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

import windrow as wr
from chain.chains import SCHEMA, Streams, drawn, drawn_join
from chain.windows import BEGIN, at

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

CASES = 10_000 if os.environ.get("WINDROW_MODE") == "full" else 10
FIRST = int(os.environ.get("WINDROW_SEED", "0"))


@pytest.mark.slow
def test_no_pane_is_late_for_the_next_operator(spark: SparkSession) -> None:
    """Chains of every kind have the expected panes, step by step."""
    wrong = {seed: found for seed in range(FIRST, FIRST + CASES) if (found := differs(spark, seed))}
    assert not wrong, "\n".join(f"seed {seed}: {found}" for seed, found in list(wrong.items())[:5])


def differs(spark: SparkSession, seed: int) -> str:
    """Run a chain and return its fault, or an empty text."""
    rng = random.Random(seed)  # noqa: S311  the seed repeats it
    streams = Streams.drawn(rng)
    chain = drawn(rng, streams)
    restart = rng.randint(0, 30)
    seen: dict[str, int] = {}
    fired: Fired = {}
    mark = -math.inf
    with wr.testing.harness(
        chain.pipeline, spark, schema=dict.fromkeys(chain.streams, SCHEMA)
    ) as h:
        for turn, (name, some) in enumerate(streams.cut(chain.streams)):
            if turn == restart:  # a restart resets the progress of each stream
                h.restart()
                seen.clear()
            h.add([(at(time), key, number) for time, key, number in some], to=name)
            seen[name] = max([seen.get(name, 0), *(time for time, _, _ in some)])
            if len(seen) == len(chain.streams):
                mark = max(mark, min(seen.values()) - streams.delay)
            due = {at: sum_ for at, sum_ in chain.panes().items() if chain.isDue(at[0], mark)}
            if wrong := _read(fired, h.panes()) or _difference(due, fired):
                return f"{chain.words}, turn {turn}, watermark {mark}: {wrong}"
        h.finish()
        wrong = _read(fired, h.panes()) or _difference(chain.panes(), fired)
        rejected = h.rejected()
    if rejected:
        return f"{chain.words}: rejected {len(rejected)}, {rejected[0]}"
    return f"{chain.words}, at the end: {wrong}" if wrong else ""


@pytest.mark.slow
def test_a_join_of_a_join(spark: SparkSession) -> None:
    """Unmatched rows of a join are on time for another join with lateness 0."""
    for seed in range(FIRST, FIRST + CASES // 4):
        rng = random.Random(f"join {seed}")  # noqa: S311  the seed repeats it
        streams = Streams.drawn(rng)
        chain = drawn_join(rng, streams)
        schemas = dict.fromkeys(chain.streams, SCHEMA)
        with wr.testing.harness(chain.pipeline, spark, schema=schemas) as h:
            for name, some in streams.cut(chain.streams):
                h.add([(at(time), key, number) for time, key, number in some], to=name)
            h.finish()
            came = [(row["first"]["n"], row["z"] and row["z"]["x"]) for row in h.rows()]
            rejected = h.rejected()
        assert not rejected, f"seed {seed}, {chain.words}"
        assert Counter(came) == Counter(chain.rows), f"seed {seed}, {chain.words}"


Fired = dict[tuple[int, int], int]


def _read(fired: Fired, panes: list[dict[str, Any]]) -> str:
    """Add panes to those that fired; return a fault if a window fires twice."""
    for pane in panes:
        place = (int((pane["window"]["start"] - BEGIN).total_seconds()), pane["k"])
        if place in fired:
            return f"{place} fired twice"
        fired[place] = pane["total"]
    return ""


def _difference(expected: Fired, fired: Fired) -> str:
    missing = [one for one in expected.items() if one not in fired.items()]
    more = [one for one in fired.items() if one not in expected.items()]
    return f"missing {missing[:5]}, more {more[:5]}" if missing or more else ""
