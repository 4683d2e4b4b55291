"""Recipes that need a broker, a table format, or a database run with real ones."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from programs import ROOT, build, printed, python_with
from sinks.databases import jars, served
from torture.broker import broker, connector

pytestmark = [pytest.mark.spark, pytest.mark.full]

COOKBOOK = ROOT / "docs" / "cookbook"


def compare(page: Path, made: list[str]) -> None:
    """Demand that a page shows the output of its code. ``WINDROW_WRITE=1`` writes the page."""
    text = "\n".join(made)
    if os.environ.get("WINDROW_WRITE"):
        page.write_text(text, encoding="utf-8")
    assert text == page.read_text(encoding="utf-8")


def test_billing(tmp_path: Path) -> None:
    """The ledger in PostgreSQL has the totals and their corrections."""
    page = COOKBOOK / "billing.md"
    with served("postgresql", tmp_path / "log") as address:
        (tmp_path / "page").mkdir()
        places = json.dumps({"jdbc:postgresql://db/billing": address})
        where = str(page), str(tmp_path / "page"), jars("postgresql")
        compare(page, printed("page.py", *where, "{}", places))


def test_kafka_to_delta(tmp_path: Path) -> None:
    """A late order in the topic corrects the row of its window in the Delta table."""
    page = COOKBOOK / "kafka-to-delta.md"
    build("delta")
    build("kafka")
    files = [*sorted((ROOT / ".build/delta").glob("*.jar")), connector()]
    settings = {
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    }
    for folder in ("broker", "page"):
        (tmp_path / folder).mkdir()
    with broker(tmp_path / "broker") as address:
        where = str(page), str(tmp_path / "page"), ",".join(map(str, files))
        said = json.dumps(settings), json.dumps({"broker:9092": address})
        compare(page, printed("page.py", *where, *said, python=python_with("4.2.0")))
