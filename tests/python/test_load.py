"""Large, long and far: what is promised of memory and state, in small (SEMANTICS S10, S11, R12)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from load.steady import MEASURED, told
from programs import PACKAGE

SMALL = (
    ("keys", "--size", "20000"),
    ("giant", "--size", "100000"),
    ("endless", "--size", "100000"),
    ("jump", "--size", "1000"),
    ("empty", "--size", "1000"),
)


@pytest.mark.full
@pytest.mark.spark
@pytest.mark.parametrize("said", SMALL, ids=lambda said: said[0])
def test_a_case_in_small_keeps_its_promise(said: tuple[str, ...]) -> None:
    """What it prints says which row does not."""
    path = os.pathsep.join([str(PACKAGE.parent), str(Path(__file__).parent)])
    ended = subprocess.run(
        [sys.executable, "-m", "load", *said, "--heap", "1500m"],
        env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout


@pytest.mark.parametrize("rise", [*MEASURED, "heap", None])
def test_what_rises_in_the_last_quarter_is_told(tmp_path: Path, rise: str | None) -> None:
    """A saw's teeth are no rise; six parts of a hundred are."""

    def line(minute: int) -> str:
        tooth = minute % 5
        of = {
            what: 1000 + tooth + (60 if what == rise and minute >= 45 else 0) for what in MEASURED
        }
        heap = 1000 + (60 if rise == "heap" and minute >= 45 else 0)
        return json.dumps({"heap": heap, "resident": 9, "queries": {"tumbling": of}})

    log = tmp_path / "log"
    log.write_text("\n".join(map(line, range(60))))
    rises = [one.what for _, rises in told(log) for one in rises]
    name = rise if rise == "heap" else f"tumbling: {rise}"
    assert rises == ([name] if rise else [])
