"""The harness for users' pipelines has the same output on the core and in a real query."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F

import windrow as wr
from docs.test_pages import blocks
from programs import printed
from replays import run
from replays.script import replay
from windrow._running._settings import having
from windrow.testing import Harness, assertSamePanes, harness

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

SCHEMA = "time timestamp, product string, price double, part int, at bigint"


def stream(df: DataFrame, **more: Any) -> wr.Stream:
    """Return a stream with a watermark."""
    return wr.stream(df, time="time", key="product", watermark="10 seconds", **more)


def minutes(orders: DataFrame) -> wr.Output:
    """Return the pipeline of the README, with a filter and a computed column."""
    priced = orders.where("price > 0").withColumn("gross", F.col("price") * 1.0)
    windows = stream(priced).lateness("10 minutes").window(wr.Tumbling("1 minute"))
    return windows.accumulationMode(wr.ACCUMULATING).aggregate(F.avg("gross").alias("price"))


def sessions(df: DataFrame) -> wr.Output:
    """Return retracting sessions with an aggregate that needs their rows."""
    windows = stream(df).lateness("2 minutes").window(wr.Session("30 seconds"))
    retracting = windows.accumulationMode(wr.ACCUMULATING_AND_RETRACTING)
    return retracting.aggregate(F.count("*").alias("n"), F.collect_list("price").alias("all"))


def periods(df: DataFrame) -> wr.Output:
    """Return early panes by periods of processing time."""
    windows = stream(df).lateness("1 minute").window(wr.Hopping("1 minute", step="30 seconds"))
    early = windows.trigger(early=wr.Every("10 seconds")).accumulationMode(wr.DISCARDING)
    return early.aggregate(F.sum("price").alias("sum"))


def last(df: DataFrame) -> wr.Output:
    """Return a window for each row."""
    windows = stream(df).lateness("30 seconds").window(wr.Over(rows=2))
    return windows.accumulationMode(wr.ACCUMULATING).aggregate(F.max("price").alias("most"))


def kept(df: DataFrame) -> wr.Output:
    """Return full state."""
    held = stream(df).lateness("30 seconds").retain(time="5 minutes")
    return held.window(wr.Tumbling("1 minute")).keepRows()


def counted(df: DataFrame) -> wr.Output:
    """Return windows on positions, with duplicates."""
    told = wr.stream(
        df, key="product", rowId=wr.RowId(source=F.lit("s"), partition="part", offset="at")
    )
    return told.window(wr.Count(3)).aggregate(F.max("price").alias("most"))


def moved(df: DataFrame) -> wr.Output:
    """Return policy windows by processing time, with their events."""
    policy = wr.Policy.tumbling(wr.ByTime("20 seconds"))
    return wr.stream(df, time="time", key="product").window(policy).aggregate(F.count("*"))


def behind(df: DataFrame) -> wr.Output:
    """Return windows whose watermark follows the clock."""
    late = wr.ProcessingTimeWatermark("10 seconds")
    told = wr.stream(df, time="time", key="product", watermark=late).lateness("20 seconds")
    windows = told.window(wr.Tumbling("10 seconds")).accumulationMode(wr.ACCUMULATING)
    return windows.aggregate(F.count("*").alias("n"))


def guarded(df: DataFrame) -> wr.Output:
    """Return windows that reject rows in the future."""
    told = stream(df, maxFuture="5 minutes").lateness("0 seconds")
    return told.window(wr.Tumbling("1 minute")).aggregate(F.count("*").alias("n"))


def inherited(df: DataFrame) -> wr.Output:
    """Return an operator downstream of another one."""
    panes = wr.stream(minutes(df).panes, name="overall").lateness("10 minutes")
    whole = panes.window(wr.Inherit()).accumulationMode(wr.ACCUMULATING)
    return whole.aggregate(F.avg("price").alias("of_all"))


def joined(orders: DataFrame, shipments: DataFrame) -> wr.JoinOutput:
    """Return a join of two streams."""
    o = stream(orders, name="o").lateness("10 seconds")
    s = stream(shipments, name="s").lateness("10 seconds")
    return wr.join(o, s, on="product", within=("0 seconds", "40 seconds"), how="left")


KINDS: dict[str, Callable[..., wr.Output | wr.JoinOutput]] = {
    one.__name__: one
    for one in (
        minutes, sessions, periods, last, kept, counted, moved, behind, guarded, inherited, joined
    )
}  # fmt: skip


def of(name: str, spark: SparkSession, engine: Any) -> Harness:
    """Return a harness for a pipeline."""
    two = {"orders": SCHEMA, "shipments": SCHEMA}
    schema: Any = two if name == "joined" else SCHEMA
    return harness(KINDS[name], spark, schema=schema, engine=engine, now="2025-01-01 09:00:00")


def at(seconds: float) -> str:
    """Return a time of day."""
    whole = int(seconds)
    return f"2025-01-01 {9 + whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02}"


def row(seconds: float, product: str | None = "tea", price: float = 1.0, **more: Any) -> Any:
    """Return a row."""
    return {"time": at(seconds), "product": product, "price": price, **more}


Step = Callable[[Harness], object]


def steps(seed: int, size: int, streams: tuple[str | None, ...]) -> Iterator[Step]:
    """Yield steps that add rows, some of them late, move time by 20 seconds, and restart."""
    rng = random.Random(seed)  # noqa: S311  no secret
    offset = 0
    for number in range(size):
        now = number * 20
        kind = rng.randrange(10)
        if kind < 7:
            rows = []
            for _ in range(rng.randrange(1, 5)):
                late = rng.choice([0, 0, 0, 15, 40, 90, 700])
                late = -400 if rng.randrange(20) == 0 else late
                product = rng.choice(["tea", "salt", None])
                price = float(rng.randrange(9))
                rows.append(row(max(0, now - late), product, price, part=0, at=offset))
                offset += rng.choice([0, 1, 1, 2])
            to = rng.choice(streams)
            yield partial(Harness.add, rows=rows, to=to)
        elif kind == 7:
            yield partial(Harness.advanceProcessingTime, to=at(now + 30))
        elif kind == 8:
            yield Harness.restart
        else:
            yield partial(advanced, seconds=now)
    yield partial(Harness.advanceProcessingTime, to=at(size * 20 + 3000))
    yield ended


def ended(h: Harness) -> None:
    """End the input, if the pipeline has a watermark that can reach the end."""
    if h._engine.hasWatermark():
        h.finish()


def advanced(h: Harness, seconds: float) -> None:
    """Move the watermark forward, if there is one and it is not there yet."""
    mark = h.watermark
    if mark is not None and mark.strftime("%Y-%m-%d %H:%M:%S") < at(seconds):
        h.advanceWatermark(at(seconds))


def what_came(name: str, spark: SparkSession, engine: Any, seed: int, size: int) -> list[Any]:
    """Return all emitted rows, by kind."""
    streams: tuple[str | None, ...] = ("orders", "shipments") if name == "joined" else (None,)
    found: list[Any] = []
    with of(name, spark, engine) as h:
        for number, step in enumerate(steps(seed, size, streams)):
            step(h)
            if engine == "core" or number % 4 == 0 or number >= size:
                h.watermark  # noqa: B018  runs the pending steps
        for kind in ("panes", "rows", "rejected", "events"):
            taken = h._taken(kind)
            found.append((kind, sorted(taken, key=repr)))
    return found


@pytest.mark.slow
@pytest.mark.anywhere
@pytest.mark.parametrize("name", ["sessions"])
def test_the_core_is_the_query(spark: SparkSession, name: str) -> None:
    """The same steps have the same output on the core and in a real query (SEMANTICS M6)."""
    core = what_came(name, spark, "core", 4, 3)
    assert sum(len(rows) for _, rows in core) > 3
    assert core == what_came(name, spark, "query", 4, 3)


@pytest.mark.parametrize("engine", ["core", pytest.param("query", marks=pytest.mark.full)])
def test_a_restart_forgets_how_far_each_stream_was(spark: SparkSession, engine: str) -> None:
    """After a restart the watermark waits for rows of each stream, as in Spark (SEMANTICS M6)."""
    with of("joined", spark, engine) as h:
        h.add(row(100), to="orders").add(row(100), to="shipments")
        before = h.watermark
        assert before is not None
        assert h.restart().add(row(300), to="orders").watermark == before
        assert h.add(row(200), to="shipments").watermark == before + timedelta(seconds=100)


@pytest.mark.full
@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_core_is_the_query_in_all_kinds(spark: SparkSession, name: str, seed: int) -> None:
    """Every kind of operator has the same output on the core and in a query, over more steps."""
    core = what_came(name, spark, "core", seed, 25)
    assert sum(len(rows) for _, rows in core) > 5
    assert core == what_came(name, spark, "query", seed, 25)


@pytest.mark.anywhere
def test_a_late_order_corrects(spark: SparkSession) -> None:
    """The example of docs/testing.md holds: panes, a correction, rejected rows and state."""
    with harness(minutes, spark, schema=SCHEMA) as h:
        h.add([row(10, price=2.0), row(40, price=4.0)])
        assert h.panes() == []
        h.advanceWatermark(at(60))
        on_time = {"product": "tea", "window": at(0), "price": 3.0, "timing": "ON_TIME"}
        assertSamePanes(h.panes(), [on_time])
        h.add(row(50, price=9.0))
        late = {"window": (at(0), at(60)), "price": 5.0, "timing": "LATE", "index": 1}
        assertSamePanes(h.panes(), [late])
        h.advanceWatermark(at(3600)).restart().add((at(0), "tea", 1.0, None, None))
        assertSamePanes(h.rejected(), [{"reason": "TOO_LATE", "message": {"product": "tea"}}])
        assert h.state() == []
        with pytest.raises(ValueError, match="what is 'window'; it must be one of 'windows', "):
            h.state("window")  # type: ignore[arg-type]
        h.add(row(3590)).finish()
        assertSamePanes(h.panes(), [{"price": 1.0, "timing": "LATE"}])
        assert h.watermark is not None


def test_tables(spark: SparkSession) -> None:
    """A harness accepts tables of Arrow and pandas, and Spark's rows and DataFrames."""
    pandas = pytest.importorskip("pandas")
    whole = spark.sql(
        f"SELECT timestamp'{at(5)}' AS time, 'tea' AS product, 2D AS price, 1 AS part, 1L AS at"
    )
    table = whole.toArrow()
    with harness(minutes, spark, schema=whole.schema) as h:
        h.add(whole).add(table).add(table.to_batches()[0]).add(whole.collect())
        h.add(pandas.DataFrame(table.to_pandas())).finish()
        assertSamePanes(h.panes(), [{"price": 2.0}])


def test_wrong_use(spark: SparkSession) -> None:
    """Each mistake is a clear error, and no rows are added."""
    with harness(minutes, spark, schema=SCHEMA) as h:
        with pytest.raises(wr.MessageError, match=r"COLUMN_UNKNOWN.*prize is not a column"):
            h.add({"time": at(0), "prize": 1.0})
        with pytest.raises(wr.MessageError, match=r"TYPE_NOT_ALLOWED.*price has a str"):
            h.add({"time": at(0), "price": "much"})
        with pytest.raises(wr.MessageError, match=r"ROW_LENGTH.*has 2 values"):
            h.add((at(0), "tea"))
        with pytest.raises(TypeError, match="rows have the type int"):
            h.add(3)
        with pytest.raises(TypeError, match="A row of rows has the type int"):
            h.add([3])
        with pytest.raises(ValueError, match="to is 'orders'"):
            h.add(row(0), to="orders")
        h.add(row(100)).advanceWatermark(at(120))
        with pytest.raises(wr.SpecError, match=r"WATERMARK_BACK.*back to 2025-01-01T09:01"):
            h.advanceWatermark(at(60)).panes()
        with pytest.raises(wr.SpecError, match="CLOCK_BACK"):
            h.advanceProcessingTime("2024-12-31 00:00:00")
        assert h.panes().__str__().count("\n") == 0
    with pytest.raises(wr.OperatorError, match=r"NOT_OPEN.*use the harness, because it is closed"):
        h.panes()
    with of("counted", spark, "core") as h, pytest.raises(wr.SpecError, match="WATERMARK_UNUSED"):
        h.advanceWatermark(at(0))
    for engine in ("core", "query"):
        with (
            of("counted", spark, engine) as h,
            pytest.raises(wr.SpecError, match=r"WATERMARK_UNUSED\] finish"),
        ):
            h.finish()
    with pytest.raises(TypeError, match="The pipeline returned a DataFrame"):
        harness(lambda df: df, spark, schema=SCHEMA)
    with pytest.raises(wr.SpecError, match=r"ONLY_IN_QUERIES.*Deduplicate"):
        harness(lambda df: minutes(df.dropDuplicates()), spark, schema=SCHEMA)
    with pytest.raises(ValueError, match="engine is 'fast'"):
        harness(minutes, spark, schema=SCHEMA, engine="fast")  # type: ignore[arg-type]


def test_differences_read_well() -> None:
    """A failed comparison lists missing, different and unexpected rows, with their fields."""
    pane = {"timing": "ON_TIME", "index": 0, "is_last": False, "is_retraction": False}
    tea = {"product": "tea", "window": {"start": 0, "end": 60}, "price": 3.0, "pane": pane}
    salt = {"product": "salt", "window": {"start": 0, "end": 60}, "price": 1.0, "pane": pane}
    assertSamePanes([tea, salt], [{"product": "salt"}, {"product": "tea", "price": 3}])
    with pytest.raises(AssertionError) as wrong:
        assertSamePanes([tea, salt], [{"product": "tea", "price": 5.0, "timing": "LATE"}])
    assert str(wrong.value).splitlines() == [
        "1 rows expected, 2 received, 0 match:",
        "  differs:      product='tea'  window=[0, 60)  price=3.0  ON_TIME  index=0",
        "      price: expected 5.0, got 3.0",
        "      timing: expected 'LATE', got 'ON_TIME'",
        "  not expected: product='salt'  window=[0, 60)  price=1.0  ON_TIME  index=0",
    ]
    with pytest.raises(AssertionError, match="missing:      product='milk'"):
        assertSamePanes([], [{"product": "milk"}])


def test_rows_are_matched_as_far_as_can_be() -> None:
    """Rows are matched to satisfy as many expectations as possible.

    A greedy match could take the only row that fits another expectation.
    """
    late: dict[str, Any] = {"price": 3.0, "pane": {"timing": "LATE"}}
    came: list[dict[str, Any]] = [
        late,
        {"price": 3.0, "pane": {"timing": "ON_TIME"}},
        {"price": 4.0},
    ]
    assertSamePanes(came, [{"price": 3.0}, {"timing": "LATE"}, {"price": 4.0}])
    assertSamePanes([{"n": 1}] * 300, [{"n": 1}] * 300)
    with pytest.raises(AssertionError, match="3 rows expected, 2 received, 2 match"):
        assertSamePanes(came[:2], [{"price": 3.0}, {"timing": "LATE"}, {"price": 3}])


def test_a_transcript_is_recorded(spark: SparkSession, tmp_path: Path) -> None:
    """A recorded transcript runs on the reference and the core with the same output."""

    def sums(df: DataFrame) -> wr.Output:
        windows = stream(df).lateness("2 minutes").window(wr.Hopping("1 minute", step="20 seconds"))
        return windows.accumulationMode(wr.ACCUMULATING).aggregate(F.sum("price").alias("sum"))

    with harness(sums, spark, schema=SCHEMA) as h:
        for number, step in enumerate(steps(5, 12, (None,))):
            step(h)
            if number == 5:
                h.restart()
        said = {"value": "price", "aggregates": {"sum": "sum"}}
        line = h.transcript("recorded", **said)  # type: ignore[arg-type]
        assert line.count("ON_TIME") > 5
        assert '"restart":true' in line
        with pytest.raises(wr.SpecError, match=r"TRANSCRIPT_NOT_POSSIBLE.*the columns are sum"):
            h.transcript("wrong", value="price", aggregates={"total": "sum"})
    file = tmp_path / "recorded.jsonl"
    file.write_text(line + "\n")
    report = run.report(file)
    assert report.ok, str(report)
    status, told = replay(file, "reference")
    assert status == 0, told
    file.write_text(line.replace('"index":0', '"index":7', 1) + "\n")
    assert not run.report(file).ok


def test_connect_wants_a_query() -> None:
    """A Connect client needs ``engine='query'``, because the core needs a JVM in this process."""

    class Remote:
        __module__ = "pyspark.sql.connect.session"

    with pytest.raises(wr.WindrowError, match=r"NO_JVM.*engine='query'"):
        harness(minutes, Remote(), schema=SCHEMA, engine="core")  # type: ignore[arg-type]


@pytest.mark.anywhere
@pytest.mark.full
def test_on_connect(tmp_path: Path) -> None:
    """The same test runs as a real query on a Connect client."""
    said = printed("connect.py", FOLDER=str(tmp_path), PART="harness", SPARK_TESTING="1")
    assert said[-3:] == [
        "[(3.0, 'ON_TIME'), (5.0, 'LATE')]",
        "[('TOO_LATE', 'tea')]",
        "[True]",
    ]


def test_the_page_runs(spark: SparkSession) -> None:
    """The tests in docs/testing.md pass, in every time zone."""
    found = blocks("docs/testing.md", "python")
    names: dict[str, Any] = {}
    for block in found:
        exec(block, names)  # noqa: S102  our own page
    tests = [one for name, one in names.items() if name.startswith("test_")]
    assert len(tests) == 2
    for zone in ("UTC", "Europe/Berlin"):
        with having(spark, {"spark.sql.session.timeZone": zone}):
            for test in tests:
                test(spark)
