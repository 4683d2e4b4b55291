"""Identities of rows in operators without a query are kept in the state and respected by hooks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import windrow as wr
from operators.tables import counts, panes, table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pyarrow as pa
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]

BY = wr.RowId(source="topic", partition="part", offset="number")


def _spec(**more: Any) -> wr.WindowOperatorSpec:
    schema = "symbol string, time timestamp, topic string, part int, other int, number bigint"
    return counts(**{"schema": schema, "rowId": BY, **more})


def _rows(*numbers: int) -> pa.Table:
    rows = [("a", number, "t", 0, 7, number) for number in numbers]
    return table("symbol time topic part other number", *rows)


@pytest.mark.parametrize("by", [None, wr.RowId(source="topic", partition="other", offset="number")])
def test_another_identity_is_refused(tmp_path: Path, by: wr.RowId | None) -> None:
    """A changed identity is refused, because it determines the duplicates."""
    folder = str(tmp_path / "operator")
    with wr.AggregatedWindowOperator(_spec(), store=folder) as op:
        op.addMessages(_rows(1, 2))
        op.flush()
        kept = op.checkpoint()
    with pytest.raises(wr.CheckpointError, match=r"\[SPEC_CHANGED\].*CAST\(part AS BIGINT\)"):
        wr.AggregatedWindowOperator(_spec(rowId=by), store=folder).init()
    with (
        wr.AggregatedWindowOperator(_spec(rowId=by)) as other,
        pytest.raises(wr.CheckpointError, match=r"\[SPEC_CHANGED\]"),
    ):
        other.reset(kept)


def test_another_gap_is_refused(tmp_path: Path) -> None:
    """A changed gap column is refused, because it determines the sessions."""
    folder = str(tmp_path / "operator")
    more = {
        "schema": "symbol string, time timestamp, brief bigint, long bigint",
        "window": wr.Session(None),
        "rowId": None,
    }
    with wr.AggregatedWindowOperator(_spec(**more, gap="brief"), store=folder) as op:
        op.flush()
    with pytest.raises(wr.CheckpointError, match=r"\[SPEC_CHANGED\].*gap \(brief\)"):
        wr.AggregatedWindowOperator(_spec(**more, gap="long"), store=folder).init()


def _priced(aggregates: str) -> wr.WindowOperatorSpec:
    schema = "symbol string, time timestamp, price double, cost double"
    return counts(schema=schema, aggregates=aggregates)


@pytest.mark.parametrize(
    "aggregates", ["sum(cost) AS s", "sum(price) FILTER (WHERE cost > 1) AS s"]
)
def test_other_inputs_of_aggregates_are_refused(tmp_path: Path, aggregates: str) -> None:
    """Changed inputs of aggregates are refused.

    The state contains values of the old column, and values of another one would be added to them.
    """
    folder = str(tmp_path / "operator")
    with wr.AggregatedWindowOperator(_priced("sum(price) AS s"), store=folder) as op:
        op.flush()
        kept = op.checkpoint()
    with pytest.raises(wr.CheckpointError, match=r"\[SPEC_CHANGED\].*aggregates sum\(price\)"):
        wr.AggregatedWindowOperator(_priced(aggregates), store=folder).init()
    with (
        wr.AggregatedWindowOperator(_priced(aggregates)) as other,
        pytest.raises(wr.CheckpointError, match=r"\[SPEC_CHANGED\]"),
    ):
        other.reset(kept)
    with wr.AggregatedWindowOperator(_priced("sum(price) AS other"), store=folder) as op:
        op.finish()


@pytest.fixture
def setting(spark: SparkSession) -> Iterator[Callable[[str, str], None]]:
    """Return a function that changes session settings for the duration of the test."""
    was: dict[str, str | None] = {}

    def change(name: str, value: str) -> None:
        was.setdefault(name, spark.conf.get(name, None))
        spark.conf.set(name, value)

    yield change
    for name, value in was.items():
        spark.conf.unset(name) if value is None else spark.conf.set(name, value)


def test_another_zone_of_aggregated_columns_is_rejected(
    tmp_path: Path, setting: Callable[[str, str], None]
) -> None:
    """A changed time zone is refused if an aggregate depends on it, such as the hour."""
    for aggregates, fits in (("max(hour(time)) AS h", False), ("max(time) AS h", True)):
        folder = str(tmp_path / f"operator {fits}")
        setting("spark.sql.session.timeZone", "Europe/Berlin")
        with wr.AggregatedWindowOperator(_priced(aggregates), store=folder) as op:
            op.flush()
        setting("spark.sql.session.timeZone", "Asia/Tokyo")
        again = wr.AggregatedWindowOperator(_priced(aggregates), store=folder)
        if fits:
            with again:
                again.finish()
        else:
            with pytest.raises(wr.CheckpointError, match=r"\[SPEC_CHANGED\].*Europe/Berlin"):
                again.init()


def _wide(*last: str) -> wr.WindowOperatorSpec:
    columns = [f"c{i} double" for i in range(30)]
    schema = ", ".join(["symbol string, time timestamp", *columns, *last])
    kept = wr.Retention(time="1 hour")
    return counts(schema=schema, aggregates=(), retention=kept)


@pytest.mark.parametrize("last", [("y double", "x double"), ("x double", "y bigint")])
def test_other_columns_of_a_wide_schema_are_refused(
    tmp_path: Path, last: tuple[str, str], setting: Callable[[str, str], None]
) -> None:
    """A changed column of a wide schema is detected.

    Spark shortens the text of a wide type, to a length that a setting determines.
    """
    folder = str(tmp_path / "operator")
    with wr.FullStateWindowOperator(_wide("x double", "y double"), store=folder) as op:
        op.flush()
    with pytest.raises(wr.CheckpointError, match=r"\[SPEC_CHANGED\].*c29 DOUBLE, x DOUBLE"):
        wr.FullStateWindowOperator(_wide(*last), store=folder).init()
    setting("spark.sql.debug.maxToStringFields", "5")
    with wr.FullStateWindowOperator(_wide("x double", "y double"), store=folder) as op:
        op.finish()


def test_texts_as_offsets() -> None:
    """A text with an integer is an identity; a row with another text has none (SEMANTICS R13)."""
    schema = "symbol string, time timestamp, part int, off string"
    spec = counts(schema=schema, rowId=wr.RowId(source="symbol", partition="part", offset="off"))
    with wr.AggregatedWindowOperator(spec) as op:
        for off in ("7", "7", "8", "x", "x", "7.2", None):
            op.addMessages(table("symbol time part off", ("a", 1, 0, off)))
        op.finish()
        assert panes(op.getResult()) == [("a", 6, (0, 60), "ON_TIME 0")]


class _Closed(wr.AggregatedWindowOperator):
    """Withholds rows with even numbers until ``shut`` is false."""

    shut = True

    def beforeProcess(  # noqa: N802  the public name
        self, batch: pa.Table
    ) -> pa.Table:
        odd = [number % 2 == 1 for number in batch.column("number").to_pylist()]
        return batch.filter(odd) if self.shut else batch


def test_rows_that_a_hook_withholds_are_applied() -> None:
    """A row that a hook withheld counts as processed, so its repetition is a duplicate."""
    with _Closed(_spec()) as op:
        op.addMessages(_rows(1, 2, 3, 4))
        op.shut = False
        op.addMessages(_rows(1, 2, 3, 4, 5))
        op.finish()
        assert panes(op.getResult()) == [("a", 3, (0.0, 60.0), "ON_TIME 0")]
        assert op.filteredCount == 2
        assert op.getRejected().num_rows == 0
