"""Windows inside a Declarative Pipeline."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from feed import add_files, order
from test_setup import FRESH, PACKAGE, environment

pytestmark = [pytest.mark.spark, pytest.mark.full]


def test_a_pipeline(tmp_path: Path) -> None:
    """Streaming tables over a stream that the pipeline defines: by SQL, by the builder, a join."""
    orders = (order("09:00:10", amount=1), order("09:00:50", amount=2)), (order("09:02:00"),)
    add_files(tmp_path / "orders", *orders)
    ran = subprocess.run(
        [sys.executable, str(FRESH / "pipeline.py"), str(tmp_path)],
        env=environment(PACKAGE, SPARK_TESTING="1"),
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert ran.returncode == 0, ran.stderr[-4000:]
    assert ran.stdout.splitlines()[-3:] == [
        "[('a', '09:00', 3, 'ON_TIME')]",
        "[('a', '09:00', 3, 'ON_TIME')]",
        "[('a', '09:00', 2, 'JOINED')]",
    ]
