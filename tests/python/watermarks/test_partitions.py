"""A watermark for each partition, and inputs that are silent (SEMANTICS R107)."""

from __future__ import annotations

import random
from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F

import windrow as wr
from counts import streams
from feed import Feed, Order, order
from restarts.test_start import finished

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pyspark.sql.streaming.query import StreamingQuery

pytestmark = [pytest.mark.spark, pytest.mark.slow]

#: Real queries; `test_interleavings.py` runs 50 times as many interleavings in the core.
CASES = -(-streams(1) // 50)
PARTITIONS = 8
#: More than the whole tests take, so that nothing is idle.
LONG = "1 day"


def by_partition(
    expected: int | None = PARTITIONS, idle: str | None = None
) -> wr.EventTimeWatermark:
    """Return a watermark without delay for each product, which stands for a partition."""
    return wr.EventTimeWatermark("0 seconds", by="product", partitions=expected, idle=idle)


def minutes(feed: Feed, watermark: str | wr.EventTimeWatermark) -> wr.Output:
    """Return the totals of minutes over all partitions, which reject every late row."""
    stream = wr.stream(feed.stream(), time="time", watermark=watermark).lateness("0 seconds")
    return stream.window(wr.Tumbling("1 minute")).aggregate(F.sum("amount").alias("total"))


def interleaved(seed: int) -> list[list[Order]]:
    """Draw partitions that are in order by themselves, read at different speeds in any order."""
    rng = random.Random(seed)  # noqa: S311  no secret
    numbers = iter(range(10**6))
    rows = {
        f"p{partition}": [
            order(
                f"09:{at // 60:02}:{at % 60:02}.{partition}",  # each time is unique
                f"p{partition}",
                rng.randrange(100),
                id=next(numbers),
                key=rng.randrange(3),
            )
            for at in sorted(rng.sample(range(600), rng.randrange(3, 12)))
        ]
        for partition in range(PARTITIONS)
    }
    batches: list[list[Order]] = []
    while any(rows.values()):
        batch: list[Order] = []
        for waiting in rows.values():
            taken = rng.choice([0, 0, 1, 2, len(waiting)])
            batch += waiting[:taken]
            del waiting[:taken]
        rng.shuffle(batch)  # the order within a micro-batch has no effect
        batches.append(batch)
    return batches


def totals(batches: list[list[Order]]) -> dict[int, int]:
    """Return the total of each minute."""
    found: Counter[int] = Counter()
    for row in (row for batch in batches for row in batch):
        found[int(row["time"][14:16])] += row["amount"]
    return dict(found)


def drained(output: wr.Output, folder: Path) -> tuple[dict[int, int], int]:
    """Run to the end of the input; return the totals by minute, and the number of rejected rows."""
    query = output.start(
        checkpoint=str(folder / "checkpoint"),
        panes=wr.Files(str(folder / "panes")),
        rejected=wr.Files(str(folder / "rejected")),
        availableNow=True,
        drain=True,
    )
    counts = wr.status(finished(query))
    panes = output.panes.sparkSession.read.parquet(str(folder / "panes")).collect()
    assert {(row.pane.timing, row.pane["index"]) for row in panes} == {("ON_TIME", 0)}
    found = {row.window.start.minute: row.total for row in panes}
    assert len(found) == len(panes)
    return found, counts.rejected


@pytest.mark.parametrize("seed", range(CASES))
def test_no_row_is_late_when_each_partition_is_in_order(
    spark: Any, tmp_path: Path, seed: int
) -> None:
    """Partitions in order lose no row, however they are interleaved; one watermark loses some."""
    batches = interleaved(seed)
    feed = Feed(spark, tmp_path / "in").add(*batches)
    assert drained(minutes(feed, by_partition()), tmp_path / "by") == (totals(batches), 0)
    if CASES > 1 and seed == 0:
        assert drained(minutes(feed, "0 seconds"), tmp_path / "one")[1] > 0


@pytest.mark.full
def test_interpreted_plans_agree(spark: Any, tmp_path: Path) -> None:
    """Without generated code the partitions are the same."""
    batches = interleaved(1)
    feed = Feed(spark, tmp_path / "in").add(*batches)
    spark.conf.set("spark.sql.codegen.wholeStage", "false")
    try:
        assert drained(minutes(feed, by_partition()), tmp_path / "by") == (totals(batches), 0)
    finally:
        spark.conf.unset("spark.sql.codegen.wholeStage")


class Live:
    """A query that keeps running, with the watermark after each of its micro-batches."""

    def __init__(self, query: StreamingQuery) -> None:
        """Observe a query."""
        self.query = query

    def watermark(self) -> str:
        """Wait until all input is read; return the watermark that the query then uses."""
        self.query.processAllAvailable()
        last = self.query.lastProgress
        assert last is not None
        return str(last["eventTime"].get("watermark", ""))[11:19]


def until(running: Live, feed: Feed, row: Order, watermark: str) -> bool:
    """Add a row in one micro-batch a second until the query has a watermark, or for a minute."""
    for _ in range(60):
        feed.add([row])
        if running.watermark() == watermark or running.query.awaitTermination(1):
            break
    return running.watermark() == watermark


def live(output: Any, folder: Path) -> Live:
    """Start a query whose rows are only counted, except one sink."""
    name = "panes" if isinstance(output, wr.Output) else "rows"
    sinks = {name: wr.Files(str(folder / "out"))}
    return Live(output.start(checkpoint=str(folder / "checkpoint"), **sinks))


def test_the_partition_that_is_behind_decides(spark: Any, tmp_path: Path) -> None:
    """The watermark waits for the expected partitions, then follows the least of them."""
    feed = Feed(spark, tmp_path / "in")
    running = live(minutes(feed, by_partition(2, LONG)), tmp_path)
    try:
        feed.add([order("09:10:00", "a")])
        assert running.watermark() == "00:00:00"  # of 1970: b has not been seen
        feed.add([order("09:01:00", "b")])
        assert running.watermark() == "09:01:00"
        feed.add([order("09:30:00", "a")])
        assert running.watermark() == "09:01:00"
        feed.add([order("09:20:00", "b"), order(None, "b")])
        assert running.watermark() == "09:20:00"
        feed.add([order("09:25:00", None)])  # null is a partition like any other
        assert running.watermark() == "09:20:00"
        feed.add([order("09:40:00", "a"), order("09:40:00", "b")])
        assert running.watermark() == "09:25:00"
    finally:
        running.query.stop()


def test_an_idle_partition_is_released(spark: Any, tmp_path: Path) -> None:
    """After ``idle`` and one more micro-batch, a silent partition no longer counts."""
    feed = Feed(spark, tmp_path / "in")
    running = live(minutes(feed, by_partition(2, "3 seconds")), tmp_path)
    try:
        feed.add([order("09:10:00", "a"), order("09:01:00", "b")])
        assert running.watermark() == "09:01:00"
        assert until(running, feed, order("09:11:00", "a"), "09:11:00")
        feed.add([order("09:02:00", "b"), order("09:12:00", "a")])
        assert running.watermark() == "09:11:00"  # it never goes back, and b is late
    finally:
        running.query.stop()


def test_a_restart_does_not_know_the_partitions(spark: Any, tmp_path: Path) -> None:
    """After a restart the watermark waits until the expected partitions have had rows again."""
    feed = Feed(spark, tmp_path / "in")
    for added, expected in (
        ([order("09:10:00", "a"), order("09:05:00", "b")], "09:05:00"),
        ([order("09:30:00", "a")], "09:05:00"),
        ([order("09:20:00", "b")], "09:05:00"),
        ([order("09:40:00", "a"), order("09:20:00", "b")], "09:20:00"),
    ):
        feed.add(added)
        running = live(minutes(feed, by_partition(2, LONG)), tmp_path)
        try:
            assert running.watermark() == expected
        finally:
            running.query.stop()
    panes = spark.read.parquet(str(tmp_path / "out")).collect()
    assert sorted(row.window.start.minute for row in panes) == [5, 10]


def joined(one: Feed, two: Feed, idle: str) -> wr.JoinOutput:
    """Return a left join of two inputs, of which the second one can be silent."""
    left = wr.stream(one.stream(), time="time", watermark="0 seconds", name="l")
    quiet = wr.EventTimeWatermark("0 seconds", idle=idle)
    right = wr.stream(two.stream(), time="time", watermark=quiet, name="r")
    sides = left.lateness("0 seconds"), right.lateness("0 seconds")
    return wr.join(*sides, on="product", within=("0 s", "1 minute"), how="left")


def grouped(one: Feed, two: Feed, idle: str) -> wr.Output:
    """Return minutes of a co-group of two inputs, of which the second one can be silent."""
    left = wr.stream(one.stream(), time="time", watermark="0 seconds", name="l")
    quiet = wr.EventTimeWatermark("0 seconds", idle=idle)
    right = wr.stream(two.stream(), time="time", watermark=quiet, name="r")
    both = wr.cogroup(left, right).lateness("0 seconds").window(wr.Tumbling("1 minute"))
    return both.aggregate(F.count("l.amount").alias("n"), F.count("r.amount").alias("m"))


@pytest.mark.parametrize(
    ("combined", "idle"),
    [
        (joined, LONG),
        (grouped, "2 seconds"),
        pytest.param(joined, "2 seconds", marks=pytest.mark.full),
        pytest.param(grouped, LONG, marks=pytest.mark.full),
    ],
)
def test_a_silent_input_does_not_hold_back_the_others(
    spark: Any, tmp_path: Path, combined: Callable[..., Any], idle: str
) -> None:
    """A silent input is released after ``idle``; before that it holds the others back."""
    one, two = Feed(spark, tmp_path / "one"), Feed(spark, tmp_path / "two")
    running = live(combined(one, two, idle), tmp_path)
    try:
        one.add([order("09:00:00", amount=1)])
        two.add([order("09:00:30", amount=2)])
        running.watermark()
        if idle == LONG:
            one.add([order("09:30:00", amount=3)])
            assert running.watermark() == "09:00:30"
        else:
            assert until(running, one, order("09:30:00", amount=3), "09:30:00")
        two.add([order("09:50:00", amount=4)])  # it counts again
        one.add([order("09:40:00", amount=5)])
        assert running.watermark() == "09:40:00"
    finally:
        running.query.stop()


@pytest.mark.full
def test_an_input_that_never_has_rows(spark: Any, tmp_path: Path) -> None:
    """An input without any row is idle ``idle`` after the start of the run."""
    one, two = Feed(spark, tmp_path / "one"), Feed(spark, tmp_path / "two")
    running = live(joined(one, two, "1 second"), tmp_path)
    try:
        one.add([order("09:00:00", amount=1)])
        assert until(running, one, order("09:30:00", amount=3), "09:30:00")
    finally:
        running.query.stop()
    (row,) = spark.read.parquet(str(tmp_path / "out")).collect()
    assert (row.l.amount, row.r) == (1, None)


def test_a_join_by_the_clock(spark: Any, tmp_path: Path) -> None:
    """With a clock on all streams, unmatched rows leave although no rows arrive (R52)."""
    one, two = Feed(spark, tmp_path / "one"), Feed(spark, tmp_path / "two")
    clock = wr.ProcessingTimeWatermark("1 second")
    left = wr.stream(one.stream(), time="time", watermark=clock, name="l").lateness("0 seconds")
    right = wr.stream(two.stream(), time="time", watermark=clock, name="r").lateness("0 seconds")
    pairs = wr.join(left, right, on="product", within=("0 s", "2 s"), how="full")
    assert "processing time minus 1 second" in pairs._explained()
    running = live(pairs, tmp_path)
    try:
        began = datetime.now(UTC)
        one.add([order(f"{began:%Y-%m-%d %H:%M:%S}", "both"), order(f"{began:%Y-%m-%d %H:%M:%S}")])
        two.add([order(f"{began:%Y-%m-%d %H:%M:%S}", "both"), order("2025-01-01 09:00:00", "old")])
        for _ in range(120):
            found = {row.product: row for row in _written(spark, tmp_path / "out")}
            if len(found) == 3 or running.query.awaitTermination(1):
                break
    finally:
        running.query.stop()
    assert found["both"].l is not None
    assert found["both"].r is not None
    assert (found["a"].r, found["old"].l) == (None, None)


def _written(spark: Any, folder: Path) -> list[Any]:
    rows = (
        spark.read.parquet(str(folder)).collect() if list(folder.glob("batch=*/_SUCCESS")) else []
    )
    return list(rows)


def test_a_cogroup_by_the_clock(
    spark: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A co-group keeps the clock of its streams, and refuses different ones."""
    feed = Feed(spark, tmp_path / "in")
    clocks = [wr.ProcessingTimeWatermark(delay) for delay in ("1 minute", "60 s", "2 minutes")]
    one, same, other = (
        wr.stream(feed.stream(), time="time", watermark=clock, name=f"s{i}")
        for i, clock in enumerate(clocks)
    )
    both = wr.cogroup(one, same).lateness("0 s").window(wr.Tumbling("1 minute"))
    both.aggregate(F.count("s0.amount")).explain()
    assert "processing time minus 1 minute" in capsys.readouterr().out
    event = wr.stream(feed.stream(), time="time", watermark="1 minute", name="event")
    for third in (other, event):
        with pytest.raises(wr.SpecError, match="OPTION_DIFFERS"):
            wr.cogroup(one, third)
        with pytest.raises(wr.SpecError, match="OPTION_DIFFERS"):
            wr.join(one, third, within=("0 s", "1 s"))


def test_in_sql(feed: Feed) -> None:
    """The settings are arguments of the SQL functions."""
    batches = interleaved(2)
    feed.add(*batches).stream().createOrReplaceTempView("interleaved")
    panes = feed.spark.sql(
        "SELECT window.start, total FROM windrow_tumble("
        "TABLE(SELECT sum(amount) AS total FROM interleaved), time => 'time', size => '1 minute', "
        "lateness => '0 seconds', watermark => '0 seconds', watermark_by => 'product', "
        "watermark_partitions => 8, idle => '1 day')"
    )
    expected = totals(batches)
    found = {row.start.minute: row.total for row in feed.run(panes)}
    assert found
    assert found == {minute: expected[minute] for minute in found}


def test_settings_that_do_not_fit_are_refused(feed: Feed) -> None:
    """Each mistake has a code, before a query starts."""
    mark = wr.EventTimeWatermark
    for made, codes in (
        (lambda: mark("soon"), ["DURATION_NOT_UNDERSTOOD"]),
        (lambda: mark("-1 s"), ["WATERMARK_NEGATIVE"]),
        (lambda: mark("1 s", idle="0 s"), ["IDLE_NOT_POSITIVE"]),
        (lambda: mark("1 s", by="p", partitions=0), ["WATERMARK_PARTITIONS_COUNT"]),
        (
            lambda: mark("1 s", partitions=20_000),
            ["WATERMARK_SETTING_ALONE", "WATERMARK_PARTITIONS_COUNT"],
        ),
        (lambda: mark("1 s", by="p", partitions="two"), ["COUNT_NOT_UNDERSTOOD"]),  # type: ignore[arg-type]
        (lambda: minutes(feed, mark("1 s", by="absent")), ["COLUMN_NOT_FOUND"]),
        (lambda: minutes(feed, mark("1 s", idle="1 s")).panes, ["IDLE_OF_ONE_INPUT"]),
    ):
        with pytest.raises(wr.SpecError) as refused:
            made()
        assert [one.code.split(".")[0] for one in refused.value.problems] == codes


def test_a_column_with_a_value_for_each_row_is_refused(feed: Feed, tmp_path: Path) -> None:
    """A partition column that is no partition ends the query with a reason."""
    many = [order("09:00:00", f"k{n}") for n in range(10_001)]
    output = minutes(feed.add(many), wr.EventTimeWatermark("0 seconds", by="product"))
    query = output.start(
        checkpoint=str(tmp_path / "checkpoint"),
        panes=wr.Files(str(tmp_path / "panes")),
        availableNow=True,
    )
    with pytest.raises(Exception, match="WATERMARK_PARTITIONS_COUNT"):
        query.awaitTermination()
