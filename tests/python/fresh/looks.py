"""Looks into a kept checkpoint before any query has begun. Arguments: folder, the checkpoint.

Prints how many windows of its first stream there are, and whether the checkpoint is whole.
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
