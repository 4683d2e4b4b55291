"""Docstrings of public names: complete, and with examples that run."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import windrow as wr
from windrow import operators, testing

#: Classes that the package creates, so that their constructor is not documented.
CREATED = {"Harness", "MessageError", "Policy", "SpecError"}

Function = ast.FunctionDef | ast.AsyncFunctionDef


def public() -> dict[str, object]:
    """Return a mapping from names to public classes and functions."""
    found: dict[str, object] = {}
    for module in (wr, operators, testing):
        for name in module.__all__:
            value = getattr(module, name)
            if inspect.isclass(value) or inspect.isfunction(value):
                found[name] = value
    return found


def node_of(value: object) -> ast.ClassDef | Function:
    """Return the syntax tree of a class or function of the package."""
    module = importlib.import_module(str(value.__module__))
    tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
    kinds = (ast.ClassDef, ast.FunctionDef)
    name = getattr(value, "__name__", "")
    return [node for node in tree.body if isinstance(node, kinds) and node.name == name][-1]


def decorators(node: ast.ClassDef | Function) -> set[str]:
    """Return the names of the decorators."""
    texts = (ast.unparse(one) for one in node.decorator_list)
    return {text.partition("(")[0] for text in texts}


def methods(node: ast.ClassDef) -> Iterator[Function]:
    """Yield the public methods and properties of a class."""
    for one in node.body:
        if isinstance(one, ast.FunctionDef) and not one.name.startswith("_"):
            yield one


def parameters(node: Function) -> list[str]:
    """Return the names of the parameters, without ``self`` and ``cls``."""
    arguments = node.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    every += [one for one in (arguments.vararg, arguments.kwarg) if one]
    return [one.arg for one in every if one.arg not in ("self", "cls")]


def constructor(node: ast.ClassDef) -> list[str]:
    """Return the public parameters of a constructor: of ``__init__``, or the fields."""
    if node.name in CREATED or any("Enum" in ast.unparse(base) for base in node.bases):
        return []
    inits = [one for one in node.body if isinstance(one, ast.FunctionDef)]
    inits = [one for one in inits if one.name == "__init__"]
    if inits:
        return parameters(inits[-1])
    fields = [one for one in node.body if isinstance(one, ast.AnnAssign)]
    fields = [one for one in fields if "ClassVar" not in ast.unparse(one.annotation)]
    names = [ast.unparse(one.target) for one in fields]
    is_data = "dataclass" in decorators(node)
    return [name for name in names if is_data and not name.startswith("_")]


def section(text: str, *titles: str) -> str:
    """Return the contents of the sections with these titles."""
    names = "|".join(titles)
    return "".join(re.findall(rf"^(?:{names}):\n((?:[ ]{{4}}.*\n|\n)*)", text + "\n", re.MULTILINE))


def faults(name: str, node: ast.ClassDef | Function) -> list[str]:
    """Return the faults of a docstring."""
    text = ast.get_docstring(node) or ""
    summary, _, rest = text.partition("\n")
    found = []
    if not summary.endswith("."):
        found.append(f"{name}: the first line is not a sentence")
    if rest and not rest.startswith("\n"):
        found.append(f"{name}: the summary has more than one line")
    if isinstance(node, ast.ClassDef):
        documented, needed = section(text, "Args", "Attributes"), constructor(node)
    else:
        documented, needed = section(text, "Args"), parameters(node)
    described = re.findall(r"^    (\w+): ", documented, re.MULTILINE)
    found += [f"{name}: {one} is not described" for one in needed if one not in described]
    returned = None if isinstance(node, ast.ClassDef) else node.returns
    if returned is not None and ast.unparse(returned) != "None" and not section(text, "Returns"):
        found.append(f"{name}: the returned value is not described")
    return found


def test_public_names_have_complete_docstrings() -> None:
    """Check summary, parameters in Args, and value in Returns."""
    found: list[str] = []
    for name, value in public().items():
        node = node_of(value)
        found += faults(name, node)
        if isinstance(node, ast.ClassDef):
            found += [one for m in methods(node) for one in faults(f"{name}.{m.name}", m)]
    assert found == []


@pytest.mark.parametrize(
    ("code", "count"),
    [
        ('def f(a: int) -> int:\n    """Add.\n\n    Args:\n        a: It.\n    """', 1),
        ('def f(a: int) -> None:\n    """Add."""', 1),
        ("def f() -> None: ...", 1),
        ('def f() -> None:\n    """Add two\n    numbers."""', 2),
        ('def f() -> int:\n    """Add.\n\n    Returns:\n        The sum.\n    """', 0),
        ('@dataclass\nclass A:\n    """A pair."""\n\n    a: int\n    _b: int', 1),
    ],
)
def test_faults_are_found(code: str, count: int) -> None:
    """The check fails when it should."""
    node = ast.parse(code).body[0]
    assert isinstance(node, ast.ClassDef | ast.FunctionDef)
    assert len(faults("f", node)) == count


def modules() -> list[ModuleType]:
    """Return the modules of the package."""
    names = (one.name for one in pkgutil.walk_packages(wr.__path__, "windrow."))
    return [wr, *(importlib.import_module(name) for name in names if "__main__" not in name)]


def examples() -> dict[str, doctest.DocTest]:
    """Return a mapping from names to docstrings with examples that need no Spark."""
    finder = doctest.DocTestFinder(exclude_empty=True)
    found = [one for module in modules() for one in finder.find(module, extraglobs={"wr": wr})]
    return {one.name: one for one in found if one.examples}


def test_examples_run() -> None:
    """Each prints the output that is written below it."""
    every = examples()
    assert len(every) > 30
    runner = doctest.DocTestRunner(verbose=False)
    reports: list[str] = []
    for one in every.values():
        runner.run(one, out=reports.append)
    assert "".join(reports) == ""
