"""Generate the examples of SEMANTICS.md from cases of tests/transcripts.

A block begins with `<!-- example: NAME -->`. The code block after it is generated from the case
with that name. --check fails if a block differs from its case.
"""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "SEMANTICS.md"
BLOCK = re.compile(r"<!-- example: ([\w-]+) -->\n```text\n.*?```\n", re.DOTALL)
CLOSED = {"sliding", "over", "count", "offset_range", "offset_session"}
LEFT_OUT = {
    "operator",
    "aggregates",
    "time_unit",
    "on_time",
    "skip_unchanged",
    "late",
    "streams",
}

Json = dict[str, Any]


def cases() -> dict[str, Json]:
    """Return the cases that were worked out by hand, by id."""
    lines = (ROOT / "tests" / "transcripts" / "rules-by-hand.jsonl").read_text().splitlines()
    return {case["id"]: case for case in map(json.loads, lines)}


def told(value: object) -> str:
    """Return a part of a spec in one line."""
    if isinstance(value, dict):
        return ", ".join(
            told(of) if name == "kind" else f"{name}={told(of)}" for name, of in value.items()
        )
    return json.dumps(value).replace('"', "")


def spec(case: Json) -> str:
    """Return the fields of a spec that matter to a reader, in one line."""
    said = {"late": "late"} if case["spec"].get("late") not in (None, "each_batch") else {}
    names = [
        name
        for name, value in case["spec"].items()
        if (name not in LEFT_OUT or name in said) and value not in (None, "", 0, False)
    ]
    lateness = [] if case["spec"].get("lateness") else ["lateness=0"]
    parts = [
        told(case["spec"][name]) if name == "window" else f"{name}={told(case['spec'][name])}"
        for name in names
    ]
    return "; ".join(parts + (lateness if "lateness" in case["spec"] else []))


def message(one: Json, *, offsets: bool) -> str:
    """Return a row as key@time=value, with its stream, offset, and marker where they matter."""
    stream = f"{one['stream']}:" if "stream" in one else ""
    place = f"#{one['partition']}:{one['offset']}" if offsets and "offset" in one else ""
    marker = " marker" if one.get("marker") else ""
    return f"{stream}{value_at(one)}{place}{marker}"


def value_at(one: Json) -> str:
    """Return a row as key@time=value."""
    return f"{one['key']}@{told(one['time'])}={one['value']}"


def pane(one: Json, *, closed: bool) -> str:
    """Return a pane in one line."""
    start, end = one["window"]
    what = [item["value"] for item in one["messages"]] if "messages" in one else None
    value = what if what is not None else next(iter(one["values"].values()))
    last = ", last" if one["is_last"] else ""
    taken = "take back " if one["is_retraction"] else ""
    window = f"[{start}, {end}{']' if closed else ')'}"
    shown = f"{one['timing']} {one['index']}{last}: {json.dumps(value)}"
    return f"{taken}{one['key']} {window} {shown}"


def row(one: Json) -> str:
    """Return a row of a join in one line."""
    return ", ".join(
        f"{name}: {'none' if of is None else str(of['time']) + '=' + str(of['value'])}"
        for name, of in one.items()
    )


def outcome(expected: Json, *, closed: bool) -> Iterator[str]:
    """Yield a line for each output of a step."""
    for event in expected.get("events", []):
        yield f"{event['event']} {event['key']} {json.dumps(event['values'])}"
    for one in expected.get("panes", []):
        yield pane(one, closed=closed)
    for one in expected.get("rows", []):
        yield row(one)
    for one in expected.get("rejected", []):
        yield f"rejected {value_at(one)}: {one['reason']}"
    for kind in ("messages", "windows"):
        if kind in expected:
            yield ", ".join(told(one) for one in expected[kind]) or "nothing"
    if "counters" in expected:
        yield told(expected["counters"])


def step(one: Json, *, offsets: bool) -> str:
    """Return the input of a step in one line."""
    if "query" in one:
        return f"ask: {told(one['query'])}"
    if "restart" in one:
        return "restart"
    parts = [message(item, offsets=offsets) for item in one.get("messages", [])]
    parts += [f"W={one['watermark']}"] if "watermark" in one else []
    parts += [f"P={one['processing_time']}"] if "processing_time" in one else []
    return "  ".join(parts) or "nothing"


def block(name: str, case: Json) -> str:
    """Return the block of a case."""
    kind = case["spec"].get("window", {}).get("kind", "")
    offsets = kind in {"offset_range", "offset_session"} or name.startswith("R13")
    lines = [spec(case), ""]
    steps = list(case["steps"])
    if case.get("at_end", {}).get("expect", {}).get("panes"):
        steps.append(case["at_end"])
    for one in steps:
        lines.append("the end" if one is case.get("at_end") else step(one, offsets=offsets))
        lines += [
            f"    -> {line}" for line in outcome(one.get("expect", {}), closed=kind in CLOSED)
        ]
    body = "\n".join(lines)
    return f"<!-- example: {name} -->\n```text\n{body}\n```\n"


def main() -> None:
    """Write the blocks, or compare them with the page."""
    known, page = cases(), PAGE.read_text()
    names = BLOCK.findall(page)
    missing = sorted(set(names) - known.keys())
    if missing or not names:
        sys.exit(
            f"{PAGE.name}: these cases do not exist: {', '.join(missing) or '(no example found)'}"
        )
    made = BLOCK.sub(lambda found: block(found[1], known[found[1]]), page)
    if "--check" in sys.argv:
        if made != page:
            sys.exit(f"{PAGE.name}: examples differ from their cases. Run scripts/examples.")
    else:
        PAGE.write_text(made)
    print(f"{len(names)} examples match their cases")


if __name__ == "__main__":
    main()
