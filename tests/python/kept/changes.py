"""Changes of single fields of a query since its checkpoint was created (SEMANTICS S2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pyspark.sql import functions as F

import windrow as wr
from kept.queries import Outputs, Read, identity
from windrow.operators import JoinSpec
from windrow.policies import Policy
from windrow.streams import Stream
from windrow.windowed import Windowed

Query = Callable[[Read], Outputs]
Windows = Callable[[Read], wr.Output]
SIX = wr.Tumbling("6 hours")


@dataclass(frozen=True)
class Change:
    """A change: ``refused`` is the text of the refusal, or None if the change is allowed.

    ``shown`` names another test that covers the change.
    """

    begun: Query
    now: Query
    refused: str | None = None
    shown: str | None = None


def stream(read: Read, name: str = "orders", **said: Any) -> wr.Stream:
    """Return the orders by time, with other arguments."""
    usual: dict[str, Any] = {"time": "time", "key": "product", "watermark": "1 hour"}
    return wr.stream(read(name), name=name, **{**usual, **said}).lateness("12 hours")


def renamed(read: Read, file: str) -> Read:
    """Return the rows of a file for any stream name."""
    return lambda _: read(file)


def total(windows: wr.Windowed, mode: wr.AccumulationMode = wr.ACCUMULATING) -> wr.Output:
    """Return sums."""
    return windows.accumulationMode(mode).aggregate(F.sum("amount").alias("total"))


def of(windows: wr.WindowKind = SIX, late: str = "12 hours", **said: Any) -> Windows:
    """Return windows of a stream."""
    return lambda read: total(stream(read, **said).lateness(late).window(windows))


def later(read: Read) -> wr.Output:
    """Return windows by another event time."""
    return of(time=F.expr("time + INTERVAL 1 HOUR"))(read)


def known(read: Read) -> wr.Output:
    """Return windows of rows with an identity."""
    return of(rowId=identity())(read)


def windowed(mode: wr.AccumulationMode = wr.ACCUMULATING, **said: Any) -> Query:
    """Return windows with other arguments."""
    return lambda read: total(stream(read).window(SIX, **said), mode)


def gapped(values: str, limit: str = "1 day") -> Query:
    """Return windows whose gaps have values."""
    return lambda read: total(
        stream(read).window(SIX, fillGaps=True).fillGaps(values, atMost=limit)
    )


def fired(kind: wr.WindowKind = SIX, **said: Any) -> Query:
    """Return windows with other triggers."""
    return lambda read: total(stream(read).window(kind).trigger(**said))


def gapless(**said: Any) -> Query:
    """Return windows with gaps and other triggers."""
    return lambda read: total(stream(read).window(SIX, fillGaps=True).trigger(**said))


def messages(days: int = 2, **said: Any) -> Query:
    """Return full state."""
    return lambda read: (
        stream(read).retain(time=f"{days} days").window(SIX).trigger(**said).keepRows()
    )


def asked(*keys: str) -> Query:
    """Return full state with other lookup keys."""
    return lambda read: stream(read).retain(time="2 days").index(by=keys).window(SIX).keepRows()


def everything(days: int) -> Query:
    """Return a global window."""
    return lambda read: total(
        stream(read).retain(time=f"{days} days").window(wr.Global()).trigger(early=wr.EachBatch())
    )


def join(late: str = "12 hours", names: tuple[str, str] = ("orders", "shipments"),
         kept: int | None = None, future: str | None = None, **said: Any) -> Query:  # fmt: skip
    """Return a join."""

    def described(read: Read) -> wr.JoinOutput:
        sides = []
        for file, name in zip(("orders", "shipments"), names, strict=True):
            side = stream(renamed(read, file), name, maxFuture=future).lateness(late)
            sides.append(side if kept is None else side.retain(time=f"{kept} days"))
        usual = {"on": "product", "within": ("0 hours", "3 hours"), "how": "left"}
        return wr.join(*sides, **{**usual, **said})

    return described


def policy(by: wr.Policy) -> Query:
    """Return windows by policies."""
    return lambda read: wr.stream(
        read("orders"), key="product", time="time", name="orders"
    ).window(by).aggregate(F.sum("amount").alias("total"))  # fmt: skip


def sliding(count: int = 3, delta: float = 1.0, limit: wr.KeyLimits | None = None) -> Query:
    """Return windows of the last rows."""
    by, trigger = wr.ByCount(count), wr.ByDelta("price", delta)
    return policy(wr.Policy.sliding(by, trigger=trigger, limit=limit))


def of_time(limit: wr.KeyLimits | None = None) -> Query:
    """Return windows of the last rows by the clock."""
    by, trigger = wr.ByTime("100 days"), wr.ByCount(3)
    return policy(wr.Policy.sliding(by, trigger=trigger, limit=limit))


EVERY_THIRD, EVERY_OTHER = wr.Every(messages=3), wr.Every(messages=2)
PERIOD = wr.Every("1 hour")
AT_ONCE = wr.Every("1 ms")
RANGE = ("0 hours", "4 hours")

CHANGES: Mapping[type, Mapping[str, list[Change]]] = {
    Stream: {
        "time": [Change(of(), later, "event time `time")],
        "key": [Change(of(), of(key="number"), "keys `product STRING`, but the query has `number")],
        "rowId": [Change(of(), known, "identity `none`")],
        "watermark": [
            Change(of(), of(watermark="30 minutes")),
            Change(
                of(watermark=wr.ProcessingTimeWatermark("400 days")),
                of(watermark=wr.ProcessingTimeWatermark("500 days")),
            ),
            Change(of(), of(watermark=wr.ProcessingTimeWatermark("1 hour")), "clock"),
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
            Change(of(), of(late="2 hours"), "lateness `12 hours`, but the query has `2 hours`"),
        ],
        "retention": [
            Change(messages(1), messages(3)),
            Change(messages(3), messages(2)),
            Change(
                everything(1), everything(3), "retained time `1 day`, but the query has `3 days`"
            ),
        ],
        "index": [Change(asked("product"), asked("mark"))],
    },
    Windowed: {
        "kind": [
            Change(of(), of(wr.Tumbling("3 hours")), "windows `Tumbling('6 hours')`"),
            Change(
                of(wr.Tumbling("1 day", zone="UTC")),
                of(wr.Tumbling("1 day", zone="UTC", startTime="6 hours")),
                "windows `Tumbling('1 day', zone='UTC')`",
            ),
        ],
        "closeOn": [Change(windowed(), windowed(closeOn="next_row"), "closeOn='watermark'")],
        "fillGaps": [
            Change(windowed(), windowed(fillGaps=True), "fillGaps=false"),
            Change(windowed(fillGaps=True), windowed(), "fillGaps=true"),
            Change(windowed(fillGaps=True), windowed(fillGaps="2 days"), shown="GapCutSuite.scala"),
            Change(windowed(fillGaps="2 days"), windowed(fillGaps=True), shown="GapCutSuite.scala"),
        ],
        "gapValues": [
            Change(windowed(fillGaps=True), gapped("previous"), "values of gaps `none`"),
            Change(gapped("previous"), gapped("previous", "12 hours"), "for at most 1 day"),
        ],
        "early": [
            Change(fired(early=EVERY_THIRD), fired(early=EVERY_OTHER)),
            Change(fired(early=EVERY_THIRD), fired(early=wr.EachBatch())),
            Change(fired(wr.Session("2 hours")), fired(wr.Session("2 hours"), early=EVERY_OTHER)),
            Change(messages(), messages(early=wr.Never())),
            Change(fired(), fired(early=EVERY_THIRD), "neither trigger(early=...) nor"),
            Change(fired(early=PERIOD), fired(early=wr.Every("2 hours"))),
            Change(fired(early=EVERY_THIRD), fired(early=PERIOD), "clock"),
        ],
        "onTime": [
            Change(fired(early=EVERY_THIRD), fired(early=EVERY_THIRD, onTime=False)),
            Change(fired(), fired(onTime=False), "neither trigger(early=...) nor"),
            Change(
                gapless(early=EVERY_THIRD),
                gapless(early=EVERY_THIRD, onTime=False),
                "panes on time `trigger(onTime=true)`",
            ),
        ],
        "late": [
            Change(fired(late=EVERY_OTHER), fired(late=wr.EachMessage())),
            Change(messages(late=wr.Never()), messages()),
            Change(fired(late=PERIOD), fired(late=wr.Every("2 hours"))),
            Change(fired(), fired(late=PERIOD), "clock"),
        ],
        "skipUnchanged": [Change(fired(), fired(skipUnchanged=True))],
        "mode": [
            Change(
                windowed(), windowed(wr.DISCARDING), "accumulation `accumulationMode(ACCUMULATING)`"
            )
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
                sliding(limit=wr.KeyLimits(idle="100 days")),
                sliding(limit=wr.KeyLimits(idle="90 days")),
            ),
            Change(sliding(), sliding(limit=wr.KeyLimits(idle="100 days")), "clock"),
            Change(of_time(), of_time(limit=wr.KeyLimits(idle="100 days"))),
            # allowed, because there is one shard here
            Change(sliding(), sliding(limit=wr.KeyLimits(maxKeys=100))),
            Change(
                sliding(limit=wr.KeyLimits(maxKeys=100)), sliding(limit=wr.KeyLimits(maxKeys=99))
            ),
            Change(
                sliding(limit=wr.KeyLimits(maxRows=100)),
                sliding(limit=wr.KeyLimits(maxKeys=100, maxRows=200)),
            ),
        ],
    },
}
EACH = [
    (f"{spec.__name__}.{field}{number}", one)
    for spec, by_field in CHANGES.items()
    for field, all_of_them in by_field.items()
    for number, one in enumerate(all_of_them)
]
ALLOWED = {name: one for name, one in EACH if one.refused is None and one.shown is None}
