"""Checks before a query starts: watermarks, names, orders, and problems that Spark would report."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

import windrow as wr
from feed import Feed, order

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from join.joins import Both

pytestmark = pytest.mark.spark

OTHER = r"WATERMARK_OF_OTHER_COLUMN.*{}, .* set on 'ingested'.*stream\(watermark='1 minute'\)"


def windows(df: DataFrame, time: Any = "time", **more: Any) -> wr.Output:
    """Count orders by the minute."""
    stream = wr.stream(df, time=time, key="product", **more).lateness("0 seconds")
    return stream.window(wr.Tumbling("1 minute")).aggregate(F.count("*").alias("n"))


def test_a_watermark_of_another_column(feed: Feed, both: Both) -> None:
    """A watermark of another column is refused, with both names (SEMANTICS T5).

    A renamed event time is accepted.
    """
    df = feed.stream().withColumn("ingested", F.current_timestamp())
    other = df.withWatermark("ingested", "1 minute")
    hour = F.date_trunc("hour", "time")
    for refused in (other, other.drop("ingested")):
        with pytest.raises(wr.SpecError, match=OTHER.format("time")):
            windows(refused).panes  # noqa: B018
    marked = df.withWatermark("time", "1 minute")
    with pytest.raises(wr.SpecError, match=r"WATERMARK_OF_OTHER_COLUMN.*date_trunc.*'time'"):
        windows(marked, time=hour).panes  # noqa: B018
    left, right = (f.stream() for f in both.feeds)
    right = right.withColumn("ingested", F.now()).withWatermark("ingested", "1 minute")
    a = wr.stream(left, time="time", watermark="1 minute", name="a").lateness("0 seconds")
    b = wr.stream(right, time="time", name="b").lateness("0 seconds")
    with pytest.raises(wr.SpecError, match=r"WATERMARK_OF_OTHER_COLUMN.*stream 'b'"):
        wr.join(a, b, on="product", within=("0 seconds", "1 minute")).rows  # noqa: B018
    renamed = marked.select(F.col("time").alias("at"), "product")
    by_hour = marked.groupBy(F.window("time", "1 hour"), "product").count()
    for taken in (
        windows(renamed, time="at"),
        windows(df, time=hour, watermark="1 minute"),
        windows(by_hour, time="window.end"),
        windows(marked.join(feed.batch().select("product").distinct(), "product")),
    ):
        assert taken.panes.isStreaming


def test_a_watermark_is_stated_once(feed: Feed) -> None:
    """A second watermark is refused, from the DataFrame, the stream or the clock (SEMANTICS T5)."""
    marked = feed.stream().withWatermark("time", "1 minute")
    clock = wr.ProcessingTimeWatermark("1 minute")
    for df, watermark in ((marked, "1 minute"), (marked, clock)):
        with pytest.raises(wr.SpecError, match=r"\[WATERMARK_TWICE\]"):
            windows(df, watermark=watermark).panes  # noqa: B018
    assert windows(marked).panes.isStreaming
    assert windows(feed.stream(), watermark=clock).panes.isStreaming


def test_a_watermark_of_another_column_in_a_cogroup(feed: Feed) -> None:
    """In a co-group the error names the stream whose watermark is of another column."""
    df = feed.stream().withColumn("ingested", F.now())
    right = wr.stream(df.withWatermark("time", "1 second"), time="time", key="product", name="a")
    wrong = wr.stream(
        df.withWatermark("ingested", "1 second"), time="time", key="product", name="b"
    )
    taken = wr.cogroup(right, wr.stream(df, time="time", key="product", watermark="1 s", name="b"))
    assert counted(taken).panes.isStreaming
    with pytest.raises(wr.SpecError, match=r"WATERMARK_OF_OTHER_COLUMN.*stream 'b'"):
        counted(wr.cogroup(right, wrong)).panes  # noqa: B018
    with pytest.raises(wr.SpecError, match=r"WATERMARK_NEGATIVE\] stream\(watermark='-1 s'\)"):
        wr.stream(df, time="time", key="product", watermark="-1 s", name="b")


def counted(stream: wr.Stream) -> wr.Output:
    """Return the count of a stream's rows by the minute."""
    windows = stream.lateness("0 seconds").window(wr.Tumbling("1 minute"))
    return windows.aggregate(F.count("a"))


def with_offsets(feed: Feed, kind: str, part: str) -> list[Callable[[], DataFrame]]:
    """Return windows, a co-group and a join with one part of the offset of this type."""
    df = feed.stream().withColumn("other", F.lit(None).cast(kind))
    columns = {"source": "product", "offset": "amount", "partition": "gap", part: "other"}
    offset = wr.RowId(**columns)
    marks: dict[str, Any] = {"time": "time", "watermark": "1 minute", "rowId": offset}
    a = wr.stream(df, key="product", name="a", **marks)
    b = wr.stream(df, key="product", name="b", **marks)
    left, right = (one.lateness("0 seconds") for one in (a, b))
    joined = wr.join(left, right, on="product", within=("0 seconds", "1 minute"))
    return [
        lambda: windows(df, watermark="1 minute", rowId=offset).panes,
        lambda: counted(wr.cogroup(a, b)).panes,
        lambda: joined.rows,
    ]


def for_each_part(kinds: Sequence[str]) -> list[Any]:
    """Return each part of an offset with each type; every second pair only in `full`."""
    return [
        pytest.param(part, kind, marks=[pytest.mark.full] if (i + j) % 2 else [])
        for i, part in enumerate(("partition", "offset"))
        for j, kind in enumerate(kinds)
    ]


@pytest.mark.parametrize(
    ("part", "wrong"), for_each_part(["double", "decimal(20,2)", "timestamp", "boolean"])
)
def test_offsets_that_are_not_integers(feed: Feed, wrong: str, part: str) -> None:
    """Offsets that are not integers are refused (SEMANTICS R13).

    Different values would be rounded to one number, so their rows would count as duplicates.
    """
    for refused in with_offsets(feed, wrong, part):
        with pytest.raises(wr.SpecError, match=rf"OFFSET_NOT_WHOLE\].*{part} of the rows"):
            refused()


@pytest.mark.parametrize(("part", "kind"), for_each_part(["decimal(20,0)", "smallint", "string"]))
def test_offsets_that_are_integers(feed: Feed, kind: str, part: str) -> None:
    """Integer types are accepted as offsets, and texts too, because they may be integers."""
    for taken in with_offsets(feed, kind, part):
        assert taken().isStreaming


NAMES: dict[str, tuple[str, Callable[[DataFrame], wr.Output]]] = {
    "aggregates": ("NAME_TWICE", lambda df: of(df, F.avg("amount"), F.avg("amount"))),
    "an alias that is a key": ("NAME_TWICE", lambda df: of(df, F.avg("amount").alias("product"))),
    "in another case": ("NAME_TWICE", lambda df: of(df, F.avg("amount").alias("Product"))),
    "keys": ("NAME_TWICE", lambda df: of(df, F.count("*"), key=["product", "product"])),
    "windows": ("NAME_TAKEN", lambda df: of(df, F.avg("amount").alias("Window"))),
    "panes": (
        "NAME_TAKEN",
        lambda df: of(df.withColumn("PANE", F.lit(1)), F.sum("gap"), key="PANE"),
    ),
    "own": ("NAME_TAKEN", lambda df: of(df, F.avg("amount").alias("__windrow_n"))),
    "messages": ("NAME_TWICE", lambda df: of(df.select("*", F.lit(1).alias("GAP")), F.max("time"))),
}


def of(df: DataFrame, *aggregates: Any, key: Any = "product") -> wr.Output:
    """Return aggregates by the minute."""
    stream = wr.stream(df, time="time", key=key).lateness("0 seconds")
    return stream.window(wr.Tumbling("1 minute")).aggregate(*aggregates)


@pytest.mark.anywhere
@pytest.mark.parametrize("what", NAMES)
def test_names_of_more_than_one_column(feed: Feed, what: str) -> None:
    """Duplicate column names are refused, and the error suggests an alias (SEMANTICS B6).

    A sink would otherwise refuse them in its first batch.
    """
    code, make = NAMES[what]
    with pytest.raises(wr.SpecError, match=rf"\[{code}\].*(alias|Rename)"):
        make(feed.batch()).panes  # noqa: B018


@pytest.mark.anywhere
def test_names_that_differ_in_case_only(feed: Feed) -> None:
    """In a case-sensitive session, names that differ only in case are different names."""
    key = "spark.sql.caseSensitive"
    feed.spark.conf.set(key, "true")
    try:
        panes = of(feed.batch(), F.sum("amount").alias("Product"), F.sum("gap").alias("Window"))
        assert panes.panes.columns == ["product", "window", "Product", "Window", "pane"]
    finally:
        feed.spark.conf.unset(key)


def tumbled(table: str) -> str:
    """Return SQL of windows over a table."""
    call = f"windrow_tumble(TABLE({table}), time => 'time', size => '1 minute'"
    return f"{call}, lateness => '0 seconds')"


SAID = {
    "NAME_TWICE.*'PRODUCT'": tumbled(
        "SELECT product, sum(amount) AS PRODUCT FROM a GROUP BY product"
    ),
    "NAME_TWICE.*the rows of 'a'.*'TIME'": (
        "windrow_join(TABLE(SELECT * FROM (SELECT *, 1 AS TIME FROM b) AS a JOIN b "
        "ON a.product = b.product), time => 'gap', lateness => '0 s', retain_messages => 1)"
    ),
    "ORDER_NOT_STATED": (
        "windrow_policy(TABLE(SELECT product, sum(amount) FROM a GROUP BY product), "
        "eviction => 'tumbling', by_count => 3)"
    ),
    "MISSING_AGGREGATION": tumbled("SELECT product, gap, sum(amount) FROM a GROUP BY product"),
    "AGGREGATE_FUNCTION_WITH_NONDETERMINISTIC_EXPRESSION": tumbled(
        "SELECT product, max(rand()) FROM a GROUP BY product"
    ),
    "GROUP_EXPRESSION_TYPE_IS_NOT_ORDERABLE": tumbled(
        "SELECT parse_json(product), count(*) FROM a GROUP BY parse_json(product)"
    ),
    "NESTED_AGGREGATE_FUNCTION": tumbled("SELECT product, sum(count(*)) FROM a GROUP BY product"),
    "KEY_NOT_DETERMINISTIC": tumbled("SELECT rand() AS r, count(*) FROM a GROUP BY 1"),
}


@pytest.mark.anywhere
@pytest.mark.parametrize("why", SAID)
def test_problems_of_sql_queries(feed: Feed, why: str) -> None:
    """SQL reports errors of the aggregation with the user's own names."""
    for name in "ab":
        feed.batch().createOrReplaceTempView(name)
    with pytest.raises(Exception, match=why) as refused:
        feed.spark.sql(f"SELECT * FROM {SAID[why]}")  # noqa: S608
    assert "__windrow" not in str(refused.value)


WRONG: dict[str, Callable[[], Any]] = {
    r"\[UNRESOLVED_COLUMN.*`prize`.*`price`": lambda: F.avg("prize"),
    r"\[MISSING_AGGREGATION\].*amount": lambda: F.col("amount"),
    r"\[MISSING_AGGREGATION\]": lambda: F.row_number().over(Window.orderBy("amount")),
    r"\[AGGREGATE_FUNCTION_WITH_NONDETERMINISTIC_EXPRESSION\]": lambda: F.max(F.rand()),
}


@pytest.mark.anywhere
@pytest.mark.parametrize("why", WRONG)
def test_queries_that_spark_rejects(feed: Feed, why: str) -> None:
    """An error of Spark is quoted without the internal plan."""
    wrong = WRONG[why]()
    with pytest.raises(wr.SpecError, match=rf"(?s)QUERY_REFUSED.*Spark reports: {why}") as refused:
        of(feed.batch(), wrong).panes  # noqa: B018
    assert len(str(refused.value)) < 600
    assert "__windrow" not in str(refused.value)
    assert not re.search(r"#\d", str(refused.value)), "the id of an expression"


CLOCKS = {
    "now": "unix_micros(max(current_timestamp()))",
    "local": "unix_micros(CAST(max(localtimestamp()) AS TIMESTAMP))",
    "seconds": "max(unix_timestamp()) * 1000000",
    "day": "unix_micros(CAST(max(current_date()) AS TIMESTAMP))",
    "zone": "max(concat(current_timezone(), current_database()))",
}


@pytest.mark.slow
def test_clocks_in_aggregates(feed: Feed) -> None:
    """Clock functions in aggregates return the time of their micro-batch (R1).

    The time is the same for all keys and in every attempt.
    """
    feed.add([order("09:00:10", key) for key in "abcdefgh"], [order("09:05:00")])
    stream = wr.stream(feed.stream(), time="time", key="product", watermark="0 seconds")
    clocks = [F.expr(text).alias(name) for name, text in CLOCKS.items()]
    out = stream.lateness("0 seconds").window(wr.Tumbling("1 minute")).aggregate(*clocks)
    rows = [row for row in feed.run(out.panes) if row.window.start.minute == 0]
    assert len(rows) == 8
    assert len({tuple(row[name] for name in CLOCKS) for row in rows}) == 1
    assert rows[0].now == rows[0].local
    assert 0 <= rows[0].now - rows[0].seconds < 1_000_000
    assert rows[0].zone == "UTCdefault"


MAX = "spark.sql.streaming.multipleWatermarkPolicy"


@pytest.mark.slow
def test_the_greatest_watermark_of_several_streams(both: Both, tmp_path: Path) -> None:
    """The ``max`` policy for several watermarks is refused (SEMANTICS R77).

    It would make rows of the slower stream late.
    """
    joined = joined_of(both)
    spark = joined.rows.sparkSession
    spark.conf.set(MAX, "max")
    try:
        for again in (lambda: joined_of(both).rows, lambda: cogrouped(both).panes):
            with pytest.raises(wr.SpecError, match=rf"WATERMARK_OF_GREATEST.*{MAX}.*'min'"):
                again()
        with pytest.raises(wr.SpecError, match="WATERMARK_OF_GREATEST"):
            joined.start(checkpoint=str(tmp_path / "c"), rows="rows")
        left = wr.stream(both.feeds[0].stream(), time="time", watermark="1 s")
        alone = left.lateness("0 seconds").window(wr.Tumbling("1 minute")).aggregate(F.count("*"))
        assert alone.panes.isStreaming
    finally:
        spark.conf.unset(MAX)
    (tmp_path / "old" / "offsets").mkdir(parents=True)
    conf = f'{{"batchWatermarkMs":0,"batchTimestampMs":1,"conf":{{"{MAX}":"max"}}}}'
    (tmp_path / "old" / "offsets" / "0").write_text(f"v1\n{conf}\n-\n-")
    with pytest.raises(wr.CheckpointError, match=r"SPEC_CHANGED.*multipleWatermarkPolicy=max"):
        joined.start(checkpoint=str(tmp_path / "old"), rows="rows")


def joined_of(both: Both) -> Any:
    """Return a join of two streams within a minute."""
    sides = (
        wr.stream(feed.stream(), time="time", watermark="1 s", name=name).lateness("0 seconds")
        for feed, name in zip(both.feeds, "ab", strict=True)
    )
    return wr.join(*sides, on="product", within=("0 seconds", "1 minute"))


def cogrouped(both: Both) -> wr.Output:
    """Return a co-group of two streams."""
    streams = (
        wr.stream(feed.stream(), time="time", key="product", watermark="1 s", name=name)
        for feed, name in zip(both.feeds, "ab", strict=True)
    )
    return counted(wr.cogroup(*streams))


@pytest.mark.slow
@pytest.mark.parametrize(
    "aggregate", ["count(*)", pytest.param("sum(amount)", marks=pytest.mark.full)]
)
def test_rows_of_one_place_stand_by_their_content(feed: Feed, aggregate: str) -> None:
    """The same rows stored in another order have the same windows (SEMANTICS T3, R1)."""
    prices = [1.0, 5.0, 1.5, 5.5, 3.0, 3.0]
    found = []
    for rows in (prices, prices[::-1]):
        feed.folder = feed.folder / "again"
        df = feed.add([{**order("09:00:00"), "price": price} for price in rows]).batch()
        stream = wr.stream(df.coalesce(1), time="time", key="product")
        counted = F.expr(aggregate)
        seen: list[Any] = []
        for policy in (wr.ByCount(3), wr.ByDelta("price", 2.0)):
            events = stream.window(wr.Policy.tumbling(policy)).aggregate(counted).events
            told = [
                (e.event, [m.price for m in e.messages])
                for e in events.orderBy("sequence").collect()
            ]
            seen.append(told)
        place = F.count("*").alias("place")
        over = stream.lateness("0 seconds").window(wr.Over(rows=2)).aggregate(place)
        panes = over.panes.select("message.price", "place").collect()
        seen.append(sorted((row.price, row.place) for row in panes))
        found.append(seen)
    assert found[0] == found[1]


EXTREMES = [-(2**63), -(2**62), 2**62, 2**63 - 1]


@pytest.mark.slow
def test_times_beyond_the_range_of_windows(feed: Feed) -> None:
    """A row with a time out of range is rejected and moves no watermark (SEMANTICS T1, W3, A2)."""
    feed.add(
        [
            order("09:00:10", gap=2**63 - 1),
            *(order("09:00:20", amount=at, gap=1) for at in EXTREMES),
            order("09:00:30", amount=0, gap=1_000_000),
        ],
        [order("09:00:40", amount=0, gap=2**63 - 1), order("09:00:41", amount=0, gap=1)],
        [order("09:05:00", amount=0, gap=1)],
    )
    time = F.expr("if(amount in (0, 1), time, timestamp_micros(amount))")
    stream = wr.stream(
        feed.stream(), time=time, key="product", watermark="0 seconds", maxFuture="99999 days"
    ).lateness("0 seconds")
    n = F.count("*").alias("n")
    sessions = stream.window(wr.Session(F.col("gap"))).aggregate(n).output
    rows = feed.run(sessions)
    assert sorted(row.rejected.reason for row in rows if row.rejected) == ["INVALID_TIME"] * 6
    assert [row.panes.n for row in rows if row.panes] == [1, 1]
    for kind in (
        wr.Tumbling("1 minute"),
        wr.Hopping("1 minute", step="25 seconds"),
        wr.Over(rows=2),
    ):
        whole = wr.stream(feed.batch(), time=time, key="product").lateness("0 seconds")
        rows = whole.window(kind).aggregate(n).rejected.collect()
        assert [row.reason for row in rows] == ["INVALID_TIME"] * 4


@pytest.mark.slow
def test_the_first_and_the_last_year(feed: Feed) -> None:
    """Windows accept every time of Spark's TIMESTAMP, from year 1 to year 9999."""
    feed.add([order("0001-01-01 00:00:00"), order("9999-12-31 23:59:59.999999", gap=1)])
    stream = wr.stream(feed.batch(), time="time", key="product").lateness("0 seconds")
    year = stream.window(wr.Tumbling("1 minute")).aggregate(F.count("*").alias("n"))
    starts = year.panes.selectExpr("CAST(window.start AS STRING) AS s", "n").collect()
    assert sorted((row.s, row.n) for row in starts) == [
        ("0001-01-01 00:00:00", 1),
        ("9999-12-31 23:59:00", 1),
    ]
