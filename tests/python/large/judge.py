"""What came out beside what must have: the tables that an operator's SQL reads, and its ledger.

``message`` has every message read: the columns of the files, ``stream``, ``step``, ``us`` (its
event time in microseconds), ``mark`` (W before its step) and ``fresh`` (no replay). ``step`` has
the steps of ``clock``; ``panes``, ``rows`` and ``rejected`` are what was written. The operator
makes ``fate``: the ``stream, id, step`` of each message and what becomes of it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pyarrow as pa

from large.panes import some
from large.run import Ran

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def judge(ran: Ran) -> list[str]:
    """Say what is wrong with what came out."""
    base = duckdb.connect()
    base.execute("SET TimeZone = 'UTC'")
    _load(base, ran)
    wrong = _batches(ran)
    wrong += ran.case.operator.judge(base, ran.case)
    return wrong + _ledger(base, ran)


def written(base: DuckDBPyConnection, name: str, folder: Path) -> None:
    """Make a table of what ``Files`` wrote; the number of the batch is ``step``."""
    files = f"read_parquet('{folder}/batch=*/*.parquet', hive_partitioning = true)"
    base.execute(f"CREATE TABLE {name} AS SELECT * EXCLUDE (batch), batch AS step FROM {files}")


def _load(base: DuckDBPyConnection, ran: Ran) -> None:
    made = [
        table.append_column("stream", pa.array([i] * table.num_rows))
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
           FROM (SELECT a.* EXCLUDE (batch), step.step, step.before AS mark, row_number()
           OVER () AS arrived
                 FROM arrived a JOIN step ON step.batch = a.batch)""",
        [ran.case.operator.timed, ran.case.identity],
    )
    for name in ("panes", "rows", "rejected"):
        if (ran.folder / name).exists():
            written(base, name, ran.folder / name)
    names = [f"in{i}" for i in range(len(ran.messages))]
    ids = (
        "message.id"
        if len(names) == 1
        else f"coalesce({', '.join(f'message.{n}.id' for n in names)})"
    )
    base.execute(f"""CREATE VIEW refused AS SELECT stream[3:]::int AS stream, {ids} AS id, step,
        reason,
        epoch_us(watermark) AS watermark FROM rejected""")


_STEP = pa.schema([(name, pa.int64()) for name in ("step", "batch", "leg", "before", "after")])


def _batches(ran: Ran) -> list[str]:
    """Each step was a batch of Spark's."""
    wanted = [one.step for one in ran.steps]
    return [] if sorted(ran.counts) == wanted else [f"batches: {sorted(ran.counts)}, not {wanted}"]


def _ledger(base: DuckDBPyConnection, ran: Ran) -> list[str]:
    """Every message has one fate (A), the operator's ``fate``; rejected rows are whole (R74)."""
    wrong = some(base, "messages without a fate", _FATES)
    wrong += some(base, "rejected otherwise than by the watermark before the step", _REJECTED)
    wrong += some(base, "wrong reason or watermark of a rejected row", _REASONS)
    counted = pa.Table.from_pylist([{"step": k, **row} for k, row in sorted(ran.counts.items())])
    base.register("counted", counted)
    wrong += some(base, "counts of a step", _COUNTS)
    for i in range(len(ran.case.traffic)):
        wrong += some(
            base, f"rejected rows of stream {i} that are not as they were", _whole(ran, i)
        )
    return wrong


_FATES = "SELECT stream, id, step FROM message EXCEPT ALL SELECT stream, id, step FROM fate"
_REJECTED = """
SELECT coalesce(f.id, r.id) AS id, f.n AS predicted, r.n AS found FROM
(SELECT stream, id, step, count(*) AS n FROM fate WHERE fate = 'rejected' GROUP BY ALL) f FULL JOIN
(SELECT stream, id, step, count(*) AS n FROM refused GROUP BY ALL) r
ON (f.stream, f.id, f.step) = (r.stream, r.id, r.step) WHERE f.n IS DISTINCT FROM r.n"""
_REASONS = """
SELECT r.id, reason, r.watermark, m.mark FROM refused r
JOIN message m ON (m.stream, m.id, m.step) = (r.stream, r.id, r.step)
WHERE reason <> if(m.us IS NULL, 'INVALID_TIME', 'TOO_LATE') OR r.watermark IS DISTINCT
FROM m.mark"""
_COUNTS = """
SELECT step, [p.read, c.read] AS read, [p.accepted, c.accepted] AS accepted, [p.rejected,
c.rejected] AS rejected,
 [p.replays, c.replays] AS replays, [p.gaps, c.gaps] AS gaps FROM (SELECT step, count(f.id)
 AS read, count(*) FILTER (fate = 'accepted') AS accepted,
 count(*) FILTER (fate = 'rejected') AS rejected, count(*) FILTER (fate = 'replay') AS replays,
 count(*) FILTER (fate = 'gap') AS gaps
 FROM step LEFT JOIN fate f USING (step) GROUP BY ALL) p FULL JOIN counted c USING (step)
WHERE (p.read, p.accepted, p.rejected, p.replays, p.gaps)
 IS DISTINCT FROM (c.read, c.accepted, c.rejected, c.replays, c.gaps)"""


def _whole(ran: Ran, stream: int) -> str:
    files = f"read_parquet('{ran.folder}/in{stream}/*.parquet')"
    whole = "message" if len(ran.messages) == 1 else f"message.in{stream}"
    return f"""SELECT unnest({whole}) FROM rejected WHERE stream = 'in{stream}' EXCEPT ALL
        FROM {files}"""
