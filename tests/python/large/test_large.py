"""Large random streams give what DuckDB makes of the same messages.

A1-A6, E1, E2, R1, R6, R13, R19, R35, R37, R43, R53, R74, R75, S2, T3-T5, W2, W4, W5 of SEMANTICS.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from large.draw import FAMILIES, drawn
from large.judge import judge
from large.run import run
from large.scenario import Scenario
from large.shrink import script, shrunk

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

FULL = os.environ.get("WINDROW_MODE") == "full"
#: Seeds of each family, and how many messages a scenario has.
ROUNDS = [(seed, 1_000) for seed in range(20)] + [(seed, 20_000) for seed in range(20, 40)]
ROUNDS += [(seed, 100_000) for seed in range(40, 43)]


class Runner:
    """Runs scenarios in folders of their own."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        """None yet."""
        self.spark, self.folder, self.count = spark, folder, 0

    def wrong(self, case: Scenario) -> list[str]:
        """Say what is wrong; what Windrow or Spark refuses is wrong too."""
        self.count += 1
        try:
            return judge(run(self.spark, case, self.folder / str(self.count)))
        except Exception as failed:  # noqa: BLE001  any failure of a query is one of the scenario
            return [f"{type(failed).__name__}: {str(failed)[:2000]}"]

    def check(self, case: Scenario) -> None:
        """Fail with the least scenario that fails."""
        if self.wrong(case):
            least = shrunk(case, lambda one: bool(self.wrong(one)))
            pytest.fail("\n".join([f"of {case}", *self.wrong(least), script(least)]), pytrace=False)


@pytest.fixture
def runner(spark: SparkSession, tmp_path: Path) -> Runner:
    """Give a runner."""
    return Runner(spark, tmp_path)


#: Of the plain run: a scenario of each of the families that differ most.
FEW = [("calendar", 1), ("join", 6), ("messages", 1), ("positions", 1)]


@pytest.mark.slow
@pytest.mark.parametrize(("family", "seed"), FEW)
def test_few(runner: Runner, family: str, seed: int) -> None:
    """A restart or two, late messages, replays, holes."""
    runner.check(drawn(family, seed, 1_000))


@pytest.mark.full
@pytest.mark.parametrize(("seed", "messages"), ROUNDS)
@pytest.mark.parametrize("family", FAMILIES)
def test_drawn(runner: Runner, family: str, seed: int, messages: int) -> None:
    """Whatever is drawn."""
    runner.check(drawn(family, seed, messages))
