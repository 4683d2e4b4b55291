"""Deduplication keeps the first row of a key, in real queries (SEMANTICS D)."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F

import windrow as wr
from counts import streams
from feed import NOTHING, Feed, Order, disordered, order

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = [pytest.mark.spark]

WITHIN = timedelta(minutes=3)
LATENESS = timedelta(minutes=20)
DELAY = timedelta(minutes=1)

#: The values of a row: time, key, amount.
Row = tuple[datetime, str | None, int]


def once(df: DataFrame, within: str = "3 minutes", **more: Any) -> wr.DedupOutput:
    """Deduplicate orders by product."""
    watermark = "1 minute" if df.isStreaming else None
    stream = wr.stream(df, time="time", key="product", watermark=watermark, name="orders")
    return stream.lateness("20 minutes").dedup(within, orderBy="amount", **more)


def judged(
    batches: Sequence[Sequence[Order]], *, restarts: bool = False
) -> Iterator[tuple[Row, str | None]]:
    """Judge each row by the rules, without state that is ever forgotten: a reason, or None.

    A restart adds a micro-batch without rows, after which the watermark includes all rows.
    """
    kept: dict[str | None, list[datetime]] = {}
    marks = [datetime.min] * 2  # noqa: DTZ901  all times are UTC
    for batch in batches:
        rows = [(datetime.fromisoformat(r["time"]), r["product"], r["amount"]) for r in batch]
        for row in sorted(rows, key=lambda row: (row[0], row[2])):
            if marks[-1 if restarts else -2] > row[0] + LATENESS:
                yield row, "TOO_LATE"
            elif any(abs(row[0] - time) <= WITHIN for time in kept.get(row[1], [])):
                yield row, "DUPLICATE"
            else:
                kept.setdefault(row[1], []).append(row[0])
                yield row, None
        marks.append(max([marks[-1], *(time - DELAY for time, *_ in rows)]))


def values(df: DataFrame) -> list[Row]:
    """Return the values of rows."""
    return [tuple(row) for row in df.select("time", "product", "amount").collect()]


def run(feed: Feed, folder: Path, **more: Any) -> wr.Status:
    """Run a query to the end of the files, and return its counts."""
    query = once(feed.stream(), **more).start(
        rows=wr.Files(str(folder / "rows")),
        rejected=wr.Files(str(folder / "rejected")),
        checkpoint=folder / "checkpoint",
        availableNow=True,
    )
    query.awaitTermination()
    return wr.status(query)


def outcome(spark: SparkSession, folder: Path) -> list[tuple[Row, str | None]]:
    """Return the rows of all micro-batches with the reason of rejected ones."""
    rows = spark.read.parquet(str(folder / "rows"))
    rejected = spark.read.parquet(str(folder / "rejected"))
    reasons = [row.reason for row in rejected.collect()]
    refused = values(rejected.select("message.*"))
    return [(row, None) for row in values(rows)] + list(zip(refused, reasons, strict=True))


@pytest.mark.slow
def test_against_a_plain_computation(feed: Feed, spark: SparkSession, tmp_path: Path) -> None:
    """A query that restarts after each batch judges each row as the rules do, and counts it."""
    batches = disordered(seed=3, batches=4, size=60)
    expected = list(judged(batches, restarts=True))
    counts: Counter[str] = Counter()
    for batch in batches:
        status = run(feed.add(batch), tmp_path / "out")
        counts.update({name: getattr(status, name) for name in ("accepted", "duplicates")})
        counts.update(status.reasons)
        assert status.unaccounted == 0
    assert sorted(outcome(spark, tmp_path / "out"), key=str) == sorted(expected, key=str)
    reasons = Counter(reason or "accepted" for _, reason in expected)
    assert min(reasons.values()) > 0
    assert counts == Counter(
        accepted=reasons["accepted"], duplicates=reasons["DUPLICATE"], TOO_LATE=reasons["TOO_LATE"]
    )


@pytest.mark.anywhere
def test_a_batch_query_is_one_micro_batch(feed: Feed) -> None:
    """A batch query keeps the rows that one micro-batch keeps, and no row is too late."""
    batches = disordered(seed=4, batches=3, size=50)
    output = once(feed.add(*batches).batch())
    expected = list(judged([[row for batch in batches for row in batch]]))
    assert sorted(values(output.rows), key=str) == sorted(
        [row for row, reason in expected if reason is None], key=str
    )
    reasons = Counter(row.reason for row in output.rejected.collect())
    assert reasons == {"DUPLICATE": sum(reason is not None for _, reason in expected)}


@pytest.mark.anywhere
def test_the_same_in_sql(feed: Feed, spark: SparkSession) -> None:
    """SQL keeps the same rows as Python, and its default output is the rows."""
    feed.add(*disordered(seed=5, batches=2, size=40))
    feed.batch().createOrReplaceTempView("orders")
    found = spark.sql(
        "SELECT * FROM windrow_dedup(TABLE(orders), key => 'product', time => 'time', "
        "within => '3 minutes', lateness => '20 minutes', order_by => 'amount')"
    )
    assert found.columns == ["time", "product", "price", "amount", "gap"]
    assert sorted(values(found), key=str) == sorted(values(once(feed.batch()).rows), key=str)


@pytest.mark.slow
def test_against_spark(feed: Feed) -> None:
    """Where no row is late and copies have one time, Spark keeps the rows with the same ids."""
    rng = random.Random(6)  # noqa: S311  no secret
    batches: list[list[Order]] = []
    for minute in range(6):
        some = [
            order(f"09:{minute:02}:{rng.randrange(60):02}", f"id{minute}-{i}") for i in range(30)
        ]
        again = rng.choices(batches[-1], k=10) if batches else []
        batches.append(some + rng.choices(some, k=5) + again)
    feed.add(*batches)
    stream = wr.stream(feed.stream(), time="time", key="product", watermark="5 minutes")
    ours = feed.run(stream.lateness("0 seconds").dedup("5 minutes").rows)
    plain = feed.stream().withWatermark("time", "5 minutes")
    theirs = feed.run(plain.dropDuplicatesWithinWatermark(["product"]))
    assert len(ours) == 180
    assert {tuple(row)[:2] for row in ours} == {tuple(row)[:2] for row in theirs}


@pytest.mark.full
def test_windows_over_the_kept_rows(feed: Feed, spark: SparkSession, tmp_path: Path) -> None:
    """A kept row that is late corrects its window, and one that is too late there is rejected."""
    feed.add(
        [order("09:00:10", "a"), order("09:00:10", "a"), order("09:00:20", "b")],
        [order("09:05:00", "c")],
        NOTHING,
        [order("09:00:40", "d"), order("09:00:11", "a")],
        [order("09:30:00", "e")],
        NOTHING,
        [order("09:11:00", "f"), order("09:00:00", "g")],
        NOTHING,
    )
    kept = once(feed.stream(), within="1 minute")
    minutes = (
        wr.stream(kept.rows, time="time", name="minutes")
        .lateness("10 minutes")
        .window(wr.Tumbling("1 minute"))
        .accumulationMode(wr.ACCUMULATING)
        .aggregate(F.count("*").alias("n"))
    )
    query = minutes.start(
        panes=wr.Files(str(tmp_path / "panes")),
        rejected=wr.Files(str(tmp_path / "rejected")),
        checkpoint=tmp_path / "checkpoint",
        availableNow=True,
    )
    query.awaitTermination()
    panes = spark.read.parquet(str(tmp_path / "panes"))
    shown = panes.selectExpr("date_format(window.start, 'HH:mm')", "n", "pane.timing").collect()
    assert sorted(map(tuple, shown)) == [
        ("09:00", 2, "ON_TIME"),
        ("09:00", 3, "LATE"),
        ("09:05", 1, "ON_TIME"),
    ]
    rejected = spark.read.parquet(str(tmp_path / "rejected"))
    reasons = rejected.selectExpr(
        "stream", "reason", "coalesce(message.product, orders.product)"
    ).collect()
    assert sorted(map(tuple, reasons)) == [
        ("minutes", "TOO_LATE", "f"),
        ("orders", "DUPLICATE", "a"),
        ("orders", "DUPLICATE", "a"),
        ("orders", "TOO_LATE", "g"),
    ]


def test_equal_keys(spark: SparkSession) -> None:
    """Null, NaN, zeros of both signs, and structs are equal as in GROUP BY (R104)."""
    keys = spark.sql(
        "SELECT TIMESTAMP'2025-01-01 09:00:00' AS time, id, key, named_struct('k', key) AS s "
        "FROM VALUES (1, 0.0D), (2, -0.0D), (3, double('NaN')), (4, -double('NaN')), "
        "(5, NULL), (6, NULL) AS t(id, key)"
    )
    for key in ("key", "s"):
        stream = wr.stream(keys, time="time", key=key).lateness("0 seconds")
        rows = stream.dedup("1 second", orderBy="id").rows
        assert sorted(row.id for row in rows.collect()) == [1, 3, 5]


def test_order_by_several_columns(feed: Feed) -> None:
    """The least values of the columns decide in their order, and null is the least (R100)."""
    feed.add(
        [
            order("09:00:00", "a", 2, gap=1),
            order("09:00:00", "a", 1, gap=3),
            order("09:00:00", "a", 1, gap=2),
            order("09:00:00", "b", 1, gap=1),
            order("09:00:00", "b", 2),
        ]
    )
    stream = wr.stream(feed.batch(), time="time", key="product").lateness("0 seconds")
    by = {name: stream.dedup("1 second", orderBy=name).rows for name in ("gap", "amount")}
    by["both"] = stream.dedup("1 second", orderBy=["amount", "gap"]).rows
    found = {
        name: sorted((r.product, r.amount, r.gap) for r in df.collect()) for name, df in by.items()
    }
    assert found["gap"] == [("a", 2, 1), ("b", 2, None)]
    assert found["both"] == [("a", 1, 2), ("b", 1, 1)]
    assert [row[:2] for row in found["amount"]] == [("a", 1), ("b", 1)]


def test_all_problems_at_once(feed: Feed) -> None:
    """The error lists every problem of the description."""
    stream = wr.stream(feed.add(NOTHING).stream(), time="time", watermark="1 minute")
    with pytest.raises(wr.SpecError) as refused:
        stream.retain(time="1 day").dedup("-1 minutes", orderBy="nothing")
    assert {problem.code for problem in refused.value.problems} == {
        "SIZE_NEGATIVE",
        "LATENESS_NOT_STATED",
        "VALUE_NOT_SUPPORTED",
        "KEY_NOT_STATED",
        "COLUMN_NOT_FOUND",
    }
    keyed = wr.stream(feed.stream(), time="time", key="product", watermark="1 minute")
    with pytest.raises(wr.SpecError, match="VALUE_NOT_SUPPORTED"):
        keyed.lateness(None).dedup("1 minute")
    maps = feed.batch().withColumn("m", F.create_map("product", "gap"))
    stream = wr.stream(maps, time="time", key="product").lateness("0 seconds")
    with pytest.raises(wr.SpecError, match="ORDER_NOT_COMPARABLE"):
        stream.dedup("1 minute", orderBy="m").rows  # noqa: B018
    with pytest.raises(wr.SpecError, match="DURATION_"):
        keyed.lateness("0 seconds").dedup(5)  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.anywhere
def test_changes_at_a_restart(feed: Feed, spark: SparkSession, tmp_path: Path) -> None:
    """A query continues with a longer lateness and another order, but with the same span (R104)."""
    folder = tmp_path / "out"
    first, second, third = disordered(seed=7, batches=3, size=30)
    run(feed.add(first), folder)
    run(feed.add(second), folder)
    longer = wr.stream(
        feed.stream(), time="time", key="product", watermark="1 minute", name="orders"
    )

    def start(output: wr.DedupOutput) -> None:
        output.start(
            rows=wr.Files(str(folder / "rows")),
            rejected=wr.Files(str(folder / "rejected")),
            checkpoint=folder / "checkpoint",
            availableNow=True,
        ).awaitTermination()

    with pytest.raises(wr.CheckpointError, match=r"deduplication.*3 minutes.*4 minutes"):
        start(longer.lateness("20 minutes").dedup("4 minutes"))
    with pytest.raises(wr.CheckpointError, match="lateness"):
        start(longer.lateness("19 minutes").dedup("3 minutes"))
    feed.add(third)
    start(longer.lateness("1 hour").dedup("3 minutes"))
    kept = values(spark.read.parquet(str(folder / "rows")))
    for time, key, _ in kept:
        near = [other for other, same, _ in kept if same == key and abs(time - other) <= WITHIN]
        assert near == [time]


def test_the_output_and_its_explanation(feed: Feed, capsys: pytest.CaptureFixture[str]) -> None:
    """`output` has both kinds of rows, and `explain` states which rows are duplicates."""
    output = once(feed.add(*disordered(seed=8, batches=1, size=10)).batch())
    assert output.output.columns == ["kind", "rows", "rejected"]
    assert {row.kind for row in output.output.collect()} <= {"rows", "rejected"}
    output.explain()
    text = capsys.readouterr().out
    assert "at most 3 minutes" in text
    assert repr(output).endswith("dedup('3 minutes', orderBy=('amount',))")


@pytest.mark.full
@pytest.mark.parametrize("seed", range(streams(1_000) // 50))
def test_many_random_streams(feed: Feed, spark: SparkSession, tmp_path: Path, seed: int) -> None:
    """Fifty streams in one query, each with keys of its own, follow the rules."""
    size = random.Random(seed).randrange(200, 2000)  # noqa: S311  no secret
    batches = [
        [
            {**row, "product": f"{row['product']}-{at % 50}"}
            for at, row in enumerate(batch)
            if not row["time"].startswith("-")  # the day before
        ]
        for batch in disordered(seed=seed, batches=8, size=size)
    ]
    run(feed.add(*batches), tmp_path / "out")
    found = outcome(spark, tmp_path / "out")
    assert sorted(found, key=str) == sorted(judged(batches), key=str)


@pytest.mark.full
def test_a_million_rows(spark: SparkSession, tmp_path: Path) -> None:
    """A million rows of 300,000 keys in ten batches are judged as in plain Python."""
    count = 1_000_000
    number = F.col("id")
    rows = spark.range(count).select(
        F.timestamp_seconds(1_735_700_000 + number / 100 - (F.abs(F.hash(number)) % 2000)).alias(
            "time"
        ),
        (F.abs(F.hash(number + 7)) % 300_000).alias("key"),
        number.alias("id"),
    )
    for part in range(10):
        some = rows.where(number >= part * count // 10).where(number < (part + 1) * count // 10)
        some.coalesce(1).write.mode("append").parquet(str(tmp_path / "in"))
    reader = spark.readStream.schema(rows.schema).option("maxFilesPerTrigger", 1)
    stream = wr.stream(
        reader.parquet(str(tmp_path / "in")), time="time", key="key", watermark="10 seconds"
    )
    output = stream.lateness("1 hour").dedup("5 minutes", orderBy="id")
    query = output.start(
        rows=wr.Files(str(tmp_path / "rows")), checkpoint=tmp_path / "c", availableNow=True
    )
    query.awaitTermination()
    status = wr.status(query)
    assert status.accepted + status.duplicates == count
    kept = spark.read.parquet(str(tmp_path / "rows"))
    by_key: dict[int, list[datetime]] = {}
    expected = set()
    for row in sorted(rows.collect(), key=lambda row: (row.id * 10 // count, row.time, row.id)):
        known = by_key.setdefault(row.key, [])
        if not any(abs(row.time - other) <= timedelta(minutes=5) for other in known):
            known.append(row.time)
            expected.add(row.id)
    assert {row.id for row in kept.select("id").collect()} == expected
