"""Pictures of deduplications and patterns show what a batch query over the rows keeps or finds."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import pytest

import windrow as wr

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

SCHEMA = "time timestamp, product string, n int"
NINE = datetime(2025, 1, 1, 9)  # noqa: DTZ001  times of pictures are UTC


@pytest.mark.parametrize("keep", ["first", "last"])
def test_dedup(spark: SparkSession, keep: wr.deduplicated.Keep) -> None:
    """The kept rows of the picture are those of the query; each row is a batch of its own."""
    minutes = [0, 4, 13, 6, 30, 22, 22, 41]
    df = spark.createDataFrame(
        [(NINE + timedelta(minutes=m), "a", i) for i, m in enumerate(minutes)], SCHEMA
    )
    once = (
        wr.stream(df, time="time", key="product")
        .lateness("1 hour")
        .dedup("10 minutes", keep=keep, orderBy="n" if keep == "first" else ())
    )
    picture = once.plot([str(NINE + timedelta(minutes=m)) for m in minutes])
    fates = re.findall(r'data-fate="(\w+)"', picture.svg)
    # By hand: 09:04 and 09:06 are within 10 minutes of 09:00, 09:22 of 09:30 and 09:13.
    if keep == "first":
        assert fates == [
            "kept",
            "duplicate",
            "kept",
            "duplicate",
            "kept",
            *["duplicate"] * 2,
            "kept",
        ]
    else:
        kept = {row.time.strftime("%H:%M") for row in once.rows.collect()}
        shown = [m for m, fate in zip(minutes, fates, strict=True) if fate == "kept"]
        assert {(NINE + timedelta(minutes=m)).strftime("%H:%M") for m in shown} == kept
    assert f"{fates.count('kept')} of 8 rows kept" in picture.svg
    assert "kept" in once.plot().svg


def test_matches(spark: SparkSession) -> None:
    """Matches are drawn by key with the names of their rows."""
    df = spark.createDataFrame([], SCHEMA)
    stream = wr.stream(df, time="time", key="product").lateness("1 hour")
    found = stream.match("A B+", define={"B": "n > PREV(n)"}, within="10 minutes")
    values = [("a", 1), ("a", 2), ("b", 7), ("a", 5), ("b", 3), ("a", 4), ("b", 9)]
    rows = [
        {"time": str(NINE + timedelta(minutes=i)), "product": key, "n": n}
        for i, (key, n) in enumerate(values)
    ]
    picture = found.plot(rows)
    assert "A B+: 2 matches in 7 rows" in picture.svg
    names = re.findall(r'class="name"[^>]*>(\w+)<', picture.svg)
    assert names == ["A", "B", "B", "A", "B"]  # a: 1 2 5, b: 3 9
    assert picture.svg.count('class="match"') == 2 + 1  # with the legend
    tips = re.findall(r"<title>([^<]*)</title>", picture.svg)
    assert "09:00 to 09:03" in tips
    assert "09:04 to 09:06" in tips
    assert found.plot(spark.createDataFrame(df.collect(), SCHEMA)).svg.count('class="match"') == 1
