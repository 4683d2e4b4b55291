"""The batches as planned in Spark's logs, and the batch that read each row."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from large.clock import END, Step
from large.scenario import MILLISECOND

#: Returns the step of a row, given its columns.
Placed = Callable[[Mapping[str, Any]], int]


@dataclass(frozen=True)
class Logged:
    """The steps, and for each stream a function that returns the step of a row."""

    steps: list[Step]
    taken: Mapping[str, Placed]

    def placed(self, name: str, table: pa.Table) -> pa.Table:
        """Return a stream's table with the step of each row in the column ``batch``."""
        columns = table.select(["batch", "partition", "offset"]).to_pylist()
        steps = pa.array([self.taken[name](row) for row in columns], pa.int64())
        return table.set_column(table.column_names.index("batch"), "batch", steps)


def logged(folder: Path, counted: set[int]) -> Logged:
    """Read the logs; ``counted`` are the steps whose counts were written before a kill.

    A kill may skip a batch without data. Files that a source had logged before the kill, but
    without a plan, are read together with the next ones.
    """
    checkpoint = folder / "checkpoint"
    steps: list[Step] = []
    ends: dict[int, list[str]] = {}
    before, is_over = 0, False
    entries = _entries(checkpoint / "sources")
    for file in sorted(numbered(checkpoint / "offsets"), key=lambda one: int(one.name)):
        _, head, *sources = file.read_text().split("\n")
        step = int(file.name)
        ends[step] = sources
        judged = END if is_over else before or None
        is_over = is_over or _tells_end(entries, sources)
        before = json.loads(head)["batchWatermarkMs"] * MILLISECOND
        after = END if is_over else before or None
        steps.append(Step(step, step, 0, judged, after, step in counted))
    taken: dict[str, Placed] = {}
    for i, files in entries.items():
        names = {file.parent.name for file in files}
        if len(names) == 1:
            taken[names.pop()] = _of_files(files, {s: _entry(e[i]) for s, e in ends.items()})
    if not taken.keys() - {"end"}:
        taken["in0"] = _of_offsets({s: json.loads(e[0]) for s, e in ends.items() if e[0] != "-"})
    return Logged(steps, taken)


def _entries(sources: Path) -> dict[int, dict[Path, int]]:
    """Return for each source with a log the entry that contains each file."""
    found: dict[int, dict[Path, int]] = {}
    for source in sources.iterdir():
        logs = [log for log in source.iterdir() if log.name.split(".")[0].isdigit()]
        lines = [line for log in logs for line in log.read_text().split("\n")[1:]]
        told = [json.loads(line) for line in lines if line.startswith('{"path"')]
        if told:
            found[int(source.name)] = {_path(one["path"]): one["batchId"] for one in told}
    return found


def _path(uri: str) -> Path:
    return Path(uri.removeprefix("file:").replace("///", "/"))


def _tells_end(entries: Mapping[int, Mapping[Path, int]], sources: list[str]) -> bool:
    """Return whether the plan includes a line in the folder of the end."""
    return any(
        file.parent.name == "end" and file.stat().st_size and entry <= _entry(sources[i])
        for i, files in entries.items()
        for file, entry in files.items()
    )


def _entry(source: str) -> int:
    """Return the last entry of the source's log that a plan names."""
    return -1 if source == "-" else int(json.loads(source)["logOffset"])


def _of_files(files: Mapping[Path, int], until: Mapping[int, int]) -> Placed:
    """Return a function that finds a row's step by its file, whose name has the batch number."""
    entry_of = {file.name.split("-")[0]: entry for file, entry in files.items()}

    def placed(row: Mapping[str, Any]) -> int:
        entry = entry_of[f"{row['batch']:05}"]
        return min(step for step, last in until.items() if last >= entry)

    return placed


def _of_offsets(until: Mapping[int, Mapping[str, Mapping[str, int]]]) -> Placed:
    """Return a function that finds a row's step by the last offsets of each plan, for one topic."""

    def placed(row: Mapping[str, Any]) -> int:
        part = str(row["partition"])
        ends = {step: next(iter(said.values())).get(part, 0) for step, said in until.items()}
        return min(step for step, end in ends.items() if end > row["offset"])

    return placed


def numbered(folder: Path) -> list[Path]:
    """Return the files whose names are numbers."""
    return [file for file in folder.iterdir() if file.name.isdigit()]
