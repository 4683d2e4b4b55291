"""The counts of operators over two streams, recomputed from their outputs (R74, B14).

A row of either stream is in a row of a join, in a window of a co-group, or rejected. It is rejected
by that operator, or inside a row that the downstream operator rejects.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F

import windrow as wr
from chain.recounting import Row, messages

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

SIDES = ("l", "r")
RANGE = ("-2 minutes", "3 minutes")
#: The condition of each join, its kind, and the streams whose rows are all emitted.
JOINS: Mapping[str, tuple[Any, Any, Sequence[str]]] = {
    "full, range": (RANGE, "full", SIDES),
    "left, range": (RANGE, "left", "l"),
    "right, range": (RANGE, "right", "r"),
    "full, windows": (wr.Tumbling("5 minutes"), "full", SIDES),
    "full, hopping": (wr.Hopping("10 minutes", step="5 minutes"), "full", SIDES),
    "full, sessions": (wr.Session("3 minutes"), "full", SIDES),
    "inner, range": (RANGE, "inner", ()),
}
COGROUPS: Mapping[str, wr.WindowKind] = {
    "windows": wr.Tumbling("5 minutes"),
    "hopping": wr.Hopping("10 minutes", step="5 minutes"),
    "session": wr.Session("3 minutes"),
    "over": wr.Over(range="2 minutes"),
}
#: The joins in which rows wait for a bounded time; in the others the wait is unbounded (R95).
BOUNDED = [name for name in JOINS if "sessions" not in name]


@dataclass(frozen=True)
class Pair:
    """A join or a co-group, optionally with windows over the rows of the join."""

    kind: str
    lateness: str
    above: bool
    batches: Sequence[tuple[str, Sequence[Row]]]

    @staticmethod
    def drawn(seed: int) -> Pair:
        """Draw a pair."""
        dice = random.Random(f"pair {seed}")  # noqa: S311  no secret
        kind = dice.choice([*JOINS, *COGROUPS])
        of = {side: messages(dice, 6, dice.choice([4, 10])) for side in SIDES}
        batches = [
            (side, rows)
            for turn in zip(*of.values(), strict=True)
            for side, rows in zip(SIDES, turn, strict=True)
        ]
        above = kind in BOUNDED and dice.random() < 0.5
        return Pair(kind, dice.choice(["0 seconds", "15 minutes"]), above, batches)

    def output(self, l: DataFrame, r: DataFrame) -> wr.Output | wr.JoinOutput:  # noqa: E741  names of streams
        """Return the query."""
        identity = wr.RowId(source=F.lit("s"), partition="part", offset="off")
        said: dict[str, Any] = {"time": "time", "watermark": "0 seconds", "rowId": identity}
        said |= {"maxFuture": "1 hour"} if self.kind in JOINS else {"key": "k"}
        sides = [
            wr.stream(rows, name=name, **said) for name, rows in zip(SIDES, (l, r), strict=True)
        ]
        ids = [F.collect_list(f"{side}.id").alias(side) for side in SIDES]
        if self.kind in COGROUPS:
            windows = wr.cogroup(*sides).lateness(self.lateness).window(COGROUPS[self.kind])
            if self.lateness != "0 seconds":
                over = isinstance(COGROUPS[self.kind], wr.Over)
                windows = windows.accumulationMode(wr.ACCUMULATING if over else wr.DISCARDING)
            return windows.aggregate(*ids)
        within, how, _ = JOINS[self.kind]
        sides = [side.lateness(self.lateness) for side in sides]
        joined = wr.join(*sides, on="k", within=within, how=how)
        if not self.above:
            return joined
        rows = joined.rows.withColumn("at", F.coalesce("l.time", "r.time"))
        stream = wr.stream(rows, time="at", key="k", name="above").lateness("0 seconds")
        return stream.window(wr.Tumbling("20 minutes")).aggregate(*ids)

    @property
    def isJoin(self) -> bool:  # noqa: N802  camelCase, as in the library
        """Return whether the output consists of joined rows, not of panes."""
        return self.kind in JOINS and not self.above

    def wrong(self, rows: Sequence[Any], rejected: Sequence[Any]) -> list[str]:
        """Recount the rows of both streams, and return the faults."""
        found: list[str] = []
        ways: Counter[Any] = Counter()
        inside: dict[str, set[int]] = {side: set() for side in SIDES}
        refused: dict[str, Counter[int]] = {side: Counter() for side in SIDES}
        for row in rows:
            if self.isJoin:
                ways[tuple(row[side] and row[side]["id"] for side in SIDES)] += 1
            for side in SIDES:
                inside[side] |= set(_ids(row[side]))
        for row in rejected:
            own = next(row[name] for name in row if name in ("message", "l_r") and row[name])
            for side in SIDES:
                if row["stream"] == "above":
                    inside[side] |= set(_ids(own[side]))
                else:
                    refused[side].update(_ids(own[side]))
        whole = JOINS[self.kind][2] if self.kind in JOINS else SIDES
        for side in SIDES:
            sent = {row["id"] for name, batch in self.batches if name == side for row in batch}
            twice = [one for one, count in refused[side].items() if count > 1]
            both = inside[side] & refused[side].keys()
            lost = sent - inside[side] - refused[side].keys() if side in whole else set()
            if twice or both or lost:
                found.append(f"{side}: rejected twice {twice}, in windows {both}, lost {lost}")
        again = [way for way, count in ways.items() if count > 1]
        return [*found, f"rows that come again: {again}"] if again else found


def _ids(value: Any) -> list[int]:
    """Return the ids of a list, of one row, or of none."""
    if isinstance(value, Mapping):
        return [value["id"]]
    return list(value or ())
