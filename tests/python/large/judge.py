"""Compares actual with expected output: the tables that an operator's SQL reads, and its counts.

``message`` contains every row that was read: the columns of the files, ``stream``, ``step``, ``us``
(its event time in microseconds), ``mark`` (the watermark before its step) and ``fresh`` (not a
replay). ``step`` contains the steps of ``clock``, and ``counted`` their counts. ``panes``,
``rows``, ``rejected`` and ``events`` contain the written output. The operator creates ``fate``:
``stream, id, step`` of each row, and its fate. If a row can be rejected more than once, the
operator also creates ``refusal`` with the names of the windows that reject it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pyarrow as pa

from large.clock import END
from large.expected.panes import some
from large.expected.unchanged import Unchanged
from large.run import APART, COUNTED, Ran

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def judge(ran: Ran) -> list[str]:
    """Return the faults in the output."""
    base = duckdb.connect()
    base.execute("SET TimeZone = 'UTC'")
    _load(base, ran)
    wrong = _batches(ran)
    wrong += ran.case.operator.judge(base, ran.case)
    # Acceleration returns no rejected rows, and a filter may precede an operator.
    return wrong if isinstance(ran.case.operator, Unchanged) else wrong + _ledger(base, ran)


def written(base: DuckDBPyConnection, name: str, folder: Path) -> None:
    """Create a table from the output of ``Files``; ``step`` is the batch number."""
    files = f"read_parquet('{folder}/batch=*/*.parquet', hive_partitioning = true)"
    base.execute(f"CREATE TABLE {name} AS SELECT * EXCLUDE (batch), batch AS step FROM {files}")


def _load(base: DuckDBPyConnection, ran: Ran) -> None:
    made = [
        table.append_column("stream", pa.array([i] * table.num_rows)).append_column(
            "arrived", pa.array(range(table.num_rows))
        )
        for i, table in enumerate(ran.messages)
    ]
    known = {key for table in made for key in table.column_names if key.startswith("k")}
    arrived = pa.concat_tables(
        [table.drop_columns([*known & {*table.column_names}]) for table in made]
    )
    base.register("arrived", arrived)
    base.register("steps", pa.Table.from_pylist([vars(one) for one in ran.steps], _STEP))
    base.execute("CREATE TABLE step AS FROM steps")
    base.execute(
        """CREATE TABLE message AS SELECT * EXCLUDE (arrived), if(?, epoch_us(t), 0) AS us,
           row_number() OVER (PARTITION BY stream, id ORDER BY arrived) = 1 OR NOT ? AS fresh
           FROM (SELECT a.* EXCLUDE (batch), step.step, step.before AS mark
           FROM arrived a JOIN step ON step.batch = a.batch)""",
        [ran.case.operator.timed, ran.case.identity],
    )
    rows = [{"step": step, **row} for step, row in sorted(ran.counts.items())]
    counted = pa.Table.from_pylist(rows, _COUNTED)
    base.register("counted", counted)
    for name in ("panes", "rows", "rejected", "events", "answers", "windows", "kept"):
        if (ran.folder / name).exists():
            written(base, name, ran.folder / name)
    if ran.lookups is not None:
        base.register("asked", ran.lookups)
        base.execute("""CREATE TABLE lookup AS SELECT a.id, a.g, epoch_us(a.t) AS us, step.step,
            step.after FROM asked a JOIN step ON step.batch = a.batch""")


_STEP = pa.schema(
    [(name, pa.int64()) for name in ("step", "batch", "leg", "before", "after")]
    + [("counted", pa.bool_())]
)
_COUNTED = pa.schema([(name, pa.int64()) for name in ("step", *COUNTED, "given")])


def _batches(ran: Ran) -> list[str]:
    """Check that each step was one of Spark's batches."""
    wanted = [one.step for one in ran.steps if one.counted]
    return [] if sorted(ran.counts) == wanted else [f"batches: {sorted(ran.counts)}, not {wanted}"]


def _ledger(base: DuckDBPyConnection, ran: Ran) -> list[str]:
    """Check that every row has one fate (A), and that rejected rows are complete (R74)."""
    wrong = _refused(base, ran) if ran.case.operator.tells_refused else []
    wrong += some(base, "messages without a fate", _FATES)
    wrong += some(base, "counts of a step", _COUNTS)
    wrong += some(base, "read is not what the source gave", "FROM counted WHERE read <> given")
    if ran.case.identity:
        wrong += some(base, "accepted, rejected and gaps are not the offsets that are new", _NEW)
    return wrong


def _refused(base: DuckDBPyConnection, ran: Ran) -> list[str]:
    several = len(ran.messages) > 1
    ids = "coalesce(message.in0.id, message.in1.id)" if several else "message.id"
    names = {row[0] for row in base.execute("DESCRIBE rejected").fetchall()}
    name = "window_name" if "window_name" in names else "NULL::text"
    base.execute(f"""CREATE VIEW refused AS SELECT {ids} // {APART} AS stream, {ids} AS id,
        {name} AS name, step, reason, epoch_us(watermark) AS watermark FROM rejected
        WHERE reason <> 'DUPLICATE'""")
    base.execute(_FORGOTTEN)
    base.execute(_REFUSAL)
    wrong = some(base, "rejected otherwise than by the watermark before the step", _REJECTED)
    retain = {"retain": ran.case.retain}
    wrong += some(base, "wrong reason or watermark of a rejected row", _REASONS, retain)
    for i in range(len(ran.messages)):
        rows = f"rejected rows of stream {i} that are not as they were"
        wrong += some(base, rows, _whole(ran, i))
    return wrong


#: A forgettable replay was forgotten if its rejected row is in the output.
_FORGOTTEN = """UPDATE fate SET fate = if((SELECT count(*) FROM refused r
    WHERE (r.stream, r.id, r.step) = (fate.stream, fate.id, fate.step)) > (SELECT count(*)
    FROM fate f WHERE f.fate = 'rejected' AND (f.stream, f.id, f.step)
    = (fate.stream, fate.id, fate.step)), 'forgotten', 'replay') WHERE fate = 'forgettable'"""
_FATES = "SELECT stream, id, step FROM message EXCEPT ALL SELECT stream, id, step FROM fate"
_REFUSAL = """CREATE TABLE IF NOT EXISTS refusal AS SELECT stream, id, NULL::text AS name, step
    FROM fate WHERE fate IN ('rejected', 'forgotten')"""
_REJECTED = """
SELECT coalesce(f.id, r.id) AS id, coalesce(f.name, r.name) AS name, f.n AS predicted, r.n AS found
FROM (SELECT stream, id, name, step, count(*) AS n FROM refusal GROUP BY ALL) f FULL JOIN
(SELECT stream, id, name, step, count(*) AS n FROM refused GROUP BY ALL) r
ON (f.stream, f.id, f.step, coalesce(f.name, '')) = (r.stream, r.id, r.step, coalesce(r.name, ''))
WHERE f.n IS DISTINCT FROM r.n"""
_REASONS = f"""
SELECT r.id, reason, r.watermark, m.mark FROM refused r
JOIN message m ON (m.stream, m.id, m.step) = (r.stream, r.id, r.step)
WHERE reason <> CASE WHEN m.us IS NULL THEN 'INVALID_TIME'
 WHEN m.us < m.mark - $retain THEN 'OUT_OF_RETENTION' ELSE 'TOO_LATE' END OR r.watermark IS DISTINCT
FROM nullif(m.mark, {END})"""
_COUNTS = """
SELECT step, [p.read, c.read] AS read, [p.accepted, c.accepted] AS accepted, [p.rejected,
c.rejected] AS rejected,
 [p.duplicates, c.duplicates] AS duplicates, [p.gaps, c.gaps] AS gaps FROM (SELECT step, count(f.id)
 AS read, count(*) FILTER (fate = 'accepted') AS accepted,
 count(*) FILTER (fate IN ('rejected', 'forgotten')) AS rejected,
 count(*) FILTER (fate IN ('replay', 'duplicate')) AS duplicates,
 count(*) FILTER (fate = 'gap') AS gaps
 FROM step LEFT JOIN fate f USING (step) WHERE counted GROUP BY ALL) p
 FULL JOIN counted c USING (step)
WHERE (p.read, p.accepted, p.rejected, p.duplicates, p.gaps)
 IS DISTINCT FROM (c.read, c.accepted, c.rejected, c.duplicates, c.gaps)"""

#: A row that a deduplication drops is new, although it counts as a duplicate.
_NEW = """
SELECT step, coalesce(n, 0) + forgotten AS new, accepted + rejected + gaps AS found
FROM counted LEFT JOIN (SELECT step, count(*) AS n FROM (SELECT min(step) AS step FROM message
 GROUP BY stream, partition, "offset") GROUP BY step) USING (step)
JOIN (SELECT step, count(*) FILTER (fate = 'forgotten') - count(*) FILTER (fate = 'duplicate')
 AS forgotten FROM step LEFT JOIN fate USING (step) GROUP BY step) USING (step)
WHERE new <> found"""


def _whole(ran: Ran, stream: int) -> str:
    files = f"read_parquet('{ran.folder}/in{stream}/*.parquet')"
    whole = "message" if len(ran.messages) == 1 else f"message.in{stream}"
    return f"""SELECT unnest({whole}) FROM rejected WHERE {whole} IS NOT NULL EXCEPT ALL
        FROM {files}"""
