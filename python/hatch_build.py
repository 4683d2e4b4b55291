"""Build the thin JAR for a wheel, and add it to the package."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_SOURCES = (
    *("build.sbt", "project/*.*", "jvm/*/src/main/**/*.*"),
    "python/windrow/error-conditions.json",
)


class JarHook(BuildHookInterface):  # type: ignore[type-arg, misc, unused-ignore]
    """The hook of Hatchling, which runs ``scripts/build jar`` if a source is newer than the JAR."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        """Build the JAR, and add it to the wheel although git ignores it."""
        root = Path(self.root)
        jar = Path("python/windrow/jars") / f"windrow-{self.metadata.version}.jar"
        if _stale(root / jar, root):
            self.app.display_info("building the JAR (scripts/build jar)")
            subprocess.run([root / "scripts" / "build", "jar"], cwd=root, check=True)  # noqa: S603
        if not (root / jar).is_file():
            msg = f"scripts/build jar made no {jar}: do build.sbt and _version.py agree?"
            raise FileNotFoundError(msg)
        build_data["artifacts"].append(jar.as_posix())


def _stale(jar: Path, root: Path) -> bool:
    """Return whether the JAR is missing or older than one of its sources."""
    if not jar.is_file():
        return True
    sources = (file for pattern in _SOURCES for file in root.glob(pattern) if file.is_file())
    return max((file.stat().st_mtime for file in sources), default=0.0) > jar.stat().st_mtime
