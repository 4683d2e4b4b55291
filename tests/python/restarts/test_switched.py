"""The checkpoint decides who runs an unchanged query, whatever the setting is later."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from programs import printed
from restarts.switched import FORMS, OFF, ON, switched

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


@pytest.mark.slow
def test_off_and_on(spark: SparkSession, tmp_path: Path) -> None:
    """A query that starts without the setting stays with Spark (SEMANTICS R98)."""
    assert switched(spark, tmp_path, "sql", first=False) == OFF


@pytest.mark.full
@pytest.mark.parametrize(("form", "first"), [("sql", True), ("frame", True), ("frame", False)])
def test_switched(spark: SparkSession, tmp_path: Path, form: str, *, first: bool) -> None:
    """Windrow and Spark continue their own checkpoints, and emit the same rows."""
    assert switched(spark, tmp_path, form, first=first) == (ON if first else OFF)


@pytest.mark.full
def test_switched_on_connect(tmp_path: Path) -> None:
    """The same holds on a Connect server, for DataFrames and for SQL."""
    said = printed("accelerated.py", FOLDER=str(tmp_path), PART="switches")
    assert said[-4:] == [ON, OFF] * len(FORMS)
