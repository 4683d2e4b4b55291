"""Panes that are appended to tables of Delta and Iceberg, each batch once (SEMANTICS R145)."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from feed import add_files, order
from formats import TESTED, format_jars
from programs import printed, python_with, start

pytestmark = [pytest.mark.spark, pytest.mark.full]


@pytest.mark.parametrize(("kind", "version", "name"), TESTED)
def test_a_repeated_batch_is_in_the_table_once(
    kind: str, version: str, name: str, tmp_path: Path
) -> None:
    """A kill between the commit of the table and that of Spark doubles and loses no row.

    An older copy of the checkpoint is refused.
    """
    first = [[order(f"09:0{minute}:10", "a", minute)] for minute in range(1, 6)]
    orders = [*first, [order("09:02:20", "a", 100), order("09:07:00", "a")]]
    add_files(tmp_path / "orders", *orders)
    jars, python = format_jars(name), python_with(version)
    arguments = ("sinks/appends.py", str(tmp_path), jars, kind)
    for deadly in ("1", "3", "5"):
        died = start(*arguments, deadly, python=python, new_session=True)
        assert died.returncode == -signal.SIGKILL, (deadly, died.stderr[-4000:])
    (held,) = printed(*arguments, "none", python=python)
    on_time = [(f"09:0{minute}", "a", minute, 0) for minute in range(1, 6)]
    assert held == str(sorted([*on_time, ("09:02", "a", 102, 1)]))
    add_files(tmp_path / "orders", [order("09:09:00", "a")])
    (held,) = printed(*arguments, "none", python=python)
    assert held == str(sorted([*on_time, ("09:02", "a", 102, 1), ("09:07", "a", 1, 0)]))
    (code,) = printed(*arguments, "past", python=python)
    assert code in {"BATCH_OF_THE_PAST", "BATCH_IS_ANOTHER"}
