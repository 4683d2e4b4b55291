"""Policy windows in queries: panes, events, limits (R66), periods (R69), restarts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F

import windrow as wr
from windrow import ByCount, ByDelta, ByPunctuation, ByTime, KeyLimits, Policy

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.slow]

SCHEMA = "symbol string, price double, mark boolean, n bigint"


class Quotes:
    """A folder of quotes with one file per batch, and a query that reads the new ones."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        """Start without quotes."""
        self.spark, self.folder, self.count = spark, folder, 0
        self.panes: list[Row] = []
        self.events: list[Row] = []
        (folder / "in").mkdir()

    def stream(self) -> wr.streams.Stream:
        """Return the stream, without time and watermark."""
        df = self.spark.readStream.schema(SCHEMA).json(str(self.folder / "in"))
        return wr.stream(
            df, key="symbol", rowId=wr.RowId(source=F.lit(""), partition=F.lit(0), offset="n")
        )

    def add(self, *quotes: tuple[str, float] | tuple[str, float, bool]) -> None:
        """Write a file with quotes, in order."""
        rows = []
        for quote in quotes:
            self.count += 1
            mark = quote[2] if len(quote) > 2 else False
            rows.append((quote[0], quote[1], mark, self.count))
        df = self.spark.createDataFrame(rows, SCHEMA).coalesce(1)
        df.write.mode("append").json(str(self.folder / "in"))

    def run(self, policy: Policy) -> None:
        """Process the new quotes, starting from the checkpoint of the previous run."""
        out = (
            self.stream()
            .window(policy)
            .aggregate(F.collect_list("price").alias("prices"), F.sum("price").alias("total"))
        )

        def panes(batch: DataFrame, _: int) -> None:
            self.panes += batch.collect()

        def events(batch: DataFrame, _: int) -> None:
            self.events += batch.orderBy("symbol", "sequence").collect()

        query = out.start(
            checkpoint=str(self.folder / "checkpoint"),
            panes=panes,
            events=events,
            availableNow=True,
        )
        query.awaitTermination()


@pytest.fixture
def quotes(spark: SparkSession, tmp_path: Path) -> Quotes:
    """Return an empty folder of quotes."""
    return Quotes(spark, tmp_path)


def shown(rows: list[Row]) -> list[tuple[Any, ...]]:
    """Return the compared columns of panes."""
    return sorted((r.symbol, r.window.number, r.prices, r.total, r.pane.timing) for r in rows)


@pytest.mark.anywhere
def test_a_tumbling_policy_over_restarts(quotes: Quotes) -> None:
    """A window stays open over restarts, and the numbers of its events continue."""
    policy = Policy.tumbling(ByCount(3))
    quotes.add(("a", 1.0), ("b", 10.0), ("a", 2.0))
    quotes.run(policy)
    assert quotes.panes == []
    quotes.add(("a", 3.0), ("a", 4.0))
    quotes.run(policy)
    assert shown(quotes.panes) == [("a", 0, [1.0, 2.0, 3.0], 6.0, "ON_TIME")]
    assert [
        (e.symbol, e.window.number, e.event, e.sequence, len(e.messages)) for e in quotes.events
    ] == [
        ("a", 0, "INSERTION", 0, 1),
        ("a", 0, "INSERTION", 1, 1),
        ("b", 0, "INSERTION", 0, 1),
        ("a", 0, "INSERTION", 2, 1),
        ("a", 0, "EVICTION", 3, 3),
        ("a", 1, "INSERTION", 4, 1),
    ]
    assert [m.price for m in quotes.events[4].messages] == [1.0, 2.0, 3.0]


@pytest.mark.anywhere
def test_the_last_messages_once_the_price_has_moved(quotes: Quotes) -> None:
    """A sliding window fires before the row that moves the price."""
    policy = Policy.sliding(ByCount(2), trigger=ByDelta("price", 1.0))
    quotes.add(("a", 1.0), ("a", 1.5), ("a", 2.5), ("a", 2.6), ("a", 5.0))
    quotes.run(policy)
    assert [(p[1], p[2]) for p in shown(quotes.panes)] == [(0, [1.0, 1.5]), (1, [2.5, 2.6])]


def test_markers(quotes: Quotes) -> None:
    """A marker is the last row of its key's window, and empties only that window (P1)."""
    quotes.add(("a", 1.0), ("b", 7.0), ("a", 2.0), ("a", 0.5, True), ("a", 3.0), ("c", 4.0, True))
    quotes.run(Policy.tumbling(ByPunctuation("mark")))
    assert shown(quotes.panes) == [
        ("a", 0, [1.0, 2.0, 0.5], 3.5, "ON_TIME"),
        ("c", 0, [4.0], 4.0, "ON_TIME"),
    ]


@pytest.mark.anywhere
def test_limits_of_all_keys(quotes: Quotes) -> None:
    """The oldest key is evicted when there are too many keys."""
    policy = Policy.tumbling(ByCount(9), limit=KeyLimits(maxKeys=2))
    quotes.add(("a", 1.0), ("b", 2.0), ("c", 3.0))
    quotes.run(policy)
    assert [
        (e.symbol, len(e.messages)) for e in quotes.events if e.event == "PARTITION_EVICTION"
    ] == [("a", 1)]


def test_a_period_ends_without_messages(quotes: Quotes) -> None:
    """A query with a period continues without data."""
    seen: list[Row] = []

    def take(batch: DataFrame, _: int) -> None:
        seen.extend(batch.collect())

    quotes.add(("a", 1.0), ("a", 2.0))
    out = (
        quotes.stream()
        .window(Policy.tumbling(ByTime("1 second")))
        .aggregate(F.sum("price").alias("total"))
    )
    query = out.start(checkpoint=str(quotes.folder / "periods"), panes=take)
    try:
        for _ in range(60):
            if any(row.total for row in seen):
                break
            query.awaitTermination(1)
    finally:
        query.stop()
    assert [row.total for row in seen if row.total] == [3.0]


def test_replays_have_no_effect(quotes: Quotes) -> None:
    """A row whose offset was already processed is ignored."""
    policy = Policy.tumbling(ByCount(2))
    quotes.add(("a", 1.0))
    quotes.run(policy)
    quotes.count = 0
    quotes.add(("a", 1.0), ("a", 2.0))
    quotes.run(policy)
    assert shown(quotes.panes) == [("a", 0, [1.0, 2.0], 3.0, "ON_TIME")]


@pytest.mark.anywhere
def test_batches_of_input(spark: SparkSession) -> None:
    """A batch is a single step, followed by the end of the input."""
    rows = [("a", 1.0, False, 1), ("a", 2.0, False, 2), ("a", 3.0, False, 3)]
    stream = wr.stream(
        spark.createDataFrame(rows, SCHEMA),
        key="symbol",
        rowId=wr.RowId(source=F.lit(""), partition=F.lit(0), offset="n"),
    )
    out = stream.window(Policy.tumbling(ByCount(2))).aggregate(F.sum("price").alias("total"))
    assert [(r.window.number, r.total) for r in out.panes.collect()] == [(0, 3.0)]
    assert [e.event for e in out.events.orderBy("sequence").collect()][-1] == "FINAL"


def test_rejected_policies(quotes: Quotes) -> None:
    """Errors name the column, its type, and arguments that do not apply."""

    def measured(column: str) -> wr.Output:
        policy = Policy.tumbling(ByDelta(column, 1.0))
        return quotes.stream().window(policy).aggregate(F.sum("price"))

    with pytest.raises(wr.SpecError, match=r"COLUMN_NOT_FOUND.*'cost'"):
        measured("cost").panes  # noqa: B018
    with pytest.raises(wr.SpecError, match=r"COLUMN_TYPE.*'symbol' of type STRING"):
        measured("symbol").panes  # noqa: B018
    with pytest.raises(wr.SpecError, match="does not work with windows by policies"):
        quotes.stream().lateness("1 minute").window(Policy.tumbling(ByCount(1))).aggregate(
            F.sum("price")
        )
    counted = quotes.stream().window(wr.Count(2)).aggregate(F.sum("price"))
    with pytest.raises(wr.SpecError, match="NO_EVENTS"):
        counted.events  # noqa: B018
    with pytest.raises(wr.SpecError, match="NO_EVENTS"):
        counted.start(checkpoint="nowhere", events="events")
    with pytest.raises(wr.SpecError, match="TIME_NOT_STATED"):
        quotes.stream().lateness("0 seconds").window(wr.Tumbling("1 minute")).aggregate(
            F.sum("price")
        )


def test_explain_of_policies(quotes: Quotes, capsys: pytest.CaptureFixture[str]) -> None:
    """``explain`` does not mention a watermark for a policy window."""
    quotes.stream().window(Policy.tumbling(ByCount(3))).aggregate(F.sum("price")).explain()
    said = capsys.readouterr().out
    assert "all rows leave once there are 3" in said
    assert "watermark" not in said
