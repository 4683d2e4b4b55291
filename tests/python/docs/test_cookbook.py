"""Recipes that need a broker, a table format, or a database run with real ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs.alone import DELTA, compare, delta_jars
from programs import python_with
from sinks.databases import jars, served
from torture.broker import broker, connector

pytestmark = [pytest.mark.spark, pytest.mark.full]


def test_billing(tmp_path: Path) -> None:
    """The ledger in PostgreSQL has the totals and their corrections."""
    with served("postgresql", tmp_path / "log") as address:
        places = {"jdbc:postgresql://db/billing": address}
        compare("cookbook/billing.md", tmp_path / "page", [jars("postgresql")], places=places)


def test_kafka_to_delta(tmp_path: Path) -> None:
    """A late order in the topic corrects the row of its window in the Delta table."""
    with broker(tmp_path) as address:
        compare(
            "cookbook/kafka-to-delta.md",
            tmp_path / "page",
            [*delta_jars(), connector()],
            places={"broker:9092": address},
            settings=DELTA,
            python=python_with("4.2.0"),
        )
