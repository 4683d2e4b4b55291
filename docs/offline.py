"""The site does not load any file from another host."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx

_HOST = r"(?:https?:)?//[^\s\"')>]+"
_FETCHED = re.compile(
    rf"<(?:script|img|iframe|source|audio|video|embed)\b[^>]*\bsrc=[\"']?({_HOST})"
    rf"|<link\b(?![^>]*rel=[\"']?canonical)[^>]*\bhref=[\"']?({_HOST})"
    rf"|@import\s+(?:url\()?[\"']?({_HOST})"
    rf"|url\([\"']?({_HOST})",
    re.IGNORECASE,
)


def fetched(text: str) -> list[str]:
    """Return the files that a page or style sheet loads from other hosts. Links do not count."""
    return [next(filter(None, found)) for found in _FETCHED.findall(text)]


def check(app: Sphinx, failed: Exception | None) -> None:
    """Fail the build if a file loads something from another host."""
    if failed is not None:
        return
    files = [path for path in Path(app.outdir).rglob("*") if path.suffix in (".html", ".css")]
    found = {path.name: fetched(path.read_text(encoding="utf-8")) for path in files}
    wrong = {name: hosts for name, hosts in found.items() if hosts}
    if wrong:
        raise RuntimeError(f"the site would fetch from other hosts: {wrong}")
