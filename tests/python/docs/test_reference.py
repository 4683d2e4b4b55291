"""The reference lists exactly the figures, columns, and settings of the code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest

from page_parts import cells
from programs import ROOT
from windrow import figures, setup
from windrow._watching._status import Status
from windrow.figures import BatchProgress, SourceProgress

REFERENCE = ROOT / "docs" / "reference"
_TABLE = re.compile(r"(?:^\|[^\n]*\n)+", re.MULTILINE)
_INTERNAL = {"spark.windrow.testing"}


def section(page: str, title: str) -> str:
    """Return the text of a section."""
    text = (REFERENCE / page).read_text(encoding="utf-8")
    _, heading, rest = text.partition(f"\n## {title}\n")
    assert heading, title
    return rest.partition("\n## ")[0]


def column(text: str, name: str) -> Iterator[str]:
    """Yield the names in backquotes that a column of the tables has."""
    for table in _TABLE.findall(text):
        head, rows = cells(table)
        if name in head:
            for row in rows:
                yield from re.findall(r"`([^`]+)`", row[head.index(name)])


def listed(page: str, name: str) -> set[str]:
    """Return the names that a column has on a whole page."""
    return set(column((REFERENCE / page).read_text(encoding="utf-8"), name))


# Metrics


def public(kind: type) -> set[str]:
    """Return the public fields and properties of a class."""
    properties = {name for name, value in vars(kind).items() if isinstance(value, property)}
    return {name for name in properties | {f.name for f in fields(kind)} if name[0] != "_"}


@pytest.mark.parametrize(
    ("name", "kind"), [("batch", BatchProgress), ("status", Status), ("source", SourceProgress)]
)
def test_fields_of_a_status(name: str, kind: type) -> None:
    """Every field has a row."""
    assert listed("metrics.md", name) == public(kind)


def scala(path: str) -> str:
    """Return a file of Scala."""
    return next(ROOT.glob(f"jvm/*/src/main/scala/**/{path}")).read_text(encoding="utf-8")


def quoted(path: str, start: str) -> list[str]:
    """Return the texts in quotes between a piece of code and the next empty line."""
    return re.findall(r'"(\w+)"', scala(path).partition(start)[2].partition("\n\n")[0])


def counts() -> set[str]:
    """Return the names of the counts of aggregates and of joins."""
    of_all = quoted("CountColumns.scala", "// The names of the counts of rows")
    assert len(of_all) > 5
    timings = {timing.lower() for timing in ("EARLY", "ON_TIME", "LATE")}
    return {*of_all, *figures.REASONS, *timings, "withdrawn"}


def test_gauges_and_observed_metrics() -> None:
    """Every gauge and every observed metric has a row, and no other name does."""
    levels = quoted("Levels.scala", "object Levels")
    assert len(levels) > 5
    assert listed("metrics.md", "gauge") == {
        *("open_windows", "input.<stream>.watermark_ms"),
        *counts(),
        *levels,
    }
    (kinds,) = re.findall(
        r"CountColumns\(CountColumns.Rows, (.*)\)", scala("dedup/DedupProgram.scala")
    )
    copies = re.findall(r'"(\w+)"', kinds)
    observed = {"open_windows", "open_windows_change", "watermark", *copies, *counts()}
    assert listed("metrics.md", "observed metric") == observed


def test_every_figure_has_a_remedy_that_exists() -> None:
    """Each alert of the runbook is linked from a figure."""
    linked = set(re.findall(r"runbook\.md#([\w-]+)", (REFERENCE / "metrics.md").read_text()))
    alerts = (ROOT / "docs/runbook.md").read_text().partition("## Alerts")[2].partition("\n## ")[0]
    anchors = set(re.findall(r"^\| \[[^\]]+\]\(#([\w-]+)\)", alerts, re.MULTILINE))
    assert anchors - linked == {"dead-letters"}  # of a table, not of a query


# Settings


def test_settings() -> None:
    """Each setting that the code reads or makes has a row, with its value."""
    page = "settings.md"
    own = section(page, "Settings of Windrow")
    sources = [
        *ROOT.glob("jvm/core/src/main/**/*.scala"),
        *ROOT.glob("jvm/spark/src/main/**/*.scala"),
    ]
    texts = "\n".join(path.read_text(encoding="utf-8") for path in sources)
    read = set(re.findall(r'"(spark\.windrow\.[\w.]+)"', texts))
    guards = re.findall(r'extends Guard\(\s*"(\w+)",\s*"(\w+)",\s*(\d+)\)', texts)
    assert len(guards) == 4
    read |= {f"spark.windrow.{name}" for name, _, _ in guards}
    assert set(column(own, "setting")) == read - _INTERNAL
    for name, code, default in guards:
        assert f"| `spark.windrow.{name}` | {int(default):,} |" in own
        limits = (ROOT / "docs/reference/limits.md").read_text(encoding="utf-8")
        assert re.search(rf"`spark\.windrow\.{name}` \| {int(default):,} \|.*{code}", limits)
    made = {"spark.jars", *setup._SETTINGS, *setup._settings_with_jar()}
    assert (
        set(column(section(page, "Settings of Spark that `wr.configure` sets"), "setting")) == made
    )


# Columns


def described(title: str) -> set[str]:
    """Return the columns that a section of the page of columns names."""
    return set(column(section("output-columns.md", title), "column"))


def test_columns() -> None:
    """The page names the columns that the code writes by name."""
    fields = re.findall(r'"(\w+)" *->', scala("stream/Outputs.scala"))
    bounds = ["start", "end", "last"]
    inside = {"timing", "index", "is_last", "is_retraction", "is_gap"}
    assert inside < set(fields)
    panes = {f"pane.{name}" if name in inside else f"window.{name}" for name in [*fields, *bounds]}
    assert described("Panes") == {"window_name", "window", "pane", "messages", "message", *panes}
    assert described("Rejected rows") == set(
        quoted("OutputColumns.scala", "KnownNotNull(reason)")
    ) | {
        "stream",
        "window_name",
        "reason",
    }
    events = re.findall(r'"(\w+)"\)\(\)', scala("spark/policy/Policies.scala"))
    assert described("Events") == {"window.number", *events}
    answer = scala("query/Answer.scala")
    windows = answer.partition("case class Windows")[2].partition("\n\n  def")[0]
    names = set(re.findall(r'add\("(\w+)"', windows.partition("private[query]")[0]))
    assert described("Stored windows") == {"count", *names}
    moments = {"window", "timing", "watermark", "processing_time"}
    assert described("Pending panes") == moments
    assert described("Restart offsets") == {"source", "partition", "offset"}


@pytest.mark.parametrize("path", sorted(REFERENCE.glob("*.md")), ids=lambda path: str(path.stem))
def test_pages_are_in_the_index(path: Path) -> None:
    """Every page of the reference is linked from the index."""
    for index in ("README.md", "index.md"):
        assert f"reference/{path.stem}" in (ROOT / "docs" / index).read_text(encoding="utf-8")
