"""The page of the state format has the names and numbers of the code (SEMANTICS S14)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "project" / "state-format.md").read_text()
SOURCES = {
    file.name: file.read_text()
    for part in ("core", "spark")
    for file in (ROOT / "jvm" / part / "src" / "main").rglob("*.scala")
}
#: Variables of operators outside queries only.
STANDALONE = {"standalone", "clock", "journal"}


def rows(title: str) -> Iterator[list[str]]:
    """Return the rows of the table whose header begins with ``title``."""
    lines = iter(PAGE.split(f"\n| {title} |", 1)[1].splitlines()[2:])
    for line in lines:
        if not line.startswith("|"):
            return
        yield [cell.strip() for cell in line.strip("|").split("|")]


def named(text: str) -> set[str]:
    """Return the names formatted as code."""
    return set(re.findall(r"`(\w+)`", text))


def only(pattern: str, file: str) -> str:
    """Return the single match of a pattern in a source file."""
    (found,) = re.findall(pattern, SOURCES[file])
    return str(found)


def test_versions() -> None:
    """The page has the versions of the state and of the descriptor."""
    versions = [row[0] for row in rows("version")]
    assert versions == [
        only(r"val Version: Byte = (\d+)", "ByteWriter.scala"),
        only(r"val Format = (\d+)", "DescriptorJson.scala"),
    ]


def test_variables_and_spaces() -> None:
    """The page has exactly the variables and spaces of the code."""
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


def test_kept_checkpoints_have_these_variables() -> None:
    """The variables of each stored checkpoint are a row of the page, plus the optional ones."""
    alone = [named(row[1]) for row in rows("operator") if "also" not in row[1]]
    more = {name for row in rows("operator") if "also" in row[1] for name in named(row[1])}
    for file in (ROOT / "tests" / "checkpoints").glob("*/*.json"):
        checkpoint = json.loads(file.read_text())["checkpoint"]
        about = [text for name, text in checkpoint.items() if "_metadata/v2/" in name]
        assert about, file
        for text in about:
            (properties,) = (
                json.loads(json.loads(line)["operatorPropertiesJson"])
                for line in text.splitlines()
                if "operatorPropertiesJson" in line
            )
            names = {one["stateName"] for one in properties["stateVariables"]}
            spaces = {name for name in names if not name.startswith("$")} - {"header", "about"}
            numbers = {name[-1] for name in spaces if name[-1].isdigit()}
            each = [{name[:-1] for name in spaces if name[-1] == n} for n in numbers]
            for own in each or [spaces]:  # of each of several windows
                assert any(own - more == one - more and one <= own for one in alone), file
