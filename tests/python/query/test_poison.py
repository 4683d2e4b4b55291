"""Poison: rows that were never meant to be sent. They end no query, and each has a fate."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

import windrow as wr
from windrow._running._settings import having

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.slow]

SCHEMA = (
    "id long, time string, key string, real double, gap long, source string, part long, off long, "
    "value double, many array<string>"
)
LEAST, GREATEST = -(2**63), 2**63 - 1
USUAL = {
    "time": "TIMESTAMP '2026-01-01 12:00:00'",
    "key": "a",
    "real": 1.0,
    "gap": 60_000_000,
    "source": "orders",
    "part": 0,
    "value": 1.0,
    "many": ["x"],
}
TIMES = [
    None,
    *(
        f"timestamp_micros({at})"
        for at in (LEAST, -(2**62), -(2**62) + 1, -1, 0, 1, 2**62, GREATEST)
    ),
    *(
        f"TIMESTAMP '{at}'"
        for at in (
            "0001-01-01 00:00:00",
            "1582-10-10 12:00:00",  # between the two calendars
            "1900-02-28 23:59:59.999999",
            "1969-12-31 23:59:59.999999",
            "2026-03-29 01:30:00",  # daylight saving time begins in Berlin
            "2026-10-25 01:00:00",  # and ends
            "2099-01-01 00:00:00",
            "9999-12-31 23:59:59.999999",
        )
    ),
]
KEYS = [
    *(
        None,
        "",
        " ",
        "null",
        "NaN",
        "\x00",
        "a\nb",
        "a'b",
        'a"b',
        "a`b",
        "${env:HOME}",
        "%s\\",
        "ß",
    ),
    *("\u202eabc", "\U0001f600", "é", "é", "../../etc", "'); DROP TABLE x; --"),
    "k" * 10_000_000,
]
REALS = [None, float("nan"), float("inf"), float("-inf"), -0.0, 0.0, 5e-324, 1.7976931348623157e308]
NUMBERS = [None, LEAST, LEAST + 1, -1, 0, 1, 2**62, GREATEST - 1, GREATEST]
MANY: list[list[str | None] | None] = [None, [], [None], ["x"] * 1000]
KINDS: list[dict[str, Any]] = [
    {},
    *({"time": at} for at in TIMES),
    *({"key": key} for key in KEYS),
    *({"real": real} for real in REALS),
    *({"value": real} for real in REALS),
    *({"gap": gap} for gap in NUMBERS),
    *({"part": part} for part in NUMBERS),
    *({"off": off} for off in NUMBERS),
    *({"source": source} for source in (None, "", "s" * 100_000)),
    *({"many": many} for many in MANY),
]


#: Number of rows that one sum can distinguish.
BITS = 62

#: The rows that the sums represent.
SUMMED = (
    "filter(sequence(0, 185), id -> "
    "getbit(array(panes.bits0, panes.bits1, panes.bits2)[int(id DIV 62)], id % 62) = 1)"
)

#: Offsets that no window contains (SEMANTICS R21); they are counted as gaps.
GAPS = {"offsets": [LEAST, LEAST + 1, -1, GREATEST]}


def of_all() -> Column:
    """Return an aggregate that collects the ids of a window."""
    return F.collect_list("id").alias("ids")


def of_sums() -> list[Column]:
    """Return the ids of a window encoded as sums, which are combined before the shuffle."""
    bit = F.expr(f"shiftleft(1L, id % {BITS})")
    return [
        F.sum(F.when(F.expr(f"id DIV {BITS} = {part}"), bit)).alias(f"bits{part}")
        for part in range(3)
    ]


def _stream(df: DataFrame, key: str, **more: Any) -> wr.Stream:
    stream = wr.stream(df, time="time", key=key, **more)
    return stream.lateness("1 minute")


def _offset() -> wr.RowId:
    return wr.RowId(offset="off", partition="part", source="source")


OPERATORS: dict[str, Callable[[DataFrame, dict[str, Any]], wr.Output]] = {
    "tumbling by text": lambda df, mark: (
        _stream(df, "key", **mark)
        .window(wr.Tumbling("1 hour"))
        .accumulationMode(wr.ACCUMULATING)
        .aggregate(of_all(), F.avg("value"))
    ),
    "sums": lambda df, mark: (
        _stream(df, "key", **mark)
        .window(wr.Tumbling("1 minute"))
        .accumulationMode(wr.ACCUMULATING)
        .aggregate(*of_sums())
    ),
    "hops by real": lambda df, mark: (
        _stream(df, "real", **mark)
        .window(wr.Hopping("2 hours", step="1 hour"))
        .accumulationMode(wr.ACCUMULATING)
        .aggregate(of_all(), F.max("value"))
    ),
    "sessions of each message's gap": lambda df, mark: (
        _stream(df, "many", **mark)
        .window(wr.Session(F.col("gap")))
        .accumulationMode(wr.ACCUMULATING)
        .aggregate(of_all())
    ),
    "the last rows": lambda df, mark: (
        _stream(df, "key", rowId=_offset(), **mark)
        .window(wr.Over(rows=2))
        .accumulationMode(wr.ACCUMULATING)
        .aggregate(of_all())
    ),
    "offsets": lambda df, mark: (
        wr.stream(df, time="time", key="key", rowId=_offset(), **mark)
        .lateness(0)
        .window(wr.OffsetRange(10))
        .aggregate(of_all())
    ),
    "full state": lambda df, mark: (
        _stream(df, "real", **mark).retain(time="2 days").window(wr.Tumbling("1 day")).keepRows()
    ),
}


def rows(spark: SparkSession, kinds: Sequence[dict[str, Any]], first: int) -> DataFrame:
    """Return one row of each kind."""
    given = [
        {**USUAL, "id": first + i, "off": 1000 + first + i, **kind} for i, kind in enumerate(kinds)
    ]
    names = [column.split()[0] for column in SCHEMA.split(", ")]
    timed = [tuple(row[name] for name in names) for row in given]
    times = sorted({str(row["time"]) for row in given if row["time"] is not None})
    at = F.coalesce(*[F.when(F.col("time") == time, F.expr(time)) for time in times])
    return spark.createDataFrame(timed, SCHEMA).withColumn("time", at)


def test_every_kind_has_a_name() -> None:
    """The list contains all kinds of poison."""
    assert len(KINDS) >= 80


@pytest.fixture(autouse=True)
def combined(spark: SparkSession) -> Iterator[None]:
    """Combine rows even if it does not pay."""
    with having(spark, {"spark.windrow.combine": "always"}):
        yield


@pytest.fixture
def partitions(spark: SparkSession) -> Iterator[Callable[[int], None]]:
    """Return a function that sets the number of shuffle partitions."""
    setting = "spark.sql.shuffle.partitions"
    before = str(spark.conf.get(setting))
    yield lambda number: spark.conf.set(setting, number)
    spark.conf.set(setting, before)


#: Streams and batches of every run: rows sent separately, combined rows, and offsets.
ALWAYS = ("the last rows",)
BATCHES = ("sums", "offsets", "full state")


@pytest.mark.parametrize(
    "operator",
    [pytest.param(one, marks=[] if one in ALWAYS else [pytest.mark.full]) for one in OPERATORS],
)
def test_no_query_dies_and_every_row_has_a_fate(
    spark: SparkSession, partitions: Callable[[int], None], tmp_path: Path, operator: str
) -> None:
    """No query fails, and each row is in panes or rejected with a reason, after a restart too."""
    folder = tmp_path / "in put"
    half = len(KINDS) // 2
    parts = (KINDS[:half], KINDS[half:], [{"time": "TIMESTAMP '2026-01-02 00:00:00'"}])
    seen, read = [], Counter[str]()
    for number, kinds in enumerate(parts):
        rows(spark, kinds, sum(map(len, parts[:number]))).coalesce(1).write.mode("append").parquet(
            str(folder)
        )
        partitions(1 + number)
        df = spark.readStream.schema(spark.read.parquet(str(folder)).schema).parquet(str(folder))
        out = OPERATORS[operator](df, {"watermark": "0 seconds", "maxFuture": "30 days"})
        found: list[Row] = []
        query = (
            out.output.writeStream.option("checkpointLocation", str(tmp_path / "check point"))
            .foreachBatch(partial(_keep, found))
            .trigger(availableNow=True)
            .start()
        )
        query.awaitTermination()
        assert query.exception() is None
        counts = wr.status(query)
        read["read"] += counts.read
        read["gaps"] += counts.gaps
        read["known"] += counts.accepted + counts.rejected + counts.duplicates + counts.gaps
        assert counts.unaccounted == 0
        seen += found
    assert read["read"] == read["known"] == sum(map(len, parts))
    assert read["gaps"] == len(GAPS.get(operator, ()))
    of_rows(seen)


def _keep(found: list[Row], batch: DataFrame, _: int) -> None:
    found += fates(batch)


def fates(df: DataFrame) -> list[Row]:
    """Return the ids of each pane, or the rejected id with its reason."""
    panes = df.schema["panes"].dataType
    assert isinstance(panes, StructType)
    held = "panes.ids" if "ids" in panes.names else "panes.messages.id"
    shown = F.expr(SUMMED) if "bits0" in panes.names else F.col(held)
    return df.select(shown.alias("shown"), "rejected.message.id", "rejected.reason").collect()


def of_rows(seen: Sequence[Row]) -> set[int]:
    """Check that each row has one fate, and return the ids of these rows."""
    rejected = Counter(row.id for row in seen if row.reason)
    shown = {one for row in seen for one in row.shown or ()}
    assert set(rejected.values()) <= {1}
    assert not shown & rejected.keys()
    return shown | rejected.keys()


@pytest.mark.parametrize(
    "operator",
    [pytest.param(one, marks=[] if one in BATCHES else [pytest.mark.full]) for one in OPERATORS],
)
def test_every_row_of_a_batch_is_emitted(spark: SparkSession, operator: str) -> None:
    """In a batch each row is in panes, rejected with a reason, or counted as a gap."""
    out = OPERATORS[operator](rows(spark, KINDS, 0), {})
    missing = [KINDS[one] for one in set(range(len(KINDS))) - of_rows(fates(out.output))]
    assert sorted(kind["off"] for kind in missing) == GAPS.get(operator, [])


@pytest.mark.parametrize(
    "zone", ["Europe/Berlin", pytest.param("Pacific/Apia", marks=pytest.mark.full)]
)
def test_the_zone_of_a_session_changes_no_fate(spark: SparkSession, zone: str) -> None:
    """The session's time zone and its clock changes do not affect a row's fate."""
    setting = "spark.sql.session.timeZone"
    before = str(spark.conf.get(setting))
    given = rows(spark, KINDS, 0).withColumn("time", F.col("time").cast("timestamp")).cache()
    given.count()  # caches the rows while the previous zone is set

    def found() -> dict[str, list[Row]]:
        return {name: sorted(fates(OPERATORS[name](given, {}).output), key=str) for name in ZONED}

    usual = found()
    spark.conf.set(setting, zone)
    try:
        assert found() == usual
    finally:
        spark.conf.set(setting, before)
        given.unpersist()


ZONED = ("tumbling by text", "sessions of each message's gap")
WRONG: dict[str, list[Any]] = {
    "string": ["7", "x", "7.2", "", "99999999999999999999", None],
    "decimal(38,0)": ["7", "-7", "9" * 38, "0", None],
}


@pytest.mark.parametrize("kind", WRONG)
def test_numbers_of_messages_of_other_types(spark: SparkSession, kind: str) -> None:
    """Partitions and offsets that are not integers are read if possible; no row is lost."""
    usual = rows(spark, [{}] * len(WRONG[kind]), 0)
    values = F.array(*[F.lit(value).cast(kind) for value in WRONG[kind]])
    strange = F.get(values, F.col("id").cast("int"))
    for name in ("part", "off"):
        out = OPERATORS["the last rows"](usual.withColumn(name, strange), {})
        assert of_rows(fates(out.output)) == set(range(len(WRONG[kind])))


@pytest.mark.full
def test_as_many_source_partitions_as_messages(spark: SparkSession, tmp_path: Path) -> None:
    """With 100,000 source partitions of one row each, a replay contains duplicates only."""
    many = 100_000
    usual = rows(spark, [{}], 0).drop("id", "part", "off", "key").crossJoin(spark.range(many))
    columns = [name.split()[0] for name in SCHEMA.split(", ")]
    messages = usual.withColumns(
        {"part": F.col("id"), "off": F.lit(1).cast("long"), "key": (F.col("id") % 7).cast("string")}
    ).select(columns)
    counts = []
    for _ in range(2):
        messages.coalesce(1).write.mode("append").parquet(str(tmp_path / "in"))
        df = spark.readStream.schema(messages.schema).parquet(str(tmp_path / "in"))
        out = OPERATORS["the last rows"](df, {"watermark": "0 seconds"})
        query = out.start(
            panes=lambda batch, _: batch.count(),
            checkpoint=tmp_path / "check",
            availableNow=True,
        )
        query.awaitTermination()
        counts.append(wr.status(query))
    assert [(one.accepted, one.duplicates, one.unaccounted) for one in counts] == [
        (many, 0, 0),
        (0, many, 0),
    ]
