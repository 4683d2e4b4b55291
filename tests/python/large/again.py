"""Runs the scenario that standard input contains as Python, and prints its faults."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import windrow as wr
from conftest import session_builder
from large import dice, draw, draw_operators
from large.judge import judge
from large.run import run

folder = Path(tempfile.mkdtemp())
case = eval(sys.stdin.read(), vars(draw) | vars(dice) | vars(draw_operators))  # noqa: S307  our own text
spark = wr.configure(session_builder(folder)).getOrCreate()
spark.sparkContext.setLogLevel("ERROR")
wrong = judge(run(spark, case, folder / "case"))
print("\n".join(wrong) or "as it must be", folder)  # noqa: T201
sys.exit(bool(wrong))
