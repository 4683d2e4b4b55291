"""Panes in tables of Delta and Iceberg, each batch once, also after kills (SEMANTICS R145, B3)."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from feed import add_files, order
from formats import TESTED, format_jars
from programs import printed, python_with, start
from sinks.storage import served

pytestmark = [pytest.mark.spark, pytest.mark.full]


@pytest.mark.parametrize(("kind", "version", "name"), TESTED)
def test_a_repeated_batch_is_in_the_table_once(
    kind: str, version: str, name: str, tmp_path: Path
) -> None:
    """A kill between the commit of the table and that of Spark doubles and loses no row.

    An older copy of the checkpoint is refused.
    """
    kill(tmp_path, kind, version, name, "none", "append")


@pytest.mark.parametrize("how", ["append", "upsert"])
def test_delta_on_an_object_store(how: str, tmp_path: Path) -> None:
    """The same with the table and the checkpoint in an object store."""
    with served(tmp_path / "server.log") as url:
        kill(tmp_path, "delta", "4.2.0", "delta", url, how)


def kill(folder: Path, kind: str, version: str, name: str, url: str, how: str) -> None:
    """Kill a query, let it end, and compare the table with rows computed by hand."""
    first = [[order(f"09:0{minute}:10", "a", minute)] for minute in range(1, 6)]
    add_files(folder / "orders", *first, [order("09:02:20", "a", 100), order("09:07:00", "a")])
    arguments = ("sinks/appends.py", str(folder), format_jars(name), kind, url, how)
    python = python_with(version)
    died = start(*arguments, "3", python=python, new_session=True)
    assert died.returncode == -signal.SIGKILL, died.stderr[-4000:]
    held, later, *code = printed(*arguments, "none", python=python)
    on_time = [(f"09:0{minute}", "a", minute, 0) for minute in range(1, 6)]
    if how == "upsert":
        on_time.remove(("09:02", "a", 2, 0))
    corrected = [*on_time, ("09:02", "a", 102, 1)]
    assert held == str(sorted(corrected))
    assert later == str(sorted([*corrected, ("09:07", "a", 1, 0)]))
    assert code in ([["BATCH_OF_THE_PAST"], ["BATCH_IS_ANOTHER"]] if how == "append" else [[]])
