"""Rows as text for a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from typing import Any, TextIO

from windrow._specs._instants import shown

_WIDEST = 60


def put(out: TextIO, text: str) -> None:
    """Write a text and a line break."""
    out.write(f"{text}\n")


def plain(text: str) -> str:
    """Return the message of an error, without Java or Python stack traces."""
    lines = [line for line in text.splitlines() if line.strip()]
    kept = [line for line in lines if not line.lstrip().startswith(("at ", "...", "Traceback"))]
    return kept[0] if kept else "no details are known"


def table(columns: Sequence[str], rows: Sequence[Mapping[str, Any]], zone: tzinfo = UTC) -> str:
    """Return rows below the names of their columns, with times in a zone."""
    if not rows:
        return "nothing is stored"
    cells = [[*columns], *([short(row[name], zone) for name in columns] for row in rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(columns))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    ]
    return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:]])


def short(value: object, zone: tzinfo = UTC) -> str:
    """Return a value short enough for a cell, with times in a zone."""
    if value is None:
        return ""
    if isinstance(value, datetime):
        return shown(value, zone)
    if isinstance(value, Mapping):
        text = ", ".join(f"{name}: {short(one, zone)}" for name, one in value.items())
        if value.keys() == {"start", "end"}:
            text = f"{short(value['start'], zone)} to {short(value['end'], zone)}"
    elif isinstance(value, list) and value and isinstance(value[0], tuple):  # a map of Arrow
        text = ", ".join(f"{short(name, zone)}: {short(one, zone)}" for name, one in value)
    elif isinstance(value, list):
        text = f"[{', '.join(short(one, zone) for one in value)}]"
    else:
        text = str(value)
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 1]}…"
