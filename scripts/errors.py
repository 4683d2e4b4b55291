"""Makes docs/errors.md of the catalogue of errors; ``--check`` says whether it is so made."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
CATALOGUE = ROOT / "python" / "windrow" / "error-conditions.json"
PAGE = ROOT / "docs" / "errors.md"

HEAD = """\
# Errors

Every error has a stable code in brackets, the place, what is wrong, and what to do:
`[ZONE_UNKNOWN] Tumbling('1 day', zone='Mars'): zone is 'Mars'; say for example 'Europe/Berlin'.`
The class is Python's; Scala has those of the same names, and `IllegalStateException` for the
others. What stands in `‹…›` is filled in.

Where several things are wrong, one error names them all. In Python and Scala a value is refused
where it is made, with all that is wrong with it: `Hopping("1 minuet", step="x")` has two
problems, and there is no such window to go on with. All that is known only together (columns,
lateness, modes, aggregates that Spark refuses) is told by `aggregate(...)`, `keepRows()` or
`join(...)`; sinks and the checkpoint by `start(...)`. An SQL call is read whole, and tells all of
it.

This page is made by `scripts/errors` of `python/windrow/error-conditions.json`, from which Scala
and Python take their sentences.
"""


def page() -> str:
    """Give the whole page."""
    catalogue: dict[str, Any] = json.loads(CATALOGUE.read_text(encoding="utf-8"))
    return "\n".join([HEAD, *(part(code, entry) for code, entry in catalogue.items())])


def part(code: str, entry: dict[str, Any]) -> str:
    """Give what is said of one code."""
    sentences = [one["message"] for one in entry.get("subClass", {"": entry}).values()]
    lines = [f"## {code}", "", f"`{entry['class']}`", ""]
    lines += [f"- {shown(sentence)}" for sentence in sentences]
    if "remedy" in entry:
        lines += ["", shown(entry["remedy"])]
    return "\n".join([*lines, ""])


def shown(sentence: str) -> str:
    """Give a sentence as a page shows it."""
    return re.sub(r"([*_|])", r"\\\1", re.sub(r"<(\w+)>", r"‹\1›", sentence))


def main() -> int:
    """Write the page, or compare it."""
    made = page()
    if "--check" not in sys.argv:
        PAGE.write_text(made, encoding="utf-8")
        return 0
    if PAGE.is_file() and PAGE.read_text(encoding="utf-8") == made:
        return 0
    print("docs/errors.md is not made of the catalogue: run scripts/errors")
    return 1


if __name__ == "__main__":
    sys.exit(main())
