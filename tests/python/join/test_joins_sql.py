"""Joins of streams in SQL: Spark's own join is the specification."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import functions as F

from feed import order
from join.joins import ORDERS, ROWS, SHIPMENTS, Both, amounts

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

pytestmark = [pytest.mark.spark, pytest.mark.slow]

RANGE = "s.time BETWEEN o.time AND o.time + INTERVAL 5 MINUTES"
SQL: dict[str, Sequence[tuple[Any, ...]]] = {
    f"o LEFT JOIN s ON o.product = s.product AND {RANGE}": ROWS["left"],
    f"o FULL JOIN s ON {RANGE} AND s.product = o.product": ROWS["full"],
    f"o LEFT ANTI JOIN s ON o.product = s.product AND {RANGE}": ROWS["anti"],
    f"o JOIN s ON o.product = s.product AND {RANGE} AND s.amount + o.amount > 24": [
        *(("x", 4, 30), ("x", 5, 40))
    ],
    f"o LEFT JOIN s ON o.product = s.product AND {RANGE} AND s.amount + o.amount > 24": [
        *(("x", 1, None), ("x", 4, 30), ("x", 5, 40), ("y", 2, None), (None, 3, None))
    ],
    f"o LEFT ANTI JOIN s ON o.product = s.product AND {RANGE} AND s.amount NOT BETWEEN 5 AND 15": [
        *(("x", 1), ("y", 2), (None, 3))
    ],
    "o LEFT SEMI JOIN s ON o.product = s.product AND s.time >= o.time"
    " AND o.time > s.time - INTERVAL '4' MINUTE": [("x", 4), ("x", 5)],
}


def views(both: Both) -> None:
    """Register both streams as views."""
    for name, feed in (("o", both.orders), ("s", both.shipments)):
        stream = feed.stream().withWatermark("time", "1 minute")
        stream.withColumn("note", F.upper("product")).createOrReplaceTempView(name)


def said(both: Both, join: str, more: str = "") -> DataFrame:
    """Return the join in SQL."""
    text = f"windrow_join(TABLE(SELECT * FROM {join}), lateness => '0 seconds'{more})"  # noqa: S608
    return both.orders.spark.sql(f"SELECT * FROM {text}")  # noqa: S608


@pytest.mark.parametrize(
    "join",
    [pytest.param(on, marks=[pytest.mark.full] if i % 3 else []) for i, on in enumerate(SQL)],
)
def test_sql(both: Both, join: str) -> None:
    """A join in SQL has the expected rows of Spark's join condition."""
    views(both.add(ORDERS, SHIPMENTS))
    assert amounts(both.run(said(both, join))) == sorted(SQL[join], key=str)


def test_sql_rejected(both: Both) -> None:
    """The argument ``output`` selects the rejected rows."""
    views(both.add(ORDERS, SHIPMENTS))
    join = f"o LEFT JOIN s ON o.product = s.product AND {RANGE}"
    rejected = both.run(said(both, join, ", output => 'rejected'"))
    assert sorted(row.reason for row in rejected) == ["INVALID_TIME", "TOO_LATE"]


def test_sql_early(both: Both) -> None:
    """``early`` accepts trigger names in any case, and others are refused (SEMANTICS B8)."""
    views(both.add(ORDERS, SHIPMENTS))
    join = f"o JOIN s ON o.product = s.product AND {RANGE}"
    for early in ("each_batch", "EACH_MESSAGE", "1 hour"):
        assert said(both, join, f", early => '{early}'").isStreaming
    with pytest.raises(AnalysisException, match=r"TRIGGER_NOT_SUPPORTED\]"):
        said(both, join, ", early => '3 messages'")


MONTH = "s.time BETWEEN o.time AND o.time + make_interval(0, 1)"
SQL_REFUSED = {
    f"o LEFT JOIN s ON o.product = s.product AND {RANGE} AND s.note < now()": "CONDITION_NOT",
    "o JOIN s ON o.product = s.product": "UNBOUNDED_JOIN",
    "o JOIN s ON o.product = s.product AND s.time >= o.time": "RANGE_NOT_UNDERSTOOD",
    f"o JOIN s ON o.product = s.product AND {MONTH}": "RANGE_NOT_UNDERSTOOD",
    "o": "TABLE_NOT_JOINED",
    f"o JOIN s ON {RANGE} LEFT JOIN s AS r ON r.product = o.product": "JOIN_OF_MANY",
    f"o JOIN s ON {RANGE} JOIN s AS r ON r.product = o.product": "RANGE_NOT_UNDERSTOOD",
    "o JOIN s ON o.product = s.product AND o.product = s.note": "NAME_TWICE",
}


@pytest.mark.parametrize("join", SQL_REFUSED)
def test_sql_refuses(both: Both, join: str) -> None:
    """Join conditions that Windrow does not support are refused."""
    views(both)
    with pytest.raises(AnalysisException, match=SQL_REFUSED[join]):
        said(both, join)


CHAINS = {
    f"o JOIN s ON o.product = s.product AND {RANGE} JOIN s AS r ON r.product = o.product"
    " AND r.time BETWEEN o.time AND o.time + INTERVAL 5 MINUTES": [
        *(("x", 1, 10, 10), ("x", 5, 40, 40)),
        *(("x", 4, n, m) for n in (20, 30) for m in (20, 30)),
    ],
    f"o JOIN s ON o.product = s.product AND {RANGE} JOIN s AS r ON r.product = s.product"
    " AND r.time > s.time AND r.time <= s.time + INTERVAL 4 MINUTES"
    " AND r.amount + o.amount > 33": [("x", 4, 20, 30)],
}


@pytest.mark.parametrize("join", CHAINS)
@pytest.mark.parametrize("batch", [False, True])
def test_sql_chains(both: Both, join: str, *, batch: bool) -> None:
    """A join of three streams supports bounds between the second and the third."""
    views(both.add(ORDERS, SHIPMENTS))
    if batch:
        both.orders.batch().createOrReplaceTempView("o")
        late = order("09:00:00", "x", 50)  # late in the stream
        shipments = both.shipments.batch()
        shipments.where(f"amount <> {late['amount']}").createOrReplaceTempView("s")
    joined = said(both, join)
    assert joined.columns == ["product", "o", "s", "r"]
    found = joined.collect() if batch else both.run(joined)
    assert amounts(found) == sorted(CHAINS[join], key=str)


@pytest.mark.parametrize(
    ("identity", "pairs"),
    [
        ("", 2),
        (", offset => 'amount'", 1),
        (", offset => 'amount', source => 'note'", 1),
        (", offset => 'amount', partition => 'gap', source => 'note'", 1),
        (", partition => 'gap'", 2),
    ],
)
def test_the_identity_of_a_row(both: Both, identity: str, pairs: int) -> None:
    """A row that arrives twice counts once if its offset is stated (SEMANTICS R13)."""
    first = order("09:00:00", "x", 1, gap=0)
    views(both.add([[first], [first]], [[order("09:01:00", "x", 7, gap=0)], []]))
    join = f"o JOIN s ON o.product = s.product AND {RANGE}"
    assert amounts(both.run(said(both, join, identity))) == [("x", 1, 7)] * pairs
