"""Every link of a Markdown file leads to a file and a heading that exist, on a code host as well.

Sphinx checks the links between the pages of the site (``test_docs.py``). It does not read the files
outside ``docs``, and it does not check links to them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from windrow import _conditions

ROOT = Path(__file__).parents[3]
DOCS = ROOT / "docs"
_BLOCK = re.DOTALL | re.MULTILINE
_CODE = re.compile(r"^(```+|~~~+).*?^\1|<!--.*?-->|`[^`\n]+`", re.DOTALL | re.MULTILINE)
_LINK = re.compile(
    r"\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)|^\[[^\]]+\]:\s*(\S+)", re.MULTILINE
)
_HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*#*$", re.MULTILINE)
_ANCHOR = re.compile(r"<a\s+(?:id|name)=\"([^\"]+)\"")


def markdown() -> list[Path]:
    """Return the Markdown files of the checkout."""
    folders = ("docs", ".github", "python", "scripts", "tests", "jvm")
    inner = (path for folder in folders for path in (ROOT / folder).rglob("*.md"))
    return [
        *sorted(ROOT.glob("*.md")),
        *sorted(path for path in inner if "target" not in path.parts),
    ]


def anchors(text: str) -> set[str]:
    """Return the anchors of a page, as GitHub names them."""
    seen: Counter[str] = Counter()
    found = set(_ANCHOR.findall(text))
    for heading in _HEADING.findall(
        re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    ):
        shown = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", shown.lower()).replace(" ", "-")
        found.add(f"{name}-{seen[name]}" if seen[name] else name)
        seen[name] += 1
    return found


def broken(page: Path, root: Path = ROOT) -> Iterator[str]:
    """Yield the links of a file that lead nowhere."""
    text = page.read_text(encoding="utf-8")
    for found in _LINK.findall(_CODE.sub("", text)):
        link = found[0] or found[1]
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        is_there = target.exists() and root in (target, *target.parents)
        if not is_there or (anchor and anchor not in anchors(target.read_text(encoding="utf-8"))):
            yield link


def test_links_lead_somewhere() -> None:
    """To a file of the checkout, and to a heading of it."""
    every = {str(page.relative_to(ROOT)): list(broken(page)) for page in markdown()}
    assert len(every) > 60
    assert {page: links for page, links in every.items() if links} == {}


def for_users() -> list[Path]:
    """Return the pages for users, without the pages that programs write."""
    others = DOCS / "project", DOCS / "errors.md"
    pages = [path for path in markdown() if path.is_relative_to(DOCS)]
    return [path for path in pages if not any(path.is_relative_to(one) for one in others)]


def test_codes_are_links() -> None:
    """A page that mentions an error links to its entry, and the entry links back to the page."""
    codes = _conditions.catalogue().keys()
    found = {}
    entries = (DOCS / "errors.md").read_text(encoding="utf-8").split("\n## ")
    for page in for_users():
        text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=_BLOCK)
        name = str(page.relative_to(DOCS))
        plain = {code for code in re.findall(r"(?<!\[)`([A-Z_]+)`(?!\])", text) if code in codes}
        linked = {code.upper() for code in re.findall(r"errors\.md#(\w+)\)", text)}
        one_way = {
            code
            for code in linked & codes
            if not any(e.startswith(f"{code}\n") and f"({name})" in e for e in entries)
        }
        if plain | one_way:
            found[name] = plain | one_way
    assert found == {}
    assert [text for text in entries if "Explained in: " in text]


@pytest.mark.parametrize(
    ("link", "is_broken"),
    [
        ("[a](other.md)", False),
        ("[a](other.md#two-words)", False),
        ("[a](other.md#codes-and-links)", False),
        ("[a](#here)", False),
        ("[a](#here-1)", False),
        ("[a](https://spark.apache.org/nowhere)", False),
        ("`[a](gone.md)`", False),
        ("```text\n[a](gone.md)\n```", False),
        ("![a](gone.svg)", True),
        ("[a](gone.md)", True),
        ("[a](other.md#gone)", True),
        ("[a](#here-2)", True),
        ("[a]: gone.md", True),
    ],
)
def test_broken_links_are_found(link: str, *, is_broken: bool, tmp_path: Path) -> None:
    """A check that finds nothing would pass as well."""
    (tmp_path / "other.md").write_text("# Two words\n\n## `Codes` and [links](x.md)\n")
    (tmp_path / "page.md").write_text(f"# Here\n\n## Here\n\n{link}\n")
    assert bool(list(broken(tmp_path / "page.md", tmp_path))) is is_broken
