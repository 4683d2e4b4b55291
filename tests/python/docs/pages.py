"""Pages of the docs as programs: their code runs in order, and its output is compared."""

from __future__ import annotations

import inspect
import io
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F

import windrow as wr
from docs import scala_pages
from feed import add_files
from page_parts import DAY, OUTPUTS, Part, beginning, cells, moment, parts

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ROOT = Path(__file__).parents[3]
#: Pages that run in a session of their own, with a database, a broker, or a table format.
OWN_SESSION = ("sinks.md", "cookbook/billing.md", "cookbook/kafka-to-delta.md")
_TYPES = {
    "timestamp": re.compile(r"(\d{4}-\d\d-\d\d )?\d\d:\d\d(:\d\d(\.\d+)?)?"),
    "bigint": re.compile(r"-?\d+"),
    "double": re.compile(r"-?\d+\.\d+"),
    "boolean": re.compile(r"true|false"),
}
Came = dict[str, list[tuple[int, Any]]]


@contextmanager
def starting_nothing() -> Iterator[list[str]]:
    """Replace ``start`` by a function that checks its arguments, and yield the argument names."""
    started: list[str] = []

    def noting(start: Callable[..., Any]) -> Callable[..., None]:
        def noted(*said: Any, **named: Any) -> None:
            started.extend(inspect.signature(start).bind(*said, **named).arguments)

        return noted

    with pytest.MonkeyPatch.context() as patch:
        for output in (wr.Output, wr.JoinOutput, wr.Answers):
            patch.setattr(output, "start", noting(output.start))
        yield started


@contextmanager
def inside(spark: SparkSession, folder: Path) -> Iterator[None]:
    """Resolve relative paths in a folder, in Python and in Spark."""
    java: Any = spark._jvm
    files = java.org.apache.hadoop.fs.FileSystem.getLocal(spark._jsc.hadoopConfiguration())
    before, there = files.getWorkingDirectory(), Path.cwd()
    files.setWorkingDirectory(java.org.apache.hadoop.fs.Path(folder.as_uri()))
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(there)
        files.setWorkingDirectory(before)


def _watched(query: Any, **_: Any) -> None:
    """Replace ``wr.watch``, which runs until a query ends: stop the query and read its status."""
    query.processAllAvailable()
    query.stop()
    str(wr.status(query))


class Page:
    """A page that is run from top to bottom, with one namespace for all of its code.

    A query that it starts reads all available input before the next code runs.
    """

    def __init__(
        self, path: Path, spark: SparkSession, folder: Path, places: Mapping[str, str] | None = None
    ) -> None:
        """Read the page; its streams and queries use ``folder``.

        ``places`` maps texts in its code, such as addresses, to their replacements.
        """
        self.path, self.spark, self.folder, self.places = path, spark, folder, places or {}
        self.text = path.read_text(encoding="utf-8")
        self.names: dict[str, Any] = {"wr": wr, "F": F, "spark": spark}
        self.came: dict[int, Came] = {}
        self.count = 0
        self.shown: dict[tuple[str, ...], tuple[list[str], list[list[str]]]] = {}
        every = list(parts(self.text))
        tables = [part for part in every if part.word == "messages"]
        self.answered = {part.start for part, after in pairwise(every) if after.said == "sql"}
        self.classes: Path | None = None
        self.blocks = 0
        self.streams: set[str] = set()
        self.batches = 0
        if len({part.said for part in tables}) > 1:
            self.batches = max(_last(part.text) for part in tables)

    def run(self, *, whole: bool) -> str:
        """Return the page with its real output; with ``whole``, SQL is run too, not only analyzed.

        Scala is run if its classes are given (``scala_pages.compiled``).
        """
        made: list[str] = []
        said = io.StringIO()
        at = 0
        for part in parts(self.text):
            made.append(self.text[at : part.start])
            at = part.end
            with redirect_stdout(said), inside(self.spark, self.folder):
                shown = self._done(part, said.getvalue(), whole=whole)
            if part.word == "text":
                said = io.StringIO()
            made.append(part.text if shown is None else shown)
        return "".join([*made, self.text[at:]])

    def _done(self, part: Part, said: str, *, whole: bool) -> str | None:
        """Run a part, and return its output if the page shows it."""
        if part.word == "python":
            self._python(part)
        elif part.word == "text" and not part.is_example:
            return said.strip("\n") + "\n" if said else None
        elif part.word == "given":
            with redirect_stdout(io.StringIO()):  # the other page shows this output
                for each in beginning((ROOT / part.said).read_text(encoding="utf-8"), "python"):
                    self._done(each, said, whole=whole)
        elif part.word == "messages":
            self._stream(part)
        elif part.word == "sql":
            asked = self.spark.sql(part.text.strip().rstrip(";"))
            if part.start in self.answered:
                self.names["sql"] = asked
            else:
                self._asked(asked, part, whole=whole)
        elif part.word == "scala":
            self._scala(part, whole=whole)
        elif part.word in OUTPUTS:
            return self._table(part)
        return None

    def _python(self, part: Part) -> None:
        text = "\n" * self.text[: part.start].count("\n") + part.text
        for shown, place in self.places.items():
            text = text.replace(shown, place)
        code = compile(text, str(self.path), "exec", dont_inherit=True)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(wr, "watch", _watched)
            exec(code, self.names)  # noqa: S102  our own page
        for query in self.spark.streams.active:
            query.processAllAvailable()

    def _scala(self, part: Part, *, whole: bool) -> None:
        if self.classes is not None and self.shown:
            streams = {name: self.names[name] for name in self.streams}
            made = scala_pages.given(self.spark, self.classes, self.path, streams, self.blocks)
            self._asked(made, part, whole=whole)
        self.blocks += 1

    def _stream(self, part: Part) -> None:
        """Create the stream of a table, with one file for each batch."""
        head, rows = cells(part.text)
        columns = [name for name in head if name != "batch"]
        types = {name: _type([row[head.index(name)] for row in rows]) for name in columns}
        batches: list[list[dict[str, Any]]] = [
            [] for _ in range(max(self.batches, _last(part.text)))
        ]
        for row in rows:
            said = dict(zip(head, row, strict=True))
            read = {name: _read(said[name], types[name]) for name in columns}
            batches[int(said["batch"]) - 1].append(read)
        self.count += 1
        folder = self.folder / f"{self.count}-{part.said}"
        add_files(folder, *batches)
        if not (named := self.folder / part.said).exists():
            named.symlink_to(folder)  # for code of the page that reads the files itself
        schema = ", ".join(f"`{name}` {kind}" for name, kind in types.items())
        reader = self.spark.readStream.schema(schema).option("maxFilesPerTrigger", 1)
        self.names[part.said] = reader.json(str(folder))
        self.names[part.said].createOrReplaceTempView(part.said)
        self.streams.add(part.said)

    def _table(self, part: Part) -> str:
        """Return a table of the output."""
        source = eval(part.said, self.names)  # noqa: S307  our own page
        if id(source) not in self.came:
            self.count += 1
            self.came[id(source)] = _run(source, self.folder / f"checkpoint-{self.count}")
            # keeps the object alive, so that its id stays unique
            self.names[f"_kept_{self.count}"] = source
        frame = getattr(source, part.word, source)
        head, _ = cells(part.text)
        rows = [
            [_cell(name, row, batch) for name in head]
            for batch, row in self.came[id(source)][part.word]
        ]
        self.shown[tuple(frame.columns)] = head, rows
        lines = [head, ["---"] * len(head), *rows]
        return "".join(
            "|" + "|".join(f" {c} " if c != "---" else c for c in line) + "|\n" for line in lines
        )

    def _asked(self, asked: DataFrame, part: Part, *, whole: bool) -> None:
        """Check that SQL or Scala returns a table's columns and, with ``whole``, its rows."""
        if not (self.shown or asked.isStreaming):
            asked.collect()
            return
        assert tuple(asked.columns) in self.shown, part.text
        if whole:
            head, rows = self.shown[tuple(asked.columns)]
            self.count += 1
            came = _run(asked, self.folder / f"checkpoint-{self.count}")["rows"]
            assert [[_cell(name, row, batch) for name in head] for batch, row in came] == rows


def _run(source: Any, checkpoint: Path) -> Came:
    """Run a described query over all available input, and return its output by sink."""
    came: Came = {}

    def into(word: str) -> Any:
        rows = came.setdefault(word, [])
        return lambda frame, batch: rows.extend((batch + 1, row) for row in frame.collect())

    trigger = {"availableNow": True}
    if not getattr(source, "isStreaming", True):
        return {"rows": [(1, row) for row in source.collect()]}
    if isinstance(source, wr.Output):
        words = ["panes", "rejected"]
        words += ["events"] if isinstance(source.spec.window, wr.Policy) else []
    else:
        words = (
            ["rows", "rejected"]
            if isinstance(source, wr.JoinOutput | wr.DedupOutput | wr.MatchOutput)
            else ["answers"]
        )
    if hasattr(source, "writeStream"):
        writer = source.writeStream.foreachBatch(into("rows")).trigger(**trigger)
        query = writer.option("checkpointLocation", str(checkpoint)).start()
    else:
        sinks = {word: into(word) for word in words}
        query = source.start(**sinks, checkpoint=checkpoint, availableNow=True)
    query.awaitTermination()
    return came


def _cell(name: str, row: Any, batch: int) -> str:
    """Return a field as text by its path; fields of the pane and the row need no prefix."""
    if name == "batch":
        return str(batch)
    value = row
    for step in name.split("."):
        holders = [value, *(value[inner] for inner in ("pane", "message") if inner in value)]
        value = next(holder[step] for holder in holders if step in holder)
        if value is None:
            return ""
    return _shown(value)


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime):
        return _time(value)
    if isinstance(value, tuple):  # a row
        fields = set(getattr(value, "__fields__", ()))
        return (" to " if fields & {"end", "last"} else " ").join(map(_shown, value)).strip()
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(map(_shown, value))
    return "" if value is None else str(value)


def _time(time: datetime) -> str:
    clock = f"{time:%H:%M:%S}" if time.second or time.microsecond else f"{time:%H:%M}"
    if time.microsecond:
        is_whole = time.microsecond % 1000 == 0
        clock += f".{time.microsecond // 1000:03}" if is_whole else f".{time.microsecond:06}"
    if f"{time:%Y-%m-%d}" == DAY:
        return clock
    return f"{time:%Y-%m-%d}" + ("" if clock == "00:00" else f" {clock}")


def _type(column: Sequence[str]) -> str:
    said = [cell for cell in column if cell]
    fits = (name for name, form in _TYPES.items() if all(map(form.fullmatch, said)))
    return next(fits, "string")


def _read(cell: str, kind: str) -> Any:
    if not cell:
        return None
    if kind == "timestamp":
        return moment(cell)
    readers: dict[str, Any] = {"bigint": int, "double": float, "boolean": "true".__eq__}
    return readers.get(kind, str)(cell)


def _last(table: str) -> int:
    """Return the number of batches."""
    head, rows = cells(table)
    return max(int(row[head.index("batch")]) for row in rows)


def pages() -> list[Path]:
    """Return the pages that are run: those with rows, given or shown, or with ``<!-- run -->``."""
    marked = re.compile(r"^<!-- ((messages|given): .*|run) -->$", re.MULTILINE)
    every = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    for name in OWN_SESSION:
        every.remove(ROOT / "docs" / name)
    return [path for path in every if marked.search(path.read_text(encoding="utf-8"))]
