"""Windows that need no event time: by number, by offset, global, by policies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import windrow as wr
from large.expected.aggregates import duck
from large.expected.kinds import Kind
from large.expected.panes import some

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: The order in which rows without event time are accepted.
INSERTED = 'ORDER BY step, stream, partition, "offset"'

#: The greatest offset of each source partition before a step.
_SHOWN = """(SELECT w.step, m.partition, max(m."offset") AS seen FROM step w
    JOIN message m ON m.step < w.step GROUP BY ALL) USING (step, partition)"""


class _OfNumbers(Kind):
    """Windows without time and lateness: no row is rejected, and every value has fired."""

    timed: ClassVar[bool] = False

    def candidates(self) -> str:
        """Select a single window, which the interface requires."""
        return "SELECT id, 0 AS first, 0 AS last FROM fresh"

    def late(self, stream: wr.Stream, lateness: int) -> wr.Stream:
        """Return the stream unchanged, because lateness does not apply."""
        del lateness
        return stream

    def refuses(self, lateness: int) -> str:
        """Return a condition that is never true."""
        del lateness
        return "false"

    def fires(self) -> str:
        """Return a condition that is always true."""
        return "true"


@dataclass(frozen=True)
class Count(_OfNumbers):
    """Windows of ``n`` rows of a key, by number."""

    n: int = 100
    step: int = 100
    bounds: ClassVar[tuple[str, str, str]] = ('"window".first', '"window".last', "NULL::bigint")

    def windrow(self) -> wr.WindowKind:
        """Return the count kind."""
        return wr.Count(self.n, step=self.step)

    def values(self, names: tuple[str, ...]) -> str:
        """Aggregate full windows only, because others do not fire (R82)."""
        back = -(-self.n // self.step)
        return f"""SELECT of_g AS g, first, first + {self.n - 1} AS last, NULL AS of,
            {duck(names)} FROM (
            SELECT *, g AS of_g,
            number - number % {self.step} - {self.step} * unnest(range({back})) AS first
            FROM (SELECT * REPLACE (step AS us), row_number() OVER (PARTITION BY g {INSERTED}) - 1
            AS number FROM accepted))
            WHERE first >= 0 AND number < first + {self.n} GROUP BY of_g,
            first HAVING count(*) = {self.n}"""


@dataclass(frozen=True)
class Offsets(_OfNumbers):
    """Windows of ``n`` offsets of a source partition; ``late`` offsets later they reject rows."""

    n: int = 1000
    step: int = 1000
    bounds: ClassVar[tuple[str, str, str]] = (
        '"window".first',
        '"window".last',
        '"window".partition',
    )

    def windrow(self) -> wr.WindowKind:
        """Return the offset-range kind."""
        return wr.OffsetRange(self.n, step=self.step)

    def candidates(self) -> str:
        """Select the windows that contain the offset, with the partition's progress."""
        back = -(-self.n // self.step)
        return f"""SELECT * FROM (SELECT id, seen, "offset" AS o,
            o - o % {self.step} - {self.step} * unnest(range({back})) AS first,
            first + {self.n - 1} AS last
            FROM fresh LEFT JOIN {_SHOWN}) WHERE o <= last AND first >= 0"""

    def late(self, stream: wr.Stream, lateness: int) -> wr.Stream:
        """Set the lateness as a number of offsets."""
        return stream.lateness(lateness)

    def refuses(self, lateness: int) -> str:
        """Compare the partition's progress before the step with the end of the window."""
        return f"seen >= last + {lateness}"

    def fires(self) -> str:
        """Let a window fire once its last offset or a greater one was seen (R21)."""
        return "EXISTS (FROM message s WHERE s.partition = v.of AND s.offset >= v.last)"

    def values(self, names: tuple[str, ...]) -> str:
        """Aggregate each partition separately."""
        return f"""SELECT * EXCLUDE (of_g, p), of_g AS g FROM (
            SELECT of_g, first, last, partition AS of, partition AS p, {duck(names)}
            FROM (SELECT id, g AS of_g, first, last FROM own) JOIN accepted USING (id)
            GROUP BY of_g, first, last, partition)"""


@dataclass(frozen=True)
class TupleSession(_OfNumbers):
    """Rows of a key and a source partition with at most ``n`` offsets between them."""

    n: int = 10
    bounds: ClassVar[tuple[str, str, str]] = Offsets.bounds

    def windrow(self) -> wr.WindowKind:
        """Return the offset-session kind."""
        return wr.OffsetSession(gap=self.n)

    def candidates(self) -> str:
        """Select the row's own offset with the partition's progress."""
        return f"""SELECT id, "offset" AS first, "offset" AS last, seen
            FROM fresh LEFT JOIN {_SHOWN}"""

    def refuses(self, lateness: int) -> str:
        """Reject a row that is not beyond all offsets that were seen before its step (R21)."""
        del lateness
        return "seen >= last"

    def fires(self) -> str:
        """Let a session fire after more than ``n`` offsets without the key."""
        seen = f"s.partition = v.of AND s.offset - v.last > {self.n}"
        return f"EXISTS (FROM message s WHERE {seen})"

    def values(self, names: tuple[str, ...]) -> str:
        """Split where the distance to the previous offset is too great."""
        return f"""WITH apart AS (SELECT *, coalesce("offset" - 1
            - lag("offset") OVER w > {self.n}, true)::int AS begins FROM accepted
            WINDOW w AS (PARTITION BY g, partition ORDER BY "offset")),
            numbered AS (SELECT *, g AS of_g, sum(begins) OVER (PARTITION BY g, partition
            ORDER BY "offset") AS number FROM apart)
            SELECT of_g AS g, min("offset") AS first, max("offset") AS last, partition AS of,
            {duck(names)} FROM numbered GROUP BY of_g, partition, number"""


@dataclass(frozen=True)
class Policy(_OfNumbers):
    """Tumbling windows of ``n`` rows, or, with ``every``, the last ``n`` at every so many rows."""

    n: int = 100
    every: int = 0
    bounds: ClassVar[tuple[str, str, str]] = ('"window".number', '"window".number', "NULL::bigint")

    def windrow(self) -> wr.WindowKind:
        """Return the policy kind."""
        if self.every:
            return wr.Policy.sliding(wr.ByCount(self.n), trigger=wr.ByCount(self.every))
        return wr.Policy.tumbling(wr.ByCount(self.n))

    def values(self, names: tuple[str, ...]) -> str:
        """Aggregate numbered windows; a firing contains the rows up to its own (P1, P3, P6)."""
        every = self.every or self.n
        return f"""WITH numbered AS (SELECT * REPLACE (step AS us), row_number()
            OVER (PARTITION BY g {INSERTED}) AS number FROM accepted),
            fired AS (SELECT g AS of_g, number AS upto, number // {every} - 1 AS first
            FROM numbered WHERE number % {every} = 0)
            SELECT of_g AS g, first, first AS last, NULL AS of, {duck(names)}
            FROM fired JOIN numbered
            ON g = of_g AND number BETWEEN upto - {self.n - 1} AND upto GROUP BY of_g, first"""

    def judge(self, base: DuckDBPyConnection) -> list[str]:
        """Check that each row is inserted once, in its step, and that events are numbered (P6)."""
        base.execute("""CREATE VIEW event AS SELECT event, sequence, step,
            unnest(messages) AS message FROM events""")
        came = "(SELECT message.id AS id, step FROM event WHERE event = 'INSERTION')"
        taken = "(SELECT id, step FROM accepted)"
        numbered = """SELECT DISTINCT message.g AS g, sequence, step FROM event"""
        return [
            *some(base, "messages without INSERTION", f"FROM {taken} EXCEPT ALL FROM {came}"),
            *some(base, "INSERTION without message", f"FROM {came} EXCEPT ALL FROM {taken}"),
            *some(
                base,
                "events out of order",
                f"""FROM (SELECT *, lag(step) OVER w AS before, row_number() OVER w - 1 AS place
                FROM ({numbered}) WINDOW w AS (PARTITION BY g ORDER BY sequence))
                WHERE place <> sequence OR before > step""",
            ),
        ]


@dataclass(frozen=True)
class Global(_OfNumbers):
    """One window with all rows of a key, which has early panes only."""

    completes: ClassVar[bool] = False
    bounds: ClassVar[tuple[str, str, str]] = ("NULL::bigint", "NULL::bigint", "NULL::bigint")

    def windrow(self) -> wr.WindowKind:
        """Return the global kind."""
        return wr.Global()

    def values(self, names: tuple[str, ...]) -> str:
        """Aggregate all rows of a key."""
        bounds = "NULL::bigint AS first, NULL::bigint AS last, NULL AS of"
        return f"SELECT g, {bounds}, {duck(names)} FROM accepted GROUP BY g"
