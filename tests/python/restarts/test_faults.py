"""Sinks and tasks that fail and processes that are killed: each pane is still emitted once.

R1 and S3 of SEMANTICS.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import windrow as wr
from feed import Feed, add_files, disordered
from programs import start
from restarts.test_start import files, finished, output
from torture.cluster import cluster

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

pytestmark = pytest.mark.spark


@pytest.mark.full
def test_a_sink_that_fails_now_and_then(feed: Feed, tmp_path: Path) -> None:
    """A batch that was written in part is repeated, and its rows are written once."""
    from pyspark.errors import StreamingQueryException

    feed.add(*disordered(seed=51, batches=4))
    refused: set[int] = set()

    def moody(_: DataFrame, batch: int) -> None:
        if batch % 2 and batch not in refused:
            refused.add(batch)
            raise RuntimeError("the sink is in no mood")

    def run(name: str, rejected: wr.Files | None) -> None:
        query = output(feed).start(
            checkpoint=str(tmp_path / f"of {name}"),
            panes=wr.Files(str(tmp_path / name)),
            rejected=rejected or moody,
            availableNow=True,
        )
        finished(query)

    run("undisturbed", wr.Files(str(tmp_path / "dead")))
    failures = 0
    while failures < 10:
        try:
            run("disturbed", None)
            break
        except StreamingQueryException as failed:
            assert "in no mood" in str(failed)  # noqa: PT017  any other failure is an error
            failures += 1
    assert failures == len(refused) >= 2
    assert files(feed, tmp_path / "disturbed") == files(feed, tmp_path / "undisturbed")


def run_program(folder: Path, *arguments: str, master: str = "local[2]") -> tuple[int, list[str]]:
    """Run the query of ``fresh/faults.py``, and return its exit status and its panes."""
    ran = start("faults.py", str(folder), *arguments, MASTER=master)
    return ran.returncode, ran.stdout.splitlines() or [ran.stderr[-2000:]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with orders."""
    made = tmp_path_factory.mktemp("faults")
    add_files(made / "orders", *disordered(seed=41, batches=6, size=60))
    return made


@pytest.fixture(scope="module")
def undisturbed(folder: Path) -> list[str]:
    """Return the panes of a run without faults."""
    status, panes = run_program(folder, "undisturbed", "none")
    assert status == 0, panes
    assert len(panes) > 100
    return panes


@pytest.mark.full
def test_retried_tasks(folder: Path, undisturbed: list[str]) -> None:
    """The panes do not change if every task that reads rows or emits panes runs twice."""
    status, panes = run_program(folder, "retried", "tasks", master="local[2,4]")
    assert status == 0, panes
    assert panes == undisturbed
    assert len(list(folder.glob("failed message *"))) >= 6
    assert len(list(folder.glob("failed result *"))) >= 6


@pytest.fixture
def two_hosts(tmp_path: Path) -> Iterator[str]:
    """Return the address of a cluster on which a task may have two attempts at once."""
    with cluster(tmp_path) as found:
        yield found.master


@pytest.mark.full
def test_speculative_attempts(folder: Path, undisturbed: list[str], two_hosts: str) -> None:
    """The panes do not change if two attempts of a slow task run at once and either one wins."""
    status, panes = run_program(folder, "speculated", "stragglers", master=two_hosts)
    assert status == 0, panes
    assert panes == undisturbed
    assert len(list(folder.glob("second message *"))) >= 3
    assert len(list(folder.glob("second result *"))) >= 3


@pytest.mark.full
def test_killed_drivers(folder: Path, undisturbed: list[str]) -> None:
    """A query whose driver is killed continues, with the same panes.

    The driver is killed while a batch writes state, and while it writes panes.
    """
    for fault in ("kill-task 1", "kill-sink 2", "kill-task 4"):
        status, _ = run_program(folder, "killed", *fault.split())
        assert status != 0
        done = {int(file.name) for file in (folder / "of killed/commits").glob("[0-9]*")}
        assert max(done) == int(fault.split()[1]) - 1
    status, panes = run_program(folder, "killed", "none")
    assert status == 0, panes
    assert panes == undisturbed
