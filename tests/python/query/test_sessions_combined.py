"""Combined rows of sessions have the same result as separate rows (SEMANTICS T3, R18)."""

from __future__ import annotations

import random
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F

import windrow as wr
from feed import Feed, Order, order
from windrow._running._settings import having

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.slow]

GAP = 5
START = datetime(2025, 1, 1, 9, tzinfo=UTC)


def messages(seed: int, batches: int, size: int) -> list[list[Order]]:
    """Draw times in full seconds, so that many are exactly a gap apart; some late, some null."""
    rng = random.Random(seed)  # noqa: S311  no secret
    return [
        [
            order(
                None
                if rng.random() < 0.01
                else f"{START + timedelta(seconds=_second(rng, batch)):%Y-%m-%d %H:%M:%S}",
                f"k{rng.randrange(40)}",
                rng.randrange(100),
            )
            for _ in range(size)
        ]
        for batch in range(batches)
    ]


def _second(rng: random.Random, batch: int) -> int:
    late = rng.randrange(600) if rng.random() < 0.1 else 0
    return batch * 900 + rng.randrange(900) - rng.randrange(20) - late


def sessions(
    df: Any, *, lateness: str, mode: Any, early: Any, more: tuple[str, ...] = ()
) -> wr.Output:
    """Return the count, sum, minimum and mean of sessions, corrected at the end of each step."""
    stream = wr.stream(df, time="time", key="product", watermark="10 seconds").lateness(lateness)
    windows = stream.window(wr.Session(f"{GAP} seconds")).accumulationMode(mode)
    fired = windows.trigger(early=early, late=wr.EachBatch())
    amount = F.col("amount")
    return fired.aggregate(
        F.count("*").alias("n"),
        F.sum(amount).alias("s"),
        F.min(amount),
        F.avg(amount),
        *map(F.expr, more),
    )


WIDE = "sum(CAST(amount AS DECIMAL(30, 2)))"  # wider than one word of a row


TAKEN = [("0 seconds", ()), ("300 seconds", ("max(product)",)), ("300 seconds", (WIDE,))]
FIRED = [
    (wr.ACCUMULATING, wr.Never()),
    (wr.DISCARDING, wr.EachBatch()),
    (wr.ACCUMULATING_AND_RETRACTING, wr.EachBatch()),
]


def combinations() -> Iterator[Any]:
    """Yield all combinations: one with late rows, the others only in `full`."""
    for i, taken in enumerate(TAKEN):
        for j, fired in enumerate(FIRED):
            marks = () if i == j == 1 else (pytest.mark.full,)
            yield pytest.param(*taken, *fired, marks=marks)


@pytest.mark.parametrize(("lateness", "more", "mode", "early"), list(combinations()))
def test_streams(
    feed: Feed,
    capsys: pytest.CaptureFixture[str],
    lateness: str,
    more: tuple[str, ...],
    mode: Any,
    early: Any,
) -> None:
    """Combining does not change the output, with other shards or several tasks per shard."""
    feed.add(*messages(7, batches=3, size=3000))
    found = []
    for combine, shards in (("always", "5"), ("never", "1")):
        said = {"spark.windrow.combine": combine, "spark.windrow.shards": shards}
        with having(feed.spark, said):
            output = sessions(feed.stream(), lateness=lateness, mode=mode, early=early, more=more)
            output.explain()
            assert ("combined if they share" in capsys.readouterr().out) == (combine == "always")
            timeless = F.col("rejected").dropFields("processing_time").alias("rejected")
            rows = feed.run(output.output.select("kind", "panes", timeless))
            found.append(Counter(map(repr, rows)))
    combined, single = found
    assert sum((combined - single).values()) == sum((single - combined).values()) == 0
    kinds = Counter(row.split("kind='")[1].split("'")[0] for row in combined.elements())
    assert kinds["panes"] > 1000
    assert kinds["rejected"] > 20


@pytest.mark.parametrize(
    ("of", "combine"),
    [
        pytest.param("max(price)", "always", marks=pytest.mark.full),
        ("max(product)", "always"),
        pytest.param("max(product)", "never", marks=pytest.mark.full),
        pytest.param("max(price)", "never", marks=pytest.mark.full),  # not combined either way
    ],
)
def test_a_late_message_counts_as_late(feed: Feed, tmp_path: Path, combine: str, of: str) -> None:
    """A late row counts as late, although combined rows share its time and are not late (S15)."""
    feed.add([order("09:00:10", "z")], [], [order("09:00:05"), order("09:00:07")])
    stream = wr.stream(feed.stream(), time="time", key="product", watermark="0 seconds")
    windows = stream.lateness("5 minutes").window(wr.Session(f"{GAP} seconds"))
    output = windows.accumulationMode(wr.ACCUMULATING).aggregate(F.expr(of))
    folder = str(tmp_path / "checkpoint")
    with having(feed.spark, {"spark.windrow.combine": combine}):
        query = output.start(checkpoint=folder, panes=lambda *_: None, availableNow=True)
        query.awaitTermination()
    advice = wr.advise(folder, 1.0)
    assert (advice.messages, advice.late) == (3, 1)


def test_a_batch(spark: SparkSession, tmp_path: Path) -> None:
    """Batch sessions contain the rows at most the gap apart, as computed here (R20)."""
    feed = Feed(spark, tmp_path / "feed").add(*messages(8, batches=4, size=4000))
    expected: Counter[tuple[Any, ...]] = Counter()
    by_key: dict[str, list[tuple[datetime, int]]] = {}
    for one in (row for batch in messages(8, batches=4, size=4000) for row in batch):
        if one["time"] is not None:
            by_key.setdefault(one["product"], []).append(
                (datetime.fromisoformat(one["time"]), one["amount"])
            )
    gap = timedelta(seconds=GAP)
    for key, values in by_key.items():
        values.sort()
        begin = 0
        for at in range(1, len(values) + 1):
            if at == len(values) or values[at][0] - values[at - 1][0] > gap:
                some = values[begin:at]
                begin = at
                total = sum(amount for _, amount in some)
                expected[key, some[0][0], some[-1][0] + gap, len(some), total] += 1
    with having(spark, {"spark.windrow.combine": "always"}):
        stream = wr.stream(feed.batch(), time="time", key="product").lateness("0 seconds")
        windows = stream.window(wr.Session(f"{GAP} seconds"))
        counts = F.count("*").alias("n"), F.sum("amount").alias("s")
        for more in (), (F.max(F.col("product")),):  # a text does not have a fixed width
            panes = windows.aggregate(*counts, *more).panes.collect()
            found = Counter((r.product, r.window.start, r.window.end, r.n, r.s) for r in panes)
            assert found == expected
    assert len(expected) > 500


def test_how_late_messages_were(feed: Feed, tmp_path: Path) -> None:
    """Lateness is recorded per row: rows whose own window has ended are sent separately."""
    # the watermark is 18 s,
    begin = [order(f"{START + timedelta(seconds=28):%Y-%m-%d %H:%M:%S}", "first", 1)]
    pairs = [
        order(f"{START + timedelta(seconds=second):%Y-%m-%d %H:%M:%S}", f"k{key}", 1)
        for key in range(1000)
        for second in (11, 14)  # their windows end at 16 and 19 s
    ]
    feed.add(begin, begin, pairs)  # the watermark applies two steps later (T5)
    told = []
    for combine in ("always", "never"):
        checkpoint = tmp_path / combine
        with having(feed.spark, {"spark.windrow.combine": combine}):
            output = sessions(
                feed.stream(), lateness="300 seconds", mode=wr.ACCUMULATING, early=wr.Never()
            )
            output.start(
                checkpoint=checkpoint,
                panes=lambda rows, _: rows.collect(),
                availableNow=True,
            ).awaitTermination()
        advice = wr.advise(checkpoint)
        assert (advice.messages, advice.late) == (2002, 1000)
        told.append(repr(advice))
    assert told[0] == told[1]
