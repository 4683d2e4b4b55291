"""Sinks of a query's rows beside ``Files``, each with what must be in it when all is done.

What is written is written to ``Files`` before (``witness``), which is judged by itself; the sink is
then compared with that. A row that went into it says by which batch and in which life it did.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql import functions as F

import windrow as wr
from large.expected.panes import some
from windrow._running import _sinks

if TYPE_CHECKING:
    from collections.abc import Collection

    from duckdb import DuckDBPyConnection
    from pyspark.sql import DataFrame, SparkSession

#: What of a pane two attempts at its batch say alike, to the last bit.
SAME = "n, group_least, group_greatest, ids, to_json(pane) AS pane"
TABLE = "panes_under_test"
#: What is said to be written to ``TABLE`` goes there, each row with the batch and the life.
_TOLD = "panes_with_life"


def witnessed(folder: Path, life: int) -> None:
    """Have every row that is not for ``Files`` written there, too, and each writing be told."""
    write = _sinks._write

    def both(
        rows: DataFrame,
        sink: _sinks.Sink,
        batch_id: int,
        kind: str = "",
        query: str = "",
        checkpoint: str = "",
    ) -> None:
        if not isinstance(sink, wr.Files):
            write(rows, wr.Files(str(folder / "panes")), batch_id)
            (folder / "writes" / f"{batch_id} {life}").touch()
            if not isinstance(sink, wr.Upsert):
                told = {"batch": F.lit(batch_id), "life": F.lit(life)}
                rows = rows.withColumns(told)
        write(rows, _TOLD if sink == TABLE else sink, batch_id, kind, query, checkpoint)

    _sinks._write = both


def made(name: str, panes: DataFrame, folder: Path, broker: str) -> _sinks.Sink:
    """Give a sink; tables are there from the first start on."""
    under = folder / "under"
    if name == "each":
        return lambda rows, _: rows.write.mode("append").parquet(str(under))
    if name == "kafka":
        to = {"kafka.bootstrap.servers": broker, "topic": topic(folder, "out")}
        return lambda rows, _: (
            rows.select(F.to_json(F.struct("*")).alias("value"))
            .write.format("kafka")
            .options(**to)
            .save()
        )
    if name == "upsert":
        _table(TABLE, "delta", panes, under)
        return wr.Upsert(TABLE)
    told = panes.withColumns({"batch": F.lit(0).cast("int"), "life": F.lit(0).cast("int")})
    _table(TABLE, "parquet", panes, folder / "said")
    _table(_TOLD, "parquet", told, under)
    return TABLE


def _table(name: str, kind: str, rows: DataFrame, path: Path) -> None:
    spark = rows.sparkSession
    if not path.exists():
        spark.createDataFrame([], rows.schema).write.format(kind).save(str(path))
    spark.sql(f"CREATE TABLE {name} USING {kind} LOCATION '{path}'")


def topic(folder: Path, name: str) -> str:
    """Name a topic of a run."""
    return f"{folder.parent.name}-{name}".replace("_", "-")


def fetched(name: str, spark: SparkSession, folder: Path, broker: str) -> None:
    """Have what is in a sink in files, once all is done."""
    found = str(folder / "found")
    if name == "upsert":
        spark.table(TABLE).write.parquet(found)
    elif name == "kafka":
        reader = spark.read.format("kafka").option("kafka.bootstrap.servers", broker)
        rows = reader.option("subscribe", topic(folder, "out")).load()
        said = F.from_json(F.col("value").cast("string"), _SAID)
        rows.select(said.alias("row")).select("row.*").write.parquet(found)


_SAID = (
    "n bigint, group_least bigint, group_greatest bigint, ids bigint, batch int, life int, pane "
    "struct<timing: string, index: bigint, is_last: boolean, is_retraction: boolean>"
)


def wrong(
    name: str, base: DuckDBPyConnection, folder: Path, again: Collection[int] = ()
) -> list[str]:
    """Say what in a sink is not as it must be.

    Spark's sink of Kafka keeps what a task had sent before its executor was lost, and the task
    sends it again: in the batches of ``again``.
    """
    if name in {"files", "spark"}:
        return []
    if name == "upsert":
        return _upserted(base, folder)
    if name == "kafka":
        return _repeated(base, folder / "found", again)
    return _repeated(base, folder / "under", ())


def _upserted(base: DuckDBPyConnection, folder: Path) -> list[str]:
    """One row for each window, the last that holds (B3)."""
    base.execute(f"CREATE VIEW held AS FROM read_parquet('{folder}/found/*.parquet')")
    names = [row[0] for row in base.execute("DESCRIBE panes").fetchall()]
    on = ", ".join(f'"{name}"' for name in names[: names.index("window") + 1])
    base.execute(f"""CREATE VIEW lasts AS SELECT * FROM (SELECT * FROM panes QUALIFY
        row_number() OVER (PARTITION BY {on} ORDER BY pane.index DESC, pane.is_retraction DESC)
        = 1) WHERE NOT pane.is_retraction""")
    wanted, found = (f'(SELECT "window", {SAME} FROM {name})' for name in ("lasts", "held"))
    return [
        *some(base, "rows that are not in the table", f"FROM {wanted} EXCEPT ALL FROM {found}"),
        *some(base, "rows that are in the table", f"FROM {found} EXCEPT ALL FROM {wanted}"),
    ]


def _repeated(base: DuckDBPyConnection, found: Path, again: Collection[int]) -> list[str]:
    """Each batch whole by the life that ended it; what others wrote is of it, each row once."""
    base.execute(f"CREATE VIEW held AS FROM read_parquet('{found}/*.parquet')")
    marks = [file.name.split() for file in (found.parent / "writes").iterdir()]
    lives = {int(batch): 0 for batch, _ in marks}
    for batch, life in marks:
        lives[int(batch)] = max(lives[int(batch)], int(life))
    rows = [{"batch": batch, "life": life} for batch, life in lives.items()]
    base.register("ended", pa.Table.from_pylist(rows, _ENDED))
    base.execute(f"CREATE VIEW shown AS SELECT step AS batch, {SAME} FROM panes")
    last = f"(SELECT batch, {SAME} FROM held JOIN ended USING (batch, life))"
    others = f"(SELECT batch, life, {SAME} FROM held ANTI JOIN ended USING (batch, life))"
    cut_off = f"""SELECT batch, life, n, group_least, group_greatest, ids, pane
        FROM shown JOIN (SELECT DISTINCT batch, life FROM {others}) USING (batch)"""
    sent_again = f"WHERE list_contains({sorted(again)}::INTEGER[], batch)"
    return [
        *some(base, "rows that are not in the sink", f"FROM shown EXCEPT ALL FROM {last}"),
        *some(
            base,
            "rows that are in the sink",
            f"(FROM {last} EXCEPT ALL FROM shown) EXCEPT FROM shown {sent_again}",
        ),
        *some(
            base,
            "rows of a life that was cut off, of another batch or more often than in it",
            f"(FROM {others} EXCEPT ALL {cut_off}) EXCEPT {cut_off} {sent_again}",
        ),
    ]


_ENDED = pa.schema([("batch", pa.int32()), ("life", pa.int32())])


def taken_apart(base: DuckDBPyConnection, folder: Path) -> None:
    """Write what Spark's own sink of files holds by its log as ``Files`` would have."""
    batches: dict[str, int] = {}
    logs = [log for log in (folder / "under/_spark_metadata").iterdir() if log.name[0].isdigit()]
    for log in sorted(logs, key=lambda one: int(one.name.split(".")[0])):
        for line in log.read_text().split("\n")[1:]:
            path = json.loads(line)["path"].removeprefix("file:").replace("///", "/")
            batches.setdefault(path, int(log.name.split(".")[0]))
    for batch in {*batches.values()}:
        files = [path for path, of in batches.items() if of == batch]
        for kind in ("panes", "rejected"):
            to = folder / kind / f"batch={batch}"
            to.mkdir(parents=True)
            base.execute(f"""COPY (SELECT unnest({kind}) FROM read_parquet({files})
                WHERE kind = '{kind}') TO '{to}/rows.parquet' (FORMAT parquet)""")
