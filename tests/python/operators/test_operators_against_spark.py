"""Random batches through operators have the windows of Spark's own batch query."""

from __future__ import annotations

import os
import random
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

import windrow as wr

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.slow]

SCHEMA = "user string, time timestamp, amount bigint, price double"
AGGREGATES = [
    "count(*) AS n",
    "sum(amount) AS total",
    "min(price) AS low",
    "max(price) AS high",
    "sort_array(collect_list(amount)) AS every",
]
WINDOWS = {
    "tumbling": (
        wr.Tumbling("1 minute", startTime="7 seconds"),
        "window(time, '1 minute', '1 minute', '7 seconds')",
    ),
    "hopping": (
        wr.Hopping("1 minute", step="25 seconds"),
        "window(time, '1 minute', '25 seconds')",
    ),
    "session": (wr.Session("20 seconds"), "session_window(time, '20 seconds')"),
}
ROUNDS = 6 if os.environ.get("WINDROW_MODE") == "full" else 2


@pytest.mark.parametrize("name", WINDOWS)
@pytest.mark.parametrize("seed", range(ROUNDS))
def test_random_batches(spark: SparkSession, name: str, seed: int) -> None:
    """Disordered rows with null keys and values give Spark's windows, in one batch or in many."""
    window, sparks = WINDOWS[name]
    rng = random.Random(f"{name} {seed}")  # noqa: S311  the seed repeats it
    rows = _rows(rng, rng.choice([0, 1, 30, 400]))
    spec = wr.WindowOperatorSpec(
        schema=SCHEMA,
        time="time",
        key="user",
        window=window,
        lateness="0 seconds",
        aggregates=AGGREGATES,
    )
    with wr.AggregatedWindowOperator(spec) as op:
        for batch in _batches(rng, rows):
            op.addMessages(batch)
        op.finish()
        result = op.getResult().drop_columns("pane").to_pylist()
        assert op.getRejected().num_rows == 0
    frame = spark.createDataFrame([tuple(row.values()) for row in rows], SCHEMA)
    assert _sorted(result) == _sorted(_by_spark(frame, sparks)), f"seed {seed}"


def _rows(rng: random.Random, count: int) -> list[dict[str, Any]]:
    return [
        {
            "user": rng.choice(["a", "b", "c", "", None]),
            "time": datetime(2025, 1, 1, tzinfo=UTC)
            + timedelta(microseconds=rng.choice([rng.randrange(600_000_000), 60_000_000])),
            "amount": rng.choice([None, rng.randrange(-5, 5), 2**62 // 1000]),
            "price": rng.choice([None, rng.random(), -0.0, 1e300]),
        }
        for _ in range(count)
    ]


def _batches(rng: random.Random, rows: list[dict[str, Any]]) -> list[pa.Table]:
    types = [pa.string(), pa.timestamp("us", "UTC"), pa.int64(), pa.float64()]
    schema = pa.schema(list(zip(("user", "time", "amount", "price"), types, strict=True)))
    shuffled = rng.sample(rows, len(rows))
    size = rng.choice([1, 7, 1000]) if len(rows) < 100 else 100
    cuts = range(0, max(1, len(rows)), size)
    return [pa.Table.from_pylist(shuffled[cut : cut + size], schema=schema) for cut in cuts]


def _by_spark(frame: DataFrame, window: str) -> list[dict[str, Any]]:
    frame.createOrReplaceTempView("operators_against_spark")
    found = frame.sparkSession.sql(
        f"SELECT user, {window} AS window, {', '.join(AGGREGATES)} "  # noqa: S608  our own text
        f"FROM operators_against_spark GROUP BY user, {window}"
    )
    return [row.asDict(recursive=True) for row in found.collect()]


def _sorted(rows: list[dict[str, Any]]) -> list[tuple[str, ...]]:
    return sorted(tuple(map(_plain, row.values())) for row in rows)


def _plain(value: object) -> str:
    if isinstance(value, dict):
        bounds = [one.replace(tzinfo=None) for one in value.values()]
        return str(bounds)
    return repr(value)
