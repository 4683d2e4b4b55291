"""An operator of every kind, whose state should be level under a steady stream."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from pyspark.sql import functions as F

import windrow as wr
from load.messages import Messages

Operator = wr.Output | wr.JoinOutput


@dataclass(frozen=True)
class Kind:
    """A kind of operator and its steady load.

    ``minutes`` is how far a batch of ``rows`` moves event time. ``period`` is the number of seconds
    for which rows wait by the clock, regardless of the watermark.
    """

    make: Callable[[Messages], Operator]
    minutes: int = 5
    rows: int = 1000
    period: int = 0

    def of(self, messages: Messages) -> Operator:
        """Describe the query."""
        return self.make(messages)


_MINUTES = wr.Tumbling("10 minutes")
_HOPS = wr.Hopping("10 minutes", step="1 minute")


def _sums(windows: wr.Windowed, mode: wr.AccumulationMode = wr.ACCUMULATING) -> wr.Output:
    return windows.accumulationMode(mode).aggregate(
        F.count("*").alias("n"), F.sum("v").alias("total"), F.max("v").alias("most")
    )


def _in(window: wr.WindowKind, **given: object) -> Kind:
    return Kind(lambda m: _sums(m.timed(**given).window(window)))  # type: ignore[arg-type]


def _early(window: wr.WindowKind, early: wr.PaneTrigger, mode: wr.AccumulationMode) -> Kind:
    return Kind(lambda m: _sums(m.timed().window(window).trigger(early=early), mode))


def _placed(window: wr.WindowKind, **given: object) -> Kind:
    return Kind(
        lambda m: m.placed(**given).window(window).aggregate(F.count("*"), F.sum("v"))  # type: ignore[arg-type]
    )


def _offsets(m: Messages) -> wr.Output:
    return _sums(m.placed("passing").lateness(100).window(wr.OffsetRange(1000, step=500)))


def _global(m: Messages) -> wr.Output:
    windows = m.timed(keys="lasting").window(wr.Global())
    return _sums(windows.trigger(early=wr.Every(messages=20)))


def _inherited(m: Messages) -> wr.Output:
    minutes = _sums(m.timed().window(_MINUTES), wr.ACCUMULATING_AND_RETRACTING)
    above = wr.stream(minutes.panes, name="overall").lateness("10 minutes").window(wr.Inherit())
    return above.accumulationMode(wr.ACCUMULATING).aggregate(F.avg("total"))


def _lists(m: Messages) -> wr.Output:
    windows = m.timed().window(_MINUTES).accumulationMode(wr.ACCUMULATING)
    return windows.aggregate(F.collect_list("v"), F.percentile("v", F.lit(0.5)))


def _gaps(m: Messages) -> wr.Output:
    return _sums(m.timed(keys="lasting").window(_MINUTES, fillGaps="20 minutes"))


def _beyond(window: wr.WindowKind) -> Kind:
    return Kind(lambda m: _sums(m.timed().window(window, closeOn="next_row")))


def _messages(window: wr.WindowKind) -> Kind:
    def of(m: Messages) -> wr.Output:
        return m.timed(identity=True).retain(time="30 minutes").window(window).keepRows()

    return Kind(of)


def _join(how: str, **given: object) -> Kind:
    def of(m: Messages) -> wr.JoinOutput:
        return wr.join(m.timed("a"), m.timed("b"), on="key", how=how, **given)  # type: ignore[arg-type]

    return Kind(of)


def _kept(m: Messages) -> wr.JoinOutput:
    sides = (m.timed(name, keys="lasting").retain(messages=10) for name in "ab")
    return wr.join(*sides, on="key", within=wr.Global(), how="left")


def _three(m: Messages) -> wr.JoinOutput:
    return wr.join(*(m.timed(name) for name in "abc"), on="key", within=("0 minutes", "2 minutes"))


def _cogroup(m: Messages) -> wr.Output:
    windows = wr.cogroup(m.timed("a"), m.timed("b")).window(_MINUTES)
    return windows.accumulationMode(wr.ACCUMULATING).aggregate(F.count("a.v"), F.sum("b.v"))


def _clock(m: Messages) -> wr.Output:
    windows = m.timed().window(_MINUTES).trigger(early=wr.Every("1 minute"))
    return _sums(windows, wr.DISCARDING)


_RANGE = ("0 minutes", "5 minutes")

KINDS: Mapping[str, Kind] = {
    "tumbling": _in(_MINUTES),
    # With 8,000 rows per batch a page of a shard's offsets is full after about 19 batches; with
    # 1,000 rows, after 155 (SEMANTICS R13).
    "tumbling, offsets with holes": Kind(_in(_MINUTES, identity=True, holes=7).make, rows=8000),
    "tumbling, early, retracting": _early(_MINUTES, wr.EachBatch(), wr.ACCUMULATING_AND_RETRACTING),
    "tumbling, by the clock": Kind(_clock),
    "tumbling, gaps filled": Kind(_gaps),
    "tumbling, lists": Kind(_lists),
    "tumbling, by the first beyond": _beyond(_MINUTES),
    "calendar": Kind(_in(wr.Tumbling("1 day", zone="Europe/Berlin")).make, minutes=360),
    "hopping": _in(_HOPS),
    "hopping, early, discarding": _early(_HOPS, wr.EachBatch(), wr.DISCARDING),
    "session": _in(wr.Session("1 minute")),
    "session, early, retracting": _early(
        wr.Session("1 minute"), wr.EachMessage(), wr.ACCUMULATING_AND_RETRACTING
    ),
    "sliding": _in(wr.Sliding("1 minute", granularity="1 second")),
    "over a range": _in(wr.Over(range="1 minute")),
    "over rows": _in(wr.Over(rows=10), keys="lasting", identity=True),
    "over all": _in(wr.Over(), keys="lasting"),
    "count": _placed(wr.Count(100, step=50)),
    "offsets": Kind(_offsets),
    "tuple session": _placed(wr.OffsetSession(gap=20)),
    "global": Kind(_global),
    "inherit": Kind(_inherited),
    "policy, tumbling by count": _placed(
        wr.Policy.tumbling(wr.ByCount(50), limit=wr.KeyLimits(maxKeys=100)), keys="passing"
    ),
    "policy, sliding by time": _placed(
        wr.Policy.sliding(
            wr.ByTime("5 minutes"),
            trigger=wr.ByTime("1 minute"),
            limit=wr.KeyLimits(idle="10 minutes"),
        ),
        keys="passing",
    ),
    "policy, sliding by delta": _placed(
        wr.Policy.sliding(wr.ByDelta("at", 50), trigger=wr.ByDelta("at", 10))
    ),
    "full state, tumbling": _messages(_MINUTES),
    "full state, session": _messages(wr.Session("1 minute")),
    "join, left, by range": _join("left", within=_RANGE),
    "join, full, by window": _join("full", within=_MINUTES),
    "join, semi, by session": _join("semi", within=wr.Session("1 minute")),
    "join, by range and clock": replace(
        _join("inner", within=_RANGE, early=wr.Every("10 seconds")), period=10
    ),
    "join, by retention": Kind(_kept),
    "join of three": Kind(_three),
    "co-group": Kind(_cogroup),
}
