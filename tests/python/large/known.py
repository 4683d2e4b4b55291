"""Scenarios that once failed in Windrow or in the comparison, named by the behavior they show."""

from __future__ import annotations

from large.expected.kinds import Aligned, Over
from large.expected.positions import Count, Offsets, TupleSession
from large.expected.store import Messages
from large.expected.windows import Windows
from large.scenario import DAY, HOUR, MINUTE, SECOND, Leg, Scenario, Traffic

_TWO = (Leg(2), Leg(2, (("spark.sql.shuffle.partitions", "5"),)))
_MIXED = Traffic(1_000, keys=3, disorder=1.0, behind=0.5, holes=0.2, partitions=4, timeless=0.01)

KNOWN = {
    "a pane on time of nothing, of DISCARDING with early panes (R16, R83)": Scenario(
        1,
        Windows(Aligned(MINUTE, MINUTE), "DISCARDING", "each_batch", ("all_ids", "kinds_so")),
        (_MIXED,),
        _TWO,
        lateness=3 * MINUTE,
        identity=True,
    ),
    "a late row moves the begin of the windows behind it (R43)": Scenario(
        2,
        Windows(Over(rows=5), "ACCUMULATING_AND_RETRACTING", "each_message", ("mean",)),
        (_MIXED,),
        _TWO,
        lateness=HOUR,
        identity=True,
    ),
    "the last one of a count is the one that was accepted last (R1)": Scenario(
        3,
        Windows(Count(10, 3), more=("last_id", "all_ids")),
        (_MIXED,),
        _TWO,
        identity=True,
    ),
    "an offset of exactly last + lateness was seen (R21)": Scenario(
        4,
        Windows(Offsets(5, 5), more=("total",)),
        (Traffic(3_000, keys=2, partitions=4, overtaken=0.2),),
        _TWO,
        lateness=50,
        identity=True,
    ),
    "offsets that were overtaken before their step (R21)": Scenario(
        5,
        Windows(TupleSession(3), "ACCUMULATING_AND_RETRACTING", "each_message", ("all_so",)),
        (Traffic(3_000, keys=3, partitions=4, overtaken=0.1, duplicates=0.1),),
        _TWO,
        identity=True,
    ),
    "too late, and older than what is kept (R10)": Scenario(
        6,
        Messages(Aligned(DAY, DAY // 3)),
        (Traffic(1_000, keys=1, span=30 * DAY, disorder=1.0, behind=1.0),),
        _TWO,
        lateness=0,
        delay=SECOND,
        retain=DAY,
    ),
    "duplicates that are forgotten, for every window refuses them (R13)": Scenario(
        7,
        Windows(Over(rows=100), more=("latest",)),
        (Traffic(20_000, keys=20_000, disorder=1.0, behind=1.0, holes=0.2, duplicates=0.1),),
        (Leg(3), Leg(2), Leg(2)),
        lateness=0,
        shards=4,
        identity=True,
    ),
}
