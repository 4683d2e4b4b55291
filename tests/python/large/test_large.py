"""Windrow's output for large random streams equals DuckDB's for the same rows.

A1-A6, B4, E1, E2, P1, P3, R1, R3, R6, R10, R11, R13, R16, R19, R21-R24, R35, R37, R43, R53, R55,
R56, R71, R74, R75, R84, R90, R99-R101, R103, R108, R109, R115, R116, R118, R120-R122, R140, R141,
R148, R149, R151-R153, R158, S2, S6, S7, T3-T5, W2, W4, W5, W9 of SEMANTICS.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from large.draw import FAMILIES, drawn
from large.judge import judge
from large.known import KNOWN
from large.run import run
from large.scenario import Scenario
from large.shrink import script, shrunk

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

FULL = os.environ.get("WINDROW_MODE") == "full"
#: Seeds of each family, and the number of rows of a scenario; the environment variable shifts all
#: seeds.
FIRST = int(os.environ.get("WINDROW_SEED", "0"))
ROUNDS = [
    (FIRST + seed, 1_000 if seed < 8 else 20_000 if seed < 15 else 100_000) for seed in range(16)
]


class Runner:
    """Runs scenarios, each in a folder of its own."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        """Create a runner without runs."""
        self.spark, self.folder, self.count = spark, folder, 0

    def wrong(self, case: Scenario) -> list[str]:
        """Return the faults of a scenario; a refusal by Windrow or Spark is a fault too."""
        self.count += 1
        folder = self.folder / str(self.count)
        try:
            return judge(run(self.spark, case, folder))
        except Exception as failed:  # noqa: BLE001  any failure of a query fails the scenario
            return [f"{type(failed).__name__}: {str(failed)[:2000]}"]
        finally:
            shutil.rmtree(folder, ignore_errors=True)  # the printed script recreates it

    def check(self, case: Scenario) -> None:
        """Fail with the smallest scenario that fails."""
        if self.wrong(case):
            least, wrong = shrunk(case, self.wrong)
            pytest.fail("\n".join([f"of {case}", *wrong, script(least)]), pytrace=False)


@pytest.fixture
def runner(spark: SparkSession, tmp_path: Path) -> Runner:
    """Return a runner."""
    return Runner(spark, tmp_path)


#: The short run: a scenario of each of the most different families, with its number of rows. The
#: core runs streams of the others in `LargeSuite`, so they run as queries in `full`.
FEW = [
    ("looks", 364, 200),
    *(
        pytest.param(*one, marks=pytest.mark.full)
        for one in (
            ("positions", 19, 1_000),
            ("final", 257, 200),
            ("join", 24, 1_000),
            ("inherited", 322, 200),
            ("calendar", 14, 1_000),
            ("messages", 31, 1_000),
            ("tuples", 25, 200),
            ("cogroup", 328, 200),
            ("lookups", 247, 200),
            ("unchanged", 1, 1_000),
        )
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize(("family", "seed", "messages"), FEW)
def test_few(runner: Runner, family: str, seed: int, messages: int) -> None:
    """A few seeds with restarts, late rows, duplicates and holes give the expected output."""
    runner.check(drawn(family, seed, messages))


@pytest.mark.full
@pytest.mark.parametrize("name", KNOWN)
def test_known(runner: Runner, name: str) -> None:
    """Scenarios that once failed give the expected output."""
    runner.check(KNOWN[name])


@pytest.mark.full
@pytest.mark.parametrize(("seed", "messages"), ROUNDS)
@pytest.mark.parametrize("family", FAMILIES)
def test_drawn(runner: Runner, family: str, seed: int, messages: int) -> None:
    """Every drawn scenario gives the expected output."""
    runner.check(drawn(family, seed, messages))
