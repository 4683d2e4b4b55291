"""SQL says the same as the builder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pyspark.sql import functions as F

import windrow as wr
from feed import Feed, disordered
from test_against_spark import rows

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

pytestmark = pytest.mark.spark

TABLE = "TABLE(SELECT product, count(*) AS n, sum(amount) AS total FROM orders GROUP BY product)"
CASES = [
    (f"windrow_tumble({TABLE}, time => 'time', size => '5 minutes'", wr.Tumbling("5 minutes")),
    (
        f"windrow_tumble({TABLE}, time => 'time', size => '5 minutes', offset => '1 minute'",
        wr.Tumbling("5 minutes", offset="1 minute"),
    ),
    (
        f"windrow_hop({TABLE}, time => 'time', size => '10 minutes', step => '3 minutes'",
        wr.Hopping("10 minutes", step="3 minutes"),
    ),
    (f"windrow_session({TABLE}, time => 'time', gap => '40 seconds'", wr.Session("40 seconds")),
    (
        f"windrow_tumble({TABLE}, time => 'time', size => '1 day', zone => '-02:30'",
        wr.Tumbling("1 day", zone="-02:30"),
    ),
    (f"windrow_slide({TABLE}, time => 'time', size => '90 seconds'", wr.Sliding("90 seconds")),
    (f"windrow_over({TABLE}, time => 'time', range => '10 minutes'", wr.Over(range="10 minutes")),
    (f"windrow_over({TABLE}, time => 'time', rows => 3", wr.Over(rows=3)),
]


def _built(df: DataFrame, kind: wr.WindowKind, lateness: str) -> wr.Output:
    stream = wr.stream(df, time="time", key="product", watermark="1 minute", name="messages")
    windows = stream.lateness(lateness).window(kind).accumulate(wr.ACCUMULATING)
    return windows.aggregate(F.count("*").alias("n"), F.sum("amount").alias("total"))


STREAMED = [
    pytest.param(call, kind, id=repr(kind), marks=() if n == 1 else pytest.mark.slow)
    for n, (call, kind) in enumerate(CASES)
]


@pytest.mark.parametrize(("call", "kind"), STREAMED)
def test_stream(feed: Feed, call: str, kind: wr.WindowKind) -> None:
    """Same panes, late ones included, and same rejected rows."""
    feed.add(*disordered(seed=21))
    feed.stream().createOrReplaceTempView("orders")
    more = "watermark => '1 minute', lateness => '5 minutes', accumulate => 'accumulating'"
    built = _built(feed.stream(), kind, "5 minutes")
    for part, df in (("panes", built.panes), ("rejected", built.rejected)):
        said = feed.spark.sql(f"SELECT * FROM {call}, {more}, output => '{part}')")  # noqa: S608
        keep = [name for name in df.columns if name != "processing_time"]
        ours, theirs = (feed.run(each.select(keep)) for each in (df, said))
        assert rows(ours) == rows(theirs)
        assert ours or (part == "rejected" and "zone" in call)  # a day takes all


@pytest.mark.anywhere
def test_batch(feed: Feed) -> None:
    """On a table the final panes come out."""
    feed.add(*disordered(seed=22))
    feed.batch().createOrReplaceTempView("orders")
    call = f"windrow_tumble({TABLE}, time => 'time', size => '5 minutes', lateness => '0 seconds')"
    said = feed.spark.sql(f"SELECT * FROM {call}").collect()  # noqa: S608
    stream = wr.stream(feed.batch(), time="time", key="product").lateness("0 seconds")
    counts = (F.count("*").alias("n"), F.sum("amount").alias("total"))
    built = stream.window(wr.Tumbling("5 minutes")).aggregate(*counts)
    assert rows(said) == rows(built.panes.collect())
    assert said


@pytest.mark.anywhere
def test_version(feed: Feed) -> None:
    """The JAR says the package's version."""
    assert feed.spark.sql("SELECT * FROM windrow_version()").collect()[0].version == wr.__version__
