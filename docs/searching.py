"""The search of the site: which words lead to a page, and which pages it leaves out."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

from sphinx import addnodes
from sphinx.transforms import SphinxTransform

if TYPE_CHECKING:
    from sphinx.application import Sphinx

DOCS = Path(__file__).parent
_WORDS = DOCS / "search_words.toml"


def words() -> dict[str, list[str]]:
    """Return the words of each page that ``search_words.toml`` lists."""
    with _WORDS.open("rb") as file:
        return tomllib.load(file)


class Words(SphinxTransform):
    """Add the words of a page to the index as main entries, because Sphinx ranks these first."""

    default_priority = 500  # before Sphinx collects the index

    def apply(self, **_kwargs: object) -> None:
        """Add one entry for each word; it leads to the top of the page."""
        self.env.note_dependency(str(_WORDS))
        listed = words().get(self.env.docname, [])
        if listed:
            entries = [("single", word, "", "main", None) for word in listed]
            self.document.append(addnodes.index(entries=entries))


def project() -> set[str]:
    """Return the pages of the section "Project" in ``index.md``."""
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    _, _, section = index.partition(":caption: Project\n")
    return set(section.partition("```")[0].split())


def _unsearched(app: Sphinx, _doctree: object) -> None:
    """Keep the pages for maintainers out of the search.

    They hold half of the words of the site, and Sphinx ranks pages with a word in their text alike,
    so a user who searches would find mostly lists of tests. Maintainers can search the checkout.
    The metadata is set here and not in the pages, because a code host shows it as a table.
    """
    if app.env.docname in project():
        app.env.metadata[app.env.docname]["nosearch"] = True


def connect(app: Sphinx) -> None:
    """Change how the site is searched."""
    app.add_transform(Words)
    app.connect("doctree-read", _unsearched, priority=900)  # after Sphinx has set the metadata
