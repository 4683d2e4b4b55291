"""Reads a stored checkpoint before any query has started. Arguments: folder, the checkpoint.

Prints the number of windows of its first stream, and the result of the verification.
"""

from __future__ import annotations

import sys
from pathlib import Path

import windrow as wr
from conftest import session_builder

folder, checkpoint = Path(sys.argv[1]), sys.argv[2]
spark = wr.configure(session_builder(folder)).getOrCreate()
spark.sparkContext.setLogLevel("OFF")
print(wr.state(checkpoint, operator="orders").getMessages(None, None).count() > 0)  # noqa: T201
print(wr.verify(checkpoint).ok)  # noqa: T201
