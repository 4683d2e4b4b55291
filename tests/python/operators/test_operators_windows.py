"""Aggregating operators without a query: columns, kinds of windows, Spark's aggregates."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pyarrow as pa
import pytest

import windrow as wr
from operators.tables import aggregated, at, panes, prices, seconds, table

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]

PANE = pa.struct(
    [
        pa.field("timing", pa.string(), nullable=False),
        pa.field("index", pa.int64(), nullable=False),
        pa.field("is_last", pa.bool_(), nullable=False),
        pa.field("is_retraction", pa.bool_(), nullable=False),
    ]
)
TIME = pa.timestamp("us", "UTC")


def test_a_notebook_without_a_query() -> None:
    """Example 12 of the API runs."""
    messages = pa.table(
        {
            "time": [datetime(2025, 1, 1, 9, 0, second) for second in (1, 30, 59)],  # noqa: DTZ001
            "price": [1.5, 2.5, 2.0],
        }
    )
    op = wr.AggregatedWindowOperator(
        wr.WindowOperatorSpec(
            schema="time timestamp, price double",
            time="time",
            window=wr.Tumbling("1 minute"),
            lateness="0 seconds",
            aggregates=["max(price) AS top"],
        )
    )
    op.addMessages(messages)
    op.advanceWatermark("2025-01-01 09:01:00")
    assert panes(op.getResult()) == [(2.5, (0.0, 60.0), "ON_TIME 0")]
    assert panes(op.getResult()) == [(2.5, (0.0, 60.0), "ON_TIME 0")]
    op.flush()
    assert op.getResult().num_rows == 0
    op.close()


def _window(first: str, last: str, kind: pa.DataType, *, nullable: bool = False) -> pa.Field:
    fields = [pa.field(name, kind, nullable=nullable) for name in (first, last)]
    return pa.field("window", pa.struct(fields), nullable=False)


@pytest.mark.parametrize(
    ("window", "more", "column"),
    [
        (wr.Tumbling("1 minute"), {}, _window("start", "end", TIME)),
        (wr.Tumbling("1 day", zone="Europe/Berlin"), {}, _window("start", "end", TIME)),
        (wr.Session("1 minute"), {}, _window("start", "end", TIME)),
        (wr.Sliding("1 minute"), {}, _window("start", "last", TIME)),
        (wr.Over(rows=3), {}, _window("start", "last", TIME)),
        (
            wr.Global(),
            {"early": wr.EachMessage(), "accumulation": wr.ACCUMULATING},
            _window("start", "end", TIME, nullable=True),
        ),
    ],
)
def test_columns_of_panes(window: wr.WindowKind, more: dict[str, Any], column: pa.Field) -> None:
    """Panes have the documented names and types, even if there are none."""
    spec = prices(window=window, aggregates=["count(*) AS n", "max(price) AS top"], **more)
    with aggregated(**spec) as op:
        schema = pa.schema(list(op.getResult().schema))
    over = isinstance(window, wr.Over)
    message = [
        pa.field("symbol", pa.string()),
        pa.field("time", TIME),
        pa.field("price", pa.float64()),
    ]
    expected = [
        pa.field("symbol", pa.string()),
        column,
        pa.field("n", pa.int64()),
        pa.field("top", pa.float64()),
        *([pa.field("message", pa.struct(message), nullable=False)] if over else []),
        pa.field("pane", PANE, nullable=False),
    ]
    assert list(schema) == expected


def test_moving_average() -> None:
    """Each row has the average of the ten minutes that end with it, and late rows correct it."""
    spec = prices(
        window=wr.Over(range="10 minutes"),
        lateness="5 minutes",
        accumulation=wr.ACCUMULATING,
        late=wr.EachMessage(),
        aggregates="avg(price) AS average",
    )
    with aggregated(**spec) as op:
        op.addMessages(table("symbol time price", ("a", 0, 1.0), ("a", 300, 3.0), ("b", 300, 9.0)))
        op.advanceWatermark(at(301))
        assert sorted(panes(op.getResult())) == [
            ("a", 1.0, (-600.0, 0.0), "ON_TIME 0"),
            ("a", 2.0, (-300.0, 300.0), "ON_TIME 0"),
            ("b", 9.0, (-300.0, 300.0), "ON_TIME 0"),
        ]
        ends = [seconds(row["message"]["time"]) for row in op.getResult().to_pylist()]
        assert sorted(ends, key=str) == [0.0, 300.0, 300.0]
        op.flush()
        op.addMessage({"symbol": "a", "time": at(100), "price": 5.0})
        assert sorted(panes(op.getResult())) == [
            ("a", 3.0, (-500.0, 100.0), "LATE 0"),
            ("a", 3.0, (-300.0, 300.0), "LATE 1"),
        ]


def test_sessions_that_merge_are_retracted() -> None:
    """The panes of two sessions are retracted when a row merges them."""
    spec = prices(
        window=wr.Session("30 seconds"),
        lateness="1 hour",
        accumulation=wr.ACCUMULATING_AND_RETRACTING,
        late=wr.EachBatch(),
        aggregates="count(*) AS n",
    )
    with aggregated(**spec) as op:
        op.addMessages(table("symbol time price", ("a", 0, 1.0), ("a", 50, 1.0)))
        op.advanceWatermark(at(100))
        assert [pane[1] for pane in panes(op.getResult())] == [1, 1]
        op.flush()
        op.addMessages(table("symbol time price", ("a", 25, 1.0)))
        assert panes(op.getResult()) == [
            ("a", 1, (0.0, 30.0), "-ON_TIME 0"),
            ("a", 1, (50.0, 80.0), "-ON_TIME 0"),
            ("a", 3, (0.0, 80.0), "LATE 0"),
        ]


def test_a_session_gap_of_each_message() -> None:
    """A gap is an interval or an integer of microseconds.

    A row with a missing gap, or one that is not positive, is rejected.
    """
    spec = {
        "schema": "time timestamp, gap interval day to second",
        "time": "time",
        "gap": "gap",
        "window": wr.Session(None),
        "lateness": "0 seconds",
        "aggregates": "count(*) AS n",
    }
    gaps = pa.array([20_000_000, 5_000_000, None], pa.duration("us"))
    messages = table("time", (0,), (10,), (12,)).append_column("gap", gaps)
    with aggregated(**spec) as op:
        op.addMessages(messages)
        op.finish()
        assert panes(op.getResult()) == [(2, (0.0, 20.0), "ON_TIME 0")]
        assert op.getRejected().column("reason").to_pylist() == ["INVALID_TIME"]


def test_aggregates_are_sparks() -> None:
    """Spark's aggregates are supported: filters, ratios, order, objects."""
    spec = prices(
        window=wr.Tumbling("1 minute"),
        aggregates=[
            "sum(price) / count(*) AS ratio",
            "count(*) FILTER (WHERE price > 1.5) AS high",
            "collect_list(price) AS everything",
            "max_by(symbol, price) AS top",
            "approx_count_distinct(price) AS several",
            "percentile_approx(price, 0.5) AS middle",
            "upper(symbol) || '!' AS loud",
        ],
    )
    with aggregated(**spec) as op:
        op.addMessages(table("symbol time price", ("a", 30, 3.0), ("a", 10, 1.0)))
        op.addMessages(table("symbol time price", ("a", 20, 2.0)))
        op.finish()
        assert panes(op.getResult()) == [
            ("a", 2.0, 2, [1.0, 2.0, 3.0], "a", 3, 2.0, "A!", (0.0, 60.0), "ON_TIME 0")
        ]


def test_replays_have_no_effect() -> None:
    """A row with a known source, partition and offset is ignored."""
    spec = prices(
        schema="symbol string, time timestamp, price double, topic string, partition int, "
        "offset bigint",
        rowId=wr.KAFKA,
        window=wr.Tumbling("1 minute"),
        aggregates="sum(price) AS total",
    )
    rows = [("a", 1, 1.0, "t", 0, 7), ("a", 2, 2.0, "t", 0, 8)]
    with aggregated(**spec) as op:
        op.addMessages(table("symbol time price topic partition offset", *rows))
        op.addMessages(table("symbol time price topic partition offset", *rows))
        op.finish()
        assert panes(op.getResult()) == [("a", 3.0, (0.0, 60.0), "ON_TIME 0")]
