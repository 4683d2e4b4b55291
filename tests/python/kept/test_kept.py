"""Checkpoints written by older versions continue with this version (SEMANTICS S2, S14)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import windrow as wr
from kept.queries import QUERIES
from kept.run import BEFORE, change, programs, reading, run, session_of, write
from kept.text import unfold

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.slow]

CHECKPOINTS = Path(__file__).parents[2] / "checkpoints"
KEPT = sorted(CHECKPOINTS.glob("*/*.json"))
#: Queries of every run, one for each family of state; all others run in full runs.
ALWAYS = ("tumbling", "session", "join_in_range")


def named(file: Path) -> str:
    """Return version and query."""
    return f"{file.parent.name}/{file.stem}"


def test_each_query_is_kept() -> None:
    """Each query has a checkpoint of this version, as text and of limited size."""
    assert {f.stem for f in KEPT if f.parent.name == wr.__version__} == set(QUERIES)
    assert {f.stem for f in KEPT} <= set(QUERIES)
    for file in CHECKPOINTS.rglob("*"):
        assert file.is_dir() or file.suffix == ".json", file
    sizes = {f: f.stat().st_size for f in CHECKPOINTS.rglob("*.json")}
    assert max(sizes.values()) < 50_000
    for version in {file.parent for file in KEPT}:
        assert sum(size for file, size in sizes.items() if version in file.parents) < 850_000


def test_kept_checkpoints_match_todays_queries(spark: SparkSession, tmp_path: Path) -> None:
    """The fingerprints in the checkpoints match the queries, so no class or text was renamed."""
    session = session_of(spark)
    wrong: list[str] = []
    for file in KEPT:
        of_operators = programs(session, QUERIES[file.stem](reading(session, tmp_path)))
        begun: list[Any] = json.loads(file.read_text())["fingerprints"]
        assert len(of_operators) == len(begun) > 0, file
        for program, kept in zip(of_operators, begun, strict=True):
            found = change(session, program, kept)
            wrong += [f"{named(file)}: {found}"] if found else []
    assert not wrong, "\n".join(wrong)


@pytest.mark.anywhere
@pytest.mark.parametrize("file", [f for f in KEPT if f.stem in ALWAYS], ids=named)
def test_goes_on(spark: SparkSession, tmp_path: Path, file: Path) -> None:
    """A query that continues from a stored checkpoint has the rows of an uninterrupted run."""
    goes_on(spark, tmp_path, file)


@pytest.mark.anywhere
@pytest.mark.full
@pytest.mark.parametrize("file", [f for f in KEPT if f.stem not in ALWAYS], ids=named)
def test_others_go_on(spark: SparkSession, tmp_path: Path, file: Path) -> None:
    """The other operators continue from their stored checkpoints too."""
    goes_on(spark, tmp_path, file)


def goes_on(spark: SparkSession, folder: Path, file: Path) -> None:
    """Compare the rows of the new input with those of an uninterrupted run."""
    session = session_of(spark)
    source = json.loads((file.parent / "input" / "input.json").read_text())
    for run_of in ("through", "kept"):
        write({**source["before"], **source["after"]}, folder / run_of)
    unfold(json.loads(file.read_text())["checkpoint"], folder / "kept" / "checkpoint")
    found = run(session, file.stem, folder / "kept")
    assert found
    assert found == run(session, file.stem, folder / "through", since=BEFORE)
