"""Prints the requirements of a pyproject.toml and of those of its extras that are named."""

import re
import sys
import tomllib
from pathlib import Path
from typing import Any


def of_extra(project: dict[str, Any], extra: str) -> list[str]:
    """Return the requirements of an extra, those of extras that it names in turn included."""
    found: list[str] = []
    for line in project["optional-dependencies"][extra]:
        own = re.fullmatch(re.escape(project["name"]) + r"\[(.+)\]", line)
        for name in own[1].split(",") if own else []:
            found += of_extra(project, name.strip())
        if not own:
            found.append(line)
    return found


if __name__ == "__main__":
    project = tomllib.loads(Path(sys.argv[1]).read_text())["project"]
    lines = list(project["dependencies"])
    for extra in sys.argv[2:]:
        lines += of_extra(project, extra)
    print("\n".join(dict.fromkeys(lines)))
