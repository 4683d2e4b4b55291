"""The speeds in the texts equal those of the last published run."""

from __future__ import annotations

import json
import re
from typing import Any

import figures
from programs import ROOT

_PAGE = ROOT / "docs/benchmarks.md"
_LOG = ROOT / "docs/project/measurement-log.md"
_PEERS = ("spark", "flink-heap")
_NONE = "\u2013"
_NOT_FOR_USERS = ("benchmarks-run", "reliability", "mutants")


def marks() -> dict[tuple[str, str], list[str]]:
    """Return the fresh and the warm ratio of a workload to a peer, and its mark, in the run."""
    rows = figures.RUN.with_suffix(".md").read_text(encoding="utf-8").splitlines()
    cells = ([cell.strip() for cell in row.strip("|").split("|")] for row in rows)
    return {
        (row[0], row[1].removeprefix("windrow to ")): row[2:5]
        for row in cells
        if len(row) == 6 and row[1].startswith("windrow to ")
    }


def medians(name: str, peer: str) -> list[str]:
    """Return the warm and the fresh median of a workload, or that there are none."""
    row = marks().get((name, peer))
    return [row[at].split()[0] for at in (1, 0)] if row else [_NONE, _NONE]


def test_figures_equal_the_data() -> None:
    """Every marked figure is that of the data (``scripts/figures``)."""
    assert figures.different() == {}


def test_the_table_is_filled() -> None:
    """Each row of the page has a workload of the data, and its last run is in the data."""
    rows = re.findall(r"^\| `([\w-]+)` \|", _PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(rows) > 15
    data = figures.read()
    assert set(rows) <= data.keys()
    last: figures.Data = {}
    figures.add(last, json.loads(figures.RUN.read_text(encoding="utf-8"))["results"])
    assert [name for name, (run,) in last.items() if run not in data[name]] == []


def test_pages_have_no_other_figure() -> None:
    """A page for users has no ratio or cost except in a marked place."""
    unmarked = re.compile(r"\d\.\d+ (?:to \d\.\d+ )?times|\d\u00d7 |[\d.]+ \u00b5s")
    found = {}
    for path in figures.pages():
        if path.parent.name in ("project", "decisions") or path.stem in _NOT_FOR_USERS:
            continue
        text = re.sub(r"<!-- figure .*?<!-- end -->", "", path.read_text(encoding="utf-8"))
        if shown := unmarked.findall(text):
            found[str(path.relative_to(ROOT))] = shown
    assert found == {}


def _made(windrow: float, date: str = "2026-11-26", heap: str = figures._HEAP) -> dict[str, Any]:
    runs = [
        {"contender": name, "pass": "warm", "repeat": repeat, "measured": {"cpu": cost}}
        for name, cost in (("windrow", windrow), ("spark", 2.0))
        for repeat in (1, 2)
    ]
    return {"workload": "w", "made": f"windrow ab12, 2 cores, {heap}, {date}", "runs": runs}


def test_a_range_spans_all_days() -> None:
    """It reaches from the least to the greatest ratio, once for each run that can be compared."""
    data: figures.Data = {}
    other = _made(9.0, heap="heap 1 of 2 MB at the start")
    figures.add(data, [_made(1.0), _made(1.0), _made(3.0, "2026-11-25"), other])
    text = "<!-- figure w spark warm -->?<!-- end --> <!-- figure dates -->?<!-- end -->"
    table = "<!-- figures -->\n\n| workload |\n|---|\n| `w` | a | 1 | ? | ? | ? | ? | ? |\n"
    made = figures.written(f"{text}\n{table}", data)
    assert "-->0.50 to 1.50<!--" in made
    assert "-->25 and 26 November 2026<!--" in made
    none = " | ".join([_NONE] * 3)
    assert made.endswith(f"| `w` | a | 1 | 0.50 to 1.50 | {none} | 2 |\n")


def test_the_ratios_of_the_log() -> None:
    """They are the warm medians."""
    lines = _LOG.read_text(encoding="utf-8").splitlines()
    for peer, start in zip(_PEERS, ("| Spark |", "| Flink |"), strict=True):
        (line,) = (line for line in lines if line.startswith(start))
        shown = re.findall(r"`([\w-]+)` (\d\.\d\d)", line)
        assert len(shown) > 2
        assert shown == [(name, medians(name, peer)[0]) for name, _ in shown]


def test_which_marks_are_met() -> None:
    """By the medians: warm, and those that are met in a fresh JVM as well."""
    lines = _LOG.read_text(encoding="utf-8").splitlines()
    for start, columns in (("| warm |", (1,)), ("| warm and fresh |", (0, 1))):
        (line,) = (line for line in lines if line.startswith(start))
        for peer, cell in zip(_PEERS, line.strip("|").split("|")[1:], strict=True):
            met = [
                name
                for (name, of), row in marks().items()
                if of == peer and all(float(row[at].split()[0]) <= float(row[2]) for at in columns)
            ]
            assert met
            assert re.findall(r"`([^`]+)`", cell) == met, (start, peer)
