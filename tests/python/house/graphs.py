"""Reads from sources which package, file or module uses which."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

from layers import reached

Graph = Mapping[str, set[str]]

_COMMENT = r"/\*[\s\S]*?\*/|//[^\n]*"
_NO_CODE = _COMMENT + r'|"(?:\\.|[^"\\\n$])*"'  # an interpolated text contains code
_DEFINED = r"(?:[a-z]+(?:\[\w+\])? )*(?:class|object|trait) (\w+)"


def packages(source: Path) -> Graph:
    """Return for each Scala package of a folder the packages named in its imports and code."""
    found: dict[str, set[str]] = defaultdict(set)
    for file in source.rglob("*.scala"):
        text = re.sub(_COMMENT + r'|"(?:\\.|[^"\\\n])*"', "", file.read_text())
        clauses = re.findall(r"^package ([\w.]+)$", text, re.MULTILINE)
        whole = ".".join([*clauses, *re.findall(r"^package object (\w+)", text, re.MULTILINE)])
        named = set(re.findall(r"\b((?:[a-z]\w*\.)*windrow(?:\.[a-z]\w*)*)\.(?=[A-Z{_])", text))
        found[whole] |= (named | set(clauses[:1])) - {whole}
    return found


def scala_files(source: Path) -> Graph:
    """Return for each Scala file the files whose classes it names, of its package or imported."""
    texts = {file: re.sub(_NO_CODE, "", file.read_text()) for file in source.rglob("*.scala")}
    homes: dict[str, dict[str, str]] = defaultdict(dict)
    for file, text in texts.items():
        for name in re.findall(f"^{_DEFINED}", text, re.MULTILINE):
            homes[file.parent.as_posix()][name] = str(file)
    found: dict[str, set[str]] = {}
    for file, text in texts.items():
        words = set(re.findall(r"\b[A-Z]\w*", re.sub(r"^import .*$", "", text, flags=re.MULTILINE)))
        seen = words - set(re.findall(rf"^\s*{_DEFINED}", text, re.MULTILINE))  # nested ones, too
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
    reach = {node: reached(graph, node) for node in graph}
    groups = {
        frozenset(other for other in reach[node] if node in reach[other]) for node in graph
    } - {frozenset()}
    return sorted((set(group) for group in groups), key=sorted)


def upwards(graph: Graph, order: list[str]) -> set[tuple[str, str]]:
    """Return the edges to a package that is not earlier in the order."""
    places = enumerate(order)
    return {(one, other) for at, one in places for other in graph[one] & set(order[at:])}


def parts_upwards(graph: Graph, order: list[str]) -> set[tuple[str, str]]:
    """Return the imports of Python modules from a part that is later in the order."""

    def place(module: str) -> int:
        return order.index(module.partition(".")[2].partition(".")[0] or "windrow")

    return {
        (one, other)
        for one, imported in graph.items()
        for other in imported
        if other.partition(".")[0] == "windrow" and place(other) > place(one)
    }


def used(graphs: Mapping[str, Graph]) -> dict[str, set[str]]:
    """Return for each Scala module the other modules that define a package that it names."""
    return {
        name: {
            other
            for package in set().union(*graph.values()) - graph.keys()
            for other, its in graphs.items()
            if package in its
        }
        for name, graph in graphs.items()
    }


def beyond(found: Mapping[str, set[str]], allowed: Graph) -> set[tuple[str, str]]:
    """Return the uses of modules that no path of allowed uses leads to."""
    return {(one, other) for one, of in found.items() for other in of - reached(allowed, one)}
