"""The fate of each row, by the watermark before its step (A).

A replay that every window rejects is ``forgettable``: Windrow either recognizes it as a replay or
rejects it (R13).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from large.expected.kinds import Kind


def of_windows(base: DuckDBPyConnection, kind: Kind, lateness: int) -> None:
    """Create ``fate``, ``accepted``, and ``own``: the windows that accept each row."""
    base.execute("CREATE VIEW fresh AS FROM message WHERE fresh AND us IS NOT NULL")
    base.execute(f"CREATE TABLE candidate AS {kind.candidates()}")
    base.execute(f"""CREATE TABLE own AS SELECT c.id, c.first, c.last, m.g, m.step
        FROM candidate c JOIN fresh m USING (id) WHERE NOT coalesce({kind.refuses(lateness)},
        false)""")
    base.execute(f"""CREATE TABLE fate AS SELECT stream, id, step, CASE
          WHEN NOT fresh AND {kind.timed} AND NOT EXISTS (FROM candidate c WHERE c.id = m.id
            AND NOT coalesce({kind.refuses(lateness)}, false)) THEN 'forgettable'
          WHEN NOT fresh THEN 'replay' WHEN us IS NULL THEN 'rejected'
          WHEN id IN (SELECT id FROM own) THEN 'accepted'
          WHEN id IN (SELECT id FROM candidate) THEN 'rejected' ELSE 'gap' END AS fate
        FROM message m""")
    base.execute("CREATE VIEW accepted AS FROM fresh WHERE id IN (SELECT id FROM own)")


def of_rows(base: DuckDBPyConnection, lateness: int) -> None:
    """Create ``fate`` and ``accepted`` of rows that are judged by their own time (R37, R101)."""
    late = f"us IS NULL OR coalesce(mark > us + {lateness}, false)"
    base.execute(f"""CREATE TABLE fate AS SELECT stream, id, step, CASE
          WHEN NOT fresh AND ({late}) THEN 'forgettable' WHEN NOT fresh THEN 'replay'
          WHEN {late} THEN 'rejected' ELSE 'accepted' END AS fate FROM message""")
    base.execute("""CREATE VIEW accepted AS SELECT * FROM message
        WHERE fresh AND (stream, id) IN (SELECT (stream, id) FROM fate
        WHERE fate = 'accepted')""")
