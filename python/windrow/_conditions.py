"""The messages of all errors, shared by Python and Scala: ``error-conditions.json``.

A condition is a code, for example ``ZONE_UNKNOWN``. A code with several messages has subclasses:
``NAME_TWICE.ROWS``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

_PARAMETER = re.compile(r"<(\w+)>")


@cache
def catalogue() -> dict[str, Any]:
    """Return class and messages of every code."""
    file = Path(__file__).with_name("error-conditions.json")
    read: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return read


def text(condition: str, parameters: Mapping[str, object]) -> str:
    """Return a message with a value for each of its parameters, no more and no less."""
    code, _, part = condition.partition(".")
    entry = catalogue()[code]
    sentence: str = entry["subClass"][part]["message"] if part else entry["message"]
    named = set(_PARAMETER.findall(sentence))
    if named != parameters.keys():
        msg = f"{condition} is given {', '.join(parameters)}, not {', '.join(sorted(named))}"
        raise ValueError(msg)
    return _PARAMETER.sub(lambda found: str(parameters[found[1]]), sentence)
