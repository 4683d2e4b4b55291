"""Prints what a pyproject.toml requires, with those of its groups and extras that are named."""

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def requirements(whole: dict[str, Any], name: str) -> Iterator[str]:
    """Give the requirements of a group or extra, those that it names in turn included."""
    project, groups = whole["project"], whole["dependency-groups"]
    lines = groups[name] if name in groups else project["optional-dependencies"][name]
    for line in lines:
        own = None if isinstance(line, dict) else re.fullmatch(rf"{project['name']}\[(.+)\]", line)
        if isinstance(line, dict):
            yield from requirements(whole, line["include-group"])
        elif own:
            for extra in own[1].split(","):
                yield from requirements(whole, extra.strip())
        else:
            yield line


if __name__ == "__main__":
    said = tomllib.loads(Path(sys.argv[1]).read_text())
    lines = list(said["project"]["dependencies"])
    for name in sys.argv[2:]:
        lines += requirements(said, name)
    print("\n".join(dict.fromkeys(lines)))
