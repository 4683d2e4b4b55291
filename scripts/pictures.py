"""Writes the pictures and captions that a code host shows; ``--check`` compares them.

The site draws pictures as it is built (``docs/page_parts.py``). A code host shows only Markdown, so
each picture is also a file in ``docs/pictures``, and each table of rows has a caption. This program
adds missing captions and alternative texts. Edit them in the pages.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from page_parts import Part, caption, parts, pictures

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "pictures"


def pages() -> Iterator[Path]:
    """Yield the README and the pages of the docs."""
    yield ROOT / "README.md"
    yield from sorted((ROOT / "docs").rglob("*.md"))


def made(page: Path, text: str) -> tuple[str, dict[Path, str]]:
    """Return a page with all captions and links to pictures, and the text of each picture file."""
    drawings = [(part.start, drawing) for part, drawing in pictures(text)]
    files = {
        start: FOLDER / f"{page.stem.lower()}-{number}.svg"
        for number, (start, _) in enumerate(drawings, 1)
    }
    shown: list[str] = []
    at = 0
    for part in parts(text):
        start, body = part.start, part.text
        if part.word == "picture":
            body = _image(part, os.path.relpath(files[start], page.parent))
        elif part.above:
            start, body = part.above, f"\n\n{caption(part)}\n\n{part.text}"
        shown += [text[at:start], body]
        at = part.end
    texts = {files[start]: _file(drawing) for start, drawing in drawings}
    return "".join([*shown, text[at:]]), texts


def _file(drawing: Any) -> str:  # noqa: ANN401  what page_parts draws
    """Return the text of a file that shows a drawing, in light and in dark."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "drawing.svg")
        drawing.save(path)
        return path.read_text(encoding="utf-8")


def _image(part: Part, file: str) -> str:
    """Return the comment of a picture, and the image below it."""
    alternative = part.caption or "The picture of the code above"
    return f"<!-- picture: {part.said} -->\n\n![{alternative}]({file})"


def main() -> int:
    """Write the pages and files that differ, or name them."""
    wanted: dict[Path, str] = {}
    for page in pages():
        text, files = made(page, page.read_text(encoding="utf-8"))
        wanted |= {page: text, **files}
    differ = [path for path, text in wanted.items() if _read(path) != text]
    if "--check" in sys.argv:
        names = ", ".join(str(path.relative_to(ROOT)) for path in differ)
        print(f"run scripts/pictures: {names} differ" if differ else "all pictures are there")
        return int(bool(differ))
    for path in differ:
        path.write_text(wanted[path], encoding="utf-8")
    return 0


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else ""


if __name__ == "__main__":
    sys.exit(main())
