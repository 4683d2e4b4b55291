"""Chains whose tasks run twice, in a session of their own.

Arguments: folder, first seed, number of cases, most rows of a case. The first attempt of every task
fails that reads source rows, panes between operators, or results. The last two have updated the
state by then.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark import TaskContext
from pyspark.sql import functions as F

import windrow as wr
from chain.identities import Case
from chain.running import ran
from conftest import session_builder

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

folder, (first, count, size) = Path(sys.argv[1]), map(int, sys.argv[2:])
spark = wr.configure(session_builder(folder).master("local[2,4]")).getOrCreate()
spark.sparkContext.setLogLevel("OFF")


def fragile(rows: DataFrame, name: str) -> DataFrame:
    """Return the rows with a key whose function fails in the first attempt of a task."""

    def given(value: str) -> str:
        task = TaskContext.get()
        assert task is not None
        if task.attemptNumber() == 0:
            (folder / f"failed {name} {task.taskAttemptId()}").touch()
            raise ValueError("this attempt is to fail")
        return value

    key = next(column for column in ("all", "group", "key") if column in rows.columns)
    return rows.withColumn(key, F.udf(given, "string")(key))


for seed in range(first, first + count):
    case = Case.drawn(seed)
    case = replace(case, rows=case.rows[:size])
    panes = ran(spark, case, seed % 2, folder / str(seed), fragile)
    wrong = case.wrong(panes)
    print(f"{case.words}: {wrong}" if wrong else "no difference")  # noqa: T201
spark.stop()
