"""SQL functions and builders have the same results."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pyspark
import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import functions as F

import windrow as wr
from feed import NOTHING, Feed, disordered, order
from query.test_against_spark import rows
from windrow._bridge import _jar

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

pytestmark = pytest.mark.spark

TABLE = "TABLE(SELECT product, count(*) AS n, sum(amount) AS total FROM orders GROUP BY product)"
CASES = [
    (f"windrow_tumble({TABLE}, time => 'time', size => '5 minutes'", wr.Tumbling("5 minutes")),
    (
        f"windrow_tumble({TABLE}, time => 'time', size => '5 minutes', start_time => '1 minute'",
        wr.Tumbling("5 minutes", startTime="1 minute"),
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
    (
        f"windrow_hop({TABLE}, time => 'time', size => '1 week', step => '1 day', "
        "start_time => '2 hours', zone => '-02:30'",
        wr.Hopping("7 days", step="1 day", startTime="2 hours", zone="-02:30"),
    ),
    (f"windrow_slide({TABLE}, time => 'time', size => '90 seconds'", wr.Sliding("90 seconds")),
    (f"windrow_over({TABLE}, time => 'time', range => '10 minutes'", wr.Over(range="10 minutes")),
    (f"windrow_over({TABLE}, time => 'time', rows => 3", wr.Over(rows=3)),
]


def _built(df: DataFrame, kind: wr.WindowKind, lateness: str) -> wr.Output:
    stream = wr.stream(df, time="time", key="product", watermark="1 minute", name="messages")
    windows = stream.lateness(lateness).window(kind).accumulationMode(wr.ACCUMULATING)
    return windows.aggregate(F.count("*").alias("n"), F.sum("amount").alias("total"))


#: A row after the windows of all other rows, so that these windows end.
LAST = [order("2025-01-03 12:00:00")]
ALWAYS = (wr.Session("40 seconds"),)
STREAMED = [
    pytest.param(
        call, kind, id=repr(kind), marks=pytest.mark.slow if kind in ALWAYS else pytest.mark.full
    )
    for call, kind in CASES
]


@pytest.mark.parametrize(("call", "kind"), STREAMED)
def test_stream(feed: Feed, call: str, kind: wr.WindowKind) -> None:
    """SQL returns the same panes, including late ones, and the same rejected rows."""
    feed.add(*disordered(seed=21, batches=3), LAST, NOTHING)
    feed.stream().createOrReplaceTempView("orders")
    more = "watermark => '1 minute', lateness => '5 minutes', accumulation_mode => 'accumulating'"
    built = _built(feed.stream(), kind, "5 minutes").output
    said = feed.spark.sql(f"SELECT * FROM {call}, {more}, output => 'all')")  # noqa: S608
    lost = [f"rejected.{name}" for name in ("stream", "reason", "watermark", "message")]
    ours, theirs = (feed.run(each.select("kind", "panes", *lost)) for each in (built, said))
    assert rows(ours) == rows(theirs)
    a_day_takes_all = "zone" in call
    assert {row.kind for row in ours} == {"panes", *(() if a_day_takes_all else ("rejected",))}


@pytest.mark.anywhere
def test_batch(feed: Feed) -> None:
    """On a table SQL returns the final panes."""
    feed.add(*disordered(seed=22))
    feed.batch().createOrReplaceTempView("orders")
    call = f"windrow_tumble({TABLE}, time => 'time', size => '5 minutes', lateness => '0 seconds')"
    said = feed.spark.sql(f"SELECT * FROM {call}").collect()  # noqa: S608
    stream = wr.stream(feed.batch(), time="time", key="product").lateness("0 seconds")
    counts = (F.count("*").alias("n"), F.sum("amount").alias("total"))
    built = stream.window(wr.Tumbling("5 minutes")).aggregate(*counts)
    assert rows(said) == rows(built.panes.collect())
    assert said


POLICIES = {
    "eviction => 'tumbling', by_count => 3": wr.Policy.tumbling(wr.ByCount(3)),
    "eviction => 'sliding', by_count => 4, trigger_delta => 2.5, trigger_column => 'price'": (
        wr.Policy.sliding(wr.ByCount(4), trigger=wr.ByDelta("price", 2.5))
    ),
    "eviction => 'sliding', by_delta => 3, by_column => 'price', trigger_count => 2, "
    "limit_max_keys => 2": (
        wr.Policy.sliding(
            wr.ByDelta("price", 3), trigger=wr.ByCount(2), limit=wr.KeyLimits(maxKeys=2)
        )
    ),
    "eviction => 'tumbling', by_punctuation => 'last'": wr.Policy.tumbling(
        wr.ByPunctuation("last")
    ),
}


ALWAYS_POLICY = "eviction => 'tumbling', by_punctuation => 'last'"


@pytest.mark.parametrize(
    "said",
    [
        pytest.param(said, marks=pytest.mark.slow if said == ALWAYS_POLICY else pytest.mark.full)
        for said in POLICIES
    ],
)
def test_policies(feed: Feed, said: str) -> None:
    """Policy windows in SQL have the same panes and events as the builder's."""
    feed.add(*disordered(seed=23, batches=2))
    stream = feed.stream().withColumn("last", F.col("amount") % 7 == 0)
    stream.createOrReplaceTempView("orders")
    table = "SELECT product, sum(amount) AS total FROM orders GROUP BY product"
    built = wr.stream(stream, time="time", key="product").window(POLICIES[said])
    output = built.aggregate(F.sum("amount").alias("total"))
    text = f"windrow_policy(TABLE({table}), {said}, time => 'time', output => 'all')"
    ours = feed.run(output.output)
    assert rows(ours) == rows(feed.run(feed.spark.sql(f"SELECT * FROM {text}")))  # noqa: S608
    assert {row.kind for row in ours} == {"panes", "events"}


COGROUP = """windrow_cogroup(TABLE(SELECT * FROM orders AS o),
    TABLE(SELECT * FROM (SELECT time, product, price FROM orders WHERE amount > 0) AS p),
    key => 'product', time => 'time', watermark => '1 minute')"""


@pytest.mark.slow
@pytest.mark.parametrize("batch", [pytest.param(False, marks=pytest.mark.full), True])
def test_cogroups(feed: Feed, *, batch: bool) -> None:
    """A co-group in SQL has the same output as the builder's, in a batch and a stream."""
    feed.add(*disordered(seed=24))
    orders = feed.batch() if batch else feed.stream()
    orders.createOrReplaceTempView("orders")
    few = orders.where("amount > 0").select("time", "product", "price")
    mark = None if batch else "1 minute"
    streams = (
        wr.stream(df, time="time", key="product", watermark=mark, name=name)
        for df, name in ((orders, "o"), (few, "p"))
    )
    built = wr.cogroup(*streams).lateness("0 seconds").window(wr.Tumbling("5 minutes"))
    output = built.aggregate(F.count("o.amount").alias("n"), F.sum("p.price").alias("total"))
    table = f"SELECT product, count(o.amount) AS n, sum(p.price) AS total FROM {COGROUP}"  # noqa: S608
    call = f"windrow_tumble(TABLE({table} GROUP BY product), size => '5 minutes'"
    for part, df in (("panes", output.panes), ("rejected", output.rejected)):
        more = f"lateness => '0 seconds', stream => 'o_p', output => '{part}'"
        said = feed.spark.sql(f"SELECT * FROM {call}, {more})")  # noqa: S608
        keep = [name for name in df.columns if name != "processing_time"]
        assert said.schema == df.schema
        ours, theirs = (
            each.collect() if batch else feed.run(each)
            for each in (df.select(keep), said.select(keep))
        )
        assert rows(ours) == rows(theirs)
        assert ours or batch


@pytest.mark.slow
def test_full_state_of_a_cogroup(feed: Feed) -> None:
    """Full state of a co-group contains the streams' rows without internal columns."""
    feed.add(*disordered(seed=25, batches=2))
    feed.batch().createOrReplaceTempView("orders")
    said = feed.spark.sql(
        f"SELECT * FROM windrow_tumble(TABLE(SELECT * FROM {COGROUP}), key => 'product',"  # noqa: S608
        " size => '5 minutes', lateness => '0 seconds', retain_time => '1 hour')"
    )
    assert said.columns == ["product", "window", "messages", "pane"]
    found = said.collect()
    assert {tuple(m.asDict()) for row in found for m in row.messages} == {("o", "p")}


@pytest.mark.slow
@pytest.mark.parametrize("batch", [False, True])
def test_with(feed: Feed, *, batch: bool) -> None:
    """The table argument may be defined by WITH or contain a name that is."""
    feed.add([order("09:00:10", amount=1), order("09:00:50", amount=2)], [order("09:02:00")], [])
    (feed.batch() if batch else feed.stream()).createOrReplaceTempView("orders")
    said = feed.spark.sql("""
        WITH some AS (SELECT * FROM orders WHERE amount < 9),
             sums AS (SELECT product, sum(amount) AS total FROM some GROUP BY product),
             panes AS (SELECT * FROM windrow_tumble(TABLE(sums), time => 'time', size => '1 minute',
               lateness => '0 seconds', watermark => '0 seconds'))
        SELECT product, total FROM panes""")
    assert ("a", 3) in (said.collect() if batch else feed.run(said))
    with pytest.raises(AnalysisException, match="UNRESOLVED_COLUMN"):
        feed.spark.sql("""
            WITH wrong AS (SELECT nobody_has_it FROM orders),
                 sums AS (SELECT product, sum(amount) AS total FROM orders GROUP BY product)
            SELECT * FROM windrow_tumble(TABLE(sums), time => 'time', size => '1 minute',
              lateness => '0 seconds', watermark => '0 seconds')""")


REFUSED = {
    "windrow_tumble(TABLE(SELECT count(*) FROM orders), time => 'time', "
    "size => INTERVAL '53375996' DAY, start_time => '-4611686018427387904 us', "
    "lateness => '53375996 days', accumulation_mode => 'accumulating')": {"DURATION_TOO_LONG"},
    "windrow_policy(TABLE(SELECT count(*) FROM orders), by_count => 3, by_time => '3', "
    "trigger_delta => 1, lateness => 'x')": {
        *("ARGUMENT_UNKNOWN", "EVICTION_UNKNOWN", "RULE_TWICE", "COLUMN_NOT_STATED")
    },
    "windrow_policy(TABLE(SELECT count(*) FROM orders), eviction => 'sliding', "
    "by_time => 3, limit_max_keys => 0)": {
        *("TRIGGER_NOT_STATED", "DURATION_WITHOUT_UNIT", "NOT_POSITIVE")
    },
    "windrow_policy(TABLE(SELECT * FROM orders), eviction => 'sliding', by_punctuation => 'm', "
    "trigger_count => 0)": {"PUNCTUATION_NOT_ALONE", "TABLE_NOT_AGGREGATED", "NOT_POSITIVE"},
    "windrow_policy(TABLE(SELECT count(*) FROM orders), eviction => 'tumbling', by_count => 3, "
    "by_punctuation => 'm')": {"PUNCTUATION_NOT_ALONE"},
    "windrow_slide(TABLE(SELECT count(*) FROM orders), time => 'time', size => '1 minute', "
    "slide => '1 second', lateness => '0 s')": {"SLIDING_STEP"},
    "windrow_tumble(TABLE(SELECT * FROM orders), time => 'when', sice => 1, size => '1 minute')": {
        *("ARGUMENT_UNKNOWN", "TABLE_NOT_AGGREGATED", "LATENESS_NOT_STATED")
    },
    "windrow_hop(TABLE(SELECT count(*) FROM orders), time => 'tiem', size => '0 s', step => '1 s', "
    "lateness => 'x', early => 'often', accumulation_mode => 'acc', partition => 'p')": {
        *("COLUMN_NOT_FOUND", "NOT_POSITIVE", "DURATION_NOT_UNDERSTOOD"),
        *("TRIGGER_UNKNOWN", "VALUE_UNKNOWN"),
    },
    "windrow_hop(TABLE(SELECT count(*) FROM orders), time => 'time', size => '1 month', "
    "step => '1 week', zone => 'Berlin', lateness => '0 s')": {
        *("SIZE_NOT_IN_STEPS", "ZONE_UNKNOWN")
    },
    "windrow_tumble(TABLE(SELECT count(*) FROM orders), time => 'time', size => '1 month', "
    "start_time => '30 days', zone => 'UTC', lateness => '0 s')": {"START_NOT_IN_CALENDAR"},
    "windrow_session(TABLE(SELECT count(*) FROM orders), time => 'tiem', gap => 'x', "
    "lateness => '-1 s', close_on => 'no')": {
        *("COLUMN_NOT_FOUND", "LATENESS_NEGATIVE", "VALUE_UNKNOWN")
    },
    "windrow_tumble(TABLE(SELECT count(*) FROM orders), time => 'time', size => '3 suns', "
    "zone => 'Berlin', early => 'each message', late => array('never', 'x'))": {
        *("CALENDAR_UNIT_NOT_UNDERSTOOD", "ZONE_UNKNOWN", "TRIGGER_UNKNOWN")
    },
    "windrow_tumble(TABLE(SELECT count(*) FROM orders), time => 'time', size => '1 minute', "
    "lateness => '0 s', watermark => '-1 s', late => array('never', 'x'), output => 'all of it')": {
        *("WATERMARK_NEGATIVE", "TRIGGER_UNKNOWN", "VALUE_UNKNOWN")
    },
    "windrow_tumble(TABLE(SELECT product FROM orders GROUP BY product), time => 'time', "
    "size => '1 minute', lateness => '0 s', index_by => 'product', output => 'events')": {
        *("AGGREGATE_MISSING", "STORE_WITHOUT_MESSAGES", "NO_EVENTS")
    },
    "windrow_tumble(TABLE(orders), TABLE(orders), size => '1 minute')": {"TABLE_MISSING"},
    "windrow_policy(TABLE(SELECT count(*) FROM orders), eviction => 'tumbling', by_count => 3, "
    "by_column => 'amount', trigger_count => 2, accumulation_mode => 'discarding')": {
        *("COLUMN_WITHOUT_DELTA", "TRIGGER_ON_TUMBLING", "VALUE_NOT_SUPPORTED")
    },
    "windrow_tumble(TABLE(SELECT count(*) FROM orders), '1 minute', lateness => '0 s')": {
        *("ARGUMENT_NOT_NAMED", "FIELD_NOT_STATED")
    },
    "windrow_tumble(TABLE(SELECT count(*) FROM orders), time => 'time', size => '1 minute', "
    "lateness => '0 s', output => 'answers')": {"NO_ANSWERS"},
    "windrow_session(TABLE(SELECT count(*) FROM orders), time => 'time', gap => 'product', "
    "lateness => '0 s')": {"GAP_NOT_INTERVAL"},
    f"windrow_tumble(TABLE(SELECT product, count(o.amount) FROM {COGROUP} GROUP BY product), "  # noqa: S608
    "time => 'time', size => '1 minute', lateness => '0 s')": {"STATED_TWICE"},
    "windrow_policy(TABLE(SELECT count(*) FROM orders), eviction => 'tumbling')": {"BY_NOT_STATED"},
    "windrow_match(TABLE(orders), key => 'product', time => 'time', pattern => 'A', "
    "define => 'A', lateness => '0 s', within => '1 minute')": {"MAP_NOT_UNDERSTOOD"},
    "windrow_until(TABLE(orders))": {"FOLDER_MISSING"},
    "_windrow_check(spec => 5)": {"SPEC_MISSING"},
    "windrow_pending(operator => 'orders')": {"CHECKPOINT_MISSING"},
    "windrow_join(TABLE(SELECT * FROM orders o JOIN orders p ON o.product = p.product AND p.time "
    "BETWEEN o.time AND o.time + INTERVAL 1 MINUTE), lateness => '0 s', time => 'time')": {
        "TIME_TWICE"
    },
    "windrow_cogroup(TABLE(orders), TABLE(VALUES (1)), key => 'x', time => 'time', sice => 1)": {
        *("ARGUMENT_UNKNOWN", "STREAM_NOT_NAMED", "COLUMN_NOT_FOUND")
    },
    "windrow_cogroup(TABLE(SELECT * FROM orders AS PRODUCT), TABLE(SELECT * FROM orders AS p), "
    "key => 'product', time => 'time')": {"NAME_TAKEN"},
    "windrow_cogroup(TABLE(orders), TABLE(orders), watermark => '1 minute', idle => '0 s', "
    "processing_time_watermark => '-1 s', sice => 1)": {
        *("STREAM_TWICE", "TIME_NOT_STATED", "IDLE_NOT_POSITIVE"),
        *("WATERMARK_NEGATIVE", "ARGUMENT_UNKNOWN"),
    },
    "windrow_join(TABLE(SELECT * FROM orders o JOIN orders p ON o.product = p.product), "
    "time => 'when', within => 1)": {
        *("ARGUMENT_UNKNOWN", "LATENESS_NOT_STATED", "UNBOUNDED_JOIN", "COLUMN_NOT_FOUND")
    },
}


@pytest.mark.anywhere
@pytest.mark.parametrize("said", REFUSED)
def test_everything_that_is_wrong(feed: Feed, said: str) -> None:
    """All mistakes of a call are reported in one error, each with its code."""
    feed.batch().createOrReplaceTempView("orders")
    with pytest.raises(AnalysisException) as refused:
        feed.spark.sql(f"SELECT * FROM {said}")  # noqa: S608
    error = wr.errors.from_text(str(refused.value).split("\n\nJVM stacktrace:")[0])
    assert isinstance(error, wr.SpecError)
    assert {problem.code for problem in error.problems} == REFUSED[said]
    assert refused.value.getCondition() == error.problems[0].code


@pytest.mark.anywhere
def test_arguments_are_sql(feed: Feed) -> None:
    """Argument names and words ignore case, null means absent, and durations may be intervals."""
    feed.batch().createOrReplaceTempView("orders")
    plain = "time => 'time', size => '5 minutes', lateness => '1 minute'"
    other = "TIME => 'time', Size => INTERVAL 5 MINUTES, lateness => INTERVAL '1' MINUTE"
    for said in (
        f"{plain}, accumulation_mode => 'discarding'",
        f"{other}, accumulation_mode => 'DISCARDING', early => NULL, stream => NULL",
    ):
        panes = feed.spark.sql(f"SELECT * FROM windrow_tumble({TABLE}, {said})")  # noqa: S608
        assert "pane" in panes.columns


@pytest.mark.anywhere
def test_lengths_of_a_calendar_may_be_intervals(feed: Feed) -> None:
    """Months and years may be intervals, alone and with other units, as their texts may be."""
    feed.batch().createOrReplaceTempView("orders")
    more = f"{TABLE}, time => 'time', lateness => '0 s', accumulation_mode => 'discarding', "
    for call in (
        "windrow_tumble({}size => INTERVAL 1 MONTH, zone => 'Europe/Berlin')",
        "windrow_tumble({}size => INTERVAL 1 YEAR, start_time => INTERVAL 3 MONTHS, zone => 'UTC')",
        "windrow_hop({}size => INTERVAL '1' YEAR, step => INTERVAL 6 MONTHS, zone => 'UTC')",
        "windrow_hop({}size => INTERVAL 2 DAYS, step => INTERVAL 1 DAY, zone => 'UTC')",
    ):
        panes = feed.spark.sql(f"SELECT * FROM {call.format(more)}")  # noqa: S608
        assert "pane" in panes.columns


@pytest.mark.anywhere
@pytest.mark.parametrize("early", ["'10 seconds'", "array('10 seconds', '3 messages')"])
def test_periods_may_be_texts(feed: Feed, early: str) -> None:
    """A trigger's period may be an interval or its text."""
    feed.batch().createOrReplaceTempView("orders")
    more = f"size => '5 minutes', lateness => '0 seconds', early => {early}"
    call = f"windrow_tumble({TABLE}, time => 'time', {more}, accumulation_mode => 'discarding')"
    panes = feed.spark.sql(f"SELECT * FROM {call}")  # noqa: S608
    assert "pane" in panes.columns


def test_functions_are_described(feed: Feed) -> None:
    """Every listed function has a description, and internal functions are not listed."""
    spark = feed.spark
    listed = [row[0] for row in spark.sql("SHOW FUNCTIONS LIKE 'windrow*'").collect()]
    assert {"windrow_tumble", "windrow_join", "windrow_pending"} <= set(listed)
    assert not {"windrow_apply", "windrow_check", "windrow_continues"} & set(listed)
    for name in listed:
        rows = spark.sql(f"DESCRIBE FUNCTION {name}").collect()
        usage = rows[-1][0]
        assert usage.startswith(f"Usage: {name}("), usage
        assert usage.endswith("See the page reference/sql-functions."), usage


@pytest.mark.anywhere
def test_a_mistake_is_one_of_analysis(feed: Feed) -> None:
    """A mistake is an AnalysisException with Windrow's code and Python's text."""
    feed.batch().createOrReplaceTempView("orders")
    said = f"{TABLE}, time => 'time', size => '1 minute'"
    with pytest.raises(AnalysisException) as refused:
        feed.spark.sql(f"SELECT * FROM windrow_tumble({said})")  # noqa: S608
    assert refused.value.getCondition() == "LATENESS_NOT_STATED"
    assert refused.value.getSqlState() == "42000"
    text = str(refused.value).split("\n\nJVM stacktrace:")[0].strip()
    python = wr.errors.problem("LATENESS_NOT_STATED").text
    assert text == f"[LATENESS_NOT_STATED] Tumbling('1 minute'): {python}"


@pytest.mark.full
def test_spark_sql_prints_a_mistake_without_frames(tmp_path: Path) -> None:
    """The spark-sql shell prints one line for a mistake, as for Spark's own errors."""
    home = Path(pyspark.__file__).parent
    query = "SELECT * FROM windrow_tumble(TABLE(SELECT 1 AS k), time => 'tiem', size => '1 minute')"
    ran = subprocess.run(
        [home / "bin" / "spark-sql", "--jars", _jar.path(), "--master", "local[1]", "-e", query],
        env={**os.environ, "SPARK_HOME": str(home)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode
    assert ran.stderr.count("[LATENESS_NOT_STATED] ") == 1, ran.stderr
    assert "\tat " not in ran.stderr


@pytest.mark.anywhere
def test_version(feed: Feed) -> None:
    """The JAR reports the package's version."""
    assert feed.spark.sql("SELECT * FROM windrow_version()").collect()[0].version == wr.__version__
