"""Every pane of aligned windows, predicted (E1, E2, R9, R15, R79)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from large.expected.aggregates import duck

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def panes(
    base: DuckDBPyConnection, early: str, mode: str, lateness: int, names: tuple[str, ...]
) -> None:
    """Create ``wanted`` from ``own``: panes with their values, and their retractions.

    A window fires when a step changes it and when it completes. A window that is already complete
    when its first row arrives is late from the start.
    """
    base.execute("""CREATE TABLE life AS SELECT b.*, min(w.step) AS done FROM
        (SELECT g, first, last, min(step) AS born FROM own GROUP BY ALL) b
        LEFT JOIN step w ON w.step >= b.born AND w.after >= b.last GROUP BY ALL""")
    base.execute(f"""CREATE TABLE firing AS
        SELECT f.*, coalesce(w.after >= f.last + {lateness}, false) AS is_last,
          row_number() OVER (PARTITION BY g, first, last ORDER BY step) - 1 AS index,
          lag(step) OVER (PARTITION BY g, first, last ORDER BY step) AS previous FROM (
            SELECT g, first, last, step, CASE WHEN step < done OR done IS NULL THEN 'EARLY'
              WHEN step = done AND NOT (born = done AND coalesce(before >= last,
              false)) THEN 'ON_TIME'
              ELSE 'LATE' END AS timing
            FROM (SELECT g, first, last, step FROM own UNION SELECT g, first, last, done FROM life)
            JOIN life USING (g, first, last) JOIN step USING (step)) f
        JOIN step w USING (step) WHERE timing <> 'EARLY' OR {early == "each_batch"}""")
    since = "o.step > coalesce(f.previous, -1) AND" if mode == "DISCARDING" else ""
    base.execute(f"""CREATE TABLE wanted AS
        WITH held AS (SELECT f.g AS of_g, f.first, f.last, f.step AS of_step, timing, index,
        is_last, o.id
          FROM firing f JOIN own o ON (o.g, o.first, o.last) = (f.g, f.first, f.last)
          WHERE {since} o.step <= f.step)
        SELECT of_g AS g, first, last, of_step AS step, timing, index, is_last, false
        AS is_retraction,
          {duck(names)} FROM held JOIN accepted USING (id)
        GROUP BY of_g, first, last, of_step, timing, index, is_last""")
    base.execute(f"""INSERT INTO wanted SELECT f.g, f.first, f.last, f.step, timing, index, is_last,
          false, nothing.* FROM firing f ANTI JOIN wanted w ON (w.g, w.first, w.last, w.step)
          = (f.g, f.first, f.last, f.step), (SELECT {duck(names)} FROM accepted WHERE false)
          nothing""")
    if mode == "ACCUMULATING_AND_RETRACTING":
        base.execute("""INSERT INTO wanted SELECT w.* REPLACE (f.step AS step, true
            AS is_retraction)
            FROM wanted w JOIN firing f ON (f.g, f.first, f.last, f.index - 1) = (w.g, w.first,
            w.last, w.index)""")
