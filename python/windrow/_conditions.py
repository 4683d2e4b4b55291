"""The messages of all errors, shared by Python and Scala: ``error-conditions.json``.

A condition is a code such as ``ZONE_UNKNOWN``. If a code has several messages, the condition also
has the name of one of them, for example ``NAME_TWICE.ROWS``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

_PARAMETER = re.compile(r"<(\w+)>(\.?)")


@cache
def catalogue() -> dict[str, Any]:
    """Return the class and the messages of every code."""
    file = Path(__file__).with_name("error-conditions.json")
    read: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return read


def text(condition: str, parameters: Mapping[str, object]) -> str:
    """Return the message, the remedy, and a pointer to the page of errors.

    The parameters must be exactly those that the message names.
    """
    code, _, part = condition.partition(".")
    entry = catalogue()[code]
    chosen = entry["subClass"][part] if part else entry
    remedy = chosen.get("remedy", entry.get("remedy"))
    sentence: str = chosen["message"] if remedy is None else f"{chosen['message']} {remedy}"
    named = {found[1] for found in _PARAMETER.finditer(sentence)}
    if named != parameters.keys():
        given, needed = ", ".join(parameters), ", ".join(sorted(named))
        msg = f"{condition} has the parameters {needed}, but was given {given}"
        raise ValueError(msg)
    filled = _PARAMETER.sub(lambda found: _filled(str(parameters[found[1]]), found[2]), sentence)
    return f"{filled} See docs/errors.md#{code.lower()}."


def _filled(value: str, stop: str) -> str:
    return value if value.endswith((".", "?", "!")) else value + stop
