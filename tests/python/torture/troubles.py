"""Tasks that fail, run twice or lose their executor, by a function on a column that they read.

Files in ``troubles`` in the folder of the run record each fault, so that it occurs once.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from pyspark import TaskContext
from pyspark.sql import functions as F

from torture.plans import FAILS, KILLED, WHERE, Trouble

if TYPE_CHECKING:
    from pyspark.sql import Column

V = TypeVar("V")
READING, WRITTEN = WHERE
#: Seconds until the first attempt continues, because there may be no room for a second one.
PATIENCE = 600


def fragile(
    troubles: Sequence[Trouble], where: str, folder: Path, type_: str
) -> Callable[[str], Column] | None:
    """Return a function that wraps a column with the faults, or None if there are none."""
    mine = {trouble.batch: trouble for trouble in troubles if trouble.where == where}
    if not mine:
        return None

    def given(value: V) -> V:
        task = TaskContext.get()
        if task is not None:
            trouble = mine.get(int(task.getLocalProperty("streaming.sql.batchId") or -1))
            if trouble is not None:
                _come(trouble, task, folder / "troubles")
        return value

    return F.udf(given, type_, useArrow=False)  # Spark 4.2 sometimes hangs with its own Arrow


def _come(trouble: Trouble, task: TaskContext, folder: Path) -> None:
    mark = folder / trouble.name
    place = f"{task.stageId()} {task.partitionId()}"
    try:
        with mark.open("x") as file:
            file.write(place)
    except FileExistsError:
        if task.attemptNumber() > 0 and mark.read_text() == place:
            (folder / f"{trouble.name} again").touch()
        return
    if trouble.what == FAILS:
        raise ValueError("this attempt is to fail")
    if trouble.what == KILLED:
        os.kill(_java(), signal.SIGKILL)
    for _ in range(PATIENCE):
        if (folder / f"{trouble.name} again").exists():
            break
        threading.Event().wait(0.05)


def _java() -> int:
    """Return the process id of the executor of this worker."""
    pid = os.getpid()
    while b"java" not in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0]:
        pid = int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
    return pid


def came(folder: Path) -> list[Trouble]:
    """Return the faults that occurred; a repeated task counts only if it did run again."""
    found = []
    for mark in (folder / "troubles").iterdir():
        batch, _, rest = mark.name.partition(" ")
        for where in WHERE:
            if rest.endswith(where):
                what = rest.removesuffix(f" {where}")
                again = mark.with_name(f"{mark.name} again")
                if what in {FAILS, KILLED} or again.exists():
                    found.append(Trouble(what, where, int(batch)))
    return found
