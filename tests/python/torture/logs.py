"""The batches as Spark's logs have planned them, and which of them took each message."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from large.clock import END, Step
from large.scenario import MILLISECOND

#: Gives the step of a message, by its columns.
Placed = Callable[[Mapping[str, Any]], int]


@dataclass(frozen=True)
class Logged:
    """``taken`` says for each stream which step took a message."""

    steps: list[Step]
    taken: Mapping[str, Placed]

    def placed(self, name: str, table: pa.Table) -> pa.Table:
        """Say of each message of a stream which step took it, in the column ``batch``."""
        columns = table.select(["batch", "partition", "offset"]).to_pylist()
        steps = pa.array([self.taken[name](row) for row in columns], pa.int64())
        return table.set_column(table.column_names.index("batch"), "batch", steps)


def logged(folder: Path, counted: set[int]) -> Logged:
    """Read them; ``counted`` are those whose counts were told before their process ended.

    A death may leave out a batch without data; and what the log of a source had taken when there
    was no plan yet comes together with what follows.
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
    """Give for each source that logs files the entry that each is in."""
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
    """Whether a line in the folder of the end is within what was planned."""
    return any(
        file.parent.name == "end" and file.stat().st_size and entry <= _entry(sources[i])
        for i, files in entries.items()
        for file, entry in files.items()
    )


def _entry(source: str) -> int:
    """Give the last entry of its log that a plan names."""
    return -1 if source == "-" else int(json.loads(source)["logOffset"])


def _of_files(files: Mapping[Path, int], until: Mapping[int, int]) -> Placed:
    """By the file of the message, which is called by the number of its batch."""
    entry_of = {file.name.split("-")[0]: entry for file, entry in files.items()}

    def placed(row: Mapping[str, Any]) -> int:
        entry = entry_of[f"{row['batch']:05}"]
        return min(step for step, last in until.items() if last >= entry)

    return placed


def _of_offsets(until: Mapping[int, Mapping[str, Mapping[str, int]]]) -> Placed:
    """By the offsets that each plan ends with, of one topic."""

    def placed(row: Mapping[str, Any]) -> int:
        part = str(row["partition"])
        ends = {step: next(iter(said.values())).get(part, 0) for step, said in until.items()}
        return min(step for step, end in ends.items() if end > row["offset"])

    return placed


def numbered(folder: Path) -> list[Path]:
    """Give the files whose names are numbers."""
    return [file for file in folder.iterdir() if file.name.isdigit()]
