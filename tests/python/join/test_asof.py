"""As-of joins in real queries, after every micro-batch (SEMANTICS R115 to R119)."""

from __future__ import annotations

import math
import random
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import functions as F

import windrow as wr
from counts import streams
from feed import order
from join.asof import Joined, accepted, by_duckdb, by_pandas, drawn
from join.joins import Both

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, Row, SparkSession

pytestmark = [pytest.mark.spark]

LATENESS, DELAY = timedelta(minutes=1), timedelta(seconds=20)


def asof(both: Both, *, batch: bool = False, **more: Any) -> wr.JoinOutput:
    """Join orders with the nearest shipment of their product."""
    watermark = {} if batch else {"watermark": "20 seconds"}
    o, s = both.streams(batch=batch, lateness="1 minute", **watermark)
    return wr.asofJoin(o, s, on="product", **more)


def of_rows(rows: list[Row]) -> list[Joined]:
    """Return the rows that are left after all retractions."""
    counted: Counter[Joined] = Counter()
    for row in rows:
        values = (row.product, row.o.amount, row.s and row.s.amount)
        counted[values] += -1 if row.pane.is_retraction else 1
    assert min(counted.values(), default=0) >= 0
    return sorted(counted.elements(), key=str)


def once(both: Both, folder: Path, **more: Any) -> wr.Status:
    """Run a query over the new files, one file of each stream, and return its counts."""
    query = asof(both, **more).start(
        rows=wr.Files(str(folder / "rows")),
        rejected=wr.Files(str(folder / "rejected")),
        checkpoint=folder / "checkpoint",
        availableNow=True,
    )
    query.awaitTermination()
    return wr.status(query)


CASES = [
    ("backward", "20 seconds", "left"),
    ("backward", None, "inner"),
    ("forward", "15 seconds", "left"),
    ("nearest", "30 seconds", "inner"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("direction", "tolerance", "how"), CASES[:1])
def test_after_every_micro_batch(
    both: Both, spark: SparkSession, tmp_path: Path, direction: str, tolerance: str, how: str
) -> None:
    """A query that restarts before each batch has the rows of DuckDB and pandas after it."""
    check(both, spark, tmp_path, (direction, tolerance, how), keys=20, seed=1, batches=3)


@pytest.mark.full
@pytest.mark.parametrize(("direction", "tolerance", "how"), CASES)
@pytest.mark.parametrize("seed", range(math.ceil(streams(1_000) / 400)))
def test_many_streams(
    both: Both,
    spark: SparkSession,
    tmp_path: Path,
    seed: int,
    direction: str,
    tolerance: str | None,
    how: str,
) -> None:
    """The same for 100 keys a query, whose streams are drawn separately: 400 for each seed."""
    shards = random.Random(seed).choice([2, 5])  # noqa: S311  no secret
    usual = spark.conf.get("spark.sql.shuffle.partitions")
    spark.conf.set("spark.sql.shuffle.partitions", shards)
    try:
        check(both, spark, tmp_path, (direction, tolerance, how), keys=100, seed=seed, batches=6)
    finally:
        spark.conf.set("spark.sql.shuffle.partitions", usual or "200")


def check(
    both: Both,
    spark: SparkSession,
    folder: Path,
    join: tuple[str, str | None, str],
    *,
    keys: int,
    seed: int,
    batches: int,
) -> None:
    """Compare with the other engines after each micro-batch, and the counts and reasons."""
    direction, tolerance, how = join
    settings = {"direction": direction, "tolerance": tolerance, "how": how}
    seconds = None if tolerance is None else int(tolerance.split()[0])
    made = list(zip(*drawn(seed, keys, batches), strict=True))
    lefts, rights, late = [], [], []
    for batch, (some, more, refused) in zip(made, accepted(made, LATENESS, DELAY), strict=True):
        lefts += some
        rights += more
        late += refused
        status = once(both.add([batch[0]], [batch[1]]), folder, **settings)
        assert status.unaccounted == 0
        assert status.reasons.get("TOO_LATE", 0) == len(refused)
        rows = of_rows(spark.read.parquet(str(folder / "rows")).collect())
        assert rows == by_pandas(lefts, rights, direction, seconds, how)
        if direction != "nearest":
            assert rows == by_duckdb(lefts, rights, direction, seconds, how)
    assert late
    emitted = spark.read.parquet(str(folder / "rows"))
    assert emitted.where("pane.is_retraction").count() > 0
    found = spark.read.parquet(str(folder / "rejected")).select(
        "reason", F.coalesce("message.o.amount", "message.s.amount").alias("amount")
    )
    expected = sorted(("TOO_LATE", row["amount"]) for row in late)
    assert sorted(map(tuple, found.collect())) == expected


@pytest.mark.slow
@pytest.mark.anywhere
def test_each_row_once(both: Both) -> None:
    """``early=Never()`` emits each row once, and drains to the rows of the batch query."""
    made = drawn(7, keys=15, batches=4)
    both.add(*made)
    late = accepted(list(zip(*made, strict=True)), timedelta(days=1), DELAY)
    assert not any(refused for *_, refused in late)
    o, s = both.streams(lateness="1 day", watermark="20 seconds")
    never = wr.asofJoin(
        o, s, on="product", tolerance="9 seconds", direction="nearest", early=wr.Never()
    )
    rows = both.run(never.rows)
    assert not any(row.pane.is_retraction for row in rows)
    lefts, rights = ([row for batch in side for row in batch] for side in made)
    whole = of_rows(
        asof(both, batch=True, tolerance="9 seconds", direction="nearest").rows.collect()
    )
    assert whole == by_pandas(lefts, rights, "nearest", 9, "left")
    assert set(of_rows(rows)) <= set(whole)


@pytest.mark.slow
@pytest.mark.anywhere
def test_in_sql(both: Both, spark: SparkSession) -> None:
    """SQL has the same rows as Python, by the kind of the join in the table."""
    made = drawn(8, keys=10, batches=2)
    both.add(*made)
    both.orders.batch().createOrReplaceTempView("o")
    both.shipments.batch().createOrReplaceTempView("s")

    def sql(join: str, more: str = "") -> DataFrame:
        table = f"TABLE(SELECT * FROM {join})"  # noqa: S608
        settings = f"time => 'time', lateness => '1 minute', tolerance => '20 seconds'{more}"
        return spark.sql(f"SELECT * FROM windrow_asof_join({table}, {settings})")  # noqa: S608

    for how, join in (
        ("left", "o LEFT JOIN s USING (product)"),
        ("inner", "o JOIN s USING (product)"),
    ):
        found = sql(join)
        ours = asof(both, batch=True, tolerance="20 seconds", how=how).rows
        assert found.columns == ours.columns == ["product", "o", "s", "pane"]
        assert of_rows(found.collect()) == of_rows(ours.collect())
    forward = sql("o LEFT JOIN s USING (product)", ", direction => 'forward'")
    ours = asof(both, batch=True, tolerance="20 seconds", direction="forward").rows
    assert of_rows(forward.collect()) == of_rows(ours.collect())
    with pytest.raises(AnalysisException, match="ASOF_CONDITION"):
        sql("o JOIN s ON o.product = s.product AND s.time <= o.time")
    with pytest.raises(AnalysisException, match="ASOF_CONDITION"):
        sql("o JOIN s ON o.product = s.product AND s.amount < o.amount")


def test_without_equal_columns_and_with_null(both: Both) -> None:
    """Without ``on`` all rows are compared, and a null key has no partner (SEMANTICS R35)."""
    both.add(
        [[order("09:00:10", "x", 1), order("09:00:20", None, 2)]],
        [[order("09:00:05", "y", 10), order("09:00:15", None, 20)]],
    )
    o, s = both.streams(batch=True, lateness="1 minute")
    rows = wr.asofJoin(o, s).rows
    assert sorted((row.o.amount, row.s.amount) for row in rows.collect()) == [(1, 10), (2, 20)]
    keyed = asof(both, batch=True).rows
    assert of_rows(keyed.collect()) == [("x", 1, None), (None, 2, None)]


def test_refused(both: Both) -> None:
    """A join that could not run is refused with all problems (SEMANTICS R117)."""

    def codes(stream: dict[str, Any], **more: Any) -> list[str]:
        o, s = both.streams(batch=True, **{"lateness": "1 minute", **stream})
        with pytest.raises(wr.SpecError) as refused:
            wr.asofJoin(o, s, on="product", **more)
        return sorted(one.code for one in refused.value.problems)

    assert codes({}, direction="forward") == ["TOLERANCE_NOT_STATED"]
    assert codes({}, direction="nearest", how="full") == ["TOLERANCE_NOT_STATED", "VALUE_UNKNOWN"]
    assert codes({}, tolerance="-1 seconds") == ["SIZE_NEGATIVE"]
    assert codes({}, early="10 seconds") == ["VALUE_NOT_SUPPORTED"]
    assert codes({"lateness": None}) == ["LATENESS_NOT_STATED"]
    assert codes({}, direction="up", tolerance="5") == ["DURATION_WITHOUT_UNIT", "VALUE_UNKNOWN"]
    o, s = both.streams(batch=True, lateness="1 minute")
    kept = wr.stream(both.shipments.batch(), time="time", name="pane").lateness("1 minute")
    with pytest.raises(wr.SpecError, match="NAME_TAKEN"):
        _ = wr.asofJoin(o, kept, on="product").rows
    with pytest.raises(wr.SpecError, match="VALUE_NOT_SUPPORTED"):
        wr.asofJoin(o.retain(time="1 hour"), s.retain(time="1 hour"), on="product")


def totals(joined: DataFrame, *results: Column, lateness: str = "1 hour") -> DataFrame:
    """Return aggregates of the windows of one minute of joined rows."""
    value = F.col("s.amount").alias("value")
    flat = joined.select("product", "o.time", value, F.col("pane.is_retraction").alias("again"))
    stream = wr.stream(flat, time="time", key="product", name="all", watermark=None)
    windows = stream.lateness(lateness).window(wr.Tumbling("1 minute"))
    return windows.accumulationMode(wr.ACCUMULATING).aggregate(*results).panes


def signed() -> Column:
    """Return the sum of the values, less those of retractions."""
    value = F.col("value")
    return F.sum(F.when(F.col("again"), -value).otherwise(value)).alias("total")


def test_operators_that_would_count_corrections(both: Both) -> None:
    """An operator that would count a row and its retraction is refused (SEMANTICS R109, R119)."""
    both.add([[]], [[]])
    plain = F.sum("value").alias("total")
    with pytest.raises(wr.SpecError, match=r"ROWS_COME_AGAIN.*'o_s' retracts rows"):
        totals(asof(both).rows, plain)
    with pytest.raises(wr.SpecError, match="ROWS_COME_AGAIN"):
        totals(asof(both).rows.where("NOT pane.is_retraction"), signed())
    assert "window" in totals(asof(both, early=wr.Never()).rows, plain).columns


@pytest.mark.slow
@pytest.mark.parametrize("seed", [3, *(pytest.param(n, marks=pytest.mark.full) for n in range(9))])
def test_windows_over_corrections(both: Both, seed: int) -> None:
    """The totals of corrected rows are those of the rows that pandas returns (SEMANTICS R119)."""
    made = drawn(seed, keys=8, batches=4)
    both.add(*([*side, [order("12:00:00", "end")]] for side in made))  # ends all other windows
    accepting = timedelta(days=1)
    o, s = both.streams(lateness="1 day", watermark="20 seconds")
    rows = wr.asofJoin(o, s, on="product", tolerance="15 seconds").rows
    panes = both.run(totals(rows, signed(), lateness="1 day"))
    last = {
        (pane.product, f"{pane.window.start:%H:%M}"): pane.total
        for pane in sorted(panes, key=lambda pane: pane.pane["index"])
        if pane.product != "end"
    }
    lefts, rights = ([row for batch in side for row in batch] for side in made)
    assert not any(late for *_, late in accepted(list(zip(*made, strict=True)), accepting, DELAY))
    minute = {row["amount"]: (row["product"], row["time"][11:16]) for row in lefts}
    expected: dict[tuple[str, str], int | None] = {}
    for _, left, right in by_pandas(lefts, rights, "backward", 15, "left"):
        window = minute[left]
        if right is not None:
            expected[window] = (expected.get(window) or 0) + right
        else:
            expected.setdefault(window, None)
    # Seed 8 draws no correction.
    assert any(pane.pane["index"] > 0 for pane in panes) == (seed != 8)
    complete = {window: total or 0 for window, total in expected.items()}
    assert {window: total or 0 for window, total in last.items()} == complete


@pytest.mark.slow
@pytest.mark.anywhere
def test_restart_with_other_settings(both: Both, tmp_path: Path) -> None:
    """Direction, tolerance, kind, and emission cannot change while the state exists (S2)."""
    both.add([[order("09:00:10", "x", 1)]], [[order("09:00:05", "x", 10)]])
    once(both, tmp_path, tolerance="20 seconds")
    changed: list[dict[str, Any]] = [
        {"tolerance": "30 seconds"},
        {"tolerance": "20 seconds", "direction": "forward"},
        {"tolerance": "20 seconds", "how": "inner"},
        {"tolerance": "20 seconds", "early": wr.Never()},
    ]
    for settings in changed:
        with pytest.raises(wr.CheckpointError, match="SPEC_CHANGED"):
            once(both, tmp_path, **settings)


@pytest.mark.slow
def test_stored_and_waiting_rows(both: Both, tmp_path: Path) -> None:
    """The state of a checkpoint lists the stored rows, and the rows that wait."""
    both.add([[order("09:00:10", "x", 1)]], [[order("09:00:05", "x", 10)]])
    once(both, tmp_path, tolerance="20 seconds", early=wr.Never())
    o, s = (wr.state(tmp_path / "checkpoint", operator=name) for name in ("o", "s"))
    assert [row.amount for row in o.getMessages().collect()] == [1]
    assert [row.amount for row in s.getMessages().collect()] == [10]
    waiting = o.pending().collect()
    assert [(row.o.amount, row.s.amount) for row in waiting] == [(1, 10)]


def test_picture_and_words(both: Both) -> None:
    """The picture connects a row with the nearest one, and the text names both streams."""
    output = asof(both, batch=True, tolerance="5 seconds", direction="nearest")
    times = {"o": ["2025-01-01 09:00:10", "2025-01-01 09:01:00"], "s": ["2025-01-01 09:00:08"]}
    assert "left nearest join of o and s, 1 pair, 1 without a partner" in str(output.plot(times))
    assert "<svg" in str(output.plot())
    text = output._explained()
    assert "the row of 's' before or after the row of 'o'" in text
    assert "at most 5 seconds apart" in text
    assert repr(output.spec.within) == "AsOf(direction='nearest', tolerance='5 seconds')"
