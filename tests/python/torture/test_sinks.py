"""Faults in a sink are detected."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from large.judge import written
from torture.sinks import taken_apart, wrong

PANE = "{'timing': 'LATE', 'index': %d, 'is_last': false, 'is_retraction': %s}"

CUT_OFF = "rows of a life that was cut off, of another batch or more often than in it"


def pane(ids: int, index: int = 0, *, of: int = 0, is_retraction: bool = False) -> str:
    """Return SQL for one pane of a window of a key."""
    told = PANE % (index, str(is_retraction).lower())
    window = f"""{{'start': {of}, 'end': {of + 10}}} AS "window\""""
    values = f"1 AS n, 0 AS group_least, 0 AS group_greatest, {ids} AS ids"
    return f"SELECT 'a' AS k0, {window}, {values}, {told} AS pane"


def put(to: Path, *rows: str) -> None:
    """Write rows to a file."""
    to.parent.mkdir(parents=True, exist_ok=True)
    said = " UNION ALL ".join(f"({row})" for row in rows)
    duckdb.execute(f"COPY ({said}) TO '{to}' (FORMAT parquet)")


def of(row: str, batch: int, life: int) -> str:
    """Return SQL for a row of a sink with its batch and life."""
    return f"SELECT *, {batch} AS batch, {life} AS life FROM ({row})"


def said(folder: Path, sink: str, *again: int) -> list[str]:
    """Return the faults without their rows."""
    base = duckdb.connect()
    written(base, "panes", folder / "panes")
    return [one.split(":")[0] for one in wrong(sink, base, folder, again)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with two batches, the second written by two lives."""
    put(tmp_path / "panes/batch=0/a.parquet", pane(1), pane(2, of=10))
    put(tmp_path / "panes/batch=1/a.parquet", pane(3, 1), pane(4, 1, of=10))
    for mark in ("0 0", "1 0", "1 1"):
        (tmp_path / "writes").mkdir(exist_ok=True)
        (tmp_path / "writes" / mark).touch()
    put(tmp_path / "under/0.parquet", of(pane(1), 0, 0), of(pane(2, of=10), 0, 0))
    put(tmp_path / "under/1.parquet", of(pane(3, 1), 1, 1), of(pane(4, 1, of=10), 1, 1))
    return tmp_path


def test_rows_may_come_twice_only_of_a_life_that_was_cut_off(folder: Path) -> None:
    """Rows may be duplicated only by a life that was interrupted (SEMANTICS S3)."""
    assert said(folder, "table") == []
    put(folder / "under/2.parquet", of(pane(3, 1), 1, 0))
    assert said(folder, "table") == []
    put(folder / "under/3.parquet", of(pane(3, 1), 1, 0))
    assert said(folder, "table") == [CUT_OFF]
    put(folder / "under/3.parquet", of(pane(5, 1), 1, 0))
    assert said(folder, "table") == [CUT_OFF]
    put(folder / "under/3.parquet", of(pane(3, 1), 1, 1))
    assert said(folder, "table") == ["rows that are in the sink"]
    (folder / "under/3.parquet").unlink()
    (folder / "under/0.parquet").unlink()
    assert said(folder, "table") == ["rows that are not in the sink"]


def test_a_topic_keeps_rows_of_a_lost_executor(folder: Path) -> None:
    """A topic may contain repeated rows only in batches in which an executor was lost."""
    (folder / "under").rename(folder / "found")
    put(folder / "found/2.parquet", of(pane(3, 1), 1, 1), of(pane(3, 1), 1, 0))
    put(folder / "found/3.parquet", of(pane(3, 1), 1, 0))
    assert said(folder, "kafka", 1) == []
    assert said(folder, "kafka", 0) == ["rows that are in the sink", CUT_OFF]
    put(folder / "found/4.parquet", of(pane(5, 1), 1, 1))
    assert said(folder, "kafka", 1) == ["rows that are in the sink"]


def test_a_table_of_upserts_has_the_last_panes(folder: Path) -> None:
    """A table of upserts contains the last pane of each window (SEMANTICS B3)."""
    put(folder / "found/a.parquet", pane(3, 1), pane(4, 1, of=10))
    assert said(folder, "upsert") == []
    put(folder / "found/a.parquet", pane(3, 1), pane(2, of=10))
    assert said(folder, "upsert") == [
        "rows that are not in the table",
        "rows that are in the table",
    ]
    put(folder / "panes/batch=2/a.parquet", pane(4, 1, of=10, is_retraction=True))
    put(folder / "found/a.parquet", pane(3, 1), pane(4, 1, of=10))
    assert said(folder, "upsert") == ["rows that are in the table"]
    put(folder / "found/a.parquet", pane(3, 1))
    assert said(folder, "upsert") == []


def test_files_count_with_the_batch_that_logged_them(tmp_path: Path) -> None:
    """Files of Spark's sink count with the batch that logged them; unlogged files do not count."""
    for name in ("a", "b", "c"):
        row = f"SELECT 'panes' AS kind, {{'x': '{name}'}} AS panes, {{'y': 0}} AS rejected"
        put(tmp_path / f"under/{name}.parquet", row)
    (tmp_path / "under/_spark_metadata").mkdir()
    lines = {name: f'{{"path":"file://{tmp_path}/under/{name}.parquet"}}' for name in "ab"}
    (tmp_path / "under/_spark_metadata/0").write_text(f"v1\n{lines['a']}")
    (tmp_path / "under/_spark_metadata/1.compact").write_text(f"v1\n{lines['a']}\n{lines['b']}")
    base = duckdb.connect()
    taken_apart(base, tmp_path)
    written(base, "panes", tmp_path / "panes")
    assert base.execute("SELECT x, step FROM panes ORDER BY step").fetchall() == [
        ("a", 0),
        ("b", 1),
    ]
