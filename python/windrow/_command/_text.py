"""Rows as text for a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, TextIO

_WIDEST = 60


def put(out: TextIO, text: str) -> None:
    """Write a text and a line break."""
    out.write(f"{text}\n")


def table(columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows below the names of their columns."""
    if not rows:
        return "nothing is stored"
    cells = [[*columns], *([short(row[name]) for name in columns] for row in rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(columns))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    ]
    return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:]])


def short(value: object) -> str:
    """Return a value short enough for a cell."""
    if value is None:
        return ""
    if isinstance(value, datetime):
        return value.isoformat(" ")
    if isinstance(value, Mapping):
        text = ", ".join(f"{name}: {short(one)}" for name, one in value.items())
        if value.keys() == {"start", "end"}:
            text = f"{short(value['start'])} to {short(value['end'])}"
    elif isinstance(value, list):
        text = f"[{', '.join(map(short, value))}]"
    else:
        text = str(value)
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 1]}…"
