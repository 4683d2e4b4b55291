"""What `scripts/mutants` is to change stands in the code as it is."""

import importlib.util
import sys
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "mutants.py"


def test_each_mutant_changes_what_stands_in_its_file_once() -> None:
    """Hold the lists to the sources."""
    spec = importlib.util.spec_from_file_location("mutants", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    mutants = importlib.util.module_from_spec(spec)
    sys.modules["mutants"] = mutants
    spec.loader.exec_module(mutants)
    assert [line for side in mutants.SIDES for line in side.stale] == []
    assert sum(len(side.mutants) for side in mutants.SIDES) >= 128
