"""Expressions that may fail are evaluated for the rows that Spark's own windows read (R94)."""

from __future__ import annotations

import json
import math
import os
import random
from collections import Counter
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import functions as F

import windrow as wr
from windrow._running._settings import having

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from pyspark.sql import Column, DataFrame, SparkSession

pytestmark = pytest.mark.spark

FULL = os.environ.get("WINDROW_MODE") == "full"
# tables per ten cases
TABLES = {"quick": 1, "full": 1000}.get(os.environ.get("WINDROW_MODE", ""), 2)
STREAMS = 60 if FULL else 1
FIRST = int(os.environ.get("WINDROW_SEED", "0"))
START = datetime(2025, 1, 1, 9)  # noqa: DTZ001  the session's zone is UTC
SCHEMA = "t timestamp, k string, x int, s string, a array<int>, y int"
ROW = tuple[datetime | None, str, int | None, str | None, list[int], int]
Values = Counter[tuple[Any, ...]] | None  # None: the query fails

FAIL = (
    "100 div x",
    "100 % x",
    "x + 2147483000",
    "cast(s AS int)",
    "element_at(a, x)",
    "a[x]",
    "cast(x AS tinyint)",
    "if(assert_true(x <> 0) IS NULL, x, 0)",
    "if(x = 0, raise_error('zero'), x)",
    "month(to_date(s))",
    "fails_at_zero(y)",
)
HOLD = (
    "x <> 0",
    "x > 0",
    "x BETWEEN 1 AND 3",
    "s RLIKE '^[0-9]+$'",
    "x <> 0 AND s RLIKE '^[0-9]+$'",
    "100 div x > 1",
    "x <> 0 AND 100 div x > 1",
    "cast(s AS int) > 0",
    "y <> 0",
)
ROUND = (
    "{e}",
    "CASE WHEN {c} THEN {e} END",
    "if({c}, {e}, y)",
    "coalesce(x, {e})",
    "coalesce(CASE WHEN NOT ({c}) THEN 7 END, {e})",
    "nvl2(x, {e}, 1)",
)
FOLD = (
    "sum({e}){w}",
    "count({e}){w}",
    "max({e}){w}",
    "avg({e}){w}",
    "array_sort(collect_list({e}){w})",
    "array_sort(collect_set({e}){w})",
    "percentile({e}, 0.5){w}",
    "bool_or({e} > 1){w}",
    "approx_count_distinct({e}){w}",
    "max_by({e}, y){w}",
)
#: Not for session windows, in which Spark 4.3.0 counts some values twice (``test_distinct.py``).
DISTINCT = ("count(DISTINCT {e}){w}", "count(DISTINCT y, {e}){w}")
SHOWN = ("{f}", "{f}", "{f}", "coalesce({f}, NULL)", "named_struct('of', {f})")
KEYS = (
    "k",
    "k",
    "k",
    "100 div x",
    "cast(s AS int)",
    "coalesce(CASE WHEN x = 0 THEN 0 END, 9 div x)",
)
KINDS: Sequence[tuple[Callable[[], wr.WindowKind], Callable[[], Column]]] = (
    (lambda: wr.Tumbling("1 minute"), lambda: F.window("t", "1 minute")),
    (
        lambda: wr.Hopping("2 minutes", step="1 minute"),
        lambda: F.window("t", "2 minutes", "1 minute"),
    ),
    (lambda: wr.Session("30 seconds"), lambda: F.session_window("t", "30 seconds")),
)


@dataclass(frozen=True)
class Table:
    """Rows, some of which make expressions fail, and the aggregates over them."""

    rows: list[ROW]
    key: str
    kind: int
    aggregates: list[str]
    settings: dict[str, str]


def draw(seed: int) -> Table:
    """Draw a table with ten aggregates; in some tables only the rows without a time are bad."""
    rng = random.Random(seed)  # noqa: S311  no secret
    bad = rng.choice([0, 0.02, 0.1])
    # No two rows have the same y, because max_by of equal ones depends on the order of rows.
    order, bad_order = rng.sample(range(1, 100), 40), [*range(-40, 1)]

    kind = rng.randrange(len(KINDS))
    folds = FOLD if kind == len(KINDS) - 1 else FOLD + DISTINCT

    def row(at: int | None) -> ROW:
        is_bad = at is None or rng.random() < bad
        time = None if at is None else START + timedelta(seconds=at)
        x = rng.choice([0, None, 2147483647, 9]) if is_bad else rng.choice([1, 2, 3])
        s = rng.choice(["none", "", None]) if is_bad else rng.choice(["1", "12"])
        y = bad_order.pop() if is_bad else order.pop()
        return time, rng.choice("abc"), x, s, [5, 6, 7, 8], y

    def expression() -> str:
        inner = rng.choice(ROUND).format(e=rng.choice(FAIL), c=rng.choice(HOLD))
        where = f" FILTER (WHERE {rng.choice(HOLD)})" if rng.random() < 0.5 else ""
        return rng.choice(SHOWN).format(f=rng.choice(folds).format(e=inner, w=where))

    times: list[int | None] = [rng.randrange(240) for _ in range(30)]
    ansi, generated = ("true", "false")[seed % 2], ("true", "false")[seed // 2 % 2]
    return Table(
        [row(at) for at in [*times, None, None]],
        rng.choice(KEYS),
        kind,
        [expression() for _ in range(10)],
        {
            "spark.sql.ansi.enabled": ansi,
            "spark.sql.codegen.wholeStage": generated,
            "spark.sql.codegen.factoryMode": "FALLBACK" if generated == "true" else "NO_CODEGEN",
            # Otherwise Spark moves common subexpressions of aggregates out of their filters.
            "spark.sql.subexpressionElimination.enabled": "false",
        },
    )


def register(spark: SparkSession) -> None:
    """Register a Python function that fails for 0."""
    spark.udf.register("fails_at_zero", lambda value: 100 // value, "int")


def plain(value: object) -> object:
    """Return a value in a form that compares equal between two engines."""
    if isinstance(value, float):
        return "nan" if math.isnan(value) else float(f"{value:.9e}")
    return tuple(plain(one) for one in value) if isinstance(value, list | tuple) else value


def list_of(df: DataFrame) -> Sequence[Any]:
    """Run a batch query and return its rows."""
    return df.collect()


def values(df: DataFrame, run: Callable[[DataFrame], Sequence[Any]]) -> Values:
    """Count the equal rows of a valid query; return None if it fails."""
    try:
        return Counter(tuple(plain(value) for value in row) for row in run(df))
    except PySparkException:
        return None


def of_windrow(df: DataFrame, table: Table, aggregates: Sequence[str], **more: Any) -> DataFrame:
    """Return the key, start and results of Windrow's windows."""
    named = [F.expr(text).alias(f"v{i}") for i, text in enumerate(aggregates)]
    stream = wr.stream(df, time="t", key=F.expr(table.key).alias("key"), **more).lateness(
        "0 seconds"
    )
    panes = stream.window(KINDS[table.kind][0]()).aggregate(*named).panes
    return panes.select("key", "window.start", *(f"v{i}" for i in range(len(named))))


def of_spark(df: DataFrame, table: Table, aggregates: Sequence[str]) -> DataFrame:
    """Return the key, start and results of Spark's own windows."""
    named = [F.expr(text).alias(f"v{i}") for i, text in enumerate(aggregates)]
    window = KINDS[table.kind][1]().alias("w")
    grouped = df.groupBy(F.expr(table.key).alias("key"), window).agg(*named)
    return grouped.select("key", "w.start", *(f"v{i}" for i in range(len(named))))


def of_each_row(text: str) -> str | None:
    """Return an aggregate that evaluates for each row what max_by evaluates, if this is one.

    Spark evaluates the value of max_by only for the greatest row so far, so its failure depends on
    the order of rows. Its collect_list evaluates every row.
    """
    before, is_lazy, after = text.partition("max_by(")
    inner, _, rest = after.rpartition(", y)")
    return f"{before}collect_list(struct({inner}, y)){rest}" if is_lazy else None


def without_sharing(spark: SparkSession, run: Callable[..., Values]) -> Callable[..., Values]:
    """Run again without generated code what fails with a filter.

    Generated code evaluates an expression that occurs twice before any filter, as the input of avg.
    """

    def again(*texts: str) -> Values:
        got = run(*texts)
        if got is not None or len(texts) > 1 or "FILTER" not in texts[0]:
            return got
        with having(spark, {"spark.sql.codegen.wholeStage": "false"}):
            return run(*texts)

    return again


def split(texts: Sequence[str], run: Callable[..., Values]) -> dict[str, Values]:
    """Return the values of each aggregate; run them together as far as none of them fails."""
    got = run(*texts)
    if got is None:
        if len(texts) == 1:
            return {texts[0]: None}
        middle = len(texts) // 2
        return split(texts[:middle], run) | split(texts[middle:], run)
    return by_aggregate(texts, got)


def by_aggregate(texts: Sequence[str], got: Counter[tuple[Any, ...]]) -> dict[str, Values]:
    """Return the key, start and result of each aggregate of rows that have all results."""
    found: dict[str, Counter[tuple[Any, ...]]] = {text: Counter() for text in texts}
    for row, times in got.items():
        for at, text in enumerate(texts):
            found[text][row[0], row[1], row[2 + at]] += times
    return dict(found)


def check(
    table: Table, seed: int, spark_of: Callable[..., Values], ours: Callable[..., Values]
) -> None:
    """Check that Windrow returns the values that Spark returns and fails where Spark fails."""
    expected = split(list(dict.fromkeys(table.aggregates)), spark_of)
    for text, known in expected.items():
        every = of_each_row(text)
        if known is not None and every and spark_of(every) is None:
            expected[text] = None
    fine = [text for text, known in expected.items() if known is not None]
    for text, known in expected.items():
        if known is None:
            assert ours(text) is None, (seed, table.key, text)
    got = ours(*fine) if fine else Counter()
    assert got is not None, (seed, table.key, fine)
    for text, found in by_aggregate(fine, got).items():
        assert found == expected[text], (seed, table.key, text)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(FIRST, FIRST + TABLES))
def test_a_batch_fails_exactly_if_that_of_spark_does(spark: SparkSession, seed: int) -> None:
    """A batch fails exactly if Spark's does: with FILTER, CASE, in keys, in rows without a time."""
    table = draw(seed)
    register(spark)
    df = spark.createDataFrame(table.rows, SCHEMA).coalesce(1)
    with having(spark, table.settings):
        check(
            table,
            seed,
            without_sharing(spark, lambda *texts: values(of_spark(df, table, texts), list_of)),
            lambda *texts: values(of_windrow(df, table, texts), list_of),
        )


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(FIRST, FIRST + STREAMS))
def test_a_stream_fails_exactly_if_that_of_spark_does(
    spark: SparkSession, tmp_path: Path, seed: int
) -> None:
    """Spark evaluates late rows before it drops them, and so does Windrow."""
    table = draw(seed)
    register(spark)
    folder, number = tmp_path / "in", count()
    folder.mkdir()
    timely = sorted((row for row in table.rows if row[0]), key=lambda row: str(row[0]))
    far: ROW = (START + timedelta(days=1), "z", 1, "1", [5, 6, 7, 8], 1)
    late = [(row[0], *row[1:]) for row in table.rows[:4]]
    files = [timely, [row for row in table.rows if row[0] is None] + [far], late, [far]]
    for at, rows in enumerate(files):
        lines = [json.dumps(dict(zip("tkxsay", row, strict=True)), default=str) for row in rows]
        path = folder / f"{at}.json"
        path.write_text("\n".join(lines))
        os.utime(path, (1_700_000_000 + at, 1_700_000_000 + at))

    def read() -> DataFrame:
        stream = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1)
        return stream.json(str(folder))

    def run(df: DataFrame) -> list[Any]:
        rows: list[Any] = []
        writer = df.writeStream.foreachBatch(lambda part, _: rows.extend(part.collect()))
        writer = writer.option("checkpointLocation", str(tmp_path / f"checkpoint{next(number)}"))
        writer.trigger(availableNow=True).start().awaitTermination()
        return rows

    possible = [
        text for text in table.aggregates if "DISTINCT" not in text
    ]  # Spark refuses the others
    few = replace(table, aggregates=possible[: 10 if FULL else 3])
    with having(spark, table.settings):
        check(
            few,
            seed,
            without_sharing(
                spark,
                lambda *texts: values(
                    of_spark(read().withWatermark("t", "0 seconds"), few, texts), run
                ),
            ),
            lambda *texts: values(of_windrow(read(), few, texts, watermark="0 seconds"), run),
        )


@pytest.mark.parametrize(
    "lazy",
    [
        "max_by(100 div x, y)",
        "min_by(100 div x, -y)",
        "first(100 div x)",
        "any_value(100 div x)",
    ],
)
def test_values_are_evaluated_for_each_row(spark: SparkSession, lazy: str) -> None:
    """A value that never is the result fails too, so that a failure does not depend on the order.

    Spark fails only if the bad row is the result so far.
    """
    rows = [(START, "a", 4, 9), (START + timedelta(seconds=1), "a", 0, 1)]
    df = spark.createDataFrame(rows, "t timestamp, k string, x int, y int").coalesce(1)
    value = F.expr(lazy).alias("v")
    windows = wr.stream(df, time="t", key="k").lateness("0 seconds").window(wr.Tumbling("1 minute"))
    panes = windows.aggregate(value).panes
    for code in ("true", "false"):
        with having(spark, {"spark.sql.codegen.wholeStage": code}):
            assert df.groupBy("k").agg(value).collect()[0].v == 25
            with pytest.raises(PySparkException, match="DIVIDE_BY_ZERO"):
                df.orderBy("y").coalesce(1).groupBy("k").agg(value).collect()
            with pytest.raises(PySparkException, match="DIVIDE_BY_ZERO"):
                panes.collect()


def test_filters_stay_before_shared_subexpressions(spark: SparkSession) -> None:
    """A filtered row is not evaluated, although Spark's generated code evaluates common parts."""
    rows = [(START, "a", 4), (START, "a", 0), (None, "a", 0)]
    df = spark.createDataFrame(rows, "t timestamp, k string, x int")
    texts = ["sum(100 div x) FILTER (WHERE x <> 0)", "avg(100 div x) FILTER (WHERE x > 0)"]
    windows = wr.stream(df, time="t", key="k").lateness("0 seconds").window(wr.Tumbling("1 minute"))
    panes = windows.aggregate(*(F.expr(text).alias(f"v{i}") for i, text in enumerate(texts))).panes
    assert [(row.v0, row.v1) for row in panes.collect()] == [(25, 25.0)]


def test_an_alias_can_be_read_by_the_next_aggregate(spark: SparkSession) -> None:
    """An aggregate may read the alias of a previous one, as in Spark, in Python and in SQL."""
    rows = [(START, "a", 4), (START, "a", 5)]
    df = spark.createDataFrame(rows, "t timestamp, k string, x int")
    windows = wr.stream(df, time="t", key="k").lateness("0 seconds").window(wr.Tumbling("1 minute"))
    named = F.sum("x").alias("a"), (F.col("a") * 2).alias("b"), (F.col("b") + F.max("x")).alias("c")
    [pane] = windows.aggregate(*named).panes.collect()
    assert (pane.k, pane.a, pane.b, pane.c) == ("a", 9, 18, 23)
    df.createOrReplaceTempView("rows_of_aliases")
    [pane] = spark.sql("""
        SELECT * FROM windrow_tumble(
            TABLE(SELECT k, sum(x) AS a, a * 2 AS b FROM rows_of_aliases GROUP BY k),
            time => 't', size => '1 minute', lateness => '0 seconds')""").collect()
    assert (pane.k, pane.a, pane.b) == ("a", 9, 18)


@pytest.mark.parametrize("combine", ["always", "never"])
def test_functions_that_fail_are_not_called_without_a_time(
    spark: SparkSession, combine: str
) -> None:
    """A function that fails is not called for a row without a time, even if its input is valid.

    Spark filters out such a row before the call.
    """
    rows = [(START, "a", 4, 1), (None, "a", 5, -1)]
    df = spark.createDataFrame(rows, "t timestamp, k string, x int, times int")
    windows = wr.stream(df, time="t", key="k").lateness("0 seconds").window(wr.Tumbling("1 minute"))
    panes = windows.aggregate(F.expr("percentile(x, 0.5, times)").alias("p"), F.count("*")).panes
    with having(spark, {"spark.windrow.combine": combine}):
        assert [row.p for row in panes.collect()] == [4.0]
    with pytest.raises(PySparkException, match="NEGATIVE_VALUES_IN_FREQUENCY_EXPRESSION"):
        df.groupBy("k").agg(F.expr("percentile(x, 0.5, times)")).collect()
