"""The texts about speed have the figures of the last published run."""

from __future__ import annotations

import re

from programs import ROOT

_RATIO = re.compile(r"\d+\.\d\d \(\d+\.\d\d to \d+\.\d\d\)")
_PEERS = ("spark", "flink-heap")


def marks() -> dict[tuple[str, str], list[str]]:
    """Return the cold ratio, the warm ratio and the target for each workload and peer."""
    rows = (ROOT / "docs/benchmarks-run.md").read_text(encoding="utf-8").splitlines()
    cells = ([cell.strip() for cell in row.strip("|").split("|")] for row in rows)
    return {
        (row[0], row[1].removeprefix("windrow to ")): row[2:5]
        for row in cells
        if len(row) == 6 and row[1].startswith("windrow to ")
    }


def test_the_table() -> None:
    """Each line of the table has the cold and warm ratios to Spark and to Flink."""
    published = marks()
    told = {}
    for line in (ROOT / "docs/benchmarks.md").read_text(encoding="utf-8").splitlines():
        ratios = _RATIO.findall(line)
        if line.startswith("| `") and ratios:
            told[line.split("`")[1]] = ratios
    assert len(told) > 6
    for name, ratios in told.items():
        assert ratios == [one for peer in _PEERS for one in published[name, peer][:2]], name


def test_what_is_told_beside_the_table() -> None:
    """The other figures are the warm medians of the workloads named with them."""
    published = marks()
    lines = (ROOT / "docs/benchmarks.md").read_text(encoding="utf-8").splitlines()
    for peer, start in zip(_PEERS, ("| to Spark's own |", "| to Flink on its heap |"), strict=True):
        (line,) = (line for line in lines if line.startswith(start))
        told = [
            one for one in re.findall(r"`([\w-]+)` (\d\.\d\d)", line) if (one[0], peer) in published
        ]
        assert len(told) > 2
        assert told == [(name, published[name, peer][1].split()[0]) for name, _ in told]


def test_which_marks_are_met() -> None:
    """The targets count as met by the medians: warm runs, and cold runs too where listed."""
    text = (ROOT / "docs/benchmarks.md").read_text(encoding="utf-8")
    for start, columns in (("| met warm |", (1,)), ("| met in a fresh JVM, too |", (0, 1))):
        (line,) = (line for line in text.splitlines() if line.startswith(start))
        for peer, cell in zip(_PEERS, line.strip("|").split("|")[1:], strict=True):
            met = [
                name
                for (name, of), row in marks().items()
                if of == peer and all(float(row[at].split()[0]) <= float(row[2]) for at in columns)
            ]
            assert met
            assert re.findall(r"`([^`]+)`", cell) == met, (start, peer)


def test_what_the_readme_says() -> None:
    """The README has the least and greatest ratios, first warm and then cold."""
    found = []
    for at in (1, 0):
        for peer in _PEERS:
            medians = [float(row[at].split()[0]) for (_, of), row in marks().items() if of == peer]
            found += [min(medians), max(medians)]
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (line,) = re.findall(r"CPU time per event.*?\(\[bench", text, flags=re.DOTALL)
    said = [float(number) for number in re.findall(r"\d+\.\d+", line)]
    assert said == [
        round(number, len(str(shown).split(".")[1]))
        for number, shown in zip(found, said, strict=True)
    ]
