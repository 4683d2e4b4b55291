"""The page of the state format has the names and numbers of the code (SEMANTICS S14)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "state-format.md").read_text()
SOURCES = {
    file.name: file.read_text()
    for part in ("core", "spark")
    for file in (ROOT / "jvm" / part / "src" / "main").rglob("*.scala")
}
#: Of standalone operators alone.
STANDALONE = {"standalone", "clock", "journal"}


def rows(title: str) -> Iterator[list[str]]:
    """Give the rows of the table whose head begins so."""
    lines = iter(PAGE.split(f"\n| {title} |", 1)[1].splitlines()[2:])
    for line in lines:
        if not line.startswith("|"):
            return
        yield [cell.strip() for cell in line.strip("|").split("|")]


def named(text: str) -> set[str]:
    """Give what stands as code."""
    return set(re.findall(r"`(\w+)`", text))


def only(pattern: str, file: str) -> str:
    """Find the one thing in a source."""
    (found,) = re.findall(pattern, SOURCES[file])
    return str(found)


def test_versions() -> None:
    """Of the state, and of the descriptor."""
    versions = [row[0] for row in rows("version")]
    assert versions == [
        only(r"val Version: Byte = (\d+)", "ByteWriter.scala"),
        only(r"val Format = (\d+)", "DescriptorJson.scala"),
    ]


def test_variables_and_spaces() -> None:
    """Each that the code names is on the page, and none else."""
    variables = {name for row in rows("variable") for name in named(row[0])}
    assert variables == {
        only(r'getValueState\("(\w+)"', "SparkShardStore.scala"),
        only(r'val Variable = "(\w+)"', "OperatorDescriptor.scala"),
    }
    whole = "\n".join(SOURCES.values())
    begun = r'(?:new (?:Segments|KeyBuckets|SortedRun)(?:\[.+\])?|\.space)\(\s*"(\w+)"'
    spaces = set(re.findall(begun + r'|val Space\s+= "(\w+)"', whole)) - {("", "")}
    found = {first or second for first, second in spaces}
    told = {name for row in rows("operator") for name in named(row[1])}
    assert told | STANDALONE == found
    assert named(PAGE) >= STANDALONE
    values = {name for row in rows("space") for name in named(row[0])}
    assert values == told
