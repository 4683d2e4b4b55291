"""Prometheus computes the input that the board shows as holding the watermark back."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from watch.test_dashboards import lines, promtool, written

_METRIC = "metrics_shop_eu_driver_windrow_a_b_minutes_{}_Value"
_MOVES, _STANDS = "1000+60000x60", "1000x60"


@promtool
@pytest.mark.parametrize(
    ("watermark", "a", "b", "shown"),
    [
        pytest.param(_STANDS, _MOVES, _STANDS, "b", id="silent"),
        pytest.param(_MOVES, "9000+60000x60", _MOVES, "", id="both have rows"),
        pytest.param(_MOVES, _MOVES, _STANDS, "", id="idle and passed"),
        pytest.param(_STANDS, "9000x60", _STANDS, "", id="nothing has rows"),
    ],
)
def test_the_input_of_the_board(tmp_path: Path, watermark: str, a: str, b: str, shown: str) -> None:
    """Only an input that does not move, while another does, holds the watermark back."""
    board, _ = written(tmp_path)
    (expression,) = (line for line in lines(board) if line.startswith("bottomk"))
    series = {"watermark_ms": watermark, "input_a_watermark_ms": a, "input_b_watermark_ms": b}
    name = _METRIC.format(f"input_{shown}_watermark_ms")
    labels = f'{name}{{input="{shown}"}}'
    test = {
        "interval": "1m",
        "input_series": [
            {"series": _METRIC.format(gauge), "values": values} for gauge, values in series.items()
        ],
        "promql_expr_test": [
            {
                "expr": expression,
                "eval_time": "50m",
                "exp_samples": [{"labels": labels, "value": 1000}] if shown else [],
            }
        ],
    }
    (tmp_path / "tests.yaml").write_text(json.dumps({"tests": [test]}))
    ran = subprocess.run(
        ["promtool", "test", "rules", "tests.yaml"],  # noqa: S607
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
