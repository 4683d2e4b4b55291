"""Queries that are killed at any point of their batches lose, double and change nothing.

R1, S2 and S3 of SEMANTICS.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from torture import drawn_for, tortured

#: Each is of another family; together they have some ten deaths.
SEEDS = (1, 4, 5, 6)


@pytest.mark.full
@pytest.mark.spark
@pytest.mark.parametrize("seed", SEEDS)
def test_killed_queries(tmp_path: Path, seed: int) -> None:
    """What came out is what DuckDB makes of the messages; the ledger holds; no file is damaged."""
    _, case = drawn_for(seed)
    wrong, killed = tortured(case, random.Random(seed), tmp_path / "run")  # noqa: S311
    assert not wrong, "\n".join(wrong)
    assert killed
