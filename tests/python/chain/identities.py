"""Chains over retracted panes, whose final values are recomputed in plain Python (R55, R90).

The lower operator corrects its panes. Those above collect the valid panes of each window by coarser
keys. An operator that kept a replaced pane would contain a key twice, and one that lost a pane
would not contain the key.
"""

from __future__ import annotations

import random
import statistics
import struct
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F

import windrow as wr

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

SCHEMA = "time timestamp, key string, x double, n bigint"
BEGIN = datetime(2025, 1, 1, 9, tzinfo=UTC)
RETRACTING = (wr.ACCUMULATING, wr.ACCUMULATING_AND_RETRACTING)
#: The sum of these depends on the grouping.
DOUBLES = (1e16, 1.0, -1e16, 0.1, -0.0, 0.0, 0.3, -0.7, 1e-9, 7.7)

Row = Mapping[str, Any]
#: A row of a key: its time in seconds since BEGIN, and its two numbers.
Message = tuple[int, float, int]
Window = tuple[datetime, datetime]
Values = tuple[Any, ...]


# ---- aggregates


def single(value: float) -> float:
    """Round to a float of 32 bits."""
    return float(struct.unpack("<f", struct.pack("<f", value))[0])


def quantized(value: Decimal, digits: int) -> Decimal:
    """Round a decimal as Spark does."""
    return value.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)


def xs(rows: Sequence[Message]) -> list[float]:
    """Return the doubles of the rows."""
    return [x for _, x, _ in rows]


def ns(rows: Sequence[Message]) -> list[int]:
    """Return the integers of the rows."""
    return [n for _, _, n in rows]


def median(rows: Sequence[Message]) -> float:
    """Return the median as Spark's ``percentile`` does."""
    return float(statistics.median(ns(rows)))


Compute = Callable[[Sequence[Message]], Any]
#: For each class, aggregates and their recomputation. None leaves a value out of the comparison,
#: but the value still identifies its pane.
AGGREGATES: dict[str, list[tuple[str, Compute | None]]] = {
    "long": [("sum(n)", lambda rows: sum(ns(rows))), ("count(*)", len)],
    "decimal": [
        (
            "sum(CAST(n AS DECIMAL(12,2)) / 8)",
            lambda rows: sum((quantized(Decimal(n) / 8, 6) for n in ns(rows)), Decimal(0)),
        ),
        (
            "avg(CAST(n AS DECIMAL(12,2)))",
            lambda rows: quantized(Decimal(sum(ns(rows))) / len(rows), 6),
        ),
    ],
    "double": [
        ("sum(x)", lambda rows: sum(xs(rows))),
        ("avg(x)", lambda rows: sum(xs(rows)) / len(rows)),
    ],
    "float": [
        ("CAST(sum(CAST(x AS FLOAT)) AS FLOAT)", lambda rows: sum(map(single, xs(rows)))),
        ("max(CAST(x AS FLOAT))", lambda rows: max(map(single, xs(rows)))),
    ],
    "sketch": [
        ("hll_sketch_agg(n)", None),
        ("hll_sketch_estimate(hll_sketch_agg(n))", lambda rows: len(set(ns(rows)))),
        ("theta_sketch_estimate(theta_sketch_agg(n))", lambda rows: len(set(ns(rows)))),
        ("percentile(n, 0.5)", median),
    ],
    "collecting": [
        ("collect_list(n)", ns),
        ("sort_array(collect_set(n))", lambda rows: sorted(set(ns(rows)))),
        ("first(n)", lambda rows: rows[0][2]),
    ],
    # rows change these rarely, so skipUnchanged leaves out many panes
    "rarely changed": [
        ("max(n DIV 40)", lambda rows: max(int(n / 40) for n in ns(rows))),
        ("min(CAST(n / 40 AS INT))", lambda rows: min(int(n / 40) for n in ns(rows))),
    ],
}


# ---- windows


def at_second(seconds: int) -> datetime:
    """Return the instant of a time."""
    return BEGIN + timedelta(seconds=seconds)


def aligned(size: int, step: int) -> Callable[[Sequence[int]], set[tuple[int, int]]]:
    """Return a function from times to the windows of a grid; steps divide an hour."""

    def windows(times: Sequence[int]) -> set[tuple[int, int]]:
        return {
            (start, start + size)
            for time in times
            for start in range(time // step * step, time - size, -step)
        }

    return windows


def daily(_: Sequence[int]) -> set[tuple[int, int]]:
    """Return the day that contains all rows."""
    return {(-9 * 3600, 15 * 3600)}


def sessions(times: Sequence[int]) -> set[tuple[int, int]]:
    """Return the sessions of rows at most 40 seconds apart."""
    found: list[list[int]] = []
    for time in sorted(times):
        if found and time - found[-1][1] <= 40:
            found[-1][1] = time
        else:
            found.append([time, time])
    return {(first, last + 40) for first, last in found}


def sliding(times: Sequence[int]) -> set[tuple[int, int]]:
    """Return the windows that end at a row, and those with rows that begin after a row."""
    after = {(t + 1, t + 181) for t in times if any(t < other <= t + 180 + 1 for other in times)}
    return {(time - 180, time) for time in times} | after


def over(times: Sequence[int]) -> set[tuple[int, int]]:
    """Return the windows that end at a row."""
    return {(time - 180, time) for time in times}


@dataclass(frozen=True)
class Kind:
    """Windows of the lower operator.

    ``windows`` returns those of a key's times; ``closed`` is true if they include their end.
    """

    window: wr.WindowKind
    windows: Callable[[Sequence[int]], set[tuple[int, int]]]
    closed: bool = False


KINDS: dict[str, Kind] = {
    "tumbling": Kind(wr.Tumbling("1 minute"), aligned(60, 60)),
    "hopping by few": Kind(wr.Hopping("3 minutes", step="1 minute"), aligned(180, 60)),
    "hopping by many": Kind(wr.Hopping("5 minutes", step="20 seconds"), aligned(300, 20)),
    "calendar": Kind(wr.Tumbling("1 day", zone="UTC"), daily),
    "session": Kind(wr.Session("40 seconds"), sessions),
    "sliding": Kind(wr.Sliding("3 minutes", granularity="1 second"), sliding, closed=True),
    "over": Kind(wr.Over(range="3 minutes"), over, closed=True),
}


# ---- chains


@dataclass(frozen=True)
class Case:
    """A chain of two or three operators, its rows in order of arrival, and its final values."""

    seed: int
    kind: str
    of: str
    modes: tuple[wr.AccumulationMode, ...]
    early: bool
    skips: tuple[bool, ...]
    rows: Sequence[Row]

    @staticmethod
    def drawn(seed: int) -> Case:
        """Draw a chain. Consecutive seeds have all pairs of a kind and a class of aggregates."""
        rng = random.Random(f"identity {seed}")  # noqa: S311  the seed repeats it
        kind, of = list(KINDS)[seed % len(KINDS)], list(AGGREGATES)[seed // len(KINDS) % 7]
        length = rng.choice((2, 3))
        skips = (of == "rarely changed" or rng.random() < 0.3, rng.random() < 0.3, False)
        return Case(
            seed,
            kind,
            of,
            tuple(rng.choice(RETRACTING) for _ in range(length)),
            kind != "over" and rng.random() < 0.5,
            skips[:length],
            _drawn(rng),
        )

    @property
    def words(self) -> str:
        """Return the description and the way to repeat the case."""
        modes = " -> ".join(mode.name for mode in self.modes)
        return f"WINDROW_SEED={self.seed}, {self.kind}, {self.of}, {modes}, skips {self.skips}"

    def cut(self, way: int) -> list[list[Row]]:
        """Cut the rows into micro-batches; each way has cuts of its own."""
        rng = random.Random(f"{self.seed} {way}")  # noqa: S311  the seed repeats it
        left, found = list(self.rows), []
        while left:
            size = rng.choice((1, 5, 20, 40))
            found.append(left[:size])
            left = left[size:]
        return found

    def pipeline(
        self, rows: DataFrame, between: Callable[[DataFrame], DataFrame] = lambda panes: panes
    ) -> wr.Output:
        """Return the query; ``between`` may change the panes that the second operator reads."""
        stream = wr.stream(rows, time="time", key="key", watermark="10 seconds", name="lower")
        windows = stream.lateness("2 hours").window(KINDS[self.kind].window)
        output = self._fired(windows, 0, early=wr.EachBatch() if self.early else None).aggregate(
            *(F.expr(text).alias(f"v{i}") for i, (text, _) in enumerate(AGGREGATES[self.of]))
        )
        part = F.struct("key", *(f"v{i}" for i in range(len(AGGREGATES[self.of]))))
        panes = between(output.panes).withColumn("group", F.substr("key", F.lit(1), F.lit(1)))
        if KINDS[self.kind].closed:
            end = F.expr("window.last + INTERVAL 1 MICROSECOND").alias("end")
            panes = panes.withColumn("window", F.struct("window.start", end))
        output = self._inherited(panes, "middle", "group", 1, F.collect_list(part).alias("parts"))
        if len(self.modes) == 3:
            every = F.flatten(F.collect_list("parts")).alias("parts")
            panes = output.panes.withColumn("all", F.lit("all"))
            output = self._inherited(panes, "upper", "all", 2, every)
        return output

    def _inherited(
        self, panes: DataFrame, name: str, key: str, level: int, aggregate: Any
    ) -> wr.Output:
        stream = wr.stream(panes, key=key, name=name).lateness("2 hours")
        return self._fired(stream.window(wr.Inherit()), level).aggregate(aggregate)

    def _fired(self, windows: wr.Windowed, level: int, **more: Any) -> wr.Windowed:
        fired = windows.trigger(skipUnchanged=self.skips[level], **more)
        return fired.accumulationMode(self.modes[level])

    def expected(self) -> dict[tuple[str, Window], dict[str, Values]]:
        """Return the values of each key, by the key of the last operator and the window."""
        of_key: dict[str, list[Message]] = defaultdict(list)
        for row in self.rows:
            time = int((datetime.fromisoformat(row["time"] + "Z") - BEGIN).total_seconds())
            of_key[row["key"]].append((time, row["x"], row["n"]))
        found: dict[tuple[str, Window], dict[str, Values]] = defaultdict(dict)
        kind, last = KINDS[self.kind], len(self.modes) == 3
        for key, messages in of_key.items():
            in_order = sorted(messages)
            for start, end in kind.windows([time for time, _, _ in messages]):
                inside = [
                    one
                    for one in in_order
                    if start <= one[0] < end or (kind.closed and one[0] == end)
                ]
                until = at_second(end) + timedelta(microseconds=kind.closed)
                at = ("all" if last else key[0], (at_second(start), until))
                found[at][key] = tuple(
                    compute and compute(inside) for _, compute in AGGREGATES[self.of]
                )
        return dict(found)

    def wrong(self, panes: Sequence[Mapping[str, Any]]) -> str:
        """Return how the final panes differ from the recomputed values, or an empty text."""
        final, problem = self._final(panes)
        if problem:
            return problem
        expected = self.expected()
        if missing := expected.keys() ^ final.keys():
            return f"windows of one side only: {sorted(map(str, missing))[:3]}"
        for at, values in expected.items():
            parts = final[at]
            keys = sorted(part["key"] for part in parts)
            if keys != sorted(values):
                return f"{at} contains the panes of {keys} instead of {sorted(values)}"
            for part in parts:
                shown = tuple(part[f"v{i}"] for i in range(len(AGGREGATES[self.of])))
                if not all(map(self._same, values[part["key"]], shown)):
                    return f"{at}, {part['key']}: {shown} instead of {values[part['key']]}"
        return ""

    def _final(self, panes: Sequence[Mapping[str, Any]]) -> tuple[dict[Any, Any], str]:
        """Return the parts of the windows that are not retracted, or the fault of a retraction."""
        group = "all" if len(self.modes) == 3 else "group"
        valid: dict[Any, Any] = {}
        for pane in panes:
            start, end = (_zoned(time) for time in dict(pane["window"]).values())
            at, fields = (pane[group], (start, end)), dict(pane["pane"])
            isRetraction = fields.pop("is_retraction")  # noqa: N806  the name of the field
            shown = bits([fields, pane["parts"]])
            before = valid.get(at)
            if isRetraction:
                if before is None or before[0] != shown:
                    return {}, f"{pane} retracts {before}"
                del valid[at]
                continue
            if before and self.modes[-1] == wr.ACCUMULATING_AND_RETRACTING:
                return {}, f"{pane} is emitted beside {before}"
            if before and self.skips[-1] and before[0][1] == shown[1]:
                return {}, f"{pane} is unchanged"
            valid[at] = (shown, pane["parts"])
        return {at: parts for at, (_, parts) in valid.items()}, ""

    def _same(self, wanted: Any, found: Any) -> bool:
        if isinstance(wanted, float):
            scale = 1e-6 if self.of == "float" else 1e-12
            return bool(abs(wanted - found) <= scale * sum(abs(row["x"]) for row in self.rows))
        return wanted is None or bool(wanted == found)


def bits(value: Any) -> Any:
    """Return a value that distinguishes -0.0 from 0.0 and makes NaN equal to itself."""
    if isinstance(value, float):
        return struct.pack("<d", value)
    if isinstance(value, Mapping):
        return tuple((name, bits(one)) for name, one in value.items())
    if isinstance(value, list | tuple):
        return tuple(bits(one) for one in value)
    return value


def _zoned(time: datetime) -> datetime:
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def _drawn(rng: random.Random) -> list[Row]:
    """Draw disordered rows of about 15 minutes; no two rows of a key have the same time."""
    seen: set[tuple[str, int]] = set()
    rows: list[Row] = []
    for number in range(rng.choice((30, 60, 90))):
        key = rng.choice(("a1", "a2", "b1"))
        seconds = max(0, number * 10 + rng.randrange(60) - int(rng.expovariate(1 / 90)))
        while (key, seconds) in seen:
            seconds += 1
        seen.add((key, seconds))
        x = rng.choice((*DOUBLES, rng.random()))
        shown = f"{at_second(seconds):%Y-%m-%d %H:%M:%S}"
        rows.append({"time": shown, "key": key, "x": x, "n": rng.randrange(-50, 50)})
    return rows
