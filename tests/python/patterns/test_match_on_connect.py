"""Patterns through Spark Connect."""

from __future__ import annotations

from pathlib import Path

import pytest

from programs import printed


@pytest.mark.full
@pytest.mark.slow
def test_a_pattern_through_connect(tmp_path: Path) -> None:
    """Errors, conditions as SQL and as a Column, and measures work through a server."""
    said = printed("patterns/matched.py", FOLDER=str(tmp_path), SPARK_TESTING="1")
    assert said == ["PATTERN_NOT_UNDERSTOOD SIZE_NEGATIVE MATCH_EXPRESSION", "[(2, 1)]"]
