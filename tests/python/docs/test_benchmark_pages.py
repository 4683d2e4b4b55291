"""The speeds in the texts equal those of the last published run."""

from __future__ import annotations

import re

import pytest

from programs import ROOT

_PAGE = ROOT / "docs/benchmarks.md"
_LOG = ROOT / "docs/project/measurement-log.md"
_PEERS = ("spark", "flink-heap")
_NONE = "\u2013"


def marks() -> dict[tuple[str, str], list[str]]:
    """Return the fresh and the warm ratio of a workload to a peer, and its mark, in the run."""
    rows = (ROOT / "docs/project/benchmarks-run.md").read_text(encoding="utf-8").splitlines()
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


def test_the_table() -> None:
    """Each row has the medians of its workload, warm and fresh, to Spark and to Flink."""
    shown = {}
    for line in _PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("| `"):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            shown[cells[0].strip("`")] = cells[3:]
    assert len(shown) > 15
    for name, ratios in shown.items():
        assert ratios == [one for peer in _PEERS for one in medians(name, peer)], name


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


def extremes(at: int) -> list[float]:
    """Return the least and the greatest median to each peer: fresh (0) or warm (1)."""
    found = []
    for peer in _PEERS:
        ratios = [float(row[at].split()[0]) for (_, of), row in marks().items() if of == peer]
        found += [min(ratios), max(ratios)]
    return found


@pytest.mark.parametrize(
    ("page", "sentence", "columns"),
    [
        ("README.md", r"CPU time per event.*?\(\[bench", (1, 0)),
        ("docs/benchmarks.md", r"In a warm JVM, Windrow needs.*?depending", (1,)),
    ],
)
def test_the_summary_of_a_page(page: str, sentence: str, columns: tuple[int, ...]) -> None:
    """It has the least and the greatest ratio to each peer."""
    text = (ROOT / page).read_text(encoding="utf-8")
    (found,) = re.findall(sentence, text, flags=re.DOTALL)
    shown = re.findall(r"\d+\.\d+", found)
    expected = [one for at in columns for one in extremes(at)]
    assert [float(number) for number in shown] == [
        round(one, len(number.split(".")[1])) for one, number in zip(expected, shown, strict=True)
    ]
