"""The steps of RELEASE.md fit the files that they change."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from textwrap import dedent

import pytest
from hatchling.metadata.core import ProjectMetadata
from hatchling.plugin.manager import PluginManager

import windrow as wr
from programs import ROOT

#: What only a reader with a checkout needs.
CHECKOUT = re.compile(
    r"scripts/build|\bdist\b|file:/|--repositories|resolvers|first build|checkout"
    r"|(registry|Central|released) yet|yet released"
)


def test_pages_install_from_the_registries(tmp_path: Path) -> None:
    """The block of RELEASE replaces everything about a checkout in the pages that it names."""
    text = (ROOT / "RELEASE.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^   ```sh\n(   perl .*?)^   ```", text, re.DOTALL | re.MULTILINE)
    command = dedent(block)
    pages = command.splitlines()[-1].split()[1:]
    assert len(pages) == 5
    for page in pages:
        (tmp_path / page).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / page, tmp_path / page)
    subprocess.run(["/bin/sh", "-ec", command], cwd=tmp_path, check=True)
    texts = {page: (tmp_path / page).read_text(encoding="utf-8") for page in pages}
    users = {page: text.partition("## Work on")[0] for page, text in texts.items()}
    assert {page for page, text in users.items() if CHECKOUT.search(text)} == set()
    install = 'pip install "windrow[spark]"'
    for page in ("README.md", "docs/start.md"):
        assert f"```sh\n{install}\n```" in texts[page]
    assert "This command installs Windrow and PySpark 4.3:\n" in texts["docs/start.md"]
    packaging = texts["docs/packaging.md"]
    assert f"```sh\n{install} pyspark==4.0.2\n```" in packaging
    assert f"spark-submit --packages io.windrow:windrow_2.13:{wr.__version__} \\\n" in packaging


@pytest.mark.parametrize("repository", ["", "https://example.org/windrow"])
def test_the_long_description_has_no_relative_links(repository: str, tmp_path: Path) -> None:
    """A registry shows README without pictures, and links to files as text or with an address.

    RELEASE has the replacement with the address.
    """
    settings = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    if repository:
        release = (ROOT / "RELEASE.md").read_text(encoding="utf-8")
        (line,) = re.findall(r"^ +(replacement = .*)$", release, re.MULTILINE)
        line = line.replace("https://…", repository)
        (own,) = (each for each in settings.splitlines() if "(?!https:|#)" in each)
        settings = settings.replace(own, own.replace(r"replacement = '\1'", line))
        assert line in settings
    (tmp_path / "pyproject.toml").write_text(settings, encoding="utf-8")
    for name in ("README.md", "LICENSE", "python/windrow/_version.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    metadata = ProjectMetadata(str(tmp_path), PluginManager()).core
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    files = re.findall(r"(?<!!)\[[^\]]+\]\((?!https:|#)([^)]+)\)", readme)
    assert len(files) > 20
    base = f"{repository}/blob/v{wr.__version__}/"
    links = re.findall(r"\]\(([^)]*)\)", metadata.readme)
    assert links == ([base + file for file in files] if repository else [])
    assert metadata.readme_content_type == "text/markdown"
