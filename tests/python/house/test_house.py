"""Enforces the structure in docs/project/house.md: no cycles of imports except those named here."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[3]
SCALA = ROOT / "jvm"
PAGES = ROOT / "docs" / "project"
PYTHON = ROOT / "python"

Graph = Mapping[str, set[str]]


def packages(source: Path) -> Graph:
    """Return for each Scala package of a folder the packages named in its imports and code."""
    found: dict[str, set[str]] = defaultdict(set)
    for file in source.rglob("*.scala"):
        text = re.sub(r"/\*[\s\S]*?\*/|//[^\n]*", "", file.read_text())
        clauses = re.findall(r"^package ([\w.]+)$", text, re.MULTILINE)
        whole = ".".join([*clauses, *re.findall(r"^package object (\w+)", text, re.MULTILINE)])
        named = set(re.findall(r"\b((?:[a-z]\w*\.)*windrow(?:\.[a-z]\w*)*)\.(?=[A-Z{_])", text))
        found[whole] |= (named | set(clauses[:1])) - {whole}
    return found


def scala_files(source: Path) -> Graph:
    """Return for each Scala file the files whose classes it names, of its package or imported."""
    tops = r"^(?:[a-z]+(?:\[\w+\])? )*(?:class|object|trait) (\w+)"
    no_code = r'/\*[\s\S]*?\*/|//[^\n]*|"(?:\\.|[^"\\\n$])*"'
    texts = {file: re.sub(no_code, "", file.read_text()) for file in source.rglob("*.scala")}
    homes: dict[str, dict[str, str]] = defaultdict(dict)
    for file, text in texts.items():
        for name in re.findall(tops, text, re.MULTILINE):
            homes[file.parent.as_posix()][name] = str(file)
    found: dict[str, set[str]] = {}
    for file, text in texts.items():
        words = set(re.findall(r"\b[A-Z]\w*", re.sub(r"^import .*$", "", text, flags=re.MULTILINE)))
        seen = words - set(re.findall(tops, text, re.MULTILINE))
        near = homes[file.parent.as_posix()]
        found[str(file)] = {near[name] for name in seen & near.keys()}
        for package, names in re.findall(r"^\s*import ([\w.]+)\.(.+)$", text, re.MULTILINE):
            far = homes.get((source / package.replace(".", "/")).as_posix(), {})
            said = words if names == "_" else set(re.findall(r"\w+", names))
            found[str(file)] |= {far[name] for name in said & far.keys()}
        found[str(file)] -= {str(file)}
    return found


def modules(source: Path) -> Graph:
    """Return for each Python module the modules that it imports when it is loaded."""
    files = {
        ".".join(file.relative_to(source.parent).with_suffix("").parts).removesuffix(
            ".__init__"
        ): file
        for file in source.rglob("*.py")
    }
    found: dict[str, set[str]] = {}
    for name, file in files.items():
        of = [node for node in ast.parse(file.read_text()).body if isinstance(node, ast.ImportFrom)]
        whole = [(node.module or "", one.name) for node in of for one in node.names]
        names = {
            f"{module}.{one}" if f"{module}.{one}" in files else module for module, one in whole
        }
        found[name] = names - {name}
    return found


def circles(graph: Graph) -> list[set[str]]:
    """Return the sets of nodes that reach each other."""

    def reached(start: str) -> set[str]:
        seen: set[str] = set()
        ahead = [start]
        while ahead:
            new = graph.get(ahead.pop(), set()) & graph.keys() - seen
            seen |= new
            ahead += new
        return seen

    reach = {node: reached(node) for node in graph}
    groups = {
        frozenset(other for other in reach[node] if node in reach[other]) for node in graph
    } - {frozenset()}
    return sorted((set(group) for group in groups), key=sorted)


def layers(part: str, prefix: str) -> list[str]:
    """Return the packages of a part in the order of their folders in docs/project/house.md."""
    text = (PAGES / "house.md").read_text().split(f"## `{part}`")[1].split("\n## ")[0]
    rows = re.findall(r"^\| ([^|]*`[^|]*) \|", text, re.MULTILINE)
    named = [name.replace("/", ".") for row in rows for name in re.findall(r"`([^`]+)`", row)]
    return [name if "windrow" in name else f"{prefix}.{name}" for name in named]


def upwards(graph: Graph, order: list[str]) -> set[tuple[str, str]]:
    """Return the edges to a package that is not earlier in the order."""
    places = enumerate(order)
    return {(one, other) for at, one in places for other in graph[one] & set(order[at:])}


def test_circles_are_found() -> None:
    """The check finds a cycle."""
    assert circles({"a": {"b"}, "b": {"a", "c"}, "c": set()}) == [{"a", "b"}]
    assert circles({"a": {"b"}, "b": set()}) == []


def test_core_has_no_circles() -> None:
    """A folder of the core depends only on lower ones and on the public types."""
    graph = packages(SCALA / "core/src/main/scala")
    order = [name for name in layers("jvm/core", "windrow") if name in graph]
    assert len(order) > 15
    assert upwards(graph, order[order.index("windrow.explain") :][::-1]) == set()
    assert circles(graph) == []


def test_spark_has_no_circles() -> None:
    """A folder of jvm/spark depends only on folders before it."""
    graph = packages(SCALA / "spark/src/main/scala")
    order = layers("jvm/spark", "windrow.spark")
    assert sorted(graph) == sorted(order)
    assert upwards(graph, order) == set()
    assert circles(graph) == []


def test_files_of_spark_have_no_circles() -> None:
    """Files of jvm/spark are free of cycles, within a folder and across folders."""
    graph = scala_files(SCALA / "spark/src/main/scala")
    assert sum(map(len, graph.values())) > 500
    assert circles(graph) == []


def test_the_product_knows_no_laboratory() -> None:
    """The test tools may depend on core and spark, but not the other way round."""
    laboratory = re.compile(r"\bwindrow\.(?:spark\.)?(?:replay|testkit)\b")
    parts = {
        part: SCALA / part / "src/main" for part in ("core", "spark", "replay", "replay-spark")
    }
    found = {
        part: [file for file in folder.rglob("*.scala") if laboratory.search(file.read_text())]
        for part, folder in parts.items()
    }
    assert found["core"] == found["spark"] == []
    # shows that the check can fail
    assert len(found["replay"]) > 40 < 4 * len(found["replay-spark"])


def test_no_module_is_loaded_in_circles() -> None:
    """No Python module is loaded in a cycle, whichever module is imported first."""
    graph = modules(PYTHON / "windrow")
    assert len(graph) > 30
    assert circles(graph) == []


#: Parts of the Python package; when loaded, each depends only on itself and those before it.
PARTS = [
    *("_version", "_conditions", "errors", "_specs", "_drawing", "windows", "triggers", "policies"),
    *("_bridge", "operators", "_running", "answers", "figures", "results", "streams", "joins"),
    *("stores", "setup", "timelines", "_watching", "watching", "verifying"),
    *("advising", "testing", "", "_command", "__main__"),
]


def test_parts_of_python_know_only_those_before_them() -> None:
    """A part of the Python package depends only on earlier parts: specs do not use a session."""
    for name, imported in modules(PYTHON / "windrow").items():
        own = name.partition(".")[2].partition(".")[0]
        for other in imported:
            if other.startswith("windrow"):
                part = other.partition(".")[2].partition(".")[0]
                assert PARTS.index(part) <= PARTS.index(own), f"{name} imports {other}"


def test_files_that_texts_name_are_there() -> None:
    """Scala files that the pages name exist, so that a moved file is updated in the pages."""
    files = {str(file.relative_to(SCALA)) for file in SCALA.rglob("*.scala")}
    for page in ("a-messages-way.md", "house.md"):
        for name in re.findall(r"`([\w/…]+\.scala)`", (PAGES / page).read_text()):
            end = name.rpartition("…/")[2]
            assert any(file.endswith("/" + end) for file in files), f"{page}: {name}"
