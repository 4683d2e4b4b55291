"""Guarantees on memory and state, tested at small scale (SEMANTICS S10, S11, R12)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from load.gone import Left
from load.steady import MEASURED, PROCESS, told
from programs import PACKAGE

SMALL = (
    ("keys", "--size", "20000"),
    ("giant", "--size", "100000"),
    ("endless", "--size", "100000"),
    ("jump", "--size", "1000"),
    ("empty", "--size", "10000"),
)


@pytest.mark.full
@pytest.mark.spark
@pytest.mark.parametrize("said", SMALL, ids=lambda said: said[0])
def test_a_case_in_small_keeps_its_promise(said: tuple[str, ...]) -> None:
    """A small load case keeps its guarantee; its output shows the row that does not."""
    path = os.pathsep.join([str(PACKAGE.parent), str(Path(__file__).parents[1])])
    ended = subprocess.run(
        [sys.executable, "-m", "load", *said, "--heap", "1500m"],
        env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout


@pytest.mark.parametrize("wrong", [*MEASURED, *PROCESS, None])
@pytest.mark.parametrize("rise", [60, None])
def test_a_figure_that_rises_or_is_missing_is_reported(
    tmp_path: Path, wrong: str | None, rise: int | None
) -> None:
    """A figure of the log that rises or is missing is reported with its row."""

    def line(minute: int) -> str:
        def of(what: str) -> int | None:
            more = rise if what == wrong and minute > 80 else 0
            return None if more is None else 1000 + minute % 5 + more

        query = {what: found for what in MEASURED if (found := of(what)) is not None}
        return json.dumps(
            {"minute": minute, "queries": {"tumbling": query}}
            | {what: of(what) for what in PROCESS}
        )

    log = tmp_path / "log"
    log.write_text("\n".join(map(line, range(1, 121))))
    rows = [row for row, is_level in told(log) if not is_level]
    assert [row[0] for row in rows] == (
        [wrong if wrong in PROCESS else "tumbling"] if wrong else []
    )
    assert [text.endswith("!") for row in rows for text in row].count(True) == len(rows)


@pytest.mark.parametrize(
    ("end", "is_gone"),
    [
        ((3, 500), True),
        ((5, 2524), True),
        ((6, 500), False),
        ((3, 2525), False),
    ],
)
def test_remaining_memory_is_a_page_of_each_partition_and_a_hundredth_of_the_bytes(
    end: tuple[int, int],
    is_gone: bool,  # noqa: FBT001
) -> None:
    """State counts as gone if only a page per partition and a hundredth of it remain.

    That is in addition to the state before any input, and to the permanent header of each shard.
    """
    assert Left("tumbling", (3, 500), (20, 100_000), end).is_gone == is_gone
