"""The code that `scripts/mutants` changes exists, and so do the tests that it names."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "scripts"))

from mutant_sides import SIDES, Mutant  # noqa: E402

SUITES = {file.stem for file in ROOT.glob("jvm/*/src/test/scala/**/*.scala")}


def test_the_code_of_each_mutant_is_in_its_file_once() -> None:
    """Each mutant's code occurs exactly once in its file."""
    assert [line for side in SIDES for line in side.stale] == []
    assert all(len(side.mutants) >= few for side, few in zip(SIDES, (131, 260, 66), strict=True))


def is_there(test: str) -> bool:
    """Return whether a test with that name exists."""
    file, _, name = test.partition("::")
    if not file.endswith(".py"):
        return file in SUITES
    path = next(ROOT.glob(f"tests/python/**/{file}"), ROOT)
    return path.is_file() and (not name or f"def {name}(" in path.read_text())


def test_the_tests_that_may_notice_a_mutant_are_there() -> None:
    """Every test that a mutant names exists; a missing test could not detect the mutant."""
    named: list[Mutant] = [one for side in SIDES for one in side.mutants]
    assert all(one.tests for side in SIDES[1:] for one in side.mutants)
    assert [test for one in named for test in one.tests if not is_there(test)] == []
