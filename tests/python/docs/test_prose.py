"""The style guide of CONTRIBUTING, as far as a program can enforce it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docs import prose

#: The greatest number of avoided phrases per 1,000 words. Limits are only lowered.
LIMITS = {"pages": 1.5, "scala": 1.0, "python": 1.0, "errors": 0.5}
#: The greatest number of words of all pages for users, and of one page.
MOST, MOST_OF_A_PAGE = 45_000, 2_500
#: The greatest number of words of the changes of a release, as ``wc -w`` counts them.
MOST_OF_A_RELEASE = 800
#: Lists for lookup, which nobody reads from the first to the last line.
_LISTS = {"docs/errors.md", "docs/README.md"}
_UNREAD = re.compile(r"^```.*?^```$|<!--.*?-->", re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("part", LIMITS)
def test_no_part_is_harder_to_read_than_before(part: str) -> None:
    """No part exceeds its limit; ``python tests/python/docs/prose.py PART`` prints the matches."""
    assert prose.rate(prose.PARTS[part]()) <= LIMITS[part]


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("Set the lateness to one day, so that the window stays open.", 0),
        ("What comes later is handed back.", 4),
        ("Of triggers two things may not be told.", 2),
        ("The column is no timestamp.", 1),
        ("What is the watermark?", 1),
        ("It is not a timestamp, and the watermark is reported.", 0),
    ],
)
def test_phrases_are_found(text: str, times: int) -> None:
    """Avoided phrases are found, and plain sentences are not reported."""
    assert len(prose.found(text)) == times


def words(text: str) -> int:
    """Return the number of words of a page, without its code and the marks of its tables."""
    return sum(any(map(str.isalnum, word)) for word in _UNREAD.sub("", text).split())


def for_users() -> dict[str, int]:
    """Return the number of words of each page for users, except lists for lookup."""
    every: list[Path] = [prose.ROOT / "README.md", *(prose.ROOT / "docs").rglob("*.md")]
    names = {str(page.relative_to(prose.ROOT)): page for page in every}
    return {
        name: words(page.read_text(encoding="utf-8"))
        for name, page in names.items()
        if not name.startswith(("docs/project/", "docs/reference/")) and name not in _LISTS
    }


def test_users_have_little_to_read() -> None:
    """The pages for users are short, all together and each one; a reference may be long."""
    pages = for_users()
    assert len(pages) > 60
    assert sum(pages.values()) <= MOST
    long = {name for name, count in pages.items() if count > MOST_OF_A_PAGE}
    assert {name for name in long if not name.startswith("docs/reference/")} == set()
    assert words("two words\n```python\ncode\n```\n<!-- hidden: python\nmore code\n-->\n") == 2


def test_a_release_has_few_changes_to_read() -> None:
    """The section of each release in CHANGELOG.md is short."""
    _, *releases = (prose.ROOT / "CHANGELOG.md").read_text(encoding="utf-8").split("\n## ")
    assert releases[-1].startswith("0.1.0")
    assert {r.partition("\n")[0] for r in releases if len(r.split()) > MOST_OF_A_RELEASE} == set()
    changes = re.findall(r"^\* .*(?:\n  .*)*", "\n".join(releases), re.MULTILINE)
    assert len(changes) > 20
    assert [change for change in changes if not change.endswith(".")] == []
