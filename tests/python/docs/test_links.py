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

ROOT = Path(__file__).parents[3]
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
