"""Finds folders with too many source files, files that are too long, and scattered imports."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

#: Folders that contain everything that a person writes as code.
CODE = ("docs", "examples", "jvm", "project", "python", "scripts", "tests")


def sources(root: Path) -> Iterator[Path]:
    """Yield the source files of a checkout, without those that tools write."""
    for part in CODE:
        for file in (root / part).rglob("*"):
            inside = file.relative_to(root).parts
            if file.suffix in (".py", ".scala", ".sh") and "target" not in inside:
                yield file


def crowded(root: Path, most: int) -> dict[str, int]:
    """Return the folders that contain more source files than that, without their subfolders."""
    counts = Counter(file.parent.relative_to(root).as_posix() for file in sources(root))
    return {folder: count for folder, count in counts.items() if count > most}


def long(root: Path, most: int) -> dict[str, int]:
    """Return the source files that have more lines than that."""
    lines = {file: len(file.read_text(encoding="utf-8").splitlines()) for file in sources(root)}
    return {file.relative_to(root).as_posix(): n for file, n in lines.items() if n > most}


def scattered(root: Path) -> dict[str, list[str]]:
    """Return the packages that a Scala file imports in more than one statement at its top."""
    found = {}
    for file in sources(root):
        imported = re.findall(r"^import ([\w.]+)\.", file.read_text(encoding="utf-8"), re.MULTILINE)
        counts = Counter(imported) if file.suffix == ".scala" else Counter[str]()
        if several := sorted(package for package, count in counts.items() if count > 1):
            found[file.relative_to(root).as_posix()] = several
    return found
