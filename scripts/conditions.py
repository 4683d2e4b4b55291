"""Write the errors as Java properties, because the core has no JSON parser.

``conditions.py FILE`` reads ``python/windrow/error-conditions.json``. A property is a condition and
its message with its remedy. A code with several messages is several conditions: ``CODE.MESSAGE``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_CATALOG = Path(__file__).parents[1] / "python" / "windrow" / "error-conditions.json"


def conditions(catalog: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Return each condition and its sentences."""
    for code, entry in catalog.items():
        for name, part in entry.get("subClass", {"": entry}).items():
            remedy = part.get("remedy") or entry.get("remedy") or ""
            yield f"{code}.{name}".rstrip("."), f"{part['message']} {remedy}".rstrip()


def escaped(text: str) -> str:
    """Return a value of a property as Java reads it."""
    return text.replace("\\", "\\\\").replace("\n", "\\n")


if __name__ == "__main__":
    catalog = json.loads(_CATALOG.read_text(encoding="utf-8"))
    lines = sorted(f"{name}={escaped(text)}\n" for name, text in conditions(catalog))
    Path(sys.argv[1]).write_text("".join(lines), encoding="utf-8")
