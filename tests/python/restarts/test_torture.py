"""Queries that are killed at any point of their batches lose, double and change nothing.

R1, R71, B3, B5, S2 and S3 of SEMANTICS.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from torture.plans import KILLED
from torture.subjects import subject_of
from torture.trial import Servers, servers, tried

#: One run that ends on a cluster, and one with a sink that may contain rows twice, each with the
#: least number of lost executors; together more than ten deaths.
SEEDS = {3: 1, 10: 0}


@pytest.fixture(scope="module")
def common(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    """Return servers that end with the tests."""
    with servers(tmp_path_factory.mktemp("servers")) as found:
        yield found


@pytest.mark.full
@pytest.mark.spark
@pytest.mark.parametrize("seed", SEEDS)
def test_killed_queries(tmp_path: Path, common: Servers, seed: int) -> None:
    """After kills, the output equals DuckDB's, the counts add up, and no file is damaged."""
    told = tried(subject_of(seed), seed, tmp_path / "run", common)
    assert not told.wrong, "\n".join(told.wrong)
    kills = Counter(kill.what for kill in told.kills)
    troubles = Counter(trouble.what for trouble in told.troubles)
    assert kills["driver"] >= 3
    assert kills["executor"] + troubles[KILLED] >= SEEDS[seed]
