"""Runs a page of the docs that needs special settings at the start of its session.

Arguments: the page, a folder, JARs, settings, and replacements for texts, both as JSON. Prints the
page with its real output.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import windrow as wr
from conftest import session_builder
from docs.pages import Page

path, folder, jars = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
settings, places = json.loads(sys.argv[4]), json.loads(sys.argv[5])
few = {"spark.windrow.shards": "1", "spark.sql.shuffle.partitions": "1", "spark.jars": jars}
builder = session_builder(folder).config(map={**few, **settings})
spark = wr.configure(builder).getOrCreate()
spark.sparkContext.setLogLevel("OFF")
print(Page(path, spark, folder, places).run(whole=False))  # noqa: T201
spark.stop()
