"""The walk-through in the docs runs as written."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]

PAGE = Path(__file__).parents[3] / "docs" / "python-operators.md"
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)


def test_the_page_runs() -> None:
    """The blocks of the page run in order, as in a notebook, and their assertions hold."""
    blocks = list(BLOCK.finditer(PAGE.read_text(encoding="utf-8")))
    assert len(blocks) > 8
    notebook: dict[str, Any] = {}
    for block in blocks:
        line = PAGE.read_text(encoding="utf-8")[: block.start(1)].count("\n")
        code = compile("\n" * line + block[1], str(PAGE), "exec")
        exec(code, notebook)  # noqa: S102  our own page
