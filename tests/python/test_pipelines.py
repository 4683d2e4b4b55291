"""Windows inside a Declarative Pipeline."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from feed import add_files, order
from test_setup import FRESH, PACKAGE, environment

pytestmark = [pytest.mark.spark, pytest.mark.full]


def test_a_pipeline_in_sql(tmp_path: Path) -> None:
    """A streaming table by ``windrow_tumble`` over a stream that the pipeline defines."""
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
    assert ran.stdout.splitlines()[-1] == "[('a', '09:00', 3, 'ON_TIME')]"
