"""Points of a batch, detected by files in the folder of a run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sinks.databases import SERVERS
from torture.subjects import BATCHES, Subject

#: ``{0}`` is the number of the batch, ``{1}`` the version of the state that it creates.
POINTS: Mapping[str, str] = {
    "before its plan is written": "checkpoint/sources/0/{0}",
    "its plan is written": "checkpoint/offsets/{0}",
    "in its tasks": "checkpoint/offsets/{0}",
    "a part of its state is written": "checkpoint/state/0/*/{1}.changelog",
    "its rows are being written": "[pr]*s/batch={0}/*",
    "its rejected rows are being written": "rejected/batch={0}/*",
    "its sink is being written": "writes/{0} *",
    "its sink has it": "under/_spark_metadata/{0}",
    "its sink has committed it": "stored/{0} *",
    "it is committed": "checkpoint/commits/{0}",
    "at any time": "checkpoint/offsets/{0}",
}
#: A point of a bounded run with ``drain``.
ENDING = "the end is told"
#: The maximum delay in seconds after the point.
LATER = {"in its tasks": 0.3, "its sink is being written": 1.0, "at any time": 3.0, ENDING: 5.0}


def points_of(subject: Subject) -> list[str]:
    """Return the points that the subject's batches pass."""
    never = {"its sink is being written", "its sink has it", "its sink has committed it"}
    if subject.sink == "spark":
        never = {name for name in POINTS if "being written" in name or "committed it" in name}
    elif subject.sink in SERVERS:
        never = {"its sink has it"}
    elif subject.sink != "files":
        never = {"its sink has it", "its sink has committed it"}
    if subject.source == "kafka":  # the source logs only its start
        never.add("before its plan is written")
    return [name for name in POINTS if name not in never]


class Watch:
    """Detects that a query reaches a point, in a batch or in the first later batch that has it."""

    def __init__(self, folder: Path, point: str, batch: int) -> None:
        """Start to watch; files that already exist do not count."""
        self._folder, self._point, self._batch = folder, point, batch
        self._before = self._found()

    def is_reached(self) -> bool:
        """Return whether the query has reached the point."""
        return not self._found() <= self._before

    def _found(self) -> set[tuple[Path, int]]:
        files = [file for pattern in self._patterns() for file in self._folder.glob(pattern)]
        found = set()
        for file in files:
            try:
                told = file.stat()
            except FileNotFoundError:  # the file was temporary and has been renamed
                continue
            if told.st_size or self._point != ENDING:
                found.add((file, told.st_mtime_ns))
        return found

    def _patterns(self) -> list[str]:
        if self._point == ENDING:
            return ["checkpoint/windrow/end/end.txt"]
        shown = POINTS[self._point]
        return [shown.format(batch, batch + 1) for batch in range(self._batch, BATCHES + 3)]
