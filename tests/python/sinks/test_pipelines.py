"""Windows inside a Declarative Pipeline."""

from __future__ import annotations

from pathlib import Path

import pytest

from feed import add_files, order
from programs import printed

pytestmark = [pytest.mark.spark, pytest.mark.full]


def test_a_pipeline(tmp_path: Path) -> None:
    """A pipeline's streaming tables may use windows in SQL, with the builder, and in a join."""
    orders = (order("09:00:10", amount=1), order("09:00:50", amount=2)), (order("09:02:00"),)
    add_files(tmp_path / "orders", *orders)
    said = printed("pipeline.py", str(tmp_path), cwd=tmp_path, SPARK_TESTING="1")
    assert said[-3:] == [
        "[('a', '09:00', 3, 'ON_TIME')]",
        "[('a', '09:00', 3, 'ON_TIME')]",
        "[('a', '09:00', 2, 'JOINED')]",
    ]
