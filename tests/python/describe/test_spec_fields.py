"""Python and the pages have the settings that ``tests/specs.json`` describes.

``SpecFieldsSuite`` compares Scala and SQL with the same file.
"""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

import windrow as wr
from describe.spec_fields import of_page, of_python
from programs import ROOT

FILE = json.loads((ROOT / "tests/specs.json").read_text(encoding="utf-8"))
SPECS: dict[str, Any] = FILE["specs"]
PAGE = (ROOT / "docs/reference/sql-functions.md").read_text(encoding="utf-8")


def _is_kind(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, wr.WindowKind)


@pytest.mark.parametrize("name", SPECS)
def test_arguments_of_python(name: str) -> None:
    """The names, types, and defaults of arguments are the described ones."""
    spec = SPECS[name]
    assert [line for path in spec["python"] for line in of_python(path, spec)] == []


def test_each_kind_of_windows_is_described() -> None:
    """No kind of windows is left out, and every exception has a reason."""
    kinds = {name for name in wr.__all__ if _is_kind(getattr(wr, name))} - {"Policy", "WindowKind"}
    assert kinds <= SPECS.keys()
    assert len(kinds) == 10
    fields = [field for spec in SPECS.values() for field in spec["fields"].values()]
    assert all("why" in field for field in fields if "only" in field)


def test_arguments_of_sql_on_the_page() -> None:
    """The tables of the page have the described arguments, types, and defaults."""
    assert list(of_page(SPECS, FILE["also"], PAGE)) == []


@pytest.mark.parametrize(
    ("name", "field", "change"),
    [
        ("Hopping", "step", {"default": "1 minute"}),
        ("Sliding", "granularity", {"default": "1 second"}),
        ("Count", "step", {"type": "duration"}),
        ("trigger", "late", {"default": "never"}),
        ("window", "fillGaps", {"default": True}),
        ("stream", "name", {"default": "rows"}),
    ],
)
def test_differences_are_found(name: str, field: str, change: dict[str, Any]) -> None:
    """A default, a type, and a name that differ are found in Python and on the page."""
    planted = copy.deepcopy(SPECS)
    fields = planted[name]["fields"]
    fields[field] |= change
    (path,) = planted[name]["python"]
    assert len(list(of_python(path, planted[name]))) >= 1
    assert len(list(of_page(planted, FILE["also"], PAGE))) >= (
        "default" in SPECS[name]["fields"][field]
    )
    fields["other"] = fields.pop(field)
    assert "not" in next(of_python(path, planted[name]))
    assert "on the page" in next(of_page(planted, FILE["also"], PAGE))
