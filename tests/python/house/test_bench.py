"""The compared programs of the benchmarks have the same output."""

from __future__ import annotations

import subprocess

import pytest

from programs import ROOT

pytestmark = [pytest.mark.spark, pytest.mark.full]


def test_workloads_are_equal() -> None:
    """Every program except Flink's, which is not downloaded here, has each workload's rows."""
    command = [str(ROOT / "scripts/bench"), "--check"]
    ended = subprocess.run(command, check=False, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr
