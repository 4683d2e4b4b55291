"""Random joins of two and three streams with further conditions, and their rows by DuckDB.

The names of most columns need quotes.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa

import windrow as wr
from chain.windows import span

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

#: Seconds, key, number, and a second number that is often null.
Message = tuple[int, int | None, int, int | None]

COLUMNS = ("the time", "k.ey", "Select", "x`y")
SCHEMA = "`the time` timestamp, `k.ey` int, `Select` int, `x``y` int"
KINDS = ("inner", "left", "right", "full", "semi", "anti")
NAMES = ("l", "r", "z")

#: Conditions on a stream and those before it, with names of columns in brackets.
CONDITIONS = {
    "r": (
        "r.[Select] > l.[Select]",
        "r.[x`y] = l.[x`y]",
        "l.[Select] % 3 <> 0",
        "r.[Select] % 3 <> 0",
        "r.[x`y] IS NULL OR l.[Select] % 2 = 0",
        "(r.[Select] + l.[Select]) % 2 = 0 AND NOT r.[x`y] > 1",
    ),
    "z": ("z.[Select] > l.[Select]", "z.[x`y] = l.[x`y]", "l.[Select] % 3 <> 0"),
}
#: Conditions on all three streams. Rows of semi and anti joins contain only the first one.
OF_ALL = (
    "z.[x`y] = coalesce(r.[x`y], l.[x`y])",
    "r.[Select] IS NOT NULL",
    "r.[Select] IS NULL OR z.[Select] % 2 = 0",
)


def quoted(text: str, quote: str) -> str:
    """Return a text whose names of columns in brackets are quoted for an engine."""
    return re.sub(
        r"\[(.*?)\]", lambda name: quote + name[1].replace(quote, quote * 2) + quote, text
    )


@dataclass(frozen=True)
class Case:
    """A join over streams in order of arrival. Most rows are at most ``delay`` seconds late."""

    how: Any
    streams: Mapping[str, Sequence[Message]]
    delay: int
    lateness: int
    ranges: Mapping[str, tuple[int, int]]
    conditions: Mapping[str, str]
    #: The windows of a join by windows instead of ranges, and their size or gap.
    window: tuple[str, int] | None = None

    @classmethod
    def drawn(cls, rng: random.Random, groups: int = 1) -> Case:
        """Draw a join. Each group of keys is a stream by itself."""
        names = NAMES[: rng.choice((2, 3, 3))]
        how = rng.choice(KINDS)
        delay = rng.choice((0, 0, 5, 20))
        lows = {name: rng.choice((-20, -3, 0, 4)) for name in names[1:]}
        others = () if how in ("semi", "anti") else OF_ALL
        choices = CONDITIONS | {"z": (*CONDITIONS["z"], *others)}
        windows = [("tumbling", 10), ("tumbling", 60), ("session", 4), ("session", 15)]
        by_window = len(names) == 2 and rng.random() < 0.5
        return cls(
            how,
            {name: _messages(rng, delay, groups) for name in names},
            delay,
            rng.choice((0, 7, 20)),
            {name: (low, low + rng.choice((0, 5, 25))) for name, low in lows.items()},
            {name: rng.choice(choices[name]) for name in names[1:] if rng.random() < 0.7},
            rng.choice(windows) if by_window else None,
        )

    def cut(self, rng: random.Random) -> Iterator[tuple[str, Sequence[Message]]]:
        """Yield parts of the streams, mostly of the one that is behind; each keeps its order."""
        left = {name: list(rows) for name, rows in self.streams.items()}
        whole = max(1, sum(map(len, left.values())) // 60)
        while waiting := [name for name, rest in left.items() if rest]:
            behind = min(waiting, key=lambda name: left[name][0][0])
            name = behind if rng.random() < 0.7 else rng.choice(waiting)
            some = rng.choice((1, 1, 2, 5)) * whole
            yield name, left[name][:some]
            left[name] = left[name][some:]

    def pipeline(self, **frames: DataFrame) -> wr.JoinOutput:
        """Join the streams with Windrow."""
        sides = [
            wr.stream(
                frames[name], time="the time", watermark=span(self.delay), name=name
            ).lateness(span(self.lateness))
            for name in self.streams
        ]
        conditions: Any = {one: quoted(text, "`") for one, text in self.conditions.items()}
        within: Any = {name: (span(low), span(high)) for name, (low, high) in self.ranges.items()}
        if self.window:
            kind, size = self.window
            within = (wr.Tumbling if kind == "tumbling" else wr.Session)(span(size))
        return wr.join(*sides, on="`k.ey`", within=within, how=self.how, condition=conditions)

    @property
    def shown(self) -> tuple[str, ...]:
        """Return the streams in the rows of the join."""
        return NAMES[:1] if self.how in ("semi", "anti") else tuple(self.streams)

    def sql(self, time: str, quote: str) -> str:
        """Return a chain of joins in SQL, with the difference of two times as ``time``."""
        text = "l"
        for number, (name, (low, high)) in enumerate(self.ranges.items(), 1):
            earlier = [one for one in NAMES[:number] if one in self.shown or number == 1]
            key = f"coalesce({', '.join(f'{one}.[k.ey]' for one in earlier)})"
            between = time.format(name=name, low=low, high=high)
            more = f" AND ({self.conditions[name]})" if name in self.conditions else ""
            text += f" {self.how} JOIN {name} ON {name}.[k.ey] = {key} AND {between}{more}"
        return quoted(text, quote)

    def __str__(self) -> str:
        """Describe the join."""
        within = self.window or self.ranges
        return f"{self.how} {within} {self.conditions} lateness {self.lateness}"


@dataclass
class Oracle:
    """Judges rows in plain Python, joins the accepted ones in DuckDB, and waits as the rules do."""

    case: Case
    #: The watermark, and the greatest time of each stream since the last restart.
    mark: float = -math.inf
    greatest: dict[str, int] = field(default_factory=dict)
    accepted: dict[str, list[Message]] = field(default_factory=dict)
    rejected: list[tuple[str, int]] = field(default_factory=list)
    #: The number of the session of each row whose session is over, by the stream and the number.
    over: dict[tuple[str, int], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Begin without rows."""
        self.accepted = {name: [] for name in self.case.streams}
        self.times: dict[str, dict[int, int]] = {name: {} for name in self.case.streams}
        self.base = duckdb.connect()

    def add(self, name: str, rows: Sequence[Message]) -> None:
        """Judge the rows of a micro-batch by the watermark before it, and move the watermark."""
        for row in rows:
            if self._is_late(name, row[0]):
                self.rejected.append((name, row[2]))
            else:
                self.accepted[name].append(row)
                self.times[name][row[2]] = row[0]
        self.greatest[name] = max([row[0] for row in rows] + [self.greatest.get(name, 0)])
        if len(self.greatest) == len(self.case.streams):
            self.mark = max(self.mark, min(self.greatest.values()) - self.case.delay)
        for last, session in self._sessions():
            if self.mark >= last + self._size + self.case.lateness:
                self.over |= dict.fromkeys(session, len(self.over))

    def restart(self) -> None:
        """Forget how far each stream has advanced (SEMANTICS M6)."""
        self.greatest = {}

    def rows(self) -> list[tuple[int | None, ...]]:
        """Return the key and the numbers of each row that has been emitted."""
        case = self.case
        parts = self._parts()
        for name, rows in self.accepted.items():
            values = zip(*((*row, parts.get((name, row[2]))) for row in rows), strict=True)
            columns = [pa.array(one, pa.int32()) for one in (values if rows else [[]] * 5)]
            self.base.register(name, pa.table(columns, names=[*COLUMNS, "part"]))
        keys = ", ".join(f"{name}.[k.ey]" for name in case.shown)
        numbers = ", ".join(f"{name}.[Select]" for name in case.shown)
        shown = quoted(f"coalesce({keys}), {numbers}", '"')
        between = "{name}.[the time] - l.[the time] BETWEEN {low} AND {high}"
        text = case.sql("{name}.part = l.part" if case.window else between, '"')
        query = f"SELECT {shown} FROM {text}"  # noqa: S608
        found: list[tuple[int | None, ...]] = self.base.execute(query).fetchall()
        if case.how in ("inner", "semi"):
            return found
        return [
            (key, *numbers)
            for key, *numbers in found
            if key is None or self._is_due(dict(zip(case.shown, numbers, strict=True)))
        ]

    def _is_late(self, name: str, time: int) -> bool:
        if self.case.window:
            return self.mark >= self._end(time) + self.case.lateness
        lag = self._lag if name == "z" else 0
        return self.mark - lag > time + self.case.lateness

    @property
    def _lag(self) -> int:
        """How far the rows of the first join of a chain are behind the watermark (R95)."""
        how, late, (low, high) = self.case.how, self.case.lateness, self.case.ranges["r"]
        if how == "inner":
            return 0
        of_left = high + late if how in ("left", "full", "anti") else high
        of_right = late - low if how in ("right", "full") else 0
        return max(0, of_left, of_right)

    # Windows

    @property
    def _size(self) -> int:
        return self.case.window[1] if self.case.window else 0

    def _end(self, time: int) -> int:
        """Return the end of the window of a row by itself."""
        is_session = self.case.window == ("session", self._size)
        return (time if is_session else time // self._size * self._size) + self._size

    def _sessions(self) -> Iterator[tuple[int, list[tuple[str, int]]]]:
        """Yield the last time and the rows of each session that accepts rows."""
        if self.case.window != ("session", self._size):
            return
        rows = sorted(
            (repr(key), time, name, number)
            for name, some in self.accepted.items()
            for time, key, number, _ in some
            if (name, number) not in self.over
        )
        for _, same in groupby(rows, key=itemgetter(0)):
            session: list[tuple[str, int]] = []
            last = -math.inf
            for _, time, name, number in same:
                if session and time > last + self._size:
                    yield int(last), session
                    session = []
                session.append((name, number))
                last = time
            yield int(last), session

    def _parts(self) -> dict[tuple[str, int], int]:
        """Return the number of the window of each row."""
        if self.case.window is None:
            return {}
        if self.case.window[0] == "tumbling":
            return {
                (name, row[2]): row[0] // self._size
                for name, rows in self.accepted.items()
                for row in rows
            }
        of = dict(self.over)
        for number, (_, session) in enumerate(self._sessions(), 1):
            of |= dict.fromkeys(session, -number)
        return of

    # Rows without a partner

    def _is_due(self, row: Mapping[str, int | None]) -> bool:
        """Return whether a row of the join of all accepted rows is final."""
        case, mark = self.case, self.mark - self.case.lateness
        times = {name: self.times[name][n] for name, n in row.items() if n is not None}
        if case.window:
            if len(times) == 2:
                return True
            ((name, time),) = times.items()
            if case.window[0] == "tumbling":
                return mark >= self._end(time)
            return (name, row[name]) in self.over
        low, high = case.ranges["r"]
        is_due = True
        if "l" in times and "r" not in times:
            is_due = mark > times["l"] + high
        elif "r" in times and "l" not in times:
            is_due = mark > times["r"] - low
        if "z" not in case.streams:
            return is_due
        low, high = case.ranges["z"]
        if "z" not in times:
            first = times.get("l", times.get("r"))
            return is_due and mark - self._lag > first + high  # type: ignore[operator]
        return is_due if len(times) > 1 else mark - self._lag > times["z"] - low


def _messages(rng: random.Random, delay: int, groups: int) -> list[Message]:
    came: list[Message] = []
    for group in range(groups):
        time = 0
        keys = [*(10 * group + key for key in range(rng.choice((1, 3, 8)))), None]
        for _ in range(rng.randint(20, 40)):
            time += rng.choice((0, 1, 1, 2, 3, 7, rng.choice((1, 10, 60))))
            came.append((time, rng.choice(keys), len(came), rng.choice((None, 0, 1, 2))))
    late = [rng.choice((15, 60, 400)) if rng.random() < 0.1 else 0 for _ in came]
    jitter = [(one[0] + rng.randint(0, delay) + late[i], i) for i, one in enumerate(came)]
    return [came[i] for _, i in sorted(jitter)]
