"""How Sphinx builds the site: ``scripts/docs``."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

DOCS = Path(__file__).parent
sys.path[:0] = [str(DOCS), str(DOCS.parent / "python")]

import made  # noqa: E402  modules of this folder
import offline  # noqa: E402
import page_parts  # noqa: E402
import searching  # noqa: E402
import windrow  # noqa: E402

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project = "Windrow"
author = "the Windrow authors"
version = release = windrow.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
exclude_patterns = ["README.md"]  # index.md has it

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3

autodoc_default_options = {"members": True, "member-order": "bysource"}
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
add_module_names = False
napoleon_use_rtype = False
napoleon_use_ivar = True
maximum_signature_line_length = 88

html_theme = "furo"
html_title = f"Windrow {release}"
html_static_path = ["_static"]
html_css_files = ["windrow.css"]
html_search_scorer = str(DOCS / "scorer.js")
html_copy_source = False
html_show_copyright = False
pygments_style = "tango"
pygments_dark_style = "github-dark"

#: Texts at the top of the checkout, and the pages that hold them here.
_ABOVE = {
    "README": "index",
    "SEMANTICS": "project/semantics",
    "CHANGELOG": "project/changelog",
    "CONTRIBUTING": "project/contributing",
}


def _within(name: str, text: str) -> str:
    """Turn links to texts above ``docs`` into links to the pages that hold them."""
    up = "../" * name.count("/")

    def page(link: re.Match[str]) -> str:
        return f"]({up}{_ABOVE[link[1]]}.md{link[2] or ''})"

    return re.sub(rf"\]\((?:\.\./)+({'|'.join(_ABOVE)})\.md(#[^)]*)?\)", page, text)


def _read(app: Sphinx, name: str, source: list[str]) -> None:
    for file in made.files(source[0]):
        app.env.note_dependency(file)
    text = made.filled(_within(name, page_parts.drawn(source[0])))
    # A search term within the title of a picture would end the script that marks search terms.
    source[0] = text.replace("<title>", '<title class="nohighlight">')


def _included(_app: Sphinx, path: Path, _parent: str, source: list[str]) -> None:
    source[0] = _within("", source[0]) if Path(path).name == "README.md" else source[0]


def _public(
    _app: Sphinx, _what: str, _name: str, _of: object, _options: object, said: str, gives: str
) -> tuple[str, str]:
    """Hide the fields of what is not made by its constructor."""
    return ("" if said and re.search(r"[(,]\s*_\w", said) else said), gives


def setup(app: Sphinx) -> None:
    """Draw pictures, adapt links, and fail if the site would load files from another host."""
    searching.connect(app)
    app.connect("autodoc-process-signature", _public)
    app.connect("source-read", _read)
    app.connect("include-read", _included)
    app.connect("build-finished", offline.check)
