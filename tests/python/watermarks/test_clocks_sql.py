# ruff: noqa: S608  the SQL contains only strings of this file
"""Silent inputs and the clock's watermark in SQL: joins, as-of joins, co-groups (R52, R107)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import functions as F

import windrow as wr
from feed import Feed
from windrow._running._rows import RowsOutput

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame, SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.slow]

SCHEMA = dict.fromkeys(("orders", "ships"), "time timestamp, id int")
QUERIES = {
    "join": """windrow_join(TABLE(SELECT * FROM orders LEFT JOIN ships ON orders.id = ships.id
        AND ships.time BETWEEN orders.time AND orders.time + INTERVAL 5 MINUTES),
        lateness => '0 seconds', output => 'all', {})""",
    "asof": """windrow_asof_join(
        TABLE(SELECT * FROM orders LEFT JOIN ships ON orders.id = ships.id),
        time => 'time', early => 'never', lateness => '0 seconds', output => 'all', {})""",
    "cogroup": """windrow_tumble(TABLE(
            SELECT id, count(orders.time) AS orders, count(ships.time) AS ships
            FROM windrow_cogroup(TABLE(orders), TABLE(ships), key => 'id', time => 'time', {})
            GROUP BY id),
        size => '1 hour', lateness => '0 seconds', output => 'all')""",
}


class InSql(RowsOutput):
    """The output of a SQL function, all kinds together."""

    def __init__(self, df: DataFrame) -> None:
        """Store the query."""
        self.df = df

    def _part(self, part: str) -> DataFrame:
        assert part == "all"
        return self.df

    def _explained(self) -> str:
        raise NotImplementedError


def of_sql(name: str, watermark: str) -> Callable[..., InSql]:
    """Return the pipeline of a query with the settings of a watermark."""

    def made(**frames: DataFrame) -> InSql:
        for table, df in frames.items():
            df.createOrReplaceTempView(table)
        session = frames["orders"].sparkSession
        return InSql(session.sql(f"SELECT * FROM {QUERIES[name].format(watermark)}"))

    return made


def found(h: wr.testing.Harness) -> list[tuple[Any, ...]]:
    """Return the new output: ids and times of pairs, or ids and counts."""
    pairs = [
        tuple(None if row[side] is None else f"{row[side]['time']:%H:%M}" for side in SCHEMA)
        for row in h.rows()
    ]
    return sorted(pairs) + sorted((p["id"], p["orders"], p["ships"]) for p in h.panes())


#: The output after two hours without shipments: of 09:00, and of 10:30.
SILENT: dict[str, list[tuple[Any, ...]]] = {
    "join": [("09:00", "09:00"), ("10:30", None)],
    "asof": [("09:00", "09:00"), ("10:30", "09:00")],
    "cogroup": [(1, 1, 0), (1, 1, 1)],
}


@pytest.mark.parametrize("engine", ["core", pytest.param("query", marks=pytest.mark.full)])
@pytest.mark.parametrize("name", QUERIES)
def test_a_silent_table(spark: SparkSession, name: str, engine: Any) -> None:
    """After two hours without shipments, the orders alone move the watermark; until then, not."""
    settings: dict[str, Any] = {"schema": SCHEMA, "now": "2025-01-01 09:00:00", "engine": engine}
    watermark = "watermark => '0 seconds', idle => '2 hours'"
    with wr.testing.harness(of_sql(name, watermark), spark, **settings) as h:
        h.add(("2025-01-01 09:00:00", 1), to="ships")
        h.add(("2025-01-01 09:00:00", 1), to="orders")
        h.advanceProcessingTime("2025-01-01 10:30:00")
        h.add(("2025-01-01 10:30:00", 1), to="orders")
        # the shipments hold the watermark at 09:00, where only the pair of the join is certain
        early = found(h)
        assert early == (SILENT[name][:1] if name == "join" else [])
        assert f"{h.watermark:%H:%M}" == "09:00"
        h.advanceProcessingTime("2025-01-01 12:00:00")
        h.add(("2025-01-01 12:00:00", 2), to="orders")
        assert early + found(h) == SILENT[name]
        h.add(("2025-01-01 10:31:00", 1), to="ships")
        assert [row["reason"] for row in h.rejected()] == ["TOO_LATE"]
        # shipments count again: the watermark stays at the greatest of them, but never goes back
        h.add(("2025-01-01 12:30:00", 2), to="orders")
        assert f"{h.watermark:%H:%M}" == "12:00"


@pytest.mark.parametrize("engine", ["core", pytest.param("query", marks=pytest.mark.full)])
@pytest.mark.parametrize("name", QUERIES)
def test_by_the_clock(spark: SparkSession, name: str, engine: Any) -> None:
    """Orders leave five minutes behind the clock, although shipments never have rows."""
    settings: dict[str, Any] = {"schema": SCHEMA, "now": "2025-01-01 09:00:00", "engine": engine}
    watermark = "processing_time_watermark => '5 minutes'"
    #: When the watermark passes the end of the range, the time of the order, and its hour.
    due = {"join": "09:10", "asof": "09:05", "cogroup": "10:05"}[name]
    hour, minute = due.split(":")
    with wr.testing.harness(of_sql(name, watermark), spark, **settings) as h:
        h.add([("2025-01-01 09:00:00", 1), ("2025-01-01 20:00:00", 2)], to="orders")
        h.advanceProcessingTime(f"2025-01-01 {hour}:{int(minute) - 1:02}:59")
        assert found(h) == []
        h.advanceProcessingTime(f"2025-01-01 {due}:01")
        assert found(h) == ([(1, 1, 0)] if name == "cogroup" else [("09:00", None)])
        h.add(("2025-01-01 09:00:00", 1), to="ships")  # by the clock, it is over
        assert [row["reason"] for row in h.rejected()] == ["TOO_LATE"]
        h.add(("2025-01-01 20:00:00", 2), to="ships")
        h.advanceProcessingTime("2025-01-01 21:05:01")
        assert found(h) == ([(2, 1, 1)] if name == "cogroup" else [("20:00", "20:00")])
        h.restart()
        h.add(("2025-01-01 20:30:00", 2), to="orders")
        assert [row["reason"] for row in h.rejected()] == ["TOO_LATE"]


PROBLEMS = {
    "watermark => '1 minute', processing_time_watermark => '1 minute'": ["WATERMARK_TWICE"] * 2,
    "processing_time_watermark => '-1 minute', idle => '0 s', watermark => '1 minute'": [
        *("IDLE_NOT_POSITIVE", "WATERMARK_NEGATIVE")
    ],
    "processing_time_watermark => 'soon', idle => '1 hour'": [
        *("DURATION_NOT_UNDERSTOOD", "WATERMARK_SETTING_ALONE")
    ],
}


@pytest.mark.parametrize("watermark", PROBLEMS)
@pytest.mark.parametrize("name", QUERIES)
def test_problems(feed: Feed, name: str, watermark: str) -> None:
    """All problems of a watermark are reported in one error, each for the streams that have it."""
    frames = {table: feed.stream().withColumn("id", F.col("amount")) for table in SCHEMA}
    with pytest.raises(AnalysisException) as refused:
        of_sql(name, watermark)(**frames)
    error = wr.errors.from_text(str(refused.value).split("\n\nJVM stacktrace:")[0])
    assert isinstance(error, wr.SpecError)
    assert sorted(one.code for one in error.problems) == PROBLEMS[watermark]
