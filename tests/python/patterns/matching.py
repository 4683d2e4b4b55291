"""Finds the matches of a pattern by trying all ways in the order of their preference.

A pattern is a name, or a tuple: ``("all", parts)``, ``("any", options)``, or ``("repeat", part,
least, most, greedy)``. Nothing is compiled or remembered, so only small streams are possible.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

Pattern = Any

#: The names that a row has, by its position and the position of the previous row, if there is one.
Names = Callable[[int, int | None], set[str]]

#: Whether a row may have a name, by its position and the names of the earlier rows of the match.
Allows = Callable[[str, int, tuple[str, ...]], bool]

#: A match: the positions of its first row and the names of its rows.
Match = tuple[int, tuple[str, ...]]


def text(pattern: Pattern) -> str:
    """Return the pattern as users write it."""
    if isinstance(pattern, str):
        return pattern
    if pattern[0] == "all":
        return " ".join(f"({text(part)})" for part in pattern[1])
    if pattern[0] == "any":
        return " | ".join(f"({text(option)})" for option in pattern[1])
    _, part, least, most, greedy = pattern
    limits = {(0, None): "*", (1, None): "+", (0, 1): "?"}.get((least, most))
    end = "" if most is None else most
    braces = f"{{{least}}}" if least == most else f"{{{least},{end}}}"
    return f"({text(part)}){limits or braces}{'' if greedy else '?'}"


def drawn(rng: random.Random, depth: int = 2) -> Pattern:
    """Draw a pattern that does not match without a row."""
    return ("all", [rng.choice(["UP", "DOWN", "ANY"]), _drawn(rng, depth)])


def _drawn(rng: random.Random, depth: int) -> Pattern:
    kind = rng.choice(["name", "all", "any", "repeat", "repeat"]) if depth else "name"
    if kind == "name":
        return rng.choice(["UP", "DOWN", "ANY", "SAME"])
    if kind == "repeat":
        least, most = rng.choice([(0, None), (1, None), (0, 1), (2, 2), (1, 3), (2, None)])
        return ("repeat", _drawn(rng, depth - 1), least, most, rng.random() < 0.7)
    return (kind, [_drawn(rng, depth - 1) for _ in range(2)])


def found(
    pattern: Pattern,
    times: Sequence[datetime],
    within: timedelta,
    names: Names,
    *,
    overlapping: bool = False,
    allows: Allows = lambda _name, _row, _before: True,
) -> list[Match]:
    """Return the matches in the rows of one key, which are in order."""
    near = [i - 1 if i and times[i] - times[i - 1] <= within else None for i in range(len(times))]
    known = [names(i, near[i]) for i in range(len(times))]
    matches: list[Match] = []
    start = 0
    while start < len(times):

        def has(name: str, before: tuple[str, ...], start: int = start) -> bool:
            at = start + len(before)
            near = at < len(times) and times[at] - times[start] <= within
            return near and name in known[at] and allows(name, at, before)

        first = next(_ways(pattern, (), has), None)
        if first:
            matches.append((start, first))
        start += len(first) if first and not overlapping else 1
    return matches


#: Whether the row after some named rows has a name.
Has = Callable[[str, tuple[str, ...]], bool]


def _ways(pattern: Pattern, before: tuple[str, ...], has: Has) -> Iterator[tuple[str, ...]]:
    """Return the names of all rows after a part of the pattern, by the names before it."""
    if isinstance(pattern, str):
        if has(pattern, before):
            yield (*before, pattern)
    elif pattern[0] == "any":
        for option in pattern[1]:
            yield from _ways(option, before, has)
    elif pattern[0] == "all":
        yield from _in_sequence(list(pattern[1]), before, has)
    else:
        yield from _repeated(pattern, before, has)


def _repeated(pattern: Pattern, before: tuple[str, ...], has: Has) -> Iterator[tuple[str, ...]]:
    _, part, least, most, greedy = pattern
    if least:
        rest = ("repeat", part, least - 1, None if most is None else most - 1, greedy)
        yield from _in_sequence([part, rest], before, has)
        return
    if not greedy:
        yield before
    if most != 0:
        rest = ("repeat", part, 0, None if most is None else most - 1, greedy)
        for first in _ways(part, before, has):
            if len(first) > len(before) or most is not None:
                yield from _ways(rest, first, has)
    if greedy:
        yield before


def _in_sequence(
    parts: list[Pattern], before: tuple[str, ...], has: Has
) -> Iterator[tuple[str, ...]]:
    if not parts:
        yield before
        return
    for first in _ways(parts[0], before, has):
        yield from _in_sequence(parts[1:], first, has)
