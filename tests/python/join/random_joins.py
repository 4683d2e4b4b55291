"""Random joins of two and three streams with further conditions, and their rows by DuckDB.

The names of most columns need quotes, and no row is late.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import duckdb

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
    """A join over streams in order of arrival, at most ``delay`` seconds out of order."""

    how: Any
    streams: Mapping[str, Sequence[Message]]
    delay: int
    lateness: int
    ranges: Mapping[str, tuple[int, int]]
    conditions: Mapping[str, str]

    @classmethod
    def drawn(cls, rng: random.Random) -> Case:
        """Draw a join."""
        names = NAMES[: rng.choice((2, 3, 3))]
        how = rng.choice(KINDS)
        delay = rng.choice((0, 0, 5, 20))
        lows = {name: rng.choice((-20, -3, 0, 4)) for name in names[1:]}
        others = () if how in ("semi", "anti") else OF_ALL
        choices = CONDITIONS | {"z": (*CONDITIONS["z"], *others)}
        return cls(
            how,
            {name: _messages(rng, delay) for name in names},
            delay,
            rng.choice((0, 0, 7)),
            {name: (low, low + rng.choice((0, 5, 25))) for name, low in lows.items()},
            {name: rng.choice(choices[name]) for name in names[1:] if rng.random() < 0.7},
        )

    def cut(self, rng: random.Random) -> Iterator[tuple[str, Sequence[Message]]]:
        """Yield parts of the streams alternately; each stream keeps its order."""
        left = {name: list(rows) for name, rows in self.streams.items()}
        while any(left.values()):
            name = rng.choice([name for name, rest in left.items() if rest])
            some = rng.choice((1, 2, 5, 20))
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
        return wr.join(
            *sides,
            on="`k.ey`",
            within={name: (span(low), span(high)) for name, (low, high) in self.ranges.items()},
            how=self.how,
            condition=conditions,
        )

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

    def rows(self) -> list[tuple[int | None, ...]]:
        """Return the key and the numbers of each output row, computed by DuckDB."""
        base = duckdb.connect()
        names = ", ".join(f"[{name}] INT" for name in COLUMNS)
        for name, rows in self.streams.items():
            base.execute(quoted(f"CREATE TABLE {name} ({names})", '"'))
            base.executemany(f"INSERT INTO {name} VALUES (?, ?, ?, ?)", rows)  # noqa: S608
        keys = ", ".join(f"{name}.[k.ey]" for name in self.shown)
        numbers = ", ".join(f"{name}.[Select]" for name in self.shown)
        shown = quoted(f"coalesce({keys}), {numbers}", '"')
        between = "{name}.[the time] - l.[the time] BETWEEN {low} AND {high}"
        query = f"SELECT {shown} FROM {self.sql(between, chr(34))}"  # noqa: S608
        return list(base.execute(query).fetchall())

    def __str__(self) -> str:
        """Describe the join."""
        return f"{self.how} {self.ranges} {self.conditions} lateness {self.lateness}"


def _messages(rng: random.Random, delay: int) -> list[Message]:
    time, came = 0, []
    keys = [*range(rng.choice((1, 3, 8))), None]
    for number in range(rng.randint(5, 40)):
        time += rng.choice((0, 1, 1, 2, 3, 7, rng.choice((1, 40, 300))))
        came.append((time, rng.choice(keys), number, rng.choice((None, 0, 1, 2))))
    jitter = [(one[0] + rng.randint(0, delay), i) for i, one in enumerate(came)]
    return [came[i] for _, i in sorted(jitter)]
