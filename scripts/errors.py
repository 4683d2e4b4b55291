"""Generate docs/errors.md from the catalog of errors; ``--check`` only compares it."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
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

## Find an error by its symptom

If your query runs but its output is not the output that you expect, there is no error to look up:
use [troubleshooting](troubleshooting.md). If you are on call, use the [runbook](runbook.md).

`INVALID_TIME`, `TOO_FAR_AHEAD`, `TOO_LATE`, and `OUT_OF_RETENTION` are not errors. They are the
[reasons of rejected rows](reference/output-columns.md#rejected-rows). Only with `invalid="fail"` in
`wr.stream` do the first two end the query:

```text
[MESSAGE_INVALID] Stream 'orders', file 'file:///in/0042.json' row 17: a row does not have a \
usable event time in 'time' (INVALID_TIME), and invalid='fail' is set. Fix the row, …
```

| you see | codes |
|---|---|
"""

SYMPTOMS = {
    "`start()` fails after you have changed the query": "SPEC_CHANGED",
    "`start()` fails after an upgrade or a rollback": "STATE_VERSION JAR_VERSION",
    "a checkpoint cannot be read, or one of its files is missing": (
        "STATE_DAMAGED CHECKPOINT_NOT_FOUND CHECKPOINT_NOT_CHECKED"
    ),
    "`start()` refuses a folder or a sink": (
        "FILES_OF_ANOTHER_QUERY SINK_SHARED SINK_NOT_STATED UPSERT_OF_PARTS"
    ),
    "a database refuses rows": "TABLE_COLUMNS_DIFFER VALUE_NOT_STORABLE",
    "the output and the checkpoint do not fit, for example after a restore": (
        "BATCH_OF_THE_PAST BATCH_IS_ANOTHER BATCH_TAKEN"
    ),
    "Spark does not find a function `windrow_…` or a class of Windrow": (
        "JAR_NOT_LOADED JAR_NOT_BUILT JAR_VERSION"
    ),
    "a running query stops and names a limit": (
        "TOO_MANY_KEYS TOO_MANY_MESSAGES TOO_MANY_WINDOWS TOO_MUCH_OUTPUT STATE_TOO_LARGE"
    ),
    "a running query stops at one row, for example with `INVALID_TIME` or `TOO_FAR_AHEAD`": (
        "MESSAGE_INVALID VALUE_NOT_STORABLE"
    ),
    "a duration, a number, or a word is not accepted": (
        "DURATION_NOT_UNDERSTOOD DURATION_WITHOUT_UNIT NOT_POSITIVE VALUE_UNKNOWN TRIGGER_UNKNOWN"
    ),
    "a column is not found, or has the wrong type": "COLUMN_NOT_FOUND COLUMN_TYPE KEY_NOT_BINARY",
    "the query lacks a decision that only you can make": (
        "LATENESS_NOT_STATED ACCUMULATION_NOT_STATED TRIGGER_NOT_STATED RETENTION_NOT_STATED"
    ),
    "a join would store its rows forever": "UNBOUNDED_JOIN",
    "an aggregate over panes would count rows twice": "PANES_COME_AGAIN RETRACTIONS_LEFT_OUT",
    "a window by offsets or by policies asks for an order of rows": "ORDER_NOT_STATED",
    "a question about the state is refused": (
        "OPERATOR_NOT_CLEAR NO_WINDOWS NO_MESSAGE_STORE AGGREGATE_NOT_READABLE STATE_NOT_SAFE"
    ),
    "`wr.status` warns of duplicates": "DUPLICATES_NOT_EXPLAINED",
}
_TO_CODE = re.compile(r"\]\((?:[^)\s]*/)?errors\.md#(\w+)\)")


def page() -> str:
    """Return the page."""
    catalogue: dict[str, Any] = json.loads(CATALOGUE.read_text(encoding="utf-8"))
    symptoms = [
        f"| {seen} | {', '.join(f'[`{code}`](#{code.lower()})' for code in codes.split())} |"
        for seen, codes in SYMPTOMS.items()
    ]
    told = explained()
    every = (part(code, entry, told.get(code.lower(), [])) for code, entry in catalogue.items())
    return "\n".join([HEAD + "\n".join(symptoms), "", *every])


def explained() -> dict[str, list[str]]:
    """Return links to the pages that link to a code, by the code in lower case."""
    found: dict[str, list[str]] = {}
    docs = PAGE.parent
    for path in sorted(docs.rglob("*.md")):
        text = path.read_text(encoding="utf-8") if path != PAGE else ""
        link = f"[{text.partition('# ')[2].partition(chr(10))[0]}]({path.relative_to(docs)})"
        for code in dict.fromkeys(_TO_CODE.findall(text)):
            found.setdefault(code, []).append(link)
    return found


def part(code: str, entry: dict[str, Any], links: Sequence[str] = ()) -> str:
    """Return the section of one code, with links to the pages that explain it."""
    conditions = entry.get("subClass", {"": entry}).values()
    lines = [f"## {code}", "", f"`{entry['class']}`", ""]
    for condition in conditions:
        own = condition.get("remedy", "") if condition is not entry else ""
        sentence = f"{condition['message']} {own}".strip()
        lines.append(f"- {shown(sentence)}")
    if "remedy" in entry:
        lines += ["", shown(entry["remedy"])]
    if links:
        lines += ["", f"Explained in: {', '.join(links)}."]
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
