"""Queries that are killed at any point of their batches lose, double and change nothing.

R1, R71, B3, B5, S2 and S3 of SEMANTICS.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from torture.subjects import subject_of
from torture.trial import Servers, servers, tried

#: A run that ends, on a cluster; a sink that may have rows twice. Together more than ten deaths.
SEEDS = (3, 10)


@pytest.fixture(scope="module")
def common(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    """Give servers, which end with the tests."""
    with servers(tmp_path_factory.mktemp("servers")) as found:
        yield found


@pytest.mark.full
@pytest.mark.spark
@pytest.mark.parametrize("seed", SEEDS)
def test_killed_queries(tmp_path: Path, common: Servers, seed: int) -> None:
    """What came out is what DuckDB makes of the messages; the ledger holds; no file is damaged."""
    told = tried(subject_of(seed), seed, tmp_path / "run", common)
    assert not told.wrong, "\n".join(told.wrong)
    assert Counter(kill.what for kill in told.kills)["driver"] >= 3
