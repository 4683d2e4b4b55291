"""The harness reads and shows nested values, and records only what a transcript can contain."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyspark.sql import functions as F

import windrow as wr
from windrow._specs._zones import tzinfo_of
from windrow.testing import assertSamePanes, harness
from windrow.testing._rows import Table, line, table, text

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

SCHEMA = "time timestamp, product string, price double"
BERLIN = tzinfo_of("Europe/Berlin")


def sums(df: DataFrame, **more: Any) -> wr.Output:
    """Return the sum of each minute."""
    given: dict[str, Any] = {"time": "time", "key": "product", "watermark": "0 seconds", **more}
    windows = wr.stream(df, **given).lateness("0 seconds").window(wr.Tumbling("1 minute"))
    return windows.aggregate(F.sum("price").alias("sum"))


def order(at: str) -> dict[str, object]:
    """Return an order at a time of day."""
    return {"time": f"2025-01-01 {at}", "product": "tea", "price": 1.0}


def test_times_as_strings_at_any_depth() -> None:
    """A time can be a string inside of a struct, an array, and a map."""
    at, day = pa.timestamp("us", "UTC"), pa.date32()
    schema = pa.schema(
        [
            ("struct", pa.struct([("at", at), ("n", pa.int64())])),
            ("array", pa.list_(pa.struct([("day", day)]))),
            ("map", pa.map_(day, at)),
        ]
    )
    given = {
        "struct": {"at": "2025-07-01 09:00:00", "n": 1},
        "array": [{"day": "2025-07-01"}, None],
        "map": {"2025-07-01": "2025-07-01 09:00:00Z"},
    }
    [found] = table(given, schema, "rows", "Europe/Berlin").to_pylist()
    assert found == {
        "struct": {"at": datetime(2025, 7, 1, 7, tzinfo=UTC), "n": 1},
        "array": [{"day": date(2025, 7, 1)}, None],
        "map": [(date(2025, 7, 1), datetime(2025, 7, 1, 9, tzinfo=UTC))],
    }
    with pytest.raises(wr.MessageError, match="TYPE_NOT_ALLOWED"):
        table({**given, "struct": {"at": "soon", "n": 1}}, schema, "rows", "UTC")


@pytest.mark.parametrize("value", [2.5, Decimal("2.50"), Fraction(5, 2), float("inf")])
def test_an_integer_has_no_fraction(value: object) -> None:
    """A number with a fraction is rejected for an integer, because Arrow would cut some of them."""
    schema = pa.schema([("n", pa.list_(pa.int64()))])
    with pytest.raises(wr.MessageError, match=r"TYPE_NOT_ALLOWED.*n has a"):
        table({"n": [value]}, schema, "rows", "UTC")
    [found] = table({"n": [Decimal("2.00"), 2.0]}, schema, "rows", "UTC").to_pylist()
    assert found == {"n": [2, 2]}


def test_a_report_of_rows_with_a_few_fields_of_a_pane() -> None:
    """A report shows the fields of the pane that a row has."""
    assert line({"n": 1, "pane": {"timing": "LATE", "is_last": True}}, UTC) == "n=1  LATE  is_last"
    with pytest.raises(AssertionError, match=r"missing: +n=2  index=3"):
        assertSamePanes([], [{"n": 2, "pane": {"index": 3}}])


def test_times_without_a_zone_are_compared_as_they_are() -> None:
    """Clocks of Berlin skip 2:30 on this day, but a time without a zone does not."""
    skipped, moved = datetime(2025, 3, 30, 2, 30), datetime(2025, 3, 30, 3, 30)  # noqa: DTZ001
    came = Table.of([{"n": 1, "at": skipped}], "Europe/Berlin")
    assertSamePanes(came, [{"at": "2025-03-30 02:30:00"}])
    with pytest.raises(AssertionError, match="expected 2025-03-30 03:30:00, got 2025-03-30 02:30"):
        assertSamePanes(came, [{"at": moved, "n": 1}])


def test_a_time_that_clocks_show_twice_has_its_offset() -> None:
    """The two times from 2 to 3 o'clock have different texts."""
    found = [text(datetime(2025, 10, 26, hour, 30, tzinfo=UTC), BERLIN) for hour in (0, 1, 2)]
    assert found == ["2025-10-26 02:30:00", "2025-10-26 02:30:00+01:00", "2025-10-26 03:30:00"]


@pytest.mark.slow
def test_intervals(spark: SparkSession) -> None:
    """Both engines return day-time intervals as durations, at any depth."""

    def spans(df: DataFrame) -> wr.Output:
        rows = df.withColumn("d", F.col("time") - F.lit("2025-01-01 09:00:00").cast("timestamp"))
        windows = wr.stream(rows, time="time", watermark="0 seconds").lateness("0 seconds")
        most = F.max("d")
        return windows.window(wr.Tumbling("1 minute")).aggregate(
            most.alias("most"),
            F.collect_list("d").alias("array"),
            F.struct(most.alias("d"), F.lit(1).alias("n")).alias("struct"),
            F.create_map(F.lit("d"), most).alias("map"),
        )

    wait = timedelta(seconds=10)
    for engine in ("core", "query"):
        with harness(spans, spark, schema=SCHEMA, engine=engine) as h:
            [pane] = h.add(order("09:00:10")).finish().panes()
        assert (pane["most"], pane["array"], dict(pane["map"])) == (wait, [wait], {"d": wait})
        assert pane["struct"] == {"d": wait, "n": 1}


def test_a_transcript_after_a_rejected_watermark(spark: SparkSession) -> None:
    """The micro-batches before the rejected step are recorded with their output."""
    with harness(sums, spark, schema=SCHEMA) as h:
        h.add(order("09:00:10")).advanceWatermark("2025-01-01 09:00:30").panes()
        with pytest.raises(wr.SpecError, match="WATERMARK_BACK"):
            h.add(order("09:01:10")).advanceWatermark("2025-01-01 09:00:00").panes()
        assertSamePanes(h.panes(), [{"window": "2025-01-01 09:00:00", "sum": 1.0}])
        h.add(order("09:02:10"))
        told = json.loads(h.transcript("case", value="price", aggregates={"sum": "sum"}))
    times = [row["time"] for step in told["steps"] for row in step["messages"]]
    assert times == [1735722010000000 + 60000000 * minute for minute in range(3)]
    assert sum(len(step["expect"]["panes"]) for step in told["steps"]) == 2


@pytest.mark.parametrize(
    ("pipeline", "named", "what"),
    [
        (lambda df: sums(df.where("price > 0")), {}, "Filter"),
        (lambda df: sums(df, key=F.upper("product").alias("product")), {}, "the key product, "),
        (lambda df: sums(df, time=F.expr("time + interval 1 hour")), {}, "the time time, "),
        (sums, {"time": "at"}, "the time at, "),
        (sums, {"value": "cost"}, "the value cost"),
    ],
)
def test_a_transcript_needs_the_columns_of_the_input(
    spark: SparkSession, pipeline: Callable[..., Any], named: dict[str, str], what: str
) -> None:
    """A transcript cannot contain computed columns, because its replay would not compute them."""
    with harness(pipeline, spark, schema=SCHEMA) as h:
        h.add(order("09:00:10"))
        with pytest.raises(wr.SpecError, match=rf"TRANSCRIPT_NOT_POSSIBLE.*{what}"):
            h.transcript("case", **{"value": "price", "aggregates": {"sum": "sum"}, **named})  # type: ignore[arg-type]


def test_a_transcript_has_no_row_ids(spark: SparkSession) -> None:
    """A transcript cannot contain the ids by which Windrow drops duplicates."""
    identity = wr.RowId(source=F.lit("s"), partition="part", offset="at")
    with harness(
        lambda df: sums(df, rowId=identity), spark, schema=f"{SCHEMA}, part int, at bigint"
    ) as h:
        h.add({**order("09:00:10"), "part": 0, "at": 0})
        with pytest.raises(wr.SpecError, match=r"TRANSCRIPT_NOT_POSSIBLE.*rowId"):
            h.transcript("case", value="price", aggregates={"sum": "sum"})
