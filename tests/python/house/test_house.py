"""Enforces the structure in docs/project/house.md: nothing uses a layer above it."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from house.graphs import (
    beyond,
    circles,
    modules,
    packages,
    parts_upwards,
    scala_files,
    upwards,
    used,
)
from layers import rows, uses

ROOT = Path(__file__).parents[3]
SCALA = ROOT / "jvm"
PYTHON = ROOT / "python"

#: The modules in Scala; the diagram of docs/project/house.md and the folders of jvm have the same.
MODULES = sorted(folder.name for folder in SCALA.iterdir() if (folder / "src").is_dir())

#: Circles of files that the core still has, by folder: at most this many, of at most so many files.
CORE_CIRCLES = {"windrow/spec": (2, 3), "windrow/windows": (1, 2)}


def sources(module: str) -> Path:
    """Return the folder of a module's code without its tests."""
    return SCALA / module / "src/main/scala"


def order_of(part: str, prefix: str) -> list[str]:
    """Return the packages of a part in the order of their folders in docs/project/house.md."""
    named = [name.replace("/", ".") for row in rows(part) for name in row]
    return [name if "windrow" in name else f"{prefix}.{name}" for name in named]


def test_every_module_is_in_the_diagram() -> None:
    """The diagram has every module, and nothing else."""
    assert sorted(uses()) == sorted(["Python", *MODULES])
    assert len(MODULES) > 7


def test_modules_use_only_those_of_the_diagram() -> None:
    """A module names only packages of the modules that the diagram allows."""
    found = used({name: packages(sources(name)) for name in MODULES})
    assert beyond(found, uses()) == set()
    drawn = {name: of for name, of in uses().items() if name != "Python"}
    assert {name: of & found[name] for name, of in drawn.items()} == drawn, "no use is out of date"


def test_core_has_no_circles() -> None:
    """A folder of the core depends only on lower ones and on the public types."""
    graph = packages(sources("core"))
    order = [name for name in order_of("jvm/core", "windrow") if name in graph]
    assert len(order) > 15
    assert upwards(graph, order[order.index("windrow.explain") :][::-1]) == set()


def test_spark_has_no_circles() -> None:
    """A folder of jvm/spark depends only on folders before it."""
    graph = packages(sources("spark"))
    order = order_of("jvm/spark", "windrow.spark")
    assert sorted(graph) == sorted(order)
    assert upwards(graph, order) == set()


def test_no_module_has_circles_of_folders() -> None:
    """Packages are free of cycles in every module."""
    assert {name: circles(packages(sources(name))) for name in MODULES} == {
        name: [] for name in MODULES
    }


def test_files_of_spark_have_no_circles() -> None:
    """Files of jvm/spark are free of cycles, within a folder and across folders."""
    graph = scala_files(sources("spark"))
    assert sum(map(len, graph.values())) > 500
    assert circles(graph) == []


def test_files_of_core_have_few_circles() -> None:
    """Files of the core are free of cycles, except a few within a folder."""
    graph = scala_files(sources("core"))
    assert sum(map(len, graph.values())) > 1000
    found: Counter[str] = Counter()
    for circle in circles(graph):
        (folder,) = {Path(file).parent.relative_to(sources("core")).as_posix() for file in circle}
        found[folder] += 1
        assert len(circle) <= CORE_CIRCLES.get(folder, (0, 0))[1], circle
    assert all(count <= CORE_CIRCLES[folder][0] for folder, count in found.items())


def test_the_product_knows_no_laboratory() -> None:
    """The test tools may depend on core and spark, but not the other way round."""
    laboratory = re.compile(r"\bwindrow\.(?:spark\.)?(?:replay|testkit)\b")
    folders = {name: sources(name) for name in ("core", "spark", "replay", "replay-spark")}
    folders["python"] = PYTHON / "windrow"
    found = {
        name: [
            file
            for file in (*folder.rglob("*.scala"), *folder.rglob("*.py"))
            if laboratory.search(file.read_text())
        ]
        for name, folder in folders.items()
    }
    assert found["core"] == found["spark"] == found["python"] == []
    # shows that the check can fail
    assert len(found["replay"]) > 40 < 4 * len(found["replay-spark"])


def test_no_python_module_is_loaded_in_circles() -> None:
    """No Python module is loaded in a cycle, whichever module is imported first."""
    graph = modules(PYTHON / "windrow")
    assert len(graph) > 30
    assert circles(graph) == []


def test_parts_of_python_know_only_those_before_them() -> None:
    """A part of the Python package depends only on earlier parts: specs do not use a session."""
    order = [name for row in rows("python/windrow") for name in row]
    assert parts_upwards(modules(PYTHON / "windrow"), order) == set()


def test_files_that_texts_name_are_there() -> None:
    """Scala files that the pages name exist, so that a moved file is updated in the pages."""
    files = {str(file.relative_to(SCALA)) for file in SCALA.rglob("*.scala")}
    for page in ("a-rows-way.md", "house.md"):
        for name in re.findall(r"`([\w/…]+\.scala)`", (ROOT / "docs/project" / page).read_text()):
            end = name.rpartition("…/")[2]
            assert any(file.endswith("/" + end) for file in files), f"{page}: {name}"


def wrong_references(text: str) -> set[str]:
    """Return the functions and tests that the table of `house.md` names but that do not exist."""
    scala = {file: file.read_text() for file in SCALA.rglob("*.scala")}
    tests = [
        file.stem
        for folder in ("jvm", "tests")
        for file in (ROOT / folder).rglob("*")
        if file.suffix in {".scala", ".py"}
    ]
    wrong = set()
    for row in re.findall(r"^\| .*\? \|.*\|$", text, re.MULTILINE):
        for file, names in re.findall(r"`([\w/]+\.scala)`: ((?:`\w+`(?:, | and )?)+)", row):
            code = "\n".join(some for path, some in scala.items() if str(path).endswith("/" + file))
            wrong |= {
                f"{file}: {name}"
                for name in re.findall(r"\w+", names)
                if not re.search(rf"\bdef {name}\b", code)
            }
        wrong |= {
            name
            for name in re.findall(r"`(\w+(?:Suite|Laws|Spec)|test_\w+)(?:\.py)?`", row)
            if name not in tests
        }
    return wrong


def test_the_table_names_functions_and_tests() -> None:
    """Functions and tests that the table names exist; a function or test that does not is found."""
    text = (ROOT / "docs/project/house.md").read_text()
    assert not wrong_references(text)
    assert wrong_references(
        "| Where? | `core/trigger/FiringRule.scala`: `timing`, `none` | `NoSuite`, `test_no.py` |"
    ) == {
        "core/trigger/FiringRule.scala: none",
        "NoSuite",
        "test_no",
    }
