"""Write the JSON that the JVM reads."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

Fields = Mapping[str, Any]


def write(fields: Fields) -> str:
    """Return compact JSON, with non-ASCII characters as they are."""
    return json.dumps(fields, separators=(",", ":"), ensure_ascii=False)
