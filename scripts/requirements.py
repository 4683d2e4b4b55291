"""Print the requirements of a pyproject.toml and of the named groups and extras."""

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def requirements(whole: dict[str, Any], name: str) -> Iterator[str]:
    """Yield the requirements of a group or extra, and of the groups and extras that it includes."""
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
