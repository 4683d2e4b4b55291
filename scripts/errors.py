"""Generate docs/errors.md from the catalog of errors; ``--check`` only compares it."""

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

Every error has a stable code in brackets, the call or the setting that it is about, what happened,
what you can do, and a link to this page:

```text
[ZONE_UNKNOWN] Tumbling('1 day', zone='Mars'): zone is 'Mars', which is not a time zone. \
Set for example 'Europe/Berlin'. See docs/errors.md#zone_unknown.
```

Below each code is the class of the error in Python. Scala has classes of the same names, and uses
`IllegalStateException` where it has none. `‹…›` is a placeholder that the error fills in.

If several things are wrong, one error reports all of them. When a problem is reported depends on
what Windrow has to know for it:

* A single value is checked when you create it. For example, `Hopping("1 minuet", step="x")` fails
  at once with two problems.
* `aggregate(...)`, `keepRows()`, and `join(...)` check everything that depends on several values:
  columns, lateness, modes, and aggregates that Spark rejects.
* `start(...)` checks the sinks and the checkpoint.
* An SQL call is checked completely, and reports all its problems at once.

`scripts/errors` generates this page from `python/windrow/error-conditions.json`, which contains the
messages for Scala and Python.
"""


def page() -> str:
    """Return the page."""
    catalogue: dict[str, Any] = json.loads(CATALOGUE.read_text(encoding="utf-8"))
    return "\n".join([HEAD, *(part(code, entry) for code, entry in catalogue.items())])


def part(code: str, entry: dict[str, Any]) -> str:
    """Return the section of one code."""
    conditions = entry.get("subClass", {"": entry}).values()
    lines = [f"## {code}", "", f"`{entry['class']}`", ""]
    for condition in conditions:
        own = condition.get("remedy", "") if condition is not entry else ""
        sentence = f"{condition['message']} {own}".strip()
        lines.append(f"- {shown(sentence)}")
    if "remedy" in entry:
        lines += ["", shown(entry["remedy"])]
    return "\n".join([*lines, ""])


def shown(sentence: str) -> str:
    """Return a message with its placeholders marked and Markdown escaped."""
    return re.sub(r"([*_|])", r"\\\1", re.sub(r"<(\w+)>", r"‹\1›", sentence))


def main() -> int:
    """Write the page, or compare it."""
    made = page()
    if "--check" not in sys.argv:
        PAGE.write_text(made, encoding="utf-8")
        return 0
    if PAGE.is_file() and PAGE.read_text(encoding="utf-8") == made:
        return 0
    print("docs/errors.md does not match the catalog of errors. Run scripts/errors.")
    return 1


if __name__ == "__main__":
    sys.exit(main())
