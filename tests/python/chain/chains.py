"""Random chains of two and three operators, with their expected output computed in plain Python.

No row is late. Therefore no operator may reject a row, with any lateness, and each window of the
last operator fires once. It fires in the first step whose watermark has passed its end by ``wait``:
the time by which rows of the upstream operators may be behind the watermark (SEMANTICS R95),
computed here separately.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F

import windrow as wr
from chain.windows import TICK, WINDOWS, Message, span

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

SCHEMA = "t timestamp, k int, x int"

#: An output row of an operator: a time in seconds, a key, a number.
Row = tuple[float, int, int]


@dataclass(frozen=True)
class Chain:
    """A pipeline over the frames of its streams, with its expected output.

    ``streams`` contains their names, ``size`` is the window size of the last operator, ``wait`` is
    described above, and ``rows`` are the input rows of its windows.
    """

    words: str
    streams: Sequence[str]
    pipeline: Callable[..., wr.Output]
    size: int
    wait: float
    rows: Sequence[Row]

    def panes(self) -> dict[tuple[int, int], int]:
        """Return the sum of the rows for each window start and key."""
        found: dict[tuple[int, int], int] = defaultdict(int)
        for time, key, number in self.rows:
            found[int(time // self.size) * self.size, key] += number
        return dict(found)

    def isDue(self, start: int, watermark: float) -> bool:  # noqa: N802  camelCase, as in the library
        """Return whether a window has fired."""
        return start + self.size + self.wait <= watermark


@dataclass
class Streams:
    """Rows of the streams in order of arrival, at most ``delay`` out of order."""

    rng: random.Random
    delay: int
    left: list[Message] = field(default_factory=list)
    right: list[Message] = field(default_factory=list)
    third: list[Message] = field(default_factory=list)

    @classmethod
    def drawn(cls, rng: random.Random) -> Streams:
        """Draw streams with gaps, jumps and keys that become silent."""
        made = cls(rng, rng.choice((0, 0, 5, 20)))
        made.left, made.right, made.third = (made._messages() for _ in range(3))
        return made

    def _messages(self) -> list[Message]:
        rng, time, came = self.rng, 0, []
        keys = rng.choice((1, 3, 12))
        for number in range(rng.randint(10, 60)):
            time += rng.choice((0, 1, 1, 2, 3, 7, rng.choice((1, 40, 300))))
            silent = keys // 2 if (number // 15) % 2 else 0
            came.append((time, rng.randrange(silent, keys), number))
        jitter = [(time + rng.randint(0, self.delay), i) for i, (time, _, _) in enumerate(came)]
        return [came[i] for _, i in sorted(jitter)]

    def cut(self, names: Sequence[str]) -> Iterator[tuple[str, list[Message]]]:
        """Yield parts of the streams alternately; each stream keeps its order."""
        all_ = {"l": self.left, "r": self.right, "z": self.third}
        left = {name: list(all_[name]) for name in names}
        while any(left.values()):
            name = self.rng.choice([name for name, rest in left.items() if rest])
            some = self.rng.choice((1, 2, 5, 20))
            yield name, left[name][:some]
            left[name] = left[name][some:]


@dataclass(frozen=True)
class Lower:
    """An upstream operator: its table, the column for its event time, its rows and its wait."""

    words: str
    table: Callable[[Mapping[str, DataFrame]], DataFrame]
    time: str | None
    rows: Sequence[Row]
    wait: float
    streams: Sequence[str] = ("l", "r")


def drawn(rng: random.Random, streams: Streams) -> Chain:
    """Draw a chain over the streams."""
    lower = rng.choice(LOWER)(rng, streams)
    if rng.random() < 0.3:
        lower = _windowed(rng, lower)
    size = rng.choice((3, 10, 60))
    lateness = rng.choice((0, 0, 7))

    def pipeline(**frames: DataFrame) -> wr.Output:
        said: dict[str, Any] = {} if lower.time is None else {"time": lower.time}
        upper = wr.stream(lower.table(frames), key="k", name="upper", **said)
        windows = upper.lateness(span(lateness)).window(wr.Tumbling(span(size)))
        if lateness:
            windows = windows.accumulationMode(wr.DISCARDING)
        return windows.aggregate(F.sum("n").alias("total"))

    words = f"{lower.words} -> Tumbling({size}), lateness {lateness}"
    return Chain(words, lower.streams, pipeline, size, lower.wait, lower.rows)


@dataclass(frozen=True)
class JoinOfAJoin:
    """A left join of another join's rows with a third stream; its rows are pairs of numbers."""

    words: str
    pipeline: Callable[..., wr.JoinOutput]
    rows: Sequence[tuple[int, int | None]]
    streams: Sequence[str] = ("l", "r", "z")


def drawn_join(rng: random.Random, streams: Streams) -> JoinOfAJoin:
    """Draw a join of a join."""
    lower = rng.choice((_join, _join_of_windows))(rng, streams)
    low = rng.choice((-20, -3, 0, 4))
    high = low + rng.choice((0, 5, 25))

    def pipeline(**frames: DataFrame) -> wr.JoinOutput:
        first = wr.stream(lower.table(frames), time="at", name="first").lateness("0 seconds")
        third = _stream(frames, "z", streams, 0)
        return wr.join(first, third, on="k", within=(span(low), span(high)), how="left")

    rows: list[tuple[int, int | None]] = []
    for time, key, number in lower.rows:
        found = [x for t, k, x in streams.third if k == key and low <= t - time <= high]
        rows += [(number, x) for x in found] or [(number, None)]
    words = f"{lower.words} -> left join ({low}, {high})"
    return JoinOfAJoin(words, pipeline, rows)


def _windowed(rng: random.Random, lower: Lower) -> Lower:
    """Add windows between the upstream and the last operator."""
    size = rng.choice((2, 5, 12))
    groups: dict[tuple[int, int], int] = defaultdict(int)
    for time, key, number in lower.rows:
        groups[int(time // size) * size + size, key] += number

    def table(frames: Mapping[str, DataFrame]) -> DataFrame:
        said: dict[str, Any] = {} if lower.time is None else {"time": lower.time}
        between = wr.stream(lower.table(frames), key="k", name="between", **said)
        return (
            between.lateness("0 seconds")
            .window(wr.Tumbling(span(size)))
            .aggregate(F.sum("n").alias("n"))
            .panes
        )

    rows = [(end - TICK, key, number) for (end, key), number in groups.items()]
    return Lower(f"{lower.words} -> Tumbling({size})", table, None, rows, lower.wait, lower.streams)


def _stream(frames: Mapping[str, DataFrame], name: str, streams: Streams, late: int) -> wr.Stream:
    said = wr.stream(frames[name], time="t", watermark=span(streams.delay), name=name)
    return said.lateness(span(late))


def _join(rng: random.Random, streams: Streams) -> Lower:
    """Draw a join by a range, of any kind."""
    low = rng.choice((-30, -10, -3, 0, 4))
    high = low + rng.choice((0, 5, 25, 60))
    how, late = rng.choice(KINDS), rng.choice((0, 0, 9))
    alone_left, alone_right = max(0, high + late), max(0, late - low)
    return _joined(
        rng,
        streams,
        how,
        (span(low), span(high)),
        late,
        lambda a, b: low <= b[0] - a[0] <= high,
        (max(0, high), max(0, -low)),
        (alone_left, alone_right),
    )


def _join_of_windows(rng: random.Random, streams: Streams) -> Lower:
    """Draw a join by common windows."""
    size, late = rng.choice((4, 10, 45)), rng.choice((0, 0, 9))
    return _joined(
        rng,
        streams,
        rng.choice(KINDS),
        wr.Tumbling(span(size)),
        late,
        lambda a, b: a[0] // size == b[0] // size,
        (size, size),
        (size + late, size + late),
    )


KINDS: Sequence[Any] = ("inner", "left", "right", "full", "semi", "anti")


def _joined(
    rng: random.Random,
    streams: Streams,
    how: Any,
    within: Any,
    late: int,
    pairs: Callable[[Message, Message], bool],
    paired: tuple[int, int],
    alone: tuple[int, int],
) -> Lower:
    left, right = streams.left, streams.right
    both = [(a, b) for a in left for b in right if a[1] == b[1] and pairs(a, b)]
    of_left, of_right = {a for a, _ in both}, {b for _, b in both}
    single_left = [a for a in left if a not in of_left]
    single_right = [b for b in right if b not in of_right]
    goes_left, goes_right = how in ("left", "full", "anti"), how in ("right", "full")
    rows: list[tuple[Message | None, Message | None]] = []
    if how == "semi":
        rows += [(a, None) for a in of_left]
    elif how != "anti":
        rows += both
    if goes_left:
        rows += [(a, None) for a in single_left]
    if goes_right:
        rows += [(None, b) for b in single_right]
    one_sided = how in ("semi", "anti")
    by = "l" if one_sided else rng.choice(("l", "r", "both"))
    waits = {"l": alone[0] if goes_left else paired[0], "r": alone[1] if goes_right else paired[1]}
    wait = max(waits.values()) if by == "both" else waits[by]

    def timed(row: tuple[Message | None, Message | None]) -> Row | None:
        a, b = row
        first, second = (a, b) if by != "r" else (b, a)
        chosen = first or (second if by == "both" else None)
        one = a or b
        if chosen is None or one is None:
            return None
        return (chosen[0], one[1], one[2])

    def table(frames: Mapping[str, DataFrame]) -> DataFrame:
        sides = [_stream(frames, name, streams, late) for name in ("l", "r")]
        joined = wr.join(*sides, on="k", within=within, how=how).rows
        time = {"l": "l.t", "r": "r.t", "both": "coalesce(l.t, r.t)"}[by]
        number = "l.x" if one_sided else "coalesce(l.x, r.x)"
        return joined.select("k", F.expr(time).alias("at"), F.expr(number).alias("n")).where(
            "at IS NOT NULL"
        )

    words = f"{how} join {within}, lateness {late}, time {by}"
    return Lower(words, table, "at", [row for one in rows if (row := timed(one))], wait)


def _windows(rng: random.Random, streams: Streams) -> Lower:
    """Draw windows of one stream, or of both as a co-group."""
    both = rng.random() < 0.3
    came = streams.left + streams.right if both else streams.left
    kind = rng.choice(WINDOWS)
    size = rng.choice((2, 8, 30))
    window, found, longest = kind(rng, size, came)
    late = rng.choice((0, 0, 6))
    variant = rng.choice(("end", "end", "start", "never on time", "message beyond"))
    if variant == "start" and longest is None:
        variant = "end"
    if variant in ("never on time", "message beyond") and not isinstance(window, wr.Tumbling):
        variant = "end"
    wait = longest if variant == "start" and longest else 0
    if variant in ("never on time", "message beyond"):
        wait = late

    def table(frames: Mapping[str, DataFrame]) -> DataFrame:
        made = _built(frames, streams, window, late, variant, both=both)
        return made.select("k", "n", "window", "pane")

    rows = [(start if variant == "start" else end, key, n) for start, end, key, n in found]
    words = f"{'co-group, ' if both else ''}{window}, lateness {late}, {variant}"
    start = "window.start" if variant == "start" else None
    return Lower(words, table, start, rows, wait, ("l", "r") if both else ("l",))


def _built(
    frames: Mapping[str, DataFrame],
    streams: Streams,
    window: wr.WindowKind,
    late: int,
    variant: str,
    *,
    both: bool,
) -> DataFrame:
    if both:
        sides = [
            wr.stream(frames[name], time="t", key="k", watermark=span(streams.delay), name=name)
            for name in ("l", "r")
        ]
        said = wr.cogroup(*sides)
    else:
        said = wr.stream(
            frames["l"], time="t", key="k", watermark=span(streams.delay), name="lower"
        )
    more: dict[str, Any] = {}
    if variant == "message beyond":
        more["closeOn"] = "next_row"
    windows = said.lateness(span(late)).window(window, **more)
    if late or variant in ("never on time", "message beyond"):
        mode = wr.ACCUMULATING if isinstance(window, wr.Over) else wr.DISCARDING
        windows = windows.accumulationMode(mode)
    if variant == "never on time":
        windows = windows.trigger(onTime=False)
    panes = windows.aggregate(F.count("*").alias("n")).panes
    if late and isinstance(window, wr.Over):
        panes = panes.where("pane.timing = 'ON_TIME' AND NOT pane.is_retraction")
    return panes


LOWER = (_join, _join, _join_of_windows, _windows, _windows)
