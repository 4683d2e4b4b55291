"""Writing JSON as the JVM writes it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

Fields = Mapping[str, Any]


def write(fields: Fields) -> str:
    """Compact JSON text, with texts as they are."""
    return json.dumps(fields, separators=(",", ":"), ensure_ascii=False)
