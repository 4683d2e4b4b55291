"""Patterns in the rows of a key, searched by trying all ways in the order of preference (N)."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import windrow as wr
from large.expected.fates import of_rows
from large.expected.panes import differing
from large.scenario import MINUTE, Scenario

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: A name, or ("all", parts), ("any", options), or ("repeat", part, least, most, is_greedy).
Pattern = Any


class Row(NamedTuple):
    """An accepted row of a key."""

    us: int
    id: int
    step: int
    v: int
    w: int | None
    y: float


@dataclass(frozen=True)
class Tried:
    """A row that is tried for a name, with the rows of its key and the match before it."""

    rows: Sequence[Row]
    start: int
    names: tuple[str, ...]
    within: int

    @property
    def now(self) -> Row:
        """Return the row."""
        return self.rows[self.start + len(self.names)]

    @property
    def previous(self) -> Row | None:
        """Return the row before it, unless that is too far from it."""
        at = self.start + len(self.names)
        near = at > 0 and self.now.us - self.rows[at - 1].us <= self.within
        return self.rows[at - 1] if near else None

    def of(self, name: str) -> list[Row]:
        """Return the earlier rows of the match that have a name."""
        return [self.rows[self.start + i] for i, one in enumerate(self.names) if one == name]


def _above(now: float | None, then: float | None) -> bool:
    return now is not None and then is not None and now > then


#: The conditions of names that read a row and the one before it, in SQL and in Python.
PLAIN: dict[str, tuple[str, Callable[[Tried], bool]]] = {
    "A": ("", lambda _: True),
    "ANY": ("", lambda _: True),
    "UP": ("v > PREV(v)", lambda t: t.previous is not None and t.now.v > t.previous.v),
    "DOWN": (
        "DOWN.w < PREV(DOWN.w)",
        lambda t: t.previous is not None and _above(t.previous.w, t.now.w),
    ),
    "NEAR": (
        "coalesce(abs(v - PREV(v)) < 700, true)",
        lambda t: t.previous is None or abs(t.now.v - t.previous.v) < 700,
    ),
    "BLANK": ("w IS NULL", lambda t: t.now.w is None),
    "HIGH": ("y > 6", lambda t: t.now.y > 6),
}
#: Those that read earlier rows of a match, which begins with a row of the name ``A``.
EARLIER: dict[str, tuple[str, Callable[[Tried], bool]]] = {
    "ABOVE": ("v >= FIRST(v)", lambda t: t.now.v >= t.rows[t.start].v),
    "RISE": ("y > LAST(A.y)", lambda t: t.now.y > t.of("A")[-1].y),
    "LESS": ("w < A.w", lambda t: _above(t.of("A")[-1].w, t.now.w)),
    "SPAN": (
        "abs(v - FIRST(span.v)) < 800",
        lambda t: abs(t.now.v - [*t.of("SPAN"), t.now][0].v) < 800,
    ),
}
NAMES = PLAIN | EARLIER
_NAME = re.compile(r"[A-Z]+")


def text(pattern: Pattern) -> str:
    """Return a pattern as users write it."""
    if isinstance(pattern, str):
        return pattern
    kind, *of = pattern
    if kind != "repeat":
        return f"({(' ' if kind == 'all' else ' | ').join(map(text, of[0]))})"
    part, least, most, is_greedy = of
    end = "" if most is None else most
    braces = {(0, None): "*", (1, None): "+", (0, 1): "?"}.get((least, most))
    limits = braces or (f"{{{least}}}" if least == most else f"{{{least or ''},{end}}}")
    return f"({text(part)}){limits}{'' if is_greedy else '?'}"


@dataclass(frozen=True)
class Matches:
    """The matches of a pattern that begins with a row of the name ``A``."""

    pattern: Pattern = ("all", ("A", "UP"))
    within: int = MINUTE
    overlapping: bool = False
    measured: bool = True
    timed = True
    tells_refused = True

    @property
    def names(self) -> list[str]:
        """Return the names in the pattern."""
        return sorted(set(_NAME.findall(text(self.pattern))))

    def output(self, streams: Sequence[wr.Stream], case: Scenario) -> wr.MatchOutput:
        """Describe the query."""
        measures = {
            "ids": "collect_list(id)",
            "names": "collect_list(classifier())",
            "total": "sum(v)",
            "known": "count(A.w)",
            "last_known": "A.w",
        }
        return (
            streams[0]
            .lateness(f"{case.lateness} us")
            .match(
                text(self.pattern),
                define={name: NAMES[name][0] for name in self.names if NAMES[name][0]},
                measures=measures if self.measured else None,
                within=f"{self.within} us",
                after="next_row" if self.overlapping else "past_last_row",
            )
        )

    def judge(self, base: DuckDBPyConnection, case: Scenario) -> list[str]:
        """Compare the matches that remain after each step, and that only changes are emitted."""
        of_rows(base, case.lateness)
        keys: dict[int, list[Row]] = defaultdict(list)
        rows = """SELECT g, us, id, step, v, w, y FROM accepted
            ORDER BY us, partition, "offset" """
        for g, *row in base.execute(rows).fetchall():
            keys[g].append(Row(*row))
        wrong: list[str] = []
        before: Counter[Any] = Counter()
        emitted = self._found(base)
        for step, after in base.execute("SELECT step, after FROM step ORDER BY step").fetchall():
            now = Counter(
                one
                for key in keys.values()
                for one in self._matches([row for row in key if row.step <= step], after)
            )
            changes = [(False, *one) for one in (now - before).elements()]
            changes += [(True, *one) for one in (before - now).elements()]
            wrong += differing(f"matches of step {step}", changes, emitted[step])
            before = now
        return wrong

    def _found(self, base: DuckDBPyConnection) -> dict[int, list[tuple[Any, ...]]]:
        """Return the emitted matches and retractions of each step."""
        lists = '[r."row".id for r in rows], [r.name for r in rows]'
        shown = "ids, names, total, known, last_known" if self.measured else lists
        found: dict[int, list[tuple[Any, ...]]] = defaultdict(list)
        for step, again, ids, names, *more in base.execute(
            f"SELECT step, match.is_retraction, {shown}, epoch_us(match.start), epoch_us(match.end)"
            " FROM rows"
        ).fetchall():
            found[step].append((again, tuple(ids), tuple(names), *more))
        return found

    def _matches(self, rows: Sequence[Row], after: int | None) -> list[tuple[Any, ...]]:
        """Return the matches that the rows before the watermark decide."""
        seen = [row for row in rows if after is not None and row.us < after]
        found = []
        start = 0
        while start < len(seen):
            is_open = after is not None and after <= seen[start].us + self.within
            names = self._first(seen, start, is_open=is_open)
            if names is None and not self.overlapping:
                break
            if names:
                found.append(self._shown(seen[start : start + len(names)], names))
            start += len(names) if names and not self.overlapping else 1
        return found

    def _shown(self, rows: Sequence[Row], names: tuple[str, ...]) -> tuple[Any, ...]:
        of_a = [row.w for row, name in zip(rows, names, strict=True) if name == "A"]
        known = sum(w is not None for w in of_a)
        measures = (sum(row.v for row in rows), known, of_a[-1]) if self.measured else ()
        ids = tuple(row.id for row in rows)
        return (ids, names, *measures, rows[0].us, rows[-1].us)

    def _first(self, rows: Sequence[Row], start: int, *, is_open: bool) -> tuple[str, ...] | None:
        """Return the names of the preferred match at a row, () if none, or None if undecided.

        A way is the names so far and the rest of the pattern, as linked pairs.
        """
        reads_earlier = not EARLIER.keys().isdisjoint(self.names)
        ways: list[tuple[tuple[str, ...], Any]] = [((), (self.pattern, None))]
        failed = set()
        while ways:
            names, rest = ways.pop()
            if rest is None:
                return names
            state = (names if reads_earlier else len(names), rest)
            if state in failed:
                continue
            failed.add(state)
            node, then = rest
            if not isinstance(node, str):
                ways += [(names, one) for one in reversed(_expanded(node, then, len(names)))]
            elif start + len(names) == len(rows):
                if is_open:
                    return None
            else:
                tried = Tried(rows, start, names, self.within)
                if tried.now.us - rows[start].us <= self.within and NAMES[node][1](tried):
                    ways.append(((*names, node), then))
        return ()


def _expanded(node: Pattern, then: Any, at: int) -> list[Any]:
    """Return the ways through a part of a pattern, the preferred one first."""
    if node[0] == "all":
        for part in reversed(node[1]):
            then = (part, then)
        return [then]
    if node[0] == "any":
        return [(option, then) for option in node[1]]
    if node[0] == "after":  # a repetition without a row does not count
        return [(node[2], then)] if at > node[1] else []
    _, part, least, most, is_greedy = node
    fewer = None if most is None else most - 1
    if least:
        return [(part, (("repeat", part, least - 1, fewer, is_greedy), then))]
    if most == 0:
        return [then]
    again: Any = ("repeat", part, 0, fewer, is_greedy)
    if most is None:
        again = ("after", at, again)
    more = (part, (again, then))
    return [more, then] if is_greedy else [then, more]
