"""The rows that share a session, step by step (R19, R20, R53)."""

from __future__ import annotations

from bisect import bisect_left, insort
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pyarrow as pa

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


@dataclass(order=True)
class _Session:
    first: int
    last: int = field(compare=False)
    ids: list[int] = field(compare=False)


def gather(base: DuckDBPyConnection, lateness: int) -> None:
    """Create ``member`` from the accepted rows."""
    open_by_key: dict[int, list[_Session]] = {}
    closed: list[tuple[int, _Session]] = []
    for step, after in base.execute("SELECT step, after FROM step ORDER BY step").fetchall():
        rows = base.execute(
            "SELECT g, first, last, id FROM own WHERE step = ? ORDER BY g, first", [step]
        )
        for group, first, last, one in rows.fetchall():
            _join(open_by_key.setdefault(group, []), first, last, one)
        for group, sessions in open_by_key.items():
            left = [s for s in sessions if after is not None and after >= s.last + lateness]
            if left:
                closed += [(group, s) for s in left]
                open_by_key[group] = [s for s in sessions if after < s.last + lateness]
    closed += [(group, s) for group, sessions in open_by_key.items() for s in sessions]
    rows = [(g, s.first, s.last, one) for g, s in closed for one in s.ids]
    columns = zip(*rows, strict=True) if rows else ((), (), (), ())
    members = pa.table({n: pa.array(c, pa.int64()) for n, c in zip(_NAMES, columns, strict=True)})
    base.register("members", members)
    base.execute("CREATE TABLE member AS FROM members")


_NAMES = ("g", "first", "last", "id")


def _join(sessions: list[_Session], first: int, last: int, one: int) -> None:
    """Merge the new window with the sessions that it touches; the list stays sorted, disjoint."""
    new = _Session(first, last, [one])
    at = bisect_left(sessions, new)
    begin = at - 1 if at and sessions[at - 1].last >= first else at
    end = begin
    while end < len(sessions) and sessions[end].first <= last:
        end += 1
    touched = sessions[begin:end]
    if len(touched) == 1 and touched[0].first <= first:
        touched[0].last = max(touched[0].last, last)
        touched[0].ids.append(one)
        return
    for session in touched:
        new.first, new.last = min(new.first, session.first), max(new.last, session.last)
        new.ids += session.ids
    del sessions[begin:end]
    insort(sessions, new)
