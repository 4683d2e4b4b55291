"""Write the speeds in the pages from ``docs/figures.json``, so that a figure has one source.

A page marks a figure as ``<!-- figure WORKLOADS PEER PASS -->0.25 to 0.46<!-- end -->``. It is the
range from the least to the greatest ratio of the workloads (separated by commas, or ``all``). PEER
is a key of ``PEERS``, PASS is ``warm`` or ``fresh``. ``<!-- figure dates -->`` and ``<!-- figure
machine -->`` state the days and the machine of the runs. The program writes the table below
``<!-- figures -->``. Workloads that ran on fewer than ``DAYS`` days are in no figure, because the
ratios of one day say little about the next.

A ratio is the CPU time per event of Windrow divided by that of the peer in the same repeat. Only
results that ``comparable`` accepts are added.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import bench_report

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
DATA = DOCS / "figures.json"
#: The raw results of the last published runs.
RUN = DOCS / "project" / "benchmarks-run.json"

#: In the order of the columns.
PASSES = ("warm", "fresh")
#: The contenders of a ratio: Windrow and the peer, or one query with and without a feature.
PEERS = {
    "spark": ("windrow", "spark"),
    "flink": ("windrow", "flink-heap"),
    "rowid": ("windrow-offsets", "windrow"),
}
#: Commits whose code was withdrawn, so that their results describe no version.
WITHDRAWN = {"87006ef3", "ef7f840b"}
_MADE = re.compile(r"windrow (?P<commit>\w+), (?P<machine>.*), (?P<date>\d{4}-\d\d-\d\d)")
_HEAP = "heap 4096 of 4096 MB at the start"
_PLACE = re.compile(r"<!-- figure (?P<said>[^>]+?) -->.*?<!-- end -->", re.DOTALL)
_TABLE = re.compile(r"(?<=<!-- figures -->\n\n)(?:\|[^\n]*\n)+")
_NONE = "–"
#: On how many different days a workload must have run.
DAYS = 3
#: What the workloads of the table compute, and their keys.
_ROWS = {
    "tumble-1k": ("tumbling, 60 s", "1,000"),
    "tumble-100k": ("tumbling, 60 s", "100,000"),
    "tumble-1m": ("tumbling, 60 s", "1,000,000"),
    "hop-60-10-1k": ("60 s every 10 s", "1,000"),
    "hop-60-1-1k": ("60 s every second", "1,000"),
    "hop-60-10-100k": ("60 s every 10 s", "100,000"),
    "hop-60-1-100k": ("60 s every second", "100,000"),
    "disorder-0": ("60 s every second, late rows", "1,000"),
    "disorder-1": ("60 s every second, disorder of 1 s", "1,000"),
    "disorder-10": ("60 s every second, disorder of 10 s", "1,000"),
    "disorder-60": ("60 s every second, disorder of 60 s", "1,000"),
    "session-1k": ("sessions, gap 5 s", "1,000"),
    "session-100k": ("sessions, gap 5 s", "100,000"),
    "join-10k": ("join within 10 s", "10,000"),
    "join-100": ("join within 10 s", "100"),
    "ranks-60": ("median and 95th percentile", "1,000"),
    "ranks-600": ("median and 95th percentile, 600 rows", "1,000"),
    "count-1000": ("count, 1,000 rows", "1,000"),
    "count-1000-100": ("count, 1,000 rows every 100", "1,000"),
    "offsets": ("tumbling, 60 s, `rowId=`", "1,000"),
    "often-1k": ("small micro-batches", "1,000"),
    "often-1m": ("small micro-batches", "1,000,000"),
    "often-day": ("small micro-batches, 1 day", "1,000,000"),
    "nexmark-q5": ("Nexmark, hot items", "–"),
    "nexmark-q7": ("Nexmark, highest bid", "–"),
    "nexmark-q8": ("Nexmark, new users", "–"),
    "nexmark-q11": ("Nexmark, user sessions", "–"),
    "nexmark-q12": ("Nexmark, bids per user", "–"),
}
_HEAD = (
    "| workload | query | keys | to Spark, warm | to Spark, fresh | to Flink, warm "
    "| to Flink, fresh | days |\n|---|---|---|---|---|---|---|---|\n"
)

#: By workload its runs: date, commit, machine, and by peer and pass the ratio of each repeat.
Data = dict[str, list[dict[str, Any]]]


def read() -> Data:
    """Return the data."""
    found: Data = json.loads(DATA.read_text(encoding="utf-8"))["workloads"]
    return found


def add(data: Data, results: Sequence[Mapping[str, Any]]) -> None:
    """Add the results that can be compared and are not there yet."""
    for result in results:
        made = _MADE.fullmatch(result["made"])
        if made is None or not comparable(made):
            continue
        ratios = {
            peer: {
                word: [round(one, 4) for one in found]
                for word in PASSES
                if (found := bench_report.ratios(result, *both, word))
            }
            for peer, both in PEERS.items()
        }
        if any(ratios.values()):
            run = {**made.groupdict(), **{peer: of for peer, of in ratios.items() if of}}
            runs = [one for one in data.get(result["workload"], []) if one != run]
            data[result["workload"]] = sorted([*runs, run], key=lambda one: one["date"])


def comparable(made: re.Match[str]) -> bool:
    """Return whether a run had its full heap from the start, and its code was not withdrawn."""
    return _HEAP in made["machine"] and made["commit"] not in WITHDRAWN


def span(data: Data, workloads: str, peer: str, word: str) -> str:
    """Return the least and the greatest ratio."""
    names = data if workloads == "all" else workloads.split(",")
    found = [
        ratio
        for name in names
        if days(data, name) >= DAYS
        for run in data[name]
        for ratio in run.get(peer, {}).get(word, ())
    ]
    if not found:
        return _NONE
    ends = dict.fromkeys(f"{end:.2f}" for end in (min(found), max(found)))
    return " to ".join(ends)


def days(data: Data, name: str) -> int:
    """Return on how many different days a workload ran."""
    return len({run["date"] for run in data[name]})


def dates(data: Data) -> str:
    """Return the days of the runs of shown workloads, for example ``25 and 26 November 2026``."""
    shown_names = [name for name in data if days(data, name) >= DAYS]
    *others, last = map(
        date.fromisoformat, sorted({run["date"] for name in shown_names for run in data[name]})
    )
    shown = [f"{day:%-d}" for day in others] + [f"{last:%-d %B %Y}"]
    return ", ".join([*shown[:-2], " and ".join(shown[-2:])])


def machine(data: Data) -> str:
    """Return the machine and the versions of the runs."""
    every = {run["machine"].replace(f", {_HEAP}", "") for runs in data.values() for run in runs}
    return "; ".join(sorted(every))


def written(text: str, data: Data) -> str:
    """Return a page with its figures."""

    def placed(found: re.Match[str]) -> str:
        said = found["said"].split()
        made = {"dates": dates, "machine": machine}.get(said[0])
        shown = span(data, *said) if made is None else made(data)
        return f"<!-- figure {found['said']} -->{shown}<!-- end -->"

    def row(name: str) -> str:
        ranges = [span(data, name, peer, word) for peer in ("spark", "flink") for word in PASSES]
        cells = [f"`{name}`", *_ROWS[name], *ranges, str(days(data, name))]
        return f"| {' | '.join(cells)} |\n"

    filled = _PLACE.sub(placed, text)
    rows = [row(name) for name in _ROWS if name in data and days(data, name) >= DAYS]
    return _TABLE.sub(lambda _: "".join([_HEAD, *rows]), filled)


def pages() -> Iterator[Path]:
    """Yield the pages."""
    yield ROOT / "README.md"
    yield from sorted(DOCS.rglob("*.md"))


def different() -> dict[Path, str]:
    """Return the pages whose figures differ from the data, with their new text."""
    data = read()
    texts = {path: path.read_text(encoding="utf-8") for path in pages()}
    made = {path: written(text, data) for path, text in texts.items()}
    return {path: text for path, text in made.items() if text != texts[path]}


def main(arguments: Sequence[str]) -> int:
    """Write the pages, or compare them."""
    if "--add" in arguments:
        data = read()
        for path in [Path(name) for name in arguments if name != "--add"] or [RUN]:
            add(data, json.loads(path.read_text(encoding="utf-8"))["results"])
        head = {"unit": "CPU time per event of Windrow divided by that of the peer"}
        content = {**head, "better": "lower", "workloads": data}
        text = json.dumps(content, indent=1)
        text = re.sub(r"\[\s+([\d.,\s]+?)\s+\]", lambda n: f"[{' '.join(n[1].split())}]", text)
        DATA.write_text(f"{text}\n", encoding="utf-8")
    found = different()
    if "--check" in arguments:
        names = ", ".join(str(path.relative_to(ROOT)) for path in found)
        print(f"Run scripts/figures: the figures of {names} differ." if found else "equal")
        return int(bool(found))
    for path, text in found.items():
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
