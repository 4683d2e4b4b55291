"""What of a query may be another at a restart, field by field (SEMANTICS S2)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F

import windrow as wr
from kept.queries import Outputs, Read, identity
from kept.run import (
    AFTER,
    BEFORE,
    STREAMS,
    change,
    fingerprint,
    made,
    programs,
    reading,
    session_of,
    write,
)
from windrow.operators import JoinSpec
from windrow.policies import Policy
from windrow.streams import Stream, Windowed

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.slow]

PAGE = Path(__file__).parents[2] / "docs" / "state-format.md"
Query = Callable[[Read], Outputs]
Windows = Callable[[Read], wr.Output]
SIX = wr.Tumbling("6 hours")


@dataclass(frozen=True)
class Change:
    """``refused``: in which words; None: it is allowed. ``shown``: by which other test."""

    begun: Query
    now: Query
    refused: str | None = None
    shown: str | None = None


def stream(read: Read, name: str = "orders", **said: Any) -> wr.Stream:
    """Orders by time, with what is said."""
    usual: dict[str, Any] = {"time": "time", "key": "product", "watermark": "1 hour"}
    return wr.stream(read(name), name=name, **{**usual, **said}).lateness("12 hours")


def renamed(read: Read, file: str) -> Read:
    """Give the messages of a file, whatever they are called."""
    return lambda _: read(file)


def total(windows: wr.Windowed, mode: wr.AccumulationMode = wr.ACCUMULATING) -> wr.Output:
    """Sums."""
    return windows.accumulate(mode).aggregate(F.sum("amount").alias("total"))


def of(windows: wr.WindowKind = SIX, late: str = "12 hours", **said: Any) -> Windows:
    """Windows of a stream."""
    return lambda read: total(stream(read, **said).lateness(late).window(windows))


def later(read: Read) -> wr.Output:
    """Windows of another event time."""
    return of(time=F.expr("time + INTERVAL 1 HOUR"))(read)


def known(read: Read) -> wr.Output:
    """Windows of messages with an identity."""
    return of(offset=identity())(read)


def windowed(mode: wr.AccumulationMode = wr.ACCUMULATING, **said: Any) -> Query:
    """Windows that are said otherwise."""
    return lambda read: total(stream(read).window(SIX, **said), mode)


def fired(kind: wr.WindowKind = SIX, **said: Any) -> Query:
    """Windows that fire otherwise."""
    return lambda read: total(stream(read).window(kind).trigger(**said))


def messages(days: int = 2, **said: Any) -> Query:
    """Full state."""
    return lambda read: (
        stream(read).retain(time=f"{days} days").window(SIX).trigger(**said).messages()
    )


def asked(*keys: str) -> Query:
    """Full state with another key of questions."""
    return lambda read: (
        stream(read).retain(time="2 days").store(joinKeys=keys).window(SIX).messages()
    )


def everything(days: int) -> Query:
    """One window for ever."""
    return lambda read: total(
        stream(read).retain(time=f"{days} days").window(wr.Global()).trigger(early=wr.EachStep())
    )


def join(late: str = "12 hours", names: tuple[str, str] = ("orders", "shipments"),
         kept: int | None = None, future: str | None = None, **said: Any) -> Query:  # fmt: skip
    """A join."""

    def described(read: Read) -> wr.JoinOutput:
        sides = []
        for file, name in zip(("orders", "shipments"), names, strict=True):
            side = stream(renamed(read, file), name, maxFuture=future).lateness(late)
            sides.append(side if kept is None else side.retain(time=f"{kept} days"))
        usual = {"on": "product", "within": ("0 hours", "3 hours"), "how": "left"}
        return wr.join(*sides, **{**usual, **said})

    return described


def policy(by: wr.Policy) -> Query:
    """Windows by policies."""
    return lambda read: wr.stream(
        read("orders"), key="product", time="time", name="orders"
    ).window(by).aggregate(F.sum("amount").alias("total"))  # fmt: skip


def sliding(count: int = 3, delta: float = 1.0, limit: wr.Partitions | None = None) -> Query:
    """The last messages."""
    by, trigger = wr.ByCount(count), wr.ByDelta("price", delta)
    return policy(wr.Policy.sliding(by, trigger=trigger, limit=limit))


EVERY_THIRD, EVERY_OTHER = wr.Every(messages=3), wr.Every(messages=2)
PERIOD = wr.Every("1 hour")
AT_ONCE = wr.Every("1 ms")
RANGE = ("0 hours", "4 hours")

CHANGES: Mapping[type, Mapping[str, list[Change]]] = {
    Stream: {
        "time": [Change(of(), later, "event time `time")],
        "key": [Change(of(), of(key="number"), "keys `product STRING`, the query has `number")],
        "offset": [Change(of(), known, "identity `none`")],
        "watermark": [
            Change(of(), of(watermark="30 minutes")),
            Change(
                of(watermark=wr.BehindProcessingTime("400 days")),
                of(watermark=wr.BehindProcessingTime("500 days")),
            ),
            Change(of(), of(watermark=wr.BehindProcessingTime("1 hour")), "clock"),
        ],
        "maxFuture": [
            Change(of(), of(maxFuture="1 day")),
            Change(of(maxFuture="2 days"), of()),
        ],
        "invalid": [Change(of(), of(invalid="fail"), shown="test_invalid.py")],
        "name": [
            Change(of(), lambda read: total(stream(renamed(read, "orders"), "sold").window(SIX)))
        ],
        "lateness": [
            Change(of(late="2 hours"), of(), shown="test_longer_lateness.py"),
            Change(of(), of(late="2 hours"), "lateness `12 hours`, the query has `2 hours`"),
        ],
        "retention": [
            Change(messages(1), messages(3)),
            Change(messages(3), messages(2)),
            Change(everything(1), everything(3), "retained time `1 day`, the query has `3 days`"),
        ],
        "joinKeys": [Change(asked("product"), asked("mark"))],
    },
    Windowed: {
        "kind": [Change(of(), of(wr.Tumbling("3 hours")), "windows `Tumbling('6 hours')`")],
        "complete": [
            Change(windowed(), windowed(complete="first_message_beyond"), "complete='watermark'")
        ],
        "fillGaps": [Change(windowed(), windowed(fillGaps=True), "fillGaps=false")],
        "early": [
            Change(fired(early=EVERY_THIRD), fired(early=EVERY_OTHER)),
            Change(fired(early=EVERY_THIRD), fired(early=wr.EachStep())),
            Change(fired(wr.Session("2 hours")), fired(wr.Session("2 hours"), early=EVERY_OTHER)),
            Change(messages(), messages(early=wr.Never())),
            Change(fired(), fired(early=EVERY_THIRD), "neither trigger(early=...) nor"),
            Change(fired(early=PERIOD), fired(early=wr.Every("2 hours"))),
            Change(fired(early=EVERY_THIRD), fired(early=PERIOD), "clock"),
        ],
        "onTime": [
            Change(fired(early=EVERY_THIRD), fired(early=EVERY_THIRD, onTime=False)),
            Change(fired(), fired(onTime=False), "neither trigger(early=...) nor"),
        ],
        "late": [
            Change(fired(late=EVERY_OTHER), fired(late=wr.EachMessage())),
            Change(messages(late=wr.Never()), messages()),
            Change(fired(late=PERIOD), fired(late=wr.Every("2 hours"))),
            Change(fired(), fired(late=PERIOD), "clock"),
        ],
        "fireOnlyUpdated": [Change(fired(), fired(fireOnlyUpdated=True))],
        "mode": [
            Change(windowed(), windowed(wr.DISCARDING), "accumulation `accumulate(ACCUMULATING)`")
        ],
    },
    JoinSpec: {
        "streams": [Change(join(), join(names=("sold", "sent")), "streams `orders, shipments`")],
        "on": [Change(join(), join(on="number"), "equal fields `product STRING`")],
        "within": [Change(join(), join(within=RANGE), "range `within=")],
        "bounds": [Change(join(), join(bounds="[)"), "range `within=")],
        "how": [Change(join(), join(how="full"), "kind `how='left'`")],
        "lateness": [
            Change(join("2 hours"), join(), shown="test_longer_lateness.py"),
            Change(join(), join("2 hours"), "lateness `12 hours`"),
        ],
        "early": [
            Change(join(how="inner", early=AT_ONCE), join(how="inner", early=wr.Every("2 ms"))),
            Change(join(how="inner"), join(how="inner", early=PERIOD), "clock"),
        ],
        "retention": [
            Change(join(kept=2), join(kept=3)),
            Change(join(kept=3), join(kept=2)),
            Change(
                join(kept=1, within=wr.Global(), how="inner", late="0 seconds"),
                join(kept=3, within=wr.Global(), how="inner", late="0 seconds"),
                "retained time `1 day`",
            ),
        ],
        "maxFuture": [Change(join(), join(future="1 day"))],
        "expect": [Change(join(), join(expect="small"), "expectation `expect='Large'`")],
    },
    Policy: {
        "eviction": [
            Change(sliding(), policy(wr.Policy.tumbling(wr.ByCount(3))), "policy `Sliding(")
        ],
        "by": [Change(sliding(), sliding(count=4), "policy `Sliding(ByCount(3),ByDelta(price,1")],
        "trigger": [Change(sliding(), sliding(delta=2.0), "policy `Sliding(")],
        "limit": [
            Change(
                sliding(limit=wr.Partitions(age="100 days")),
                sliding(limit=wr.Partitions(age="90 days")),
            ),
            Change(sliding(), sliding(limit=wr.Partitions(age="100 days")), "clock"),
            Change(sliding(), sliding(limit=wr.Partitions(keys=100))),  # there is one shard here
            Change(sliding(limit=wr.Partitions(keys=100)), sliding(limit=wr.Partitions(keys=99))),
            Change(
                sliding(limit=wr.Partitions(messages=100)),
                sliding(limit=wr.Partitions(keys=100, messages=200)),
            ),
        ],
    },
}
#: What is no field of a query: the input itself, and names of standalone operators.
NO_FIELDS = {"df", "stream", "outputStreams"}
EACH = [
    (f"{spec.__name__}.{field}{number}", one)
    for spec, by_field in CHANGES.items()
    for field, all_of_them in by_field.items()
    for number, one in enumerate(all_of_them)
]
ALLOWED = {name: one for name, one in EACH if one.refused is None and one.shown is None}


@pytest.mark.parametrize("spec", CHANGES, ids=lambda spec: str(spec.__name__))
def test_each_field_has_a_decision(spec: type) -> None:
    """A new field without one fails; the page tells the same fields."""
    known = {field.name.removeprefix("_") for field in fields(spec)} - NO_FIELDS
    assert set(CHANGES[spec]) == known
    told = re.findall(rf"^\| `{spec.__name__}` \| (.+?) \|", PAGE.read_text(), re.MULTILINE)
    assert {name for cell in told for name in re.findall(r"`(\w+)`", cell)} == known


def test_refused_and_allowed(spark: SparkSession, tmp_path: Path) -> None:
    """What a query begins a checkpoint with decides."""
    session = session_of(spark)
    read = reading(session, tmp_path)
    for name, one in EACH:
        (begun,), (now,) = (programs(session, query(read)) for query in (one.begun, one.now))
        found = change(session, now, fingerprint(begun))
        clocks = (
            begun.hasPeriods() == now.hasPeriods()
            and begun.behind().isDefined() == now.behind().isDefined()
        )
        if one.refused == "clock":
            assert not clocks, name
        elif one.refused is None:
            assert found is None, (name, found)
            assert clocks, name
        else:
            assert one.refused in str(found), (name, found)
            assert "may change; for anything else take a new checkpoint" in str(found)


def of_rows(name: str, output: Outputs) -> DataFrame:
    """Give all that comes out in one form: of a window its panes' numbers, else no window."""
    if isinstance(output, wr.JoinOutput):
        rows, window, value = output.rows, F.lit(None), F.to_json(F.struct("*"))
    elif "messages" in output.panes.columns:
        rows = output.panes.select("product", "window", F.explode("messages").alias("message"))
        window, value = F.lit(None), F.to_json(F.struct("*"))
    elif name.startswith("Policy"):
        rows, window, value = output.panes, F.lit(None), F.to_json(F.struct("*"))
    else:
        rows, window, value = output.panes, F.to_json(F.struct("product", "window")), F.col("total")
    number = F.col("pane.index") if "pane" in rows.columns else F.lit(0)
    return rows.select(
        F.lit(name).alias("name"), window.cast("string").alias("window"),
        number.cast("bigint").alias("number"), value.cast("string").alias("value"),
    )  # fmt: skip


def ends(rows: list[tuple[str, str | None, int, str]]) -> Iterator[tuple[str, str | None, str]]:
    """Give the last value of each window, and all that has none."""
    last: dict[tuple[str, str], str] = {}
    for name, window, _, value in sorted(rows, key=lambda row: row[2]):
        if window is None:
            yield name, None, value
        else:
            last[name, window] = value
    yield from ((name, window, value) for (name, window), value in last.items())


def closing() -> dict[str, str]:
    """Make batches after which every window has left."""
    rows = [{"time": f"2025-05-0{day} 00:00:00", "product": "end"} for day in (1, 2, 3)]
    return {
        f"{name}/{number:04}.json": json.dumps(row)
        for number, row in enumerate(rows, BEFORE + AFTER)
        for name in STREAMS
    }


def restarted(spark: SparkSession, folder: Path, name: str) -> None:
    """Compare the end of a run that changes with that of one that does not."""
    session, source = session_of(spark), made()
    rows: dict[str, list[tuple[str, str | None, int, str]]] = {"through": [], "changed": []}

    def run(kind: str, query: str) -> None:
        output = of_rows(name, getattr(ALLOWED[name], query)(reading(session, folder / kind)))
        writer = output.writeStream.option("checkpointLocation", str(folder / kind / "checkpoint"))
        writer.foreachBatch(
            lambda batch, _: rows[kind].extend(tuple(row) for row in batch.collect())
        ).trigger(availableNow=True).start().awaitTermination()

    after = {**source["after"], **closing()}
    write({**source["before"], **after}, folder / "through")
    run("through", "begun")
    write(source["before"], folder / "changed")
    run("changed", "begun")
    write(after, folder / "changed")
    run("changed", "now")
    assert rows["changed"]
    assert sorted(map(repr, ends(rows["changed"]))) == sorted(map(repr, ends(rows["through"])))


def test_what_is_allowed_goes_on(spark: SparkSession, tmp_path: Path) -> None:
    """Each window ends with the value that it has without the change."""
    restarted(spark, tmp_path, "Windowed.early0")


@pytest.mark.full
@pytest.mark.parametrize("name", ALLOWED)
def test_each_that_is_allowed_goes_on(spark: SparkSession, tmp_path: Path, name: str) -> None:
    """The same of each."""
    restarted(spark, tmp_path, name)


def test_limits_of_all_keys_are_of_one_shard(spark: SparkSession, tmp_path: Path) -> None:
    """Of several shards the first such limit, or the last, would be another number of them."""
    session = session_of(spark)
    session.conf.set("spark.windrow.shards", "4")
    read = reading(session, tmp_path)
    (none,), (some,), (fewer,) = (
        programs(session, sliding(limit=limit)(read))
        for limit in (None, wr.Partitions(keys=100), wr.Partitions(keys=99))
    )
    for begun, now in ((none, some), (some, none)):
        assert "[SPEC_CHANGED]" in str(change(session, now, fingerprint(begun)))
    assert change(session, fewer, fingerprint(some)) is None


def totals(session: SparkSession, folder: Path) -> dict[str, wr.Output | DataFrame]:
    """Give the same windows as they are said in Python and in SQL."""
    read = reading(session, folder)
    read("orders").createOrReplaceTempView("orders_of_restarts")
    said = session.sql(
        """
        SELECT * FROM windrow_tumble(
          TABLE(SELECT product, sum(amount) AS total FROM orders_of_restarts GROUP BY product),
          time => 'time', size => '6 hours', lateness => '12 hours',
          accumulate => 'accumulating', watermark => '1 hour')
        """
    )
    return {"python": of()(read), "sql": said}


def test_another_language_and_another_sink_go_on(spark: SparkSession, tmp_path: Path) -> None:
    """From Python into files, then from SQL into a function, then from Python."""
    session, source = session_of(spark), made()
    parts = [source["before"], source["after"], closing()]

    def into_files(folder: Path) -> set[str]:
        output = totals(session, folder)["python"]
        assert isinstance(output, wr.Output)
        sink = wr.Files(str(folder / "panes"))
        output.start(
            panes=sink, checkpoint=folder / "checkpoint", queryTrigger={"availableNow": True}
        ).awaitTermination()
        return rows_of(session.read.parquet(str(folder / "panes")))

    def into_a_function(folder: Path, language: str) -> set[str]:
        output = totals(session, folder)[language]
        panes = output.panes if isinstance(output, wr.Output) else output
        found: set[str] = set()
        writer = panes.writeStream.option("checkpointLocation", str(folder / "checkpoint"))
        writer.foreachBatch(lambda batch, _: found.update(rows_of(batch))).trigger(
            availableNow=True
        ).start().awaitTermination()
        return found

    def rows_of(panes: DataFrame) -> set[str]:
        shown = panes.select("product", "window", "total", "pane.index")
        return {repr(row) for row in shown.collect()}

    changed = tmp_path / "changed"
    write(parts[0], changed)
    rows = [into_files(changed)]
    for part, language in ((parts[1], "sql"), (parts[2], "python")):
        write(part, changed)
        rows.append(into_a_function(changed, language))
    assert all(rows)
    for part in parts:
        write(part, tmp_path / "through")
    assert set.union(*rows) == into_a_function(tmp_path / "through", "python")
