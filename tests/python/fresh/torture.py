"""One life of a scenario's query, which may end at any moment.

Arguments: the folder of the run and the master. It makes a session, says ``ready``, and waits for a
line: its settings in JSON. Then it looks whether the checkpoint is whole, and runs the query over
all that is there; what each batch counted is in ``counts`` in the folder once Spark tells it.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from pathlib import Path

import windrow as wr
from conftest import session_builder
from large import dice, draw
from large.run import begun, counted, session_of
from large.scenario import Leg

folder, master = Path(sys.argv[1]), sys.argv[2]
home = folder / f"life {sys.argv[3]}"
home.mkdir()
os.environ["WINDROW_MASTER"] = master
spark = wr.configure(session_builder(home)).getOrCreate()
spark.sparkContext.setLogLevel("ERROR")
print("ready", flush=True)  # noqa: T201
settings = tuple(map(tuple, json.loads(sys.stdin.readline())))
case = eval((folder / "case").read_text(), vars(draw) | vars(dice))  # noqa: S307  our own text, of the classes drawn
checkpoint = folder / "checkpoint"
if (checkpoint / "offsets").exists():
    found = wr.verify(checkpoint)
    assert found.ok, found
query = begun(session_of(spark, case, Leg(0, settings)), case, folder)
ended = False
while not ended:
    ended = not query.isActive
    for batch, counts in counted(query).items():
        (folder / "counts" / f"{batch}.new").write_text(json.dumps(counts))
        (folder / "counts" / f"{batch}.new").rename(folder / "counts" / str(batch))
    threading.Event().wait(0.02)
query.awaitTermination()
spark.stop()
