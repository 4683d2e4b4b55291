"""The counts of a query, recomputed from its outputs alone (SEMANTICS R74, B14).

Each operator collects the names of its rows and of the rows inside them, down to the source rows.
Therefore each source row can be found in every output: in panes, in rejected rows of any operator,
or inside rejected rows.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F

import windrow as wr

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

SCHEMA = "time timestamp, k string, v bigint, id bigint, part bigint, off bigint, closes boolean"
BEGIN = datetime(2025, 1, 1, 9)  # noqa: DTZ001  Spark returns naive times
NOW = "2025-01-01 12:00:00"
ENDS = ("a", "b", "c")  # keys

Row = Mapping[str, Any]


def messages(dice: random.Random, batches: int, size: int) -> list[list[Row]]:
    """Draw rows of three hours: disordered, late, without a time, too far ahead, repeated."""
    made: list[list[Row]] = []
    sent: list[Row] = []
    for batch in range(batches):
        rows = []
        for _ in range(size):
            if sent and dice.random() < 0.1:
                rows.append(dice.choice(sent))
                continue
            seconds = batch * 1200 + dice.randrange(-3000 if dice.random() < 0.3 else 0, 1200)
            time = BEGIN + timedelta(seconds=max(seconds, 0))
            shown: str | None = f"{time:%Y-%m-%d %H:%M:%S}"
            if dice.random() < 0.1:
                shown = dice.choice([None, "2099-01-01 00:00:00"])
            row = {"time": shown, "k": dice.choice(ENDS), "v": dice.randrange(20)}
            row |= {"id": len(sent), "part": 0, "off": len(sent), "closes": dice.random() < 0.2}
            sent.append(row)
            rows.append(row)
        made.append(rows)
    # The last row of a key ends its window by punctuation, and none is older than the watermark.
    last = {"time": "2025-01-01 12:30:00", "v": 0, "part": 0, "closes": True}
    more = range(len(sent), len(sent) + len(ENDS))
    made.append([{**last, "k": k, "id": i, "off": i} for k, i in zip(ENDS, more, strict=True)])
    return made


def deferred(dice: random.Random, batches: Sequence[Sequence[Row]]) -> list[list[Row]]:
    """Move some rows to later micro-batches, so that their offsets may be too late."""
    made: list[list[Row]] = [[] for _ in batches]
    for number, rows in enumerate(batches):
        for row in rows:
            made[dice.randrange(number, len(batches)) if dice.random() < 0.1 else number].append(
                row
            )
    return made


@dataclass(frozen=True)
class Kind:
    """A kind of windows over rows, or over panes.

    ``lateness`` contains the values to choose from: durations, or numbers of offsets; an empty one
    means that the windows do not support lateness. ``gap`` returns whether a row is in no window.
    ``slide`` is the size of sliding windows in seconds, or None. ``kept`` returns how many of a
    key's rows, given by offset, may wait at the end for more rows; its second argument is the
    greatest offset of all keys.
    """

    window: Any
    lateness: Sequence[str | int] = ("0 seconds",)
    gap: Callable[[Row], bool] = lambda _: False
    slide: int | None = None
    kept: Callable[[Sequence[int], int], int] = lambda _, __: 0


def _between(row: Row) -> bool:
    """Return whether a row is between windows of 5 minutes, of which one begins every 15."""
    return row["time"] is not None and _seconds(row["time"]) % 900 >= 300


def _last_session(offsets: Sequence[int], newest: int) -> int:
    """Count the rows since more than two consecutive offsets lacked the key.

    Offsets after the last of these rows end their session.
    """
    breaks = [i for i, (a, b) in enumerate(pairwise([*offsets, newest + 1]), 1) if b - a > 3]
    return len(offsets) - max(breaks, default=0)


def _open(step: int) -> Callable[[Sequence[int], int], int]:
    """Return a function that counts the rows in ranges of 5 offsets that are not complete."""
    return lambda offsets, newest: sum(off // step * step + 4 > newest for off in offsets)


LATE = ("0 seconds", "15 minutes")
FIRST: Mapping[str, Kind] = {
    "tumbling": Kind(wr.Tumbling("5 minutes"), LATE),
    "hopping": Kind(wr.Hopping("10 minutes", step="5 minutes"), LATE),
    "gaps": Kind(wr.Hopping("5 minutes", step="15 minutes"), LATE, _between),
    "calendar": Kind(wr.Tumbling("1 day", zone="Europe/Berlin"), LATE),
    "session": Kind(wr.Session("3 minutes")),
    "sliding": Kind(wr.Sliding("2 minutes"), slide=120),
    "over": Kind(wr.Over(range="2 minutes")),
    "count": Kind(wr.Count(3), (), kept=lambda offsets, _: len(offsets) % 3),
    "tuples": Kind(wr.OffsetSession(gap=2), (), kept=_last_session),
    "offsets": Kind(wr.OffsetRange(5), (0, 3), kept=_open(5)),
    "offset gaps": Kind(
        wr.OffsetRange(5, step=7), (0, 3), lambda row: row["off"] % 7 >= 5, kept=_open(7)
    ),
    "punctuation": Kind(wr.Policy.tumbling(wr.ByPunctuation("closes")), ()),
    "by count": Kind(wr.Policy.tumbling(wr.ByCount(4)), (), kept=lambda all_, _: len(all_) % 4),
    "last few": Kind(wr.Policy.sliding(wr.ByCount(3), trigger=wr.ByCount(1)), ()),
    "last minutes": Kind(wr.Policy.sliding(wr.ByTime("5 minutes"), trigger=wr.ByCount(1)), ()),
}
ABOVE: Mapping[str, Kind] = {
    "tumbling": Kind(wr.Tumbling("20 minutes"), LATE),
    "hopping": Kind(wr.Hopping("40 minutes", step="20 minutes"), LATE),
    "session": Kind(wr.Session("10 minutes")),
    "inherit": Kind(wr.Inherit()),
}
#: Kinds whose panes have a time.
TIMED = ("tumbling", "hopping", "gaps", "calendar", "session")
#: Kinds on the offsets of a partition.
BY_OFFSETS = ("offsets", "offset gaps")
#: Kinds that full state supports too.
FULL_STATE = (*TIMED, "sliding", "over", "count", "tuples", *BY_OFFSETS)


def names(level: int) -> list[str]:
    """Return the names of the columns that contain the inner rows, down to the source rows."""
    return [f"rows{n}" for n in range(1, level)]


def named(row: str = "") -> Column:
    """Return the name of a pane as a column; a pane is a row of the next operator."""
    at = f"{row}." if row else ""
    parts = [F.col(f"{at}k"), F.col(f"{at}window.start").cast("string")]
    return F.concat_ws("/", *parts, F.col(f"{at}pane.index").cast("string"))


def name_of(row: Any) -> str:
    """Return the name of a rejected pane, in the same format."""
    return f"{row['k']}/{row['window']['start']:%Y-%m-%d %H:%M:%S}/{row['pane']['index']}"


def windowed(
    rows: DataFrame, name: str, kind: Kind, lateness: str | int | None, level: int
) -> wr.Windowed:
    """Assign the source rows (level 1), or the panes of the level below, to windows."""
    said: dict[str, Any] = {"key": "k", "name": name}
    if level == 1:
        identity = wr.RowId(source=F.lit("s"), partition="part", offset="off")
        said["rowId"] = identity
        if isinstance(lateness, str):
            said |= {"time": "time", "watermark": "0 seconds", "maxFuture": "1 hour"}
    stream = wr.stream(rows, **said)
    if lateness is not None:
        stream = stream.lateness(lateness)
    return stream.window(kind.window)


def kept(windows: wr.Windowed, lateness: str | int | None, *, waits: bool) -> wr.Output:
    """Return panes that contain the rows themselves, when their window completes or at once."""
    longest = {"time": "30 days"} if isinstance(lateness, str) else {"messages": 1_000_000}
    if waits:
        windows = windows.trigger(early=wr.Never())
    return windows.retain(**longest).keepRows()


def collected(windows: wr.Windowed, lateness: str | int | None, level: int) -> wr.Output:
    """Return panes that contain the names of their rows, and of the rows inside these."""
    if lateness not in (None, 0, "0 seconds"):
        windows = windows.accumulationMode(wr.DISCARDING)
    own = F.col("id").cast("string") if level == 1 else named()
    return windows.aggregate(
        *(F.flatten(F.collect_list(column)).alias(column) for column in names(level)),
        F.collect_list(own).alias(f"rows{level}"),
    )


@dataclass(frozen=True)
class Chain:
    """Operators over one stream, each over the panes of the previous one.

    ``full`` is true if the only operator keeps full state, and ``waits`` if its panes then wait
    until their window completes.
    """

    kinds: Sequence[str]
    lateness: Sequence[str | int | None]
    batches: Sequence[Sequence[Row]]
    full: bool = False
    waits: bool = False

    @staticmethod
    def drawn(seed: int) -> Chain:
        """Draw a chain. Consecutive seeds have all kinds."""
        dice = random.Random(seed)  # noqa: S311  no secret
        kinds = [list(FIRST)[seed % len(FIRST)]]
        while kinds[-1] in TIMED and len(kinds) < 3 and dice.random() < 0.8:
            kinds.append(dice.choice(list(ABOVE)))
        late: list[str | int | None] = []
        for level, name in enumerate(kinds):
            choices = (FIRST if level == 0 else ABOVE)[name].lateness
            late.append(dice.choice(choices) if choices else None)
        full = len(kinds) == 1 and kinds[0] in FULL_STATE and dice.random() < 0.5
        batches = messages(dice, 9, dice.choice([5, 15]))
        if kinds[0] in BY_OFFSETS:
            batches = deferred(dice, batches)
        return Chain(kinds, late, batches, full, waits=full and dice.random() < 0.5)

    @property
    def words(self) -> str:
        """Return the description."""
        kept = f", full state, waits {self.waits}" if self.full else ""
        return f"{self.kinds}, lateness {self.lateness}{kept}"

    @property
    def hasTime(self) -> bool:  # noqa: N802  camelCase, as in the library
        """Return whether the first operator has event time."""
        return isinstance(self.lateness[0], str)

    def output(self, rows: DataFrame) -> wr.Output:
        """Return the query."""
        output = None
        for level, (kind, late) in enumerate(zip(self.kinds, self.lateness, strict=True), start=1):
            of = (FIRST if level == 1 else ABOVE)[kind]
            below = rows if output is None else output.panes
            windows = windowed(below, f"level{level}", of, late, level)
            output = (
                kept(windows, late, waits=self.waits)
                if self.full
                else collected(windows, late, level)
            )
        assert output is not None
        return output

    def _recounted(
        self, panes: Sequence[Any], rejected: Sequence[Any]
    ) -> tuple[list[set[str]], list[Counter[str]]]:
        """Return, by level from 1 on, the rows in windows and the rejected rows."""
        top = len(self.kinds)
        inside: list[set[str]] = [set() for _ in range(top + 1)]
        refused: list[Counter[str]] = [Counter() for _ in range(top + 1)]
        for pane in panes:
            if self.full:
                inside[1] |= {str(message["id"]) for message in pane["messages"]}
                continue
            for level in range(1, top + 1):
                inside[level] |= set(pane[f"rows{level}"])
        for row in rejected:
            level = int(row["stream"].removeprefix("level"))
            own = row["message" if level == top else row["stream"]]
            assert sum(row[name] is not None for name in self._columns()) == 1, row
            refused[level][str(own["id"]) if level == 1 else name_of(own)] += 1
            for below in range(1, level):
                inside[below] |= set(own[f"rows{below}"])
        return inside, refused

    def _columns(self) -> list[str]:
        return ["message", *(f"level{level}" for level in range(1, len(self.kinds)))]

    def wrong(self, panes: Sequence[Any], rejected: Sequence[Any], *, behind: int = 1) -> list[str]:
        """Recount the rows of every operator, and return the faults.

        behind: how many micro-batches before it had the rows by which a row is judged. It is 1 if a
        micro-batch without rows follows each one, as in the test kit. It is 2 in a query that reads
        waiting files, because a row is judged by the watermark of the micro-batch before.
        """
        inside, refused = self._recounted(panes, rejected)
        found = []
        for level in range(1, len(self.kinds) + 1):
            twice = [name for name, count in refused[level].items() if count > 1]
            both = inside[level] & set(refused[level])
            if twice or both:
                found.append(f"level {level}: rejected twice {twice}, also in windows {both}")
        return found + self._lost(inside[1], set(refused[1]), behind)

    def _lost(self, inside: set[str], refused: set[str], behind: int) -> list[str]:
        gap = FIRST[self.kinds[0]].gap
        sent = {str(row["id"]): row for rows in self.batches for row in rows}
        lost = sent.keys() - inside - refused
        gaps = {one for one, row in sent.items() if gap(row)}
        windowless = gaps | self._late_and_alone(behind)
        lost -= windowless | self._kept()
        found = [f"in no output: {sorted(lost)}"] if lost else []
        wrong = windowless & (inside | (refused - gaps))
        return found + ([f"in no window, but in outputs: {wrong}"] if wrong else [])

    def _kept(self) -> set[str]:
        """Return the rows that may wait in windows that are not complete."""
        if self.full and not self.waits:
            return set()
        came: dict[str, set[int]] = defaultdict(set)
        for rows in self.batches:
            for row in rows:
                came[row["k"]].add(row["off"])
        found: set[str] = set()
        newest = max(max(offsets) for offsets in came.values())
        for offsets in map(sorted, came.values()):
            waiting = FIRST[self.kinds[0]].kept(offsets, newest)
            found |= {str(offset) for offset in offsets[len(offsets) - waiting :]}
        return found

    def _late_and_alone(self, behind: int) -> set[str]:
        """Return the accepted rows that no sliding window with lateness 0 contains (R47).

        A window of a row ends at the row's time, or a size and a millisecond later. It is open in a
        batch unless the watermark, the greatest time of the batches that are so far behind, has
        passed it.
        """
        size = FIRST[self.kinds[0]].slide
        if size is None:
            return set()
        seen, now = -1.0, _seconds(NOW.replace(" ", "T"))
        watermarks = [-1.0] * behind  # of the next micro-batches
        arrived: dict[str, tuple[str, int, float]] = {}  # key, time, watermark of its batch
        for rows in self.batches:
            watermark = watermarks.pop(0)
            for row in rows:
                time = None if row["time"] is None else _seconds(row["time"])
                if time is None or time > now + 3600 or watermark > time + size:
                    continue
                arrived.setdefault(str(row["id"]), (row["k"], time, watermark))
                seen = max(seen, time)
            watermarks.append(seen)
        alone = set()
        for name, (key, time, own) in arrived.items():
            ends = [
                (end, max(own, other_watermark))
                for other_key, other, other_watermark in arrived.values()
                if other_key == key
                for end, starts in ((other, other - size), (other + size + 0.001, other + 0.001))
                if starts <= time <= end
            ]
            if all(watermark_then > end for end, watermark_then in ends):
                alone.add(name)
        return alone

    def miscounted(
        self,
        counted: Mapping[str, Counter[str]],
        panes: Sequence[Any],
        rejected: Sequence[Any],
        *,
        behind: int,
    ) -> list[str]:
        """Return the operators' counts that differ from the outputs; ``behind`` as in ``wrong``."""
        accepted, refused = self._recounted(panes, rejected)
        accepted[1] |= self._late_and_alone(behind) | self._kept()
        right: dict[str, dict[str, int]] = {}
        for level in range(1, len(self.kinds) + 1):
            of = [row for row in rejected if row["stream"] == f"level{level}"]
            right[f"windrow_level{level}"] = {
                "read": len(accepted[level]) + sum(refused[level].values()),
                "accepted": len(accepted[level]),
                "rejected": len(of),
                **Counter(row["reason"].lower() for row in of),
            }
        read = [row for rows in self.batches for row in rows]
        right["windrow_level1"]["read"] = len(read)
        right[f"windrow_level{len(self.kinds)}"]["panes"] = len(panes)
        return [
            f"{operator} counts {name} {counted[operator][name]}, but outputs have {count}"
            for operator, counts in right.items()
            for name, count in counts.items()
            if counted[operator][name] != count
        ]


def _seconds(time: str) -> int:
    return int((datetime.fromisoformat(time) - BEGIN).total_seconds())
