"""The built site is complete, and its search finds the right page first."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

import searching

pytestmark = pytest.mark.slow

DOCS = Path(__file__).parents[3] / "docs"
#: Queries without an entry of their own, which users type as well.
PLAIN = {
    "late": "guides/late-data",
    "cluster": "guides/cluster",
    "security": "security",
    "KeyLimits": "reference/python",
    "SPEC_CHANGED": "errors",
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the site; a warning of the build is a failure."""
    folder = tmp_path_factory.mktemp("docs")
    options = ["-W", "--keep-going", "-q", "-b", "html", "-d", str(folder / "read")]
    run = subprocess.run(
        [sys.executable, "-m", "sphinx", *options, str(DOCS), str(folder / "site")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stderr) == (0, "")
    return folder / "site"


@pytest.mark.full
def test_the_site_is_whole(site: Path) -> None:
    """Each link has a target and no file is fetched, or the build fails; pictures are embedded."""
    page = (site / "windows/tumbling.html").read_text(encoding="utf-8")
    source = (DOCS / "windows/tumbling.md").read_text(encoding="utf-8")
    assert page.count('class="picture"') == source.count("<!-- picture: ") > 0


@pytest.mark.parametrize(
    ("page", "text"), [("coverage", ">S1<"), ("mutants", ">caught by<"), ("growth", "<svg")]
)
@pytest.mark.full
def test_tables_are_made_from_data(site: Path, page: str, text: str) -> None:
    """The long lists for contributors are in the site, although the checkout has only the data."""
    source = (DOCS / f"project/{page}.md").read_text(encoding="utf-8")
    built = (site / f"project/{page}.html").read_text(encoding="utf-8")
    assert text not in source
    assert built.count(text) > 0
    assert built.count("<tr") > 5


def found(site: Path, queries: Iterable[str]) -> dict[str, list[str]]:
    """Return the pages that each query finds with the search of the site, best first."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed, and only it can run the search of the site")
    run = subprocess.run(
        [node, str(Path(__file__).parent / "search.mjs"), str(site)],
        input=json.dumps(list(queries)),
        capture_output=True,
        text=True,
        check=True,
    )
    pages: dict[str, list[str]] = json.loads(run.stdout)
    return pages


def wrong(site: Path, pages: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the first pages of each query that finds another page than the given one first."""
    answers = found(site, pages)
    return {query: answers[query][:3] for query in pages if answers[query][:1] != [pages[query]]}


@pytest.mark.full
def test_the_search_finds_the_right_page_first(site: Path) -> None:
    """Each word that users type leads to its page; a wrong pair is reported."""
    listed = [(word, page) for page, words in searching.words().items() for word in words]
    pages = dict(listed)
    assert len(pages) == len(listed) > 40, "a word leads to one page"
    assert wrong(site, pages | PLAIN) == {}
    assert list(wrong(site, {"late data": "sql"})) == ["late data"]


@pytest.mark.full
def test_pages_for_maintainers_are_not_found(site: Path) -> None:
    """The search leaves out the pages of the section Project."""
    answers = found(site, ["mutants", "state format", "window"])
    assert answers["window"]
    every = {page for pages in answers.values() for page in pages}
    assert every & searching.project() == set()
