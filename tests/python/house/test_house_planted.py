"""Each check of test_house.py finds a violation that is planted in a small tree of sources."""

from __future__ import annotations

from pathlib import Path

import pytest

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

#: Allowed uses, as in the diagram of docs/project/house.md.
ALLOWED = {"spark": {"core"}, "core": set[str](), "benchmarks": {"spark"}}


def written(root: Path, **texts: str) -> Path:
    """Write files; ``a__b`` becomes ``a/b``, in Scala or, if the text has no package, in Python."""
    for name, text in texts.items():
        ending = "scala" if text.startswith("package ") else "py"
        file = root / f"{name.replace('__', '/')}.{ending}"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return root


@pytest.mark.parametrize(
    "use",
    ["import windrow.high.High\n", "class X(high: windrow.high.High)\n", "import windrow.high._\n"],
)
def test_a_use_of_a_higher_folder(tmp_path: Path, use: str) -> None:
    """A lower package that names a higher one is found; a comment or a text is not a use."""
    comment = '// windrow.high.High\nclass Y { val said = "windrow.high.High" }\n'
    root = written(
        tmp_path,
        windrow__low__Low=f"package windrow.low\n\n{use}",
        windrow__low__Other=f"package windrow.low\n\n{comment}",
        windrow__high__High="package windrow.high\n\nclass High\n",
    )
    order = ["windrow.low", "windrow.high"]
    assert upwards(packages(root), order) == {("windrow.low", "windrow.high")}
    written(root, windrow__low__Low="package windrow.low\n")
    assert upwards(packages(root), order) == set()


def test_a_circle_of_folders(tmp_path: Path) -> None:
    """Two packages that use each other are found."""
    root = written(
        tmp_path,
        windrow__a__A="package windrow.a\n\nimport windrow.b.B\n",
        windrow__b__B="package windrow.b\n\nimport windrow.a.A\n",
        windrow__c__C="package windrow.c\n\nimport windrow.a.A\n",
    )
    assert circles(packages(root)) == [{"windrow.a", "windrow.b"}]


def test_a_circle_of_files(tmp_path: Path) -> None:
    """Files that use each other are found in a folder and across folders."""
    root = written(
        tmp_path,
        windrow__a__A="package windrow.a\n\nfinal class A(b: B)\n",
        windrow__a__B="package windrow.a\n\nfinal class B {\n  def a: A = ???\n}\n",
        windrow__a__C="package windrow.a\n\nimport windrow.d.D\n\nfinal class C(d: D, a: A)\n",
        windrow__d__D="package windrow.d\n\nimport windrow.a._\n\nfinal class D(c: C)\n",
    )
    found = [{Path(file).stem for file in circle} for circle in circles(scala_files(root))]
    assert found == [{"A", "B"}, {"C", "D"}]
    # A nested class is another one than the class of that name in a neighboring file.
    written(root, windrow__a__B="package windrow.a\n\nobject B {\n  class A\n}\n")
    assert len(circles(scala_files(root))) == 1


def test_a_use_of_a_module_above(tmp_path: Path) -> None:
    """A module that names a package of a module above it, or beside it, is found."""
    core = written(tmp_path / "core", A="package windrow\n\nimport windrow.spark.S\n")
    spark = written(tmp_path / "spark", S="package windrow.spark\n\nimport windrow.A\n")
    benchmarks = written(tmp_path / "b", M="package windrow.benchmarks\n\nimport windrow.A\n")
    graphs = {"core": packages(core), "spark": packages(spark), "benchmarks": packages(benchmarks)}
    assert beyond(used(graphs), ALLOWED) == {("core", "spark")}
    written(spark, S="package windrow.spark\n\nimport windrow.benchmarks.M\n")
    graphs["spark"] = packages(spark)
    assert beyond(used(graphs), ALLOWED) == {("core", "spark"), ("spark", "benchmarks")}


def test_a_python_module_in_a_circle_or_above(tmp_path: Path) -> None:
    """Python modules that load each other are found, and a part that loads a later one."""
    root = written(
        tmp_path / "windrow",
        __init__="from windrow.low import x\n",
        low="from windrow.high import y\n\n\ndef late():\n    from windrow import x\n",
        high="import os\n",
    )
    graph = modules(root)
    assert circles(graph) == []
    assert parts_upwards(graph, ["low", "high", "windrow"]) == {("windrow.low", "windrow.high")}
    written(root, high="from windrow import low\n")
    assert circles(modules(root)) == [{"windrow.high", "windrow.low"}]
