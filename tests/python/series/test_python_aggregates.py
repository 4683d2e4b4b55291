# ruff: noqa: S608  the SQL contains only strings of this file
"""Aggregates that are Python functions equal plain Python after every step (R124, R125)."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd  # noqa: TC002  wr.aggregate reads the annotations
import pyarrow as pa
import pyarrow.compute as pc
import pyspark
import pytest
from pyspark.sql import functions as F

import windrow as wr
from counts import streams
from feed import NOTHING, Feed, order
from programs import printed
from query.test_functions import KINDS, in_order, run, seconds
from windrow._calling import _aggregate, _worker
from windrow._running._settings import having

if TYPE_CHECKING:
    import polars as pl
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

RETURNS = "ids array<bigint>, total double"


@wr.aggregate(returns=RETURNS)
def in_pandas(identity: pd.Series, price: pd.Series) -> Any:
    """Return all ids in their order, and the sum of the prices."""
    assert list(identity.index) == list(range(len(identity)))
    return {"ids": identity.tolist(), "total": round(price.sum(), 9)}


@wr.aggregate(returns=RETURNS)
def in_polars(identity: pl.Series, price: pl.Series) -> Any:
    """Return the same from Polars."""
    return identity.to_list(), round(price.sum(), 9)


@wr.aggregate(returns=RETURNS, over="arrow")
def in_arrow(identity: Any, price: Any) -> Any:
    """Return the same from Arrow."""
    return identity.to_pylist(), round(pc.sum(price).as_py() or 0.0, 9)


ALL = {"pandas": in_pandas, "polars": in_polars, "arrow": in_arrow}


#: By the number of shards, the seed and the number of streams, which are the keys of one query.
MANY = streams(1_000)
STREAMS = {"1": (0, MANY // 10), "2": (1, MANY // 10), "7": (2, MANY - MANY // 10 * 2)}


@pytest.mark.full
@pytest.mark.parametrize("name", KINDS)
def test_windows(spark: SparkSession, name: str) -> None:
    """Each complete window has the values of pandas, after late rows and restarts (R124).

    A retraction that differs from its pane fails in ``run``.
    """
    kind = KINDS[name]
    accepted = f"""SELECT key, first, sec, part, id, price FROM ({kind.rows})
        WHERE mark < last + {kind.lateness} AND last <= ?"""
    calls = [function("id", "price").alias(over) for over, function in ALL.items()]
    found_streams, windows = set(), 0
    for shards, (seed, keys) in STREAMS.items():
        with having(spark, {"spark.windrow.shards": shards}):
            for base, mark, panes in run(spark, seed, kind, *calls, engine="query", keys=keys):
                found = {
                    (p["key"], seconds(p["window"]["start"])): [told(p[over]) for over in ALL]
                    for p in panes
                }
                assert len(found) == len(panes)
                grouped = base.execute(accepted, [mark]).df().groupby(["key", "first"])
                assert found == {at: [by_pandas(rows)] * len(ALL) for at, rows in grouped}
                found_streams |= {(seed, key) for key, _ in found}
                windows += len(found)
    print(f"{name}: {len(found_streams)} streams, {windows} windows")  # noqa: T201
    assert len(found_streams) == MANY


def told(value: Mapping[str, Any]) -> tuple[list[int], float]:
    """Return the two fields of a result."""
    return list(value["ids"]), value["total"]


def by_pandas(rows: pd.DataFrame) -> tuple[list[int], float]:
    """Compute the value from the definition: rows by time, partition, and offset."""
    ordered = rows.sort_values(["sec", "part", "id"])
    return ordered["id"].tolist(), round(ordered["price"].sum(), 9)


SCHEMA = "time timestamp, key string, id bigint, price double"


def panes_of(
    spark: SparkSession, mode: wr.AccumulationMode, steps: Sequence[Sequence[tuple[str, int]]]
) -> list[list[tuple[str, bool, list[int]]]]:
    """Return timing, retraction, and ids of the panes of each step."""

    def built(df: DataFrame) -> wr.Output:
        stream = wr.stream(df, time="time", key="key", watermark="0 seconds").lateness("1 hour")
        windows = stream.window(wr.Tumbling("1 minute"), fillGaps=True).accumulationMode(mode)
        return windows.trigger(early=wr.EachBatch()).aggregate(in_arrow("id", "price").alias("x"))

    made = []
    with wr.testing.harness(built, spark, schema=SCHEMA, engine="query") as h:
        for step in steps:
            h.add(
                [
                    {"time": f"2025-01-01T09:{at}Z", "key": "a", "id": one, "price": 1.0}
                    for at, one in step
                ]
            )
            panes = [(p["pane"], list(p["x"]["ids"])) for p in h.panes()]
            made.append([(pane["timing"], pane["is_retraction"], ids) for pane, ids in panes])
    return made


@pytest.mark.full
def test_modes_and_early_panes(spark: SparkSession) -> None:
    """DISCARDING passes the new rows; a retraction passes the old ones; a gap passes none."""
    steps = [[("00:30", 1), ("00:10", 2)], [("02:10", 3)], [("00:20", 4)]]
    parts = panes_of(spark, wr.DISCARDING, steps)
    assert [in_order(step) for step in parts] == [
        [("EARLY", False, [2, 1])],
        in_order([("ON_TIME", False, []), ("ON_TIME", False, []), ("EARLY", False, [3])]),
        [("LATE", False, [4])],
    ]
    retracted = panes_of(spark, wr.ACCUMULATING_AND_RETRACTING, steps)
    assert in_order(retracted[2]) == in_order(
        [("LATE", False, [2, 4, 1]), ("ON_TIME", True, [2, 1])]
    )


@pytest.mark.slow
@pytest.mark.parametrize("shards", ["1", "5"])
def test_batches(spark: SparkSession, shards: str) -> None:
    """A batch passes the rows in the same order, on any number of shards, beside other aggregates.

    Windows of each row and windows by policies call the function, too. So does Spark's ``groupBy``.
    """
    spark.conf.set("spark.windrow.shards", shards)
    try:
        df = spark.sql(
            "SELECT TIMESTAMP'2025-01-01 09:00:00' + make_dt_interval(0, 0, 0, (id * 7) % 40) AS "
            "time, id % 3 AS key, id, double(id) AS price FROM range(40)"
        ).repartition(3)
        stream = wr.stream(df, time="time", key="key").lateness("0 seconds")
        shown = in_pandas("id", F.col("price") * 2).alias("x")
        rows = stream.window(wr.Tumbling("20 seconds")).aggregate(shown, F.count("*").alias("n"))
        found = {
            (row.key, row.window.start.second): (*row.x, row.n) for row in rows.panes.collect()
        }
        expected: dict[tuple[int, int], list[int]] = {}
        for one in sorted(range(40), key=lambda one: one * 7 % 40):
            expected.setdefault((one % 3, one * 7 % 40 // 20 * 20), []).append(one)
        assert found == {at: (ids, 2.0 * sum(ids), len(ids)) for at, ids in expected.items()}
        over = stream.window(wr.Over(rows=2)).aggregate(in_polars("id", "price").alias("x"))
        pairs = [list(row.x.ids) for row in over.panes.where("key = 0").collect()]
        in_time = sorted(range(0, 40, 3), key=lambda one: one * 7 % 40)
        assert in_order(pairs) == in_order([in_time[max(0, n - 1) : n + 1] for n in range(14)])
        plain = df.groupBy("key").agg(in_arrow("id", "price").alias("x"))
        assert {row.key: sorted(row.x.ids) for row in plain.collect()} == {
            key: list(range(key, 40, 3)) for key in range(3)
        }
    finally:
        spark.conf.unset("spark.windrow.shards")


ONE_ROW = (
    "SELECT TIMESTAMP'2025-01-01 09:00:30' AS time, 'tea' AS product, 2.0D AS price, "
    "CAST(NULL AS INT) AS amount"
)


def test_a_failure_that_no_pane_reads(spark: SparkSession) -> None:
    """A gap has its own value, also if the function fails for its empty columns (R120, R125)."""
    rows = "VALUES (TIMESTAMP'2025-01-01 09:00:10', 2D), (TIMESTAMP'2025-01-01 09:02:10', 3D)"
    growth = wr.aggregate(returns="double", over="arrow")(lambda price: price[0].as_py() * 10)
    stream = wr.stream(spark.sql(f"SELECT * FROM {rows} AS t(time, price)"), time="time")
    windows = stream.lateness("0 seconds").window(wr.Tumbling("1 minute"))
    panes = (
        windows.fillGaps({"growth": 1.0}).aggregate(growth("price").alias("growth")).panes.collect()
    )
    assert [row.growth for row in sorted(panes)] == [20.0, 1.0, 30.0]


def test_an_error_in_a_batch(spark: SparkSession) -> None:
    """The error names key and window, and has no Java stack trace (R125)."""
    stream = wr.stream(spark.sql(ONE_ROW), time="time", key="product").lateness("0 seconds")
    text = wr.aggregate(returns="int", over="arrow")(lambda _: "x")("price")
    with pytest.raises(Exception, match="AGGREGATE_FUNCTION_FAILED") as failed:
        stream.window(wr.Tumbling("1 minute")).aggregate(text).panes.collect()
    pane = "the key {tea} and the window {2025-01-01 09:00:00, 2025-01-01 09:01:00}"
    assert f"failed for {pane}: it returned a value of type str, which" in str(failed.value)
    assert "\tat " not in str(failed.value)


def test_a_function_that_fails(feed: Feed, tmp_path: Path) -> None:
    """The error has the traceback of the function alone; a fixed one continues (R125)."""
    limit = 2

    def inverse(value: int) -> float:
        return 1 / (value - limit)

    @wr.aggregate(returns="double", over="pandas")
    def rate(amount: pd.Series) -> float:
        return inverse(len(amount))

    def started(function: Callable[..., Any]) -> Any:
        stream = wr.stream(feed.stream(), time="time", key="product", watermark="0 seconds")
        windows = stream.lateness("0 seconds").window(wr.Tumbling("1 minute"))
        return windows.aggregate(function("amount").alias("rate")).start(
            panes=wr.Files(str(tmp_path / "panes")),
            rejected=wr.Files(str(tmp_path / "rejected")),
            checkpoint=str(tmp_path / "checkpoint"),
            availableNow=True,
        )

    feed.add([order("09:00:10"), order("09:01:10"), order("09:01:20")], [order("09:03")], NOTHING)
    query = started(rate)
    with pytest.raises(Exception, match="AGGREGATE_FUNCTION_FAILED") as failed:
        query.awaitTermination()
    text = str(failed.value).partition("=== Streaming Query")[0]
    line = "The Python function 'rate' failed for the key {a} and the window {2025-01-01 09:01:00, "
    line += "2025-01-01 09:02:00}: ZeroDivisionError: division by zero."
    assert line in text
    assert text.count("  File ") == 2
    assert "in rate" in text
    assert "in inverse" in text
    assert "\tat " not in text
    assert line in str(wr.status(query).error)
    limit = 5
    started(rate).awaitTermination()
    found = feed.spark.read.parquet(str(tmp_path / "panes")).collect()
    assert sorted(row.rate for row in found) == [1 / (1 - 2), 1 / (2 - 5)]


def codes(make: Callable[[], object]) -> list[str]:
    """Return the codes of the problems of a call."""
    with pytest.raises(wr.SpecError) as refused:
        make()
    return [problem.code for problem in refused.value.problems]


def test_mistakes(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything that is known before the start is refused there (R125)."""
    stream = wr.stream(spark.sql(ONE_ROW), time="time").lateness("0 seconds")
    minutes = stream.window(wr.Tumbling("1 minute"))

    def mixed(one: pd.Series, other: pl.Series) -> None:
        """Have annotations of two libraries."""

    def text(one: pd.Series) -> str:
        return str(one)

    for make in (
        lambda: in_pandas("price"),
        in_pandas,
        lambda: wr.aggregate(returns="double")(len),
        lambda: wr.aggregate(returns="double")(mixed),
        lambda: wr.aggregate(returns="double")(3),  # type: ignore[arg-type]
        lambda: wr.aggregate(returns="doubel")(text)("price"),
        lambda: wr.aggregate(returns="interval")(text)("price"),
        lambda: wr.aggregate(returns=5)(text)("price"),  # type: ignore[arg-type]
    ):
        assert codes(make) == ["AGGREGATE_FUNCTION"]
    assert codes(lambda: in_pandas(1, 2)) == ["AGGREGATE_FUNCTION"] * 2
    over: Any = "numpy"
    assert codes(lambda: wr.aggregate(returns="double", over=over)(len)) == ["VALUE_UNKNOWN"]
    assert codes(lambda: minutes.aggregate(in_pandas("price", "none"))) == ["QUERY_REFUSED"]
    assert codes(lambda: minutes.aggregate(in_pandas)) == ["AGGREGATE_NOT_COLUMN"]  # type: ignore[arg-type]
    monkeypatch.setattr("windrow._calling._aggregate.find_spec", lambda _: None)
    assert codes(lambda: wr.aggregate(returns="double")(text)) == ["AGGREGATE_FUNCTION"]
    monkeypatch.delattr(F, "arrow_udf")
    with pytest.raises(wr.SpecError, match=r"Spark 4\.1"):
        in_arrow("price", "price")


@pytest.mark.anywhere
def test_versions_of_spark(spark: SparkSession) -> None:
    """Spark 4.0 lacks functions over Arrow, so Windrow refuses the call there; it has no others."""
    stream = wr.stream(spark.sql(ONE_ROW), time="time", key="product").lateness("0 seconds")
    doubled = wr.aggregate(returns="double", over="arrow")(lambda price: price[0].as_py() * 2)

    def values() -> list[float]:
        minutes = stream.window(wr.Tumbling("1 minute"))
        panes = minutes.aggregate(doubled("price").alias("doubled")).panes
        return [row.doubled for row in panes.collect()]

    if pyspark.__version__.startswith("4.0."):
        with pytest.raises(wr.SpecError, match=r"Spark 4\.1"):
            values()
    else:
        assert values() == [4.0]


def test_only_queries_call_functions(spark: SparkSession, feed: Feed, tmp_path: Path) -> None:
    """The engine "core" and questions about a checkpoint are refused (R124)."""

    def built(df: DataFrame) -> wr.Output:
        stream = wr.stream(df, time="time", watermark="0 seconds").lateness("0 seconds")
        return stream.window(wr.Tumbling("1 minute")).aggregate(in_pandas("amount", "price"))

    with (
        pytest.raises(wr.SpecError, match=r"ONLY_IN_QUERIES.* Python function"),
        wr.testing.harness(built, spark, schema="time timestamp, amount int, price double"),
    ):
        pass
    feed.add([order("09:00:10")], NOTHING)
    output, folder = built(feed.stream()), str(tmp_path / "checkpoint")
    output.start(
        panes=lambda rows, _: rows.collect(),
        rejected=lambda rows, _: rows.collect(),
        checkpoint=folder,
        availableNow=True,
    ).awaitTermination()
    with pytest.raises(wr.CheckpointError, match="AGGREGATE_NOT_READABLE"):
        wr.state(folder).pending()
    assert output.panes.columns[1] == "in_pandas(amount, price)"


@pytest.mark.full
def test_connect(tmp_path: Path) -> None:
    """A Connect client has the same values and errors."""
    said = printed("connect.py", FOLDER=str(tmp_path), PART="functions", SPARK_TESTING="1")
    at = said.index("[2]")
    assert "The Python function '<lambda>' failed for the key {a} and the window" in said[at + 1]
    assert "\tat " not in "\n".join(said[at:])


@pytest.mark.slow
def test_workers_do_not_need_windrow(tmp_path: Path) -> None:
    """A pickled function runs in a process that cannot import Windrow (R124)."""
    cloudpickle: Any = import_module("pyspark.cloudpickle")
    call = _aggregate._pickled(_worker.calling(pc.sum, "arrow", pa.float64()), "sum")
    (tmp_path / "call").write_bytes(cloudpickle.dumps(call))
    program = f"""
import pickle, sys
sys.modules["windrow"] = None
import pyarrow as pa
call = pickle.loads(open({str(tmp_path / "call")!r}, "rb").read())
rows = pa.array([[{{"a": 1.0}}, {{"a": 2.0}}], None, []])
print([[one["value"] for one in call(part).to_pylist()] for part in (rows, rows[:1], rows[1:])])
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[[3.0, None, None], [3.0], [None, None]]"
