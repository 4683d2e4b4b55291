"""Sinks other than ``Files``, as functions, and the expected contents of each at the end.

Each write also goes to ``Files`` first (``witnessed``), which is judged separately; the sink is
then compared with it. A row in the sink contains the batch and the life that wrote it.
"""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import pyarrow as pa
from pyspark.sql import functions as F

import windrow as wr
from large.expected.panes import some
from sinks.databases import SERVERS, Database
from sinks.writing import write

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from duckdb import DuckDBPyConnection
    from pyspark.sql import DataFrame, SparkSession

#: The columns of a pane that are equal to the bit in two attempts at its batch.
SAME = "n, group_least, group_greatest, ids, to_json(pane) AS pane"
TABLE = "panes_under_test"

Written: TypeAlias = "Callable[[DataFrame, int], None]"


def witnessed(sink: Written, folder: Path, life: int, *, tells: bool) -> Written:
    """Return a sink that first writes every row to ``Files``, and records each write.

    tells: whether the rows of the sink have the batch and the life.
    """

    def both(rows: DataFrame, batch_id: int) -> None:
        write(wr.Files(str(folder / "panes")), rows, batch_id)
        (folder / "writes" / f"{batch_id} {life}").touch()
        told = {"batch": F.lit(batch_id), "life": F.lit(life)}
        sink(rows.withColumns(told) if tells else rows, batch_id)
        if (folder / "stored").exists():
            (folder / "stored" / f"{batch_id} {life}").touch()
            threading.Event().wait(0.2)  # time for a kill before Spark commits

    return both


def made(name: str, panes: DataFrame, folder: Path, server: str) -> Written:
    """Return a sink, and create its table at the first start."""
    under = folder / "under"
    if name == "each":
        return lambda rows, _: rows.write.mode("append").parquet(str(under))
    if name == "kafka":
        to = {"kafka.bootstrap.servers": server, "topic": topic(folder, "out")}
        return lambda rows, _: (
            rows.select(F.to_json(F.struct("*")).alias("value"))
            .write.format("kafka")
            .options(**to)
            .save()
        )
    if name in SERVERS:
        return _into_database(folder, server)
    if name == "upsert":
        _table(TABLE, "delta", panes, under)
        return lambda rows, batch_id: write(wr.Upsert(TABLE), rows, batch_id)
    told = panes.withColumns({"batch": F.lit(0).cast("int"), "life": F.lit(0).cast("int")})
    _table(TABLE, "parquet", told, under)
    return lambda rows, batch_id: write(TABLE, rows, batch_id)


def _into_database(folder: Path, server: str) -> Written:
    """Return a sink that writes to two tables of a database: every pane, and the last ones."""
    query, checkpoint = table_of(folder, "q"), str(folder / "checkpoint")
    log = wr.Jdbc(server, table_of(folder, "log"))
    lasts = wr.Jdbc(server, table_of(folder, "lasts"), upsert=True)

    def both(rows: DataFrame, batch_id: int) -> None:
        for sink in (log, lasts):
            write(sink, rows, batch_id, query, checkpoint=checkpoint)

    return both


def table_of(folder: Path, name: str) -> str:
    """Return the name of a table of a run, whose server has the tables of other runs, too."""
    return topic(folder, name).replace("-", "_").lower()


def _table(name: str, kind: str, rows: DataFrame, path: Path) -> None:
    spark = rows.sparkSession
    if not path.exists():
        spark.createDataFrame([], rows.schema).write.format(kind).save(str(path))
    spark.sql(f"CREATE TABLE {name} USING {kind} LOCATION '{path}'")


def topic(folder: Path, name: str) -> str:
    """Return the name of a topic of a run."""
    return f"{folder.parent.name}-{name}".replace("_", "-")


def fetched(name: str, spark: SparkSession, folder: Path, server: str) -> None:
    """Write the final contents of a sink to files."""
    found = str(folder / "found")
    if name in SERVERS:
        for table in ("log", "lasts"):
            read = Database(name, server).read(spark, f"SELECT * FROM {table_of(folder, table)}")
            read.selectExpr(*_FLAT).write.parquet(f"{found} {table}")
    if name == "upsert":
        spark.table(TABLE).write.parquet(found)
    elif name == "kafka":
        reader = spark.read.format("kafka").option("kafka.bootstrap.servers", server)
        rows = reader.option("subscribe", topic(folder, "out")).load()
        said = F.from_json(F.col("value").cast("string"), _SAID)
        rows.select(said.alias("row")).select("row.*").write.parquet(found)


#: The columns of a table of a database in the form of the panes.
_FLAT = (
    *("n", "group_least", "group_greatest", "ids"),
    "named_struct('start', window_start, 'end', window_end) AS window",
    "named_struct('timing', pane_timing, 'index', pane_index, 'is_last', pane_is_last, "
    "'is_retraction', pane_is_retraction) AS pane",
)
_SAID = (
    "n bigint, group_least bigint, group_greatest bigint, ids bigint, batch int, life int, pane "
    "struct<timing: string, index: bigint, is_last: boolean, is_retraction: boolean>"
)


def wrong(
    name: str, base: DuckDBPyConnection, folder: Path, again: Collection[int] = ()
) -> list[str]:
    """Return the faults in the contents of a sink.

    Spark's Kafka sink keeps rows that a task sent before its executor was lost, and the repeated
    task sends them again, in the batches of ``again``.
    """
    if name in {"files", "spark"}:
        return []
    if name in SERVERS:
        return [*_exact(base, folder / "found log"), *_upserted(base, folder / "found lasts")]
    if name == "upsert":
        return _upserted(base, folder / "found")
    if name == "kafka":
        return _repeated(base, folder / "found", again)
    return _repeated(base, folder / "under", ())


def _exact(base: DuckDBPyConnection, found: Path) -> list[str]:
    """Check that the table has each pane once (B10)."""
    wanted = f'(SELECT "window", {SAME} FROM panes)'
    there = f"(SELECT \"window\", {SAME} FROM read_parquet('{found}/*.parquet'))"
    return [
        *some(base, "panes that are not in the log", f"FROM {wanted} EXCEPT ALL FROM {there}"),
        *some(base, "panes that are in the log", f"FROM {there} EXCEPT ALL FROM {wanted}"),
    ]


def _upserted(base: DuckDBPyConnection, found: Path) -> list[str]:
    """Check that the table has one row per window, its last valid pane (B3)."""
    base.execute(f"CREATE VIEW held AS FROM read_parquet('{found}/*.parquet')")
    names = [row[0] for row in base.execute("DESCRIBE panes").fetchall()]
    on = ", ".join(f'"{name}"' for name in names[: names.index("window") + 1])
    base.execute(f"""CREATE VIEW lasts AS SELECT * FROM (SELECT * FROM panes QUALIFY
        row_number() OVER (PARTITION BY {on} ORDER BY pane.index DESC, pane.is_retraction DESC)
        = 1) WHERE NOT pane.is_retraction""")
    wanted, there = (f'(SELECT "window", {SAME} FROM {name})' for name in ("lasts", "held"))
    return [
        *some(base, "rows that are not in the table", f"FROM {wanted} EXCEPT ALL FROM {there}"),
        *some(base, "rows that are in the table", f"FROM {there} EXCEPT ALL FROM {wanted}"),
    ]


def _repeated(base: DuckDBPyConnection, found: Path, again: Collection[int]) -> list[str]:
    """Check that each batch is complete from its last life; earlier lives wrote parts of it."""
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
    """Convert the output of Spark's file sink, as listed in its log, to the layout of ``Files``."""
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
