"""A checkpoint of one version of Spark continues with any other (SEMANTICS S2)."""

from __future__ import annotations

import itertools
import json
import shutil
import sys
from pathlib import Path

import pytest

from feed import add_files, disordered
from kept.text import unfold
from programs import ROOT, printed, python_with

SPARKS = ("4.0.2", "4.1.1", "4.2.0", "4.3.0")

pytestmark = [pytest.mark.spark, pytest.mark.full]


@pytest.fixture(scope="module")
def pythons() -> dict[str, str]:
    """Return an interpreter for each version of Spark, and create missing ones."""
    return {**{one: python_with(one) for one in SPARKS[:-1]}, SPARKS[-1]: sys.executable}


def run(python: str, folder: Path, name: str) -> list[str]:
    """Run the queries over the available input, and return their panes."""
    return printed("continued.py", str(folder), name, python=python)


@pytest.mark.parametrize("version", SPARKS)
def test_a_process_that_has_begun_no_query_looks_into_a_checkpoint(
    pythons: dict[str, str], tmp_path: Path, version: str
) -> None:
    """A new process can read a checkpoint before it runs any query.

    Before Spark 4.3, snapshots of state are readable only after a query has started.
    """
    kept = ROOT / "tests" / "checkpoints" / "0.1.0" / "join_in_range.json"
    unfold(json.loads(kept.read_text())["checkpoint"], tmp_path / "checkpoint")
    checkpoint = str(tmp_path / "checkpoint")
    assert printed("looks.py", str(tmp_path), checkpoint, python=pythons[version]) == ["True"] * 2


def test_checkpoints_move_between_versions(pythons: dict[str, str], tmp_path: Path) -> None:
    """A query that moves between versions, up or down, has the panes of an undisturbed one."""
    batches = disordered(seed=61, batches=6, size=40)
    orders = tmp_path / "orders"
    add_files(orders, *batches[:3])
    for version, python in pythons.items():
        assert run(python, tmp_path, f"begun with {version}")
    add_files(orders, *batches[3:])
    through = run(pythons[SPARKS[-1]], tmp_path, "through")
    assert len({line.split()[0] for line in through}) == 6
    for begun, later in itertools.permutations(pythons, 2):
        name = f"{begun} then {later}"
        shutil.copytree(tmp_path / f"begun with {begun}", tmp_path / name)
        assert run(pythons[later], tmp_path, name) == through, name
