"""Input that operators without a query refuse or convert: specs, rows, times."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

import windrow as wr
from operators.tables import COUNTS, NINE, aggregated, counts, panes, table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]


@pytest.mark.parametrize(
    ("more", "text"),
    [
        ({"aggregates": "max(prize)"}, r"AGGREGATE_NOT_UNDERSTOOD\].*max\(prize\).*prize"),
        ({"aggregates": "max(price"}, r"AGGREGATE_NOT_UNDERSTOOD"),
        ({"aggregates": "price"}, r"AGGREGATE_NOT_UNDERSTOOD"),
        ({"aggregates": "sum(DISTINCT price)"}, r"AGGREGATE_NOT_MERGEABLE"),
        ({"aggregates": "max(rand())"}, r"AGGREGATE_NOT_UNDERSTOOD.*Non-deterministic"),
        ({"aggregates": "max(price + unix_micros(now()))"}, r"AGGREGATE_NOT_SUPPORTED"),
        ({"aggregates": "max(current_timestamp())"}, r"AGGREGATE_NOT_SUPPORTED"),
        ({"aggregates": "count(*) AS pane"}, r"NAME_TAKEN"),
        ({"aggregates": ["count(*) AS n", "sum(price) AS n"]}, r"NAME_TWICE"),
        ({"aggregates": ["count(*) AS n", "sum(price) AS N"]}, r"NAME_TWICE"),
        (
            {"schema": "symbol string collate utf8_lcase, time timestamp, price double"},
            r"KEY_NOT_BINARY\].*'symbol'",
        ),
        ({"aggregates": ["max(a)", "max(b)"]}, r"2 problems in Tumbling"),
        ({"key": "symbl"}, r"COLUMN_NOT_FOUND\].*key='symbl'.*symbol, time, price"),
        ({"time": "price"}, r"TIME_NOT_TIMESTAMP\].*DOUBLE"),
        ({"schema": "time timestmp"}, r"SCHEMA_NOT_UNDERSTOOD"),
        ({"schema": "time timestamp, Time double, symbol string"}, r"NAME_TWICE"),
        (
            {"rowId": wr.RowId(source="symbol", partition="price", offset="time")},
            r"2 problems(?s:.*)The partition of.* type DOUBLE\.(?s:.*)The offset of.* TIMESTAMP\.",
        ),
        ({"rowId": wr.KAFKA}, r"3 problems.*rowId\.source='topic' is not a column"),
    ],
)
def test_problems_that_only_a_session_finds(more: dict[str, Any], text: str) -> None:
    """Unknown names, wrong types and wrong aggregates are reported when the operator opens."""
    with pytest.raises(wr.SpecError, match=text) as refused:
        wr.AggregatedWindowOperator(counts(**more)).init()
    assert "JVM" not in str(refused.value)
    assert "\tat " not in str(refused.value)


def test_keys_of_a_join_are_of_one_type() -> None:
    """Join keys of different types are refused, because an int and a bigint differ in bytes."""
    streams = [
        wr.JoinStream(name="a", schema="id bigint, time timestamp", time="time"),
        wr.JoinStream(name="b", schema="id int, time timestamp", time="time"),
    ]
    within = ("0 s", "1 s")
    spec = wr.JoinSpec(streams=streams, on="id", within=within, lateness="0 seconds")
    with pytest.raises(wr.SpecError, match=r"KEY_TYPES_DIFFER.*BIGINT in 'a', INT in 'b'"):
        wr.StreamStreamJoinOperator(spec).init()


def test_keys_of_a_join_have_one_form() -> None:
    """Collated join keys are refused, as equal texts may differ in bytes (SEMANTICS W2)."""
    schema = "id string collate utf8_lcase, time timestamp"
    streams = [wr.JoinStream(name=name, schema=schema, time="time") for name in "ab"]
    spec = wr.JoinSpec(streams=streams, on="id", within=("0 s", "1 s"), lateness="0 seconds")
    with pytest.raises(wr.SpecError, match=r"KEY_NOT_BINARY\].*'id'"):
        wr.StreamStreamJoinOperator(spec).init()


def test_columns_with_equal_names() -> None:
    """Column names that differ only in case are refused (SEMANTICS B6)."""
    schema = "a struct<id: int>, b struct<Id: int>, time timestamp"
    kept = wr.Retention(time="1 hour")
    full = counts(schema=schema, key=["a.id", "b.Id"], aggregates=(), retention=kept)
    with pytest.raises(wr.SpecError, match=r"NAME_TWICE\].*Id"):
        wr.FullStateWindowOperator(full).init()
    streams = [
        wr.JoinStream(name=name, schema="a bigint, time timestamp", time="time") for name in "ab"
    ]
    spec = wr.JoinSpec(streams=streams, on="a", within=("0 s", "1 s"), lateness="0 seconds")
    with pytest.raises(wr.SpecError, match=r"NAME_TWICE\].*a"):
        wr.StreamStreamJoinOperator(spec).init()


@pytest.mark.parametrize(
    ("columns", "texts"),
    [
        (
            {"symbol": ["a"], "price": [1.0]},
            ["COLUMN_MISSING] messages of stream 'messages': Column time is missing."],
        ),
        (
            {"symbol": ["a"], "time": [NINE], "price": [1.0], "qty": [1]},
            ["COLUMN_UNKNOWN]", "qty is not a column of the schema. The columns are symbol string"],
        ),
        (
            {"symbol": [1], "time": ["9:00"], "price": [1.0]},
            [
                "2 problems",
                "symbol has the type int64. It must be string.",
                "time has the type string. It must be timestamp[us, UTC].",
            ],
        ),
        (
            {"symbol": ["a"], "time": [NINE], "price": [1]},
            ["price has the type int64. It must be double."],
        ),
    ],
)
def test_messages_that_do_not_fit(columns: dict[str, list[Any]], texts: list[str]) -> None:
    """One error names every wrong column, its type and the allowed types; nothing is added."""
    with aggregated(**COUNTS) as op:
        with pytest.raises(wr.MessageError) as refused:
            op.addMessages(pa.table(columns))
        for text in texts:
            assert text in str(refused.value)
        op.finish()
        assert op.getResult().num_rows == 0


def test_one_message_that_does_not_fit() -> None:
    """A dict is checked like a table."""
    with aggregated(**COUNTS) as op:
        with pytest.raises(
            wr.MessageError, match=r"time has a str that does not fit\. It must be timestamp"
        ):
            op.addMessage({"symbol": "a", "time": "nine", "price": 1.0})
        with pytest.raises(wr.MessageError, match=r"COLUMN_MISSING.*price"):
            op.addMessage({"symbol": "a", "time": NINE})
        with pytest.raises(TypeError, match="Pass a pyarrow Table"):
            op.addMessages([{"symbol": "a"}])


def test_not_null_is_checked() -> None:
    """A null that the schema forbids is refused before it is added."""
    schema = "symbol string NOT NULL, time timestamp, price double"
    with (
        aggregated(**{**COUNTS, "schema": schema}) as op,
        pytest.raises(wr.MessageError, match=r"NULL_NOT_ALLOWED.*symbol is null"),
    ):
        op.addMessages(table("symbol time price", ("a", 1, 1.0), (None, 1, 1.0)))


def test_lossless_conversions() -> None:
    """Lossless conversions are accepted: widths, units and encodings.

    Naive times are in the session's zone.
    """
    spec = {
        "schema": "symbol string, time timestamp, n int, at timestamp_ntz",
        "time": "time",
        "key": "symbol",
        "window": wr.Tumbling("1 minute"),
        "lateness": "0 seconds",
        "aggregates": ["max(n) AS n", "max(at) AS at"],
    }
    naive = datetime(2025, 1, 1, 9, 0, 1)  # noqa: DTZ001
    rows = pa.table(
        {
            "at": pa.array([naive], pa.timestamp("ms")),
            "n": pa.array([5], pa.int64()),
            "time": pa.array([naive], pa.timestamp("ns")),
            "symbol": pa.array(["a"]).dictionary_encode(),
        }
    )
    with aggregated(**spec) as op:
        op.addMessages(rows)
        op.addMessages(rows.to_batches()[0])
        too_wide = rows.set_column(1, "n", pa.array([2**40], pa.int64()))
        with pytest.raises(wr.MessageError, match=r"n has the type int64.*its values does not fit"):
            op.addMessages(too_wide)
        op.finish()
        assert panes(op.getResult()) == [("a", 5, naive, (0.0, 60.0), "ON_TIME 0")]


def test_times_that_are_none() -> None:
    """An integer is not accepted as a time, and a text must be a valid time."""
    with aggregated(**COUNTS) as op:
        with pytest.raises(TypeError, match=r"to is 5; pass a datetime"):
            op.advanceWatermark(5)
        with pytest.raises(ValueError, match=r"now is 'soon'; pass a time"):
            op.timeout("soon")


def test_the_zone_of_naive_times(spark: SparkSession) -> None:
    """Naive texts, datetimes and columns are in the session's zone."""
    spark.conf.set("spark.sql.session.timeZone", "Europe/Berlin")
    try:
        with aggregated(**COUNTS) as op:
            op.addMessage({"symbol": "a", "time": datetime(2025, 1, 1, 10), "price": 1.0})  # noqa: DTZ001
            op.addMessage(
                {"symbol": "a", "time": datetime(2025, 1, 1, 9, tzinfo=UTC), "price": 1.0}
            )
            naive = {"symbol": ["a"], "time": [datetime(2025, 1, 1, 10)], "price": [1.0]}  # noqa: DTZ001
            op.addMessages(pa.table(naive))
            op.advanceWatermark("2025-01-01 10:01:00")
            assert panes(op.getResult()) == [("a", 3, (0.0, 60.0), "ON_TIME 0")]
    finally:
        spark.conf.set("spark.sql.session.timeZone", "UTC")


def test_a_missing_schema_or_wrong_spec() -> None:
    """A missing schema and a spec of the wrong kind are reported clearly."""
    with pytest.raises(wr.SpecError, match=r"SCHEMA_NOT_STATED"):
        wr.AggregatedWindowOperator(
            wr.WindowOperatorSpec(window=wr.Tumbling("1 minute"), lateness="0 seconds")
        )
    with pytest.raises(wr.SpecError, match=r"OPERATOR_DIFFERS.*Use AggregatedWindowOperator"):
        wr.FullStateWindowOperator(counts())
    with pytest.raises(TypeError, match=r"must be WindowOperatorSpec"):
        wr.AggregatedWindowOperator("spec")  # type: ignore[arg-type]


def test_pyarrow_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without pyarrow an operator does not open, and names the command that installs it."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(wr.WindrowError, match=r"PYARROW_MISSING.*pip install pyarrow"):
        wr.AggregatedWindowOperator(counts()).init()
