"""Deduplication that keeps the first or the last row of a key (R99 to R101, R108, R109)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

import windrow as wr
from large.expected.fates import of_rows
from large.expected.panes import differing
from large.scenario import MINUTE, Scenario

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from windrow.deduplicated import Keep

#: A step after all steps.
NEVER = 2**31


@dataclass
class _Row:
    """An accepted row.

    ``rank`` orders the rows of a key, ``shown`` identifies the row in the output, and ``dropped``
    is the step in which it is a duplicate.
    """

    id: int
    step: int
    us: int
    rank: tuple[Any, ...]
    shown: tuple[Any, ...]
    dropped: int = NEVER


@dataclass(frozen=True)
class Deduplicated:
    """The rows of a stream without duplicates that are at most ``within`` microseconds apart."""

    keep: Keep = "first"
    within: int = MINUTE
    order: tuple[str, ...] = ()
    retracting: bool = False
    timed = True
    tells_refused = True

    def output(self, streams: Sequence[wr.Stream], case: Scenario) -> wr.DedupOutput:
        """Describe the query."""
        return (
            streams[0]
            .lateness(f"{case.lateness} us")
            .dedup(
                f"{self.within} us",
                orderBy=list(self.order),
                keep=self.keep,
                accumulationMode=wr.ACCUMULATING_AND_RETRACTING if self.retracting else None,
            )
        )

    def judge(self, base: DuckDBPyConnection, case: Scenario) -> list[str]:
        """Compare the emitted rows, the duplicates with their steps, and the replaced rows."""
        of_rows(base, case.lateness)
        # Without an identity, rows that are equal in the order are interchangeable.
        is_known = case.identity or "id" in self.order
        names = ("id",) if is_known else ("g", "t", *self.order)
        rows = self._accepted(base, names)
        emitted = f"step, {'is_retraction' if self.retracting else 'false'}, {_micros(names)}"
        found = base.execute(f"SELECT {emitted} FROM rows").fetchall()
        wait = self.within + case.lateness
        marks = base.execute("SELECT step, after FROM step ORDER BY step").fetchall()
        wanted = [one for row in rows for one in self._emitted(row, marks, wait)]
        wrong = differing("rows", wanted, found)
        copies = base.execute(f"""SELECT step, {_micros(names)} FROM (SELECT step, unnest(message)
            FROM rejected WHERE reason = 'DUPLICATE')""").fetchall()
        dropped = [row for row in rows if row.dropped < NEVER]
        wrong += differing("duplicates", ((row.dropped, *row.shown) for row in dropped), copies)
        ids = [row.id for row in dropped if row.dropped == row.step]
        base.register("copies", pa.table({"id": pa.array(ids, pa.int64())}))
        base.execute("""UPDATE fate SET fate = 'duplicate' WHERE fate = 'accepted'
            AND id IN (SELECT id FROM copies)""")
        replaced = Counter(row.dropped for row in dropped if row.dropped > row.step)
        counts = base.execute("SELECT step, replaced FROM counted WHERE replaced > 0").fetchall()
        counted = {step for (step,) in base.execute("SELECT step FROM counted").fetchall()}
        of_counted = ((step, n) for step, n in replaced.items() if step in counted)
        return wrong + differing("counts of replaced rows", of_counted, counts)

    def _accepted(self, base: DuckDBPyConnection, names: Sequence[str]) -> list[_Row]:
        """Return the accepted rows with the steps in which they are dropped."""
        columns = ["g", "id", "step", "us", "partition", '"offset"', _micros(names), *self.order]
        found = base.execute(f"SELECT {', '.join(columns)} FROM accepted").fetchall()
        keys: dict[int, list[_Row]] = defaultdict(list)
        for g, of, step, us, *more in found:
            place, shown = more[:2], more[2 : 2 + len(names)]
            by = tuple((one is not None, one) for one in more[2 + len(names) :])  # null is least
            rank = (step, us, by, place) if self.keep == "first" else (by, us, place)
            keys[g].append(_Row(of, step, us, rank, tuple(shown)))
        drop = _drop_first if self.keep == "first" else _drop_last
        for rows in keys.values():
            drop(rows, self.within)
        return [row for rows in keys.values() for row in rows]

    def _emitted(
        self, row: _Row, marks: Sequence[tuple[int, int | None]], wait: int
    ) -> Iterator[tuple[Any, ...]]:
        """Yield the row and its retraction, each with its step."""
        if row.dropped == row.step:
            return
        if self.keep == "first" or self.retracting:
            yield row.step, False, *row.shown
            if row.dropped < NEVER:
                yield row.dropped, True, *row.shown
        elif row.dropped == NEVER:
            steps = (s for s, w in marks if s >= row.step and w is not None and w > row.us + wait)
            step = next(steps, None)
            if step is not None:
                yield step, False, *row.shown


def _micros(names: Sequence[str]) -> str:
    return ", ".join("epoch_us(t)" if name == "t" else name for name in names)


def _drop_first(rows: list[_Row], within: int) -> None:
    """Drop each row that has a kept row near it, in the order of the rows."""
    kept: list[int] = []
    for row in sorted(rows, key=lambda row: row.rank):
        at = bisect_left(kept, row.us - within)
        if at < len(kept) and kept[at] <= row.us + within:
            row.dropped = row.step
        else:
            insort(kept, row.us)


def _drop_last(rows: list[_Row], within: int) -> None:
    """Drop each row when the first row arrives that follows it.

    The rows are inserted from the last one on into a tree of their times, whose nodes contain the
    least step of their rows.
    """
    rows.sort(key=lambda row: row.us)
    times = [row.us for row in rows]
    size = len(rows)
    least = [NEVER] * (2 * size)
    for at in sorted(range(size), key=lambda at: rows[at].rank, reverse=True):
        row, found = rows[at], NEVER
        low = bisect_left(times, row.us - within) + size
        high = bisect_right(times, row.us + within) + size
        while low < high:
            if low % 2:
                found = min(found, least[low])
                low += 1
            if high % 2:
                high -= 1
                found = min(found, least[high])
            low, high = low // 2, high // 2
        row.dropped = max(row.step, found) if found < NEVER else NEVER
        node = at + size
        while node:
            least[node] = min(least[node], row.step)
            node //= 2
