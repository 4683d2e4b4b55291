"""Prints the doctor's report with the client of Spark Connect alone, or without PySpark."""

from __future__ import annotations

import importlib.util
import sys

import windrow as wr

report = str(wr.doctor())
print(importlib.util.find_spec("py4j") is None, "py4j" in sys.modules)  # noqa: T201
wr.Tumbling("1 hour").plot()
print(report)  # noqa: T201
