"""Sessions that more than a gap ends, computed again: over sorted rows, and by DuckDB (W9)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any

#: A row: key, time in microseconds, event, campaign, amount.
Visit = tuple[str, int, str | None, str | None, int]

#: A session: key, start, end, number of rows, sum of the amounts.
Found = tuple[str, int, int, int, int]


@dataclass(frozen=True)
class Rules:
    """The rules that end sessions; durations are in microseconds."""

    gap: int
    logout: bool = False
    most: int | None = None
    split: bool = False


def by_hand(rows: Sequence[Visit], rules: Rules) -> list[Found]:
    """Walk through the rows of each key in order of time."""
    return [
        found
        for _, own in groupby(sorted(rows, key=itemgetter(0, 1)), key=itemgetter(0))
        for found in _of_key(list(own), rules)
    ]


def _of_key(rows: Sequence[Visit], rules: Rules) -> Iterator[Found]:
    times = [list(same) for _, same in groupby(rows, key=itemgetter(1))]
    begin = 0
    for at in range(1, len(times) + 1):
        if at == len(times) or _begins(times[begin:at], times[at], rules):
            after = times[at][0][1] if at < len(times) else None
            yield _session(times[begin:at], after, rules)
            begin = at


def _begins(before: list[list[Visit]], here: list[Visit], rules: Rules) -> bool:
    time, first, last = here[0][1], before[0][0][1], before[-1][0][1]
    return (
        time - last > rules.gap
        or _ends(before[-1], rules)
        or (rules.most is not None and time >= first + rules.most)
        or (rules.split and {row[3] for row in before[-1]} != {row[3] for row in here})
    )


def _ends(rows: list[Visit], rules: Rules) -> bool:
    return rules.logout and any(row[2] == "logout" for row in rows)


def _session(times: list[list[Visit]], after: int | None, rules: Rules) -> Found:
    rows = [row for same in times for row in same]
    first, last = rows[0][1], rows[-1][1]
    ends = [last + rules.gap]
    ends += [first + rules.most] if rules.most is not None else []
    ends += [after] if after is not None else []
    end = last + 1 if _ends(times[-1], rules) else min(ends)
    return (rows[0][0], first, end, len(rows), sum(row[4] for row in rows))


def in_duckdb(base: Any, rules: Rules) -> list[Found]:
    """Compute the sessions of ``visits`` as gaps and islands, and their lengths by recursion."""
    most = rules.most if rules.most is not None else 2**60
    said = {"gap": rules.gap, "logout": rules.logout, "split": rules.split}
    base.execute(ISLANDS, said)
    base.execute(HOPS, {"most": most})
    base.execute(STARTS)
    found: list[Found] = base.execute(SESSIONS, {"gap": rules.gap, "most": most}).fetchall()
    return found


#: Rows of one time are one, and an island ends where something other than a length ends sessions.
ISLANDS = """
CREATE TABLE islands AS
WITH instants AS (
  SELECT key, time, count(*) AS n, sum(amount) AS total,
    $logout AND coalesce(bool_or(event = 'logout'), false) AS ends,
    CASE WHEN $split THEN list_sort(list(DISTINCT coalesce('=' || campaign, ''))) END AS names
  FROM visits GROUP BY key, time
), flagged AS (
  SELECT *, lead(time) OVER w AS after,
    CASE WHEN lag(time) OVER w IS NULL OR time - lag(time) OVER w > $gap
      OR lag(ends) OVER w OR names IS DISTINCT FROM lag(names) OVER w
    THEN 1 ELSE 0 END AS begins
  FROM instants WINDOW w AS (PARTITION BY key ORDER BY time)
)
SELECT *, sum(begins) OVER (PARTITION BY key ORDER BY time) AS island FROM flagged"""

#: For each time, the first one that is too far from it for one session.
HOPS = """
CREATE TABLE hops AS
SELECT a.key, a.island, a.time, b.time AS hop FROM islands a ASOF JOIN islands b
ON a.key = b.key AND a.island = b.island AND a.time + $most <= b.time"""

STARTS = """
CREATE TABLE starts AS
WITH RECURSIVE starts AS (
  SELECT key, island, time FROM islands WHERE begins = 1
  UNION ALL
  SELECT key, island, hop FROM starts JOIN hops USING (key, island, time)
) FROM starts"""

SESSIONS = """
SELECT key, start,
  CASE WHEN bool_or(ends) THEN max(time) + 1 ELSE least(
    max(time) + $gap, start + $most, arg_max(coalesce(after, start + $most), time)) END,
  sum(n)::BIGINT, sum(total)::BIGINT
FROM (
  SELECT i.*, s.time AS start FROM islands i ASOF JOIN starts s
  ON i.key = s.key AND i.island = s.island AND i.time >= s.time
) GROUP BY key, start"""
