"""Rows that make their query fail, ``invalid="fail"`` (SEMANTICS A7)."""

from __future__ import annotations

import json
import random
import re
from collections import defaultdict
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import functions as F

import windrow as wr
from feed import add_files, order
from query.test_poison import KINDS, OPERATORS, fates, of_rows, rows

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

    from feed import Order

pytestmark = [pytest.mark.spark]

SCHEMA = "time timestamp, product string, price double, amount bigint, gap bigint"
SMALL = [kind for kind in KINDS if len(str(kind.get("key"))) < 1000]
INVALID = {"INVALID_TIME", "TOO_FAR_AHEAD"}
ROW = re.compile(
    r"\[MESSAGE_INVALID\] Stream 'messages', row (\d+) of partition 0: .*?('.*?')"
    r"(?: \(INVALID_TIME|\) is further)"
)


def said(failed: Exception) -> str:
    """Return Windrow's error text, and check that it contains none of Windrow's stack frames."""
    text = str(failed)
    assert "at windrow." not in text
    found = re.search(r"\[MESSAGE_INVALID\] [^\n]*", text)
    assert found is not None, text
    return found[0]


def failure(run: Callable[[], object]) -> str:
    """Return Windrow's error text of a failing call."""
    with pytest.raises(Exception, match="MESSAGE_INVALID") as failed:
        run()
    return said(failed.value)


def counted(df: DataFrame, invalid: Any = "reject", **more: Any) -> wr.Output:
    """Sum the orders of each minute."""
    known: dict[str, Any] = {"time": "time", "key": "product", "name": "orders", **more}
    windows = wr.stream(df, invalid=invalid, **known).lateness("1 minute")
    tumbling = windows.window(wr.Tumbling("1 minute")).accumulationMode(wr.ACCUMULATING)
    return tumbling.aggregate(F.sum("amount").alias("sum"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("operator", "columns"),
    [
        ("sessions of each message's gap", {"'time'", "'time' and 'gap'"}),
        pytest.param("tumbling by text", {"'time'"}, marks=pytest.mark.full),
        pytest.param("full state", {"'time'"}, marks=pytest.mark.full),
    ],
)
def test_each_kind_of_poison(
    spark: SparkSession, tmp_path: Path, operator: str, columns: set[str]
) -> None:
    """Each failure names one invalid row; without these rows, the query succeeds.

    The rows that fail are exactly the rows that ``reject`` would return.
    """
    folder = str(tmp_path / "in")
    rows(spark, SMALL, 0).coalesce(1).sortWithinPartitions("id").write.parquet(folder)
    bad: list[int] = []
    named = set[str]()

    def output(invalid: str) -> wr.Output:
        df = spark.read.parquet(folder).where(~F.col("id").isin(bad)).coalesce(1)
        return OPERATORS[operator](df, {"maxFuture": "1 day", "invalid": invalid})

    rejected = output("reject").rejected.select("message.id", "reason").collect()
    expected = {row.id for row in rejected if row.reason in INVALID}
    assert len(expected) >= 5
    while len(bad) < len(expected):
        found = ROW.match(failure(output("fail").panes.collect))
        assert found is not None
        named.add(found[2])
        left = [one for one in range(len(SMALL)) if one not in bad]
        bad.append(left[int(found[1]) - 1])
    assert set(bad) == expected
    assert bad == sorted(bad)  # the first invalid row makes the query fail
    assert named == columns
    fate = of_rows(fates(output("fail").output))
    assert fate == set(range(len(SMALL))) - expected


def started(spark: SparkSession, folder: Path, invalid: str) -> wr.Status:
    """Run a query over all files to its end or its failure, and return its status."""
    df = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).json(str(folder / "in"))
    query = counted(df, invalid, watermark="0 seconds").start(
        panes=wr.Files(str(folder / "panes")),
        rejected=wr.Files(str(folder / "rejected")),
        checkpoint=folder / "checkpoint",
        availableNow=True,
    )
    with suppress(StreamingQueryException):
        query.awaitTermination()
    return wr.status(query)


def of_batches(seed: int, size: int, batches: int = 3) -> list[list[Order]]:
    """Draw batches of orders, one minute of event time per batch."""
    draw = random.Random(seed)  # noqa: S311  no secret
    return [
        [
            order(f"09:{batch:02}:{draw.randrange(60):02}", draw.choice("abc"), draw.randrange(99))
            for _ in range(size)
        ]
        for batch in range(batches)
    ]


def sums(batches: list[list[Order]]) -> list[tuple[str, str, int]]:
    """Return product, minute and sum of the windows that are complete after all batches."""
    found: dict[tuple[str, str], int] = defaultdict(int)
    for one in (one for batch in batches[:-1] for one in batch):
        found[one["product"], one["time"][-8:-3]] += one["amount"]
    return sorted((*place, total) for place, total in found.items())


@pytest.mark.slow
@pytest.mark.parametrize("size", [5, pytest.param(5000, marks=pytest.mark.full)])
@pytest.mark.parametrize(
    "how",
    [pytest.param(how, marks=pytest.mark.full) for how in ("mended", "left out")] + ["rejected"],
)
def test_a_query_goes_on(spark: SparkSession, tmp_path: Path, size: int, how: str) -> None:
    """A query that failed continues from its checkpoint without lost or doubled rows.

    The failed batch is processed again completely.
    """
    good = of_batches(7, size)
    at = random.Random(size).randrange(size)  # noqa: S311  no secret
    broken = [list(batch) for batch in good]
    broken[1][at] = {**good[1][at], "time": None}
    add_files(tmp_path / "in", *broken)
    file = tmp_path / "in" / "0001.json"
    # unless the file is fixed, the restart fails at the same place
    for _ in range(1 if how == "mended" else 2):
        error = started(spark, tmp_path, "fail").error
        assert error is not None
        where = f"[MESSAGE_INVALID] Stream 'orders', file '{file.as_uri()}' row {at + 1}: "
        assert error.startswith(f"{where}a row does not have a usable event time in 'time' ")
    if how != "rejected":
        broken[1][at : at + 1] = [good[1][at]] if how == "mended" else []
        file.write_text("\n".join(json.dumps(dict(row)) for row in broken[1]))
    assert started(spark, tmp_path, "reject" if how == "rejected" else "fail").error is None
    panes = spark.read.parquet(str(tmp_path / "panes"))
    minute = F.date_format("window.start", "HH:mm")
    found = [tuple(row) for row in panes.select("product", minute, "sum").collect()]
    left = [[row for row in batch if row["time"]] for batch in broken]
    assert sorted(found) == sums(left)
    rejected = spark.read.parquet(str(tmp_path / "rejected"))
    assert [row.reason for row in rejected.select("reason").collect()] == (
        ["INVALID_TIME"] if how == "rejected" else []
    )


def two(spark: SparkSession, more: str = "", *values: object) -> DataFrame:
    """Return two rows in one partition, the second one without a time."""
    usual = spark.range(1, 3, 1, 1)
    df = usual.select(
        "id",
        F.when(F.col("id") == 1, F.expr("TIMESTAMP '2026-01-01'")).alias("time"),
        F.lit("hushhush-4711").alias("product"),
        F.lit(907060504030201).alias("amount"),
    )
    names = [name.split() for name in more.split(", ") if name]
    for (name, kind), value in zip(names, values, strict=True):
        df = df.withColumn(name, F.lit(value).cast(kind))
    return df.coalesce(1)


def joined(a: wr.Stream, b: wr.Stream) -> wr.JoinOutput:
    """Return a join of two streams."""
    return wr.join(a, b, on="product", within=("0 seconds", "1 minute"))


def streams(a: DataFrame, b: DataFrame, **said: Any) -> tuple[wr.Stream, wr.Stream]:
    """Return two streams by product with common settings."""
    usual: dict[str, Any] = {"key": "product", **said}
    return (
        wr.stream(a, time="time", name="a", **usual).lateness("0 seconds"),
        wr.stream(b, time=F.col("time") + F.expr("INTERVAL 1 DAY"), name="b", **usual).lateness(
            "0 seconds"
        ),
    )


@pytest.mark.slow
def test_where_a_message_is(spark: SparkSession, tmp_path: Path) -> None:
    """An invalid row is located by identity, file or task, and its values are never shown."""
    kafka = two(spark, "topic string, partition int, offset long", "clicks", 3, 17)
    place = "source 'clicks' partition 3 offset 17"
    offset = wr.RowId(offset="place", partition="part", source=F.lit("s" * 1000))
    own = two(spark, "place long, part long", 5, 6)
    folder = str(tmp_path / "in")
    two(spark).write.parquet(folder)
    files = spark.read.parquet(folder)
    [file] = [
        row.file for row in files.select(F.input_file_name().alias("file")).distinct().collect()
    ]
    found = {
        place: counted(kafka, "fail"),
        f"source '{'s' * 200}…' partition 6 offset 5": counted(own, "fail", rowId=offset),
        "row 2 of partition 0": counted(two(spark), "fail"),
        f"file '{file}' row 2": counted(files, "fail"),
    }
    described = files.select("*", "_metadata")
    found_of_file = failure(counted(described, "fail").panes.collect)
    path = file.replace("file:///", "file:/")
    assert f"Stream 'orders', file '{path}' row 2: a row" in found_of_file
    for where, out in found.items():
        text = failure(out.panes.collect)
        assert text.startswith(f"[MESSAGE_INVALID] Stream 'orders', {where}: a row does not have")
        assert "hushhush" not in text
        assert "9070605" not in text
    sorted_before = files.sortWithinPartitions("id")
    text = failure(counted(sorted_before, "fail").panes.collect)
    assert "row 2 of partition 0" in text


def test_several_streams(spark: SparkSession) -> None:
    """Joins and co-groups name the stream of the invalid row; both streams set ``invalid``."""
    good, bad = two(spark).where("id = 1"), two(spark)
    text = failure(joined(*streams(good, bad, invalid="fail")).rows.collect)
    assert "Stream 'b', row 2 of partition" in text
    assert "time + INTERVAL '1' DAY" in text
    text = failure(joined(*streams(bad, good, invalid="fail")).rows.collect)
    assert "Stream 'a', row 2 of partition" in text
    a, b = streams(good, bad, invalid="fail")
    grouped = wr.cogroup(a, b).window(wr.Tumbling("1 hour")).aggregate(F.count("a.id"))
    assert "Stream 'b', row 3 of partition 0: a row does not have " in failure(
        grouped.panes.collect
    )
    other = streams(good, bad)[1]
    for mixed in (partial(joined, a, other), partial(wr.cogroup, a, other)):
        with pytest.raises(
            wr.SpecError, match=r"\[OPTION_DIFFERS\].*fail.* of 'a', .*reject.* of 'b'"
        ):
            mixed()


def test_in_sql(spark: SparkSession) -> None:
    """SQL accepts the same values of ``invalid``."""
    two(spark).createOrReplaceTempView("messages")
    tumbling = (
        "SELECT * FROM windrow_tumble(TABLE(SELECT product, sum(amount) FROM messages "
        "GROUP BY product), time => 'time', size => '1 hour', lateness => '0 s', invalid => '%s')"
    )
    assert "Stream 'messages', " in failure(spark.sql(tumbling % "FAIL").collect)
    assert spark.sql(tumbling % "reject").count() == 1
    with pytest.raises(Exception, match="VALUE_UNKNOWN"):
        spark.sql(tumbling % "skip")
    with pytest.raises(wr.SpecError, match=r"\[VALUE_UNKNOWN\] stream\(invalid='skip'\)"):
        wr.stream(two(spark), invalid="skip")  # type: ignore[arg-type]
    with pytest.raises(
        wr.SpecError, match=r"2 problems in stream\(watermark='soon', invalid='skip'\)"
    ):
        wr.stream(two(spark), watermark="soon", invalid="skip")  # type: ignore[arg-type]
    join = spark.sql(
        "SELECT * FROM windrow_join(TABLE(SELECT * FROM messages a JOIN messages b "
        "ON a.id = b.id AND b.time BETWEEN a.time AND a.time + INTERVAL 1 HOUR), "
        "lateness => '0 s', invalid => 'fail')"
    )
    assert "row 2 of partition" in failure(join.collect)


def test_a_failed_query_ends_with_an_error_of_windrow() -> None:
    """A text with MESSAGE_INVALID is read as a ``MessageError``."""
    assert isinstance(wr.errors.from_text("[MESSAGE_INVALID] stream 'a': b"), wr.MessageError)
