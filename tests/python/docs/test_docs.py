"""The site of the docs needs no network, and the names that its pages show exist."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import offline
import windrow as wr
from docs import scala_pages
from page_parts import parts

ROOT = Path(__file__).parents[3]
DOCS = ROOT / "docs"


@pytest.mark.parametrize(
    ("text", "hosts"),
    [
        ('<script src="https://cdn.example/a.js"></script>', ["https://cdn.example/a.js"]),
        ('<link rel="stylesheet" href="//fonts.example/a.css">', ["//fonts.example/a.css"]),
        ("@import url(https://fonts.example/b.css)", ["https://fonts.example/b.css"]),
        ("src: url('http://fonts.example/c.woff')", ["http://fonts.example/c.woff"]),
        ('<img src="_static/a.png"><a href="https://spark.apache.org">Spark</a>', []),
        ('<svg xmlns="http://www.w3.org/2000/svg">', []),
    ],
)
def test_what_would_be_fetched_is_found(text: str, hosts: list[str]) -> None:
    """Fetched resources are found; links for readers are not reported."""
    assert offline.fetched(text) == hosts


def test_every_public_name_is_in_the_reference() -> None:
    """The reference has each public name, in a directive or in a sentence."""
    page = (DOCS / "reference/python.md").read_text(encoding="utf-8")
    said = set(re.findall(r"^\.\. auto\w+:: (\w+)|`(\w+)`", page, re.MULTILINE))
    names = {name for pair in said for name in pair}
    assert {name for name in wr.__all__ if not name.startswith("_")} - names == set()


@pytest.mark.full
def test_a_mistake_in_scala_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The compile check (``test_pages.py``) fails for a mistake in Scala code."""
    page = tmp_path / "page.md"
    page.write_text("```scala\nTumbling(1.minuet)\n```\n")
    monkeypatch.setattr(scala_pages, "pages", lambda: [page])
    assert "not a member" in scala_pages.compiled(tmp_path)


def test_names_that_pages_show_exist() -> None:
    """The package's names and the programs that pages show exist."""
    pages = [ROOT / "README.md", *DOCS.rglob("*.md")]
    texts = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    said = set(re.findall(r"\bwr\.([A-Za-z]\w*)", texts))
    assert {name for name in said if not hasattr(wr, name)} == set()
    programs = set(re.findall(r"\bscripts/([a-z]+)\b", texts))
    assert {name for name in programs if not (ROOT / "scripts" / name).exists()} == set()


def test_pictures_are_those_of_the_pages() -> None:
    """The file of each picture and the caption of each table are those of the page."""
    checked = subprocess.run(
        [ROOT / "scripts/pictures", "--check"], capture_output=True, text=True, check=False
    )
    assert (checked.returncode, checked.stdout) == (0, "all pictures are there\n"), checked.stderr


def test_the_panel_and_the_log_show_the_same_query() -> None:
    """The counts of the panel that the page of monitoring shows are those of its line of JSON."""
    every = list(parts((DOCS / "watching.md").read_text(encoding="utf-8")))
    shown = next(part.text for part in every if part.word == "text")
    panel = dict(line.split(maxsplit=1) for line in shown.splitlines())
    log = json.loads(next(part.text for part in every if part.word == "json"))
    read, last = re.findall(r"\d+", panel["read"])
    reasons = ", ".join(f"{reason} {count}" for reason, count in log["reasons"].items())
    assert panel["query"].endswith(f"batch {log['batch']}")
    assert (int(last), log["panes"]) == (log["read"], log["onTime"] + log["late"])
    assert log["read"] == log["accepted"] + log["rejected"]
    assert panel["accepted"] == f"{int(read) - log['rejected']} rows"
    assert panel["rejected"] == f"{log['rejected']} ({reasons})"
    assert panel["open"] == f"{sum(log['openWindows'].values())} windows"
    assert panel["watermark"].replace(" ", "T", 1).startswith(log["watermark"].partition("+")[0])
    assert panel["batch"].startswith(f"{log['batchMs'] / 1000:.2f} s")


def undefined(page: str) -> str:
    """Return the names that the visible Python of a page uses and does not define."""
    shown = (part for part in parts(page) if part.word == "python" and not part.is_hidden)
    checked = subprocess.run(
        [sys.executable, "-m", "ruff", "check", "--isolated", "--select=F821", "-q", "-"],
        input="\n".join(part.text for part in shown),
        capture_output=True,
        text=True,
        check=False,
    )
    return checked.stdout + checked.stderr


@pytest.mark.parametrize(
    "path", sorted(DOCS.glob("cookbook/*.md")), ids=lambda path: str(path.stem)
)
def test_a_recipe_runs_as_it_is_pasted(path: Path) -> None:
    """A recipe imports, creates, or reads each name that it uses."""
    assert undefined(path.read_text(encoding="utf-8")) == ""


def test_undefined_names_are_found() -> None:
    """A name of a hidden part does not count as defined."""
    hidden = "<!-- hidden: python\norders = 1\n-->\n"
    assert "orders" in undefined(f"{hidden}```python\nprint(orders)\n```\n")


def _names(row: str) -> list[str]:
    return re.findall(r"`([\w/]+)`", row.strip("|").split("|")[-1])


def test_words_of_the_code_exist() -> None:
    """Each name in the table of words in CONTRIBUTING is a type or a folder of the code."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = text.partition("| word | meaning | place |\n")[2].partition("\n\n")[0]
    named = {name for line in table.splitlines() for name in _names(line)}
    files = list(ROOT.glob("jvm/*/src/main/scala/**/*.scala"))
    code = "\n".join(path.read_text(encoding="utf-8") for path in files)
    types = set(re.findall(r"\b(?:class|trait|object) (\w+)", code))
    folders = "\n".join(str(path.parent) + "/" for path in files)
    assert len(named) > 20
    assert {name for name in named - types if f"/{name}/" not in folders} == set()
